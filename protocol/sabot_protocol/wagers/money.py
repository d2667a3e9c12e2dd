"""Money: what is paid in whole minor units, where odds, commission and chips meet. No float comes near it."""

from fractions import Fraction
from math import ceil
from typing import NamedTuple

from sabot_protocol.rulebooks.model import Rulebook

EXTRA_COMMISSION = Fraction(25, 1000)  # Crown 6.5, on what exceeds the table differential
MOST_ANTE = Fraction(125, 1000)  # New Zealand 1.1, of the table minimum


class Payment(NamedTuple):
    """What the house pays on a winning stake, and how much of the stake was never valid."""

    paid_cents: int
    void_cents: int


def pay(book: Rulebook, stake_cents: int, odds: Fraction, chip_cents: int) -> Payment:
    """A win in chips of which the smallest is `chip_cents`."""
    if book.money.rounding == "next_highest":
        return Payment(ceil(stake_cents * odds / chip_cents) * chip_cents, 0)
    valid_cents = _valid_stake(stake_cents, odds, chip_cents)
    return Payment(int(valid_cents * odds), stake_cents - valid_cents)


def _valid_stake(stake_cents: int, odds: Fraction, chip_cents: int) -> int:
    """The most of a stake, in chips, that would be paid exactly (New Zealand 5.13)."""
    smallest_cents = chip_cents * odds.denominator
    return stake_cents // smallest_cents * smallest_cents


def traditional_win(stake_cents: int, differential_cents: int, odds: Fraction) -> Fraction:
    """Crown 6.5: a winning Player or Banker wager above the table differential, exactly (A-24)."""
    excess_cents = max(0, stake_cents - differential_cents)
    return stake_cents * odds - excess_cents * EXTRA_COMMISSION


def ante_allowed(ante_cents: int, minimum_cents: int) -> bool:
    """An Ante is a flat fee of at most an eighth of the table's minimum (New Zealand 1.1)."""
    return 0 < ante_cents <= minimum_cents * MOST_ANTE


def ante_up(stake_cents: int, odds: Fraction, ante_cents: int, *, waived: bool = False) -> Fraction | None:
    """New Zealand 14: the net of a wager and its Ante, which is always collected; None: void for want of one."""
    if waived:
        return stake_cents * odds
    return stake_cents * odds - ante_cents if ante_cents else None
