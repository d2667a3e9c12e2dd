"""The jackpots of the demo, by rulebook: parameters as an operator would set them, and hands that win."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sabot_protocol import rulebooks

_BURNT = 1  # card, face down: as every rulebook with a jackpot has it
_FIRST_COUP = ("KC", "2D", "9C", "3D")  # Player 9, a natural: four cards


class NoSuchHandError(ValueError):
    """A hand that the book's jackpot does not have; the message lists those that there are."""


@dataclass(frozen=True)
class DemoJackpot:
    """One jackpot that links all tables, and the people who pay it."""

    toml: str  # without its tables
    hands: dict[str, tuple[str, str, str, str]]  # name for --stack: first four cards of a winning coup; first: default
    wager: str  # that takes part in the pay-out
    role: str  # of the person who confirms

    @classmethod
    def of(cls, book: str) -> "DemoJackpot | None":
        """Return the jackpot of a rulebook; None if its demo has none."""
        found = rulebooks.load(book).demo.jackpot
        if found is None:
            return None
        return cls(found.parameters.replace("RULEBOOK", book), found.hands, found.wager, found.role)

    @cached_property
    def _parameters(self) -> dict[str, Any]:
        found: dict[str, Any] = tomllib.loads(self.text(()))["jackpot"][0]
        return found

    @property
    def id(self) -> str:
        """Return its id."""
        return str(self._parameters["id"])

    @property
    def currency(self) -> str:
        """Return the currency of its meter."""
        return str(self._parameters["currency"])

    @property
    def division(self) -> str:
        """How a prize is divided, in words."""
        return "equal" if self._parameters["division"] == "equal" else "in proportion to the stakes"

    def text(self, tables: Sequence[str]) -> str:
        """Return the parameters as TOML, for these tables."""
        names = ", ".join(f'"{name}"' for name in tables)
        return self.toml.replace("TABLES", f"[{names}]")


def jackpots() -> dict[str, DemoJackpot]:
    """Return the jackpots of the demo, by rulebook."""
    found = {book: DemoJackpot.of(book) for book in rulebooks.ids()}
    return {book: jackpot for book, jackpot in found.items() if jackpot}


def book_of(hand: str) -> str:
    """Return the rulebook whose jackpot this hand wins; the first one with a jackpot, if there is none."""
    return next((book for book, jackpot in jackpots().items() if hand in jackpot.hands), next(iter(jackpots())))


def stacked_cards(rulebook: str, hand: str) -> tuple[str | None, ...]:
    """Return the first cards of a shoe whose second coup is this hand; NoSuchHandError if the book has no such win."""
    jackpot = DemoJackpot.of(rulebook)
    if jackpot is None:
        choices = " or ".join(f"--rulebook {name}" for name in jackpots())
        raise NoSuchHandError(f"--stack {hand}: rulebook {rulebook} has no jackpot in the demo; use {choices}")
    if hand not in jackpot.hands:
        raise NoSuchHandError(f"--stack {hand}: the jackpot of {rulebook} is won by {', '.join(jackpot.hands)}")
    return (*[None] * _BURNT, *_FIRST_COUP, *jackpot.hands[hand])
