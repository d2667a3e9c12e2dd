"""Recipes: how each irregularity is provoked at a table, and what people do about it by the printed rules."""

from typing import Final

from sabot_sim.world.books import rule
from sabot_sim.world.recipes import cards, order, play, players
from sabot_sim.world.recipes.recipe import RECIPES
from sabot_sim.world.table import Table

__all__ = ["RECIPES", "cards", "order", "play", "players", "possible", "provoke"]
_SILENT_TOO: Final = (
    "missing_or_foreign_card",
    "misread_card",
    "pushed_back",
    "lid",
    "lock",
    "deck_check",
    "lower_role",
)


def possible(situation: str, book: str) -> bool:
    """Return True if the book has a rule for it, or it happens without one."""
    return situation in _SILENT_TOO or rule(situation, book).follows != "silent"


def provoke(table: Table, situation: str, number: int) -> None:
    """Provoke an irregularity and let people settle it; a shoe is open before, and no coup is begun."""
    RECIPES[situation](table, rule(situation, table.book), number)
    if table.rng.random() < 0.85:
        table.see()
