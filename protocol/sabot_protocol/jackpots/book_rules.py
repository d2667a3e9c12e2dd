"""Book rules: what each rulebook lays down about the parameters of a jackpot; most have none."""

from functools import cache

from sabot_protocol import rulebooks
from sabot_protocol.rulebooks.model import JackpotRules


@cache
def books() -> tuple[str, ...]:
    """Return the rulebooks that have jackpots."""
    return tuple(name for name in rulebooks.ids() if rulebooks.load(name).jackpots)


def rules_of(book: str) -> JackpotRules | None:
    """Return what a book lays down; None if it has no jackpot, or if there is no such book."""
    return rulebooks.load(book).jackpots if book in books() else None
