"""Money: what the house pays or collects on a stake, in whole minor units; exact fractions, never floats.

How a house rounds, its commissions and its fees are in [money] of its rulebook.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from types import MappingProxyType
from typing import Final, NamedTuple

from sabot_protocol.rulebooks.model import Ante, Differential, Rulebook
from sabot_protocol.wagers.settled import Settled
from sabot_protocol.wagers.table import Table


class MoneyError(ValueError):
    """A stake, chip or differential that cannot be settled; the message names the field."""


class Limits(NamedTuple):
    """What the sign of the table says of each wager; None: nothing."""

    minimum_cents: int | None = None
    maximum_cents: int | None = None
    payouts_cents: Mapping[str, int] = MappingProxyType({})  # the most that a wager pays


NO_LIMITS: Final = Limits()


class Payment(NamedTuple):
    """What is paid on a stake, or collected (below zero), and the part of the stake that is void and returned."""

    net_cents: int
    void_cents: int


def payments(
    table: Table,
    settled: Mapping[str, Settled],
    stakes_cents: Mapping[str, int],
    chip_cents: int = 1,
    differential_cents: int | None = None,
    limits: Limits = NO_LIMITS,
) -> dict[str, Payment]:
    """Return the payment on each stake of a coup; `chip_cents` is the smallest chip that payments are made in."""
    _check(table, settled, stakes_cents, chip_cents)
    _check_limits(table, limits)
    differential = None if differential_cents is None else _differential(table, differential_cents)
    found = {}
    valid_parts_cents = {name: _valid(table, name, stake, chip_cents, limits) for name, stake in stakes_cents.items()}
    for name, stake_cents in stakes_cents.items():
        if settled[name].result == "not_offered":
            found[name] = Payment(0, stake_cents)
            continue
        _check_main(table, name, valid_parts_cents)
        valid_cents, odds = valid_parts_cents[name], settled[name].odds
        if differential and differential_cents is not None and name in differential.wagers:
            odds = odds_above(differential, valid_cents, differential_cents, odds)
        net_cents = _paid(table, name, valid_cents, odds, chip_cents)
        most_cents = limits.payouts_cents.get(name, net_cents)
        found[name] = Payment(min(net_cents, most_cents), stake_cents - valid_cents)
    return found


def _valid(table: Table, name: str, stake_cents: int, chip_cents: int, limits: Limits) -> int:
    within_cents = within_limits(table.book, stake_cents, limits)
    return valid_stake(table.book, within_cents, table.win_odds(name), chip_cents)


def _paid(table: Table, name: str, valid_cents: int, odds: Fraction, chip_cents: int) -> int:
    try:
        return pay(table.book, valid_cents, odds, chip_cents)
    except MoneyError as error:
        raise MoneyError(f"stakes.{name}: {error}") from None


def _check(table: Table, settled: Mapping[str, Settled], stakes_cents: Mapping[str, int], chip_cents: int) -> None:
    if chip_cents <= 0:
        raise MoneyError(f"chip: {chip_cents} is not the value of a chip; it must be above 0")
    for name, stake_cents in stakes_cents.items():
        if name not in settled:
            raise MoneyError(f"stakes.{name}: {_why_not(table, name)}")
        if stake_cents <= 0:
            raise MoneyError(f"stakes.{name}: {stake_cents} is not a stake; it must be above 0")
        wager = table.wagers[name].wager
        if beside := sorted(set(wager.excludes) & stakes_cents.keys()):
            raise MoneyError(
                f"stakes.{name}: a table that offers {beside[0]} does not offer it ({wager.excludes_clause})"
            )


def _why_not(table: Table, name: str) -> str:
    game = table.settings.game
    if any(name.startswith(one.id) and game in one.games for one in table.book.sequence):
        return "more than one coup decides it; a line with wager and results settles it"
    only = table.book.game[game].only_clause
    return f"game {game} of {table.book.id} has no such wager" + (f" ({only})" if only else "")


def _check_limits(table: Table, limits: Limits) -> None:
    minimum_cents, maximum_cents, payouts_cents = limits
    if minimum_cents is not None and maximum_cents is not None and minimum_cents > maximum_cents:
        raise MoneyError(f"table_minimum: {minimum_cents} is above table_maximum, {maximum_cents}")
    sign = table.book.sign
    for name in payouts_cents:
        if not sign.payout_clause(name):
            limited = ", ".join(f"{wager} ({clause})" for wager, clause in sorted(sign.limited_payout.items()))
            others = f"such a clause is for {limited}" if limited else "leave it out"
            raise MoneyError(f"payouts.{name}: {table.book.id} has no clause that limits what it pays; {others}")


def _check_main(table: Table, name: str, valid_cents: Mapping[str, int]) -> None:
    """Refuse a wager that needs another one, without it or above it (A-92); only valid parts of stakes count."""
    wager = table.wagers[name].wager
    if not wager.main:
        return
    mains = " or ".join(wager.main)
    placed_cents = max(valid_cents.get(main, 0) for main in wager.main)
    if not placed_cents:
        raise MoneyError(f"stakes.{name}: it needs a wager on {mains} ({wager.main_clause}); give its stake too")
    if valid_cents[name] > placed_cents:
        raise MoneyError(
            f"stakes.{name}: {valid_cents[name]} is above the wager on {mains}, {placed_cents} ({wager.main_clause})"
        )


def _differential(table: Table, differential_cents: int) -> Differential:
    differential, game = table.book.money.differential, table.settings.game
    if differential is None or game not in differential.games:
        clause = f" ({differential.clause})" if differential else ""
        raise MoneyError(f"differential: game {game} of {table.book.id} has none{clause}; leave it out")
    if differential_cents < 0:
        raise MoneyError(f"differential: {differential_cents} is below 0 ({differential.clause}); give the table's")
    return differential


def within_limits(book: Rulebook, stake_cents: int, limits: Limits) -> int:
    """Return the part of a stake that counts when it is found outside the limits after wagers closed."""
    minimum_cents, maximum_cents, _ = limits
    over, under = book.switch["over_max_policy"], book.switch["under_min_policy"]
    if minimum_cents is not None and stake_cents < minimum_cents and under.value == "rejected":
        return 0
    if maximum_cents is None or over.value == "valid_in_full":
        return stake_cents
    return min(stake_cents, maximum_cents)


def pay(book: Rulebook, stake_cents: int, odds: Fraction, chip_cents: int) -> int:
    """Return what is paid on a valid stake, rounded as the house does (A-65); a loss is collected in full.

    MoneyError if the rulebook rounds nothing and the payment is no whole number of its chips.
    """
    due_cents = stake_cents * odds
    if odds < 0 or book.money.rounding == "void_excess":
        return ceil(due_cents)
    chips = due_cents / chip_cents
    if book.money.rounding == "exact" and chips.denominator != 1:
        raise MoneyError(
            f"{due_cents} cannot be credited in units of {chip_cents}, and {book.id} rounds nothing "
            f"({book.money.clause}); give a stake that can be paid exactly"
        )
    return ceil(chips) * chip_cents


def valid_stake(book: Rulebook, stake_cents: int, win_odds: Fraction, chip_cents: int) -> int:
    """Return the valid part of a stake, whatever the result; the rest is void.

    Only at `exact_odds` of the rulebook is a part void: what chips could not pay exactly if the wager won.
    """
    exact_odds = book.money.exact_odds
    if not exact_odds or win_odds != Fraction(exact_odds):
        return stake_cents
    smallest_cents = chip_cents * win_odds.denominator
    return stake_cents // smallest_cents * smallest_cents


def odds_above(differential: Differential, stake_cents: int, differential_cents: int, odds: Fraction) -> Fraction:
    """Return the odds of a stake less the extra commission on what exceeds the table differential (A-24)."""
    excess_cents = max(0, stake_cents - differential_cents)
    if odds <= 0 or not excess_cents:
        return odds
    return odds - Fraction(differential.commission) * excess_cents / stake_cents


def ante_allowed(ante: Ante, ante_cents: int, minimum_cents: int) -> bool:
    """Return True if a table with this minimum may charge this Ante."""
    return 0 < ante_cents <= minimum_cents * Fraction(ante.most_of_minimum)


def ante_up(stake_cents: int, odds: Fraction, ante_cents: int, *, waived: bool = False) -> Fraction | None:
    """Return the net of a wager and its Ante, which is always collected; None if the wager is void without one."""
    if waived:
        return stake_cents * odds
    return stake_cents * odds - ante_cents if ante_cents else None
