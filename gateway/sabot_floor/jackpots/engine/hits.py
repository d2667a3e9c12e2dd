"""Hits: wins from the recognised hand to their end, and what each is worth in the order of recording."""

from datetime import datetime
from typing import NamedTuple

from msgspec import UNSET
from sabot_protocol.jackpots import shares
from sabot_protocol.jackpots.messages import IncrementMessage, Win, WinState
from sabot_protocol.jackpots.parameters import Parameters, Part, Random

from sabot_floor.jackpots.engine import money
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


def percent(parameters: Parameters, outcome: str) -> Part:
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
) -> Hit:
    """List a win that the cards gave, and return it; it waits for the dealer's record."""
    hit = made(state, parameters, coup, stakes)
    add(state, hit)
    return hit


def add(state: JackpotState, hit: Hit) -> None:
    """List a win; if there are too many, the oldest that was not recorded is given up."""
    if len(state.open) >= MOST_OPEN:
        oldest = next((name for name, hit in state.open.items() if hit.state == "recognised"), None)
        if oldest is not None:
            del state.open[oldest]
    state.open[hit.win] = hit


def made(
    state: JackpotState, parameters: Parameters, coup: IncrementMessage | Missed, stakes: dict[str, list[int]]
) -> Hit:
    """Return the win that the cards of a coup gave."""
    return Hit(
        win=_free_name(state, coup.table, coup.coup_id),
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


def _free_name(state: JackpotState, table: str, coup: str) -> str:
    """Return the id of a coup, with its table before it where a win of another table has this id."""
    known = (*state.open.values(), *state.closed)
    return f"{table}/{coup}" if any(hit.win == coup and hit.table != table for hit in known) else coup


def find_open(state: JackpotState, table: str, coup: str) -> Hit | None:
    """Return the win of a table's coup that is not closed; else one of another table that names this coup."""
    return state.open.get(f"{table}/{coup}") or state.open.get(coup)


def find_closed_at(state: JackpotState, table: str, coup: str) -> Hit | None:
    """Return the closed win of a table's coup; None if it is not among the newest."""
    return next(
        (hit for hit in reversed(state.closed) if hit.table == table and hit.win in (coup, f"{table}/{coup}")), None
    )


def is_listed(state: JackpotState, table: str, coup: str) -> bool:
    """Return True if a table's coup has a win, open or closed."""
    found = find_open(state, table, coup)
    return (found is not None and found.table == table) or find_closed_at(state, table, coup) is not None


def in_order(state: JackpotState) -> list[Hit]:
    """Return the pending wins in the order in which the dealers recorded them; those of an older release are first."""
    pending = [hit for hit in state.open.values() if hit.state == "pending"]
    former = sorted((hit for hit in pending if not hit.rank), key=lambda hit: (moment(hit.at), hit.table, hit.win))
    return [*former, *sorted((hit for hit in pending if hit.rank), key=_rank)]


def ranked(state: JackpotState) -> list[Hit]:
    """Return the pending and the paid wins in their order, without those of an older release."""
    paid = [hit for hit in state.closed if hit.state == "paid"]
    return sorted((hit for hit in (*in_order(state), *paid) if hit.rank), key=_rank)


def _rank(hit: Hit) -> int:
    return hit.rank


def moment(text: str) -> datetime:
    """Return a time; ValueError if it is not ISO 8601 with a time zone."""
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError(f"time {text!r} has no time zone: write it as 2026-11-17T20:15:00.000Z")
    return time


def prices(state: JackpotState) -> list[tuple[Hit, Price]]:
    """Return the pending wins in order with their prices; each sees the meter after those before it."""
    coming = state.waiting or state.parameters
    levels, moved, lacking, found = money.Levels(state.display, state.overflow), 0, state.lacking, []
    for hit in in_order(state):
        price = price_of(hit, hit.seen + moved + _paid_before(state, hit))
        if price.shares:
            before = levels._replace(display=levels.display + lacking) if hit.returns else levels
            levels = money.levels_after(before, coming, price.value, price.prize, hit.percent == IN_FULL)
            moved += levels.display - before.display
            lacking = 0 if hit.returns else lacking
        found.append((hit, price))
    return found


def _paid_before(state: JackpotState, hit: Hit) -> int:
    """Return what wins before this one, which were paid after its record, have moved Display."""
    paid = (one for one in state.closed if one.rank < hit.rank and one.paid_turn > hit.turn)
    return sum(moved_by(one) for one in paid)


def moved_by(hit: Hit) -> int:
    """Return by how much the pay-out of a win should have moved Display."""
    return hit.moved if hit.due is None else hit.due.moved


def price_of(hit: Hit, level: int) -> Price:
    """Return what a win is worth on this level of Display."""
    return _price(hit, max(0, level))


def _price(hit: Hit, value: int) -> Price:
    """Round up, then take the per cent (003 13.4.7(a)); nothing without a qualifying wager."""
    rounded = shares.rounded_up(value, hit.rounding)
    if not hit.stakes:
        return Price(value, rounded, 0, [])
    prize = shares.prize(value, hit.rounding, hit.percent)
    return Price(value, rounded, prize, shares.split(prize, hit.stakes, hit.division))


def close(state: JackpotState, hit: Hit, end: WinState, price: Price | None, time: str, reason: str = "") -> Win:
    """Move a win to the closed ones, with its value and its end, and return it."""
    state.open.pop(hit.win, None)
    hit.state, hit.closed, hit.reason = end, time, reason
    if price is not None:
        hit.value, hit.rounded, hit.prize, hit.shares = price
    state.closed = [*state.closed, hit]
    for other in state.open.values():
        if hit.win in other.undecided:
            other.undecided = [win for win in other.undecided if win != hit.win]
    if len(state.closed) > MOST_CLOSED:
        _forget(state)
    return view(hit)


def _forget(state: JackpotState) -> None:
    """Drop the oldest closed win without an open difference; what it moved stays in the wins behind it."""
    oldest = next((hit for hit in state.closed if not is_open(hit)), state.closed[0])
    state.closed = [hit for hit in state.closed if hit is not oldest]
    if not oldest.paid_turn:
        return
    state.corrected -= correction(oldest)
    for hit in ranked(state):
        if oldest.rank < hit.rank and oldest.paid_turn > hit.turn:
            hit.seen += moved_by(oldest)


def is_open(hit: Hit) -> bool:
    """Return True if a win was paid otherwise than it was worth, and nobody has settled the difference."""
    return hit.due is not None and not hit.due.settled


def has(hit: Hit) -> int:
    """Return the prize that the winner of a paid win has, by the pay-out or a difference that was settled since."""
    return hit.prize if hit.due is None or hit.due.settled_prize is None else hit.due.settled_prize


def correction(hit: Hit) -> int:
    """Return what Display lacks because a win took too much; below 0 if it took too little."""
    return moved_by(hit) - hit.moved


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
        undecided=hit.undecided,
        due=hit.due.prize if hit.due is not None else UNSET,
        settled=has(hit) if has(hit) != hit.prize else UNSET,
        recorder=hit.recorder if hit.rank else "",
    )
