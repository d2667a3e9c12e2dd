"""The result of a wager; all evaluators return this type."""

from fractions import Fraction
from typing import NamedTuple


class Settled(NamedTuple):
    """The result of a wager; `odds` are net for one unit staked: -1 is a loss, 0 a stand-off."""

    result: str  # win, lose, push or not_offered; of a wager on several coups win, lose, void or pending
    odds: Fraction
    outcome: str  # as the price list names it
    rule: str  # the clause


def lost(clause: str) -> Settled:
    """Return the loss of the whole stake."""
    return Settled("lose", Fraction(-1), "lose", clause)
