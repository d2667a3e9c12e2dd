"""Arithmetic of the meters; nothing here refuses, and every function keeps the balance."""

from functools import lru_cache
from typing import NamedTuple

from sabot_protocol.jackpots.parameters import Parameters, share

from sabot_floor.jackpots.engine.state import CARRY_UNIT, JackpotState

NO_RESERVE = "0%"


def contribute(state: JackpotState, reserve: str, amount: int) -> None:
    """Count a contribution, or with a negative amount its reversal; `reserve` is the hidden per cent of it."""
    state.in_ += amount
    state.begun = True
    if reserve != NO_RESERVE:
        hidden, state.reserve_carry = divmod(amount * _reserve_units(reserve) + state.reserve_carry, CARRY_UNIT)
        hidden = max(hidden, -state.reserve)  # part of it may have gone into a reset
        state.reserve += hidden
        amount -= hidden
    move(state, amount)


def move(state: JackpotState, amount: int) -> None:
    """Add to Display, above the limit to Overflow; a negative amount is taken from Overflow first."""
    if amount < 0 and state.overflow:
        from_overflow = min(-amount, state.overflow)
        state.overflow -= from_overflow
        amount += from_overflow
    display = state.display + amount
    limit = state.parameters.limit
    if limit is not None and display > limit:
        state.overflow += display - limit
        display = limit
    elif display < 0:  # the operator stands in for what was paid out of it
        state.base -= display
        display = 0
    state.display = display


class Levels(NamedTuple):
    """Display and Overflow after a win."""

    display: int
    overflow: int


def levels_after(before: Levels, coming: Parameters, value: int, prize: int, full: bool) -> Levels:
    """Return the levels after a win is paid; after one in full the reset value is on Display, and Overflow flows in."""
    if not full:
        return Levels(max(0, before.display - prize), before.overflow)
    display = max(0, before.display - value + coming.reset_value)
    whole = display + before.overflow
    display = whole if coming.limit is None else min(whole, coming.limit)
    return Levels(display, whole - display)


def pay(state: JackpotState, coming: Parameters, value: int, prize: int, full: bool, lacking: int = 0) -> int:
    """Pay a prize, and return by how much that changed Display; the operator adds what the meters lack.

    `lacking` is what pay-outs that were corrected later took too much: it is on Display again before the prize.
    """
    before = max(0, state.display + lacking)
    after = levels_after(Levels(before, state.overflow), coming, value, prize, full)
    from_reserve = min(state.reserve, coming.reset_value) if full else 0
    state.base += prize + (after.display - state.display) + (after.overflow - state.overflow) - from_reserve
    state.display, state.overflow = after
    state.reserve -= from_reserve
    state.wins += prize
    state.hits += 1
    return after.display - before


@lru_cache(maxsize=64)
def _reserve_units(percent: str) -> int:
    """Return a per cent as a whole number of CARRY_UNIT."""
    return int(share(percent) * CARRY_UNIT)
