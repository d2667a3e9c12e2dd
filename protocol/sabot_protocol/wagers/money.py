"""Money: what is paid in whole minor units, where odds, commission and chips meet. No float comes near it."""

from fractions import Fraction
from math import ceil

from sabot_protocol.rulebooks.model import Rulebook

LESS_COMMISSION = Fraction(19, 20)  # 1 to 1 less 5 %
EXTRA_COMMISSION = Fraction(25, 1000)  # Crown 6.5, on what exceeds the table differential
MOST_ANTE = Fraction(125, 1000)  # New Zealand 1.1, of the table minimum


def pay(book: Rulebook, stake_cents: int, odds: Fraction, chip_cents: int) -> int:
    """Return what is paid on a valid stake that wins; where chips cannot pay it, by the house's rule (A-65)."""
    if book.money.rounding == "next_highest":
        return ceil(stake_cents * odds / chip_cents) * chip_cents
    return ceil(stake_cents * odds)


def valid_stake(book: Rulebook, stake_cents: int, win_odds: Fraction, chip_cents: int) -> int:
    """Return the part of a wager at these odds that is valid, whatever becomes of it; the rest is void.

    New Zealand 5.12, 5.13: of a Banker wager less commission, what chips could pay exactly were it to win.
    """
    if book.money.rounding == "next_highest" or win_odds != LESS_COMMISSION:
        return stake_cents
    smallest_cents = chip_cents * win_odds.denominator
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
