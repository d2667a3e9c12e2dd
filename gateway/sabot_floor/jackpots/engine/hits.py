"""Hits: wins from the recognised hand to their end, and what each is worth in the order of recording."""

from datetime import datetime
from typing import NamedTuple

from sabot_protocol.jackpots import shares
from sabot_protocol.jackpots.currency import written
from sabot_protocol.jackpots.messages import IncrementMessage, Win, WinState
from sabot_protocol.jackpots.parameters import Parameters, Random

from sabot_floor.jackpots.engine import money
from sabot_floor.jackpots.engine.results import Fault
from sabot_floor.jackpots.engine.state import Hit, JackpotState, Missed

MOST_OPEN = 200
MOST_CLOSED = 100
MOST_STAKES = 500
IN_FULL = 100


class Price(NamedTuple):
    """What a win is worth at its time for settlement."""

    value: int
    rounded: int
    prize: int
    shares: list[int]


def percent(parameters: Parameters, outcome: str) -> int:
    """Return the per cent of the rounded meter that an outcome pays; 0 if it is none of the trigger's."""
    trigger = parameters.trigger
    return 0 if isinstance(trigger, Random) else trigger.percent.get(outcome, 0)


def qualifying_stakes(parameters: Parameters, stakes: dict[str, list[int]]) -> list[int] | None:
    """Return the stakes that take part in a pay-out, in the order of the parameters; None if one is not above 0."""
    found = [stake for wager in parameters.qualifying for stake in stakes.get(wager, ())]
    right = len(found) <= MOST_STAKES and all(type(stake) is int and stake > 0 for stake in found)
    return found if right else None


def recognise(
    state: JackpotState, parameters: Parameters, coup: IncrementMessage | Missed, stakes: dict[str, list[int]]
) -> None:
    """List a win that the cards gave; it waits for the dealer's record."""
    add(state, made(parameters, coup, stakes))


def add(state: JackpotState, hit: Hit) -> None:
    """List a win; if there are too many, the oldest that was not recorded is given up."""
    if len(state.open) >= MOST_OPEN:
        oldest = next((name for name, hit in state.open.items() if hit.state == "recognised"), None)
        if oldest is not None:
            del state.open[oldest]
    state.open[hit.win] = hit


def made(parameters: Parameters, coup: IncrementMessage | Missed, stakes: dict[str, list[int]]) -> Hit:
    """Return the win that the cards of a coup gave."""
    return Hit(
        win=coup.coup_id,
        increment=coup.id,
        table=coup.table,
        shoe=coup.shoe,
        coup=coup.coup,
        outcome=coup.trigger,
        percent=percent(parameters, coup.trigger),
        rounding=parameters.rounding,
        division=parameters.division,
        parameters=parameters.digest,
        stakes=qualifying_stakes(parameters, stakes) or [],
    )


def in_order(state: JackpotState) -> list[Hit]:
    """Return the pending wins in the order in which the dealers recorded them."""
    pending = [hit for hit in state.open.values() if hit.state == "pending"]
    return sorted(pending, key=lambda hit: (moment(hit.at), hit.table, hit.win))


def moment(text: str) -> datetime:
    """Return a time; ValueError if it is not ISO 8601 with a time zone."""
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError(f"time {text!r} has no time zone: write it as 2026-11-17T20:15:00.000Z")
    return time


def prices(state: JackpotState) -> list[tuple[Hit, Price]]:
    """Return the pending wins in order with their prices; each sees the meter after those before it."""
    coming = state.waiting or state.parameters
    levels, moved, found = money.Levels(state.display, state.overflow), 0, []
    for hit in in_order(state):
        price = _price(hit, max(0, hit.seen + moved))
        if price.shares:
            after = money.levels_after(levels, coming, price.value, price.prize, hit.percent == IN_FULL)
            moved += after.display - levels.display
            levels = after
        found.append((hit, price))
    return found


def _price(hit: Hit, value: int) -> Price:
    """Round up, then take the per cent (003 13.4.7(a)); nothing without a qualifying wager."""
    rounded = shares.rounded_up(value, hit.rounding)
    if not hit.stakes:
        return Price(value, rounded, 0, [])
    prize = rounded * hit.percent // 100
    return Price(value, rounded, prize, shares.split(prize, hit.stakes, hit.division))


def close(state: JackpotState, hit: Hit, end: WinState, price: Price | None, time: str, reason: str = "") -> Win:
    """Move a win to the closed ones, with its value and its end, and return it."""
    state.open.pop(hit.win, None)
    hit.state, hit.closed, hit.reason = end, time, reason
    if price is not None:
        hit.value, hit.rounded, hit.prize, hit.shares = price
    state.closed = [*state.closed, hit][-MOST_CLOSED:]
    return view(hit)


def cancel(state: JackpotState, increment: str, time: str) -> tuple[tuple[Win, ...], tuple[Fault, ...]]:
    """Cancel the win of a reversed increment; if it was paid, return a fault: people must decide."""
    hit = next((hit for hit in state.open.values() if hit.increment == increment), None)
    if hit is not None:
        return (close(state, hit, "cancelled", None, time, "the coup was corrected or voided"),), ()
    paid = next((hit for hit in state.closed if hit.increment == increment and hit.state == "paid"), None)
    if paid is None:
        return (), ()
    prize = written(paid.prize, state.parameters.currency)
    say = (
        f"Coup {paid.win} at {paid.table} was corrected or voided after its jackpot of {prize} was paid. "
        "The meters keep the pay-out: decide, and adjust the meter if it must change"
    )
    return (), (Fault("paid_reversed", say, paid.table),)


def find_closed(state: JackpotState, win: str) -> Hit | None:
    """Return a closed win; None if it is not among the newest."""
    return next((hit for hit in reversed(state.closed) if hit.win == win), None)


def view(hit: Hit, price: Price | None = None) -> Win:
    """Return a win as it is published."""
    value, rounded, prize, parts = price or (hit.value, hit.rounded, hit.prize, hit.shares)
    return Win(
        win=hit.win,
        table=hit.table,
        shoe=hit.shoe,
        coup=hit.coup,
        outcome=hit.outcome,
        percent=hit.percent,
        state=hit.state,
        at=hit.at,
        value=value,
        rounded=rounded,
        prize=prize,
        shares=parts,
        stakes=[] if hit.drawn else hit.stakes,
        seat=hit.seat,
        by=hit.by,
        role=hit.role,
        notified=hit.notified,
        closed=hit.closed,
        reason=hit.reason,
    )
