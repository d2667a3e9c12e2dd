"""Due: what wins that were paid are worth after all, once a win before them is void, or comes late."""

from collections.abc import Callable
from typing import TypeVar

from sabot_protocol.jackpots.currency import written
from sabot_protocol.jackpots.messages import Win

from sabot_floor.jackpots.engine import hits, money
from sabot_floor.jackpots.engine.entries import SETTLED_BY_OTHERS, Settled
from sabot_floor.jackpots.engine.results import Fault
from sabot_floor.jackpots.engine.rights import clause
from sabot_floor.jackpots.engine.state import Due, Hit, JackpotState

UNDECIDED = "order"  # a fault: the messages do not show which of two wins was recorded first
DIFFERENCE = "difference"  # a fault: a win was paid otherwise than it was worth
REVERSED = "paid_reversed"  # a fault: the coup of a win that was paid is void
_Result = TypeVar("_Result")


def place(hit: Hit) -> str:
    """Return a win as people name it: bac-01/3/17."""
    return f"{hit.table}/{hit.shoe}/{hit.coup}" if hit.coup else hit.win


def changed(state: JackpotState, change: Callable[[], _Result]) -> tuple[_Result, tuple[Fault, ...]]:
    """Make a change of the order or the number of wins; return its result and the faults about what was paid."""
    before = {hit.win: price.value for hit, price in hits.prices(state)}
    held = [hit for hit in state.open.values() if hit.undecided]
    result = change()
    ended = tuple(_decided(state, hit) for hit in held if hit.win not in state.open or not hit.undecided)
    faults, corrected = _update(state), sum(map(hits.correction, hits.ranked(state)))
    if corrected != state.corrected:
        state.lacking, state.corrected = state.lacking + corrected - state.corrected, corrected
        for hit, price in hits.prices(state):
            hit.returns = hit.returns or before.get(hit.win) != price.value
    return result, (*ended, *faults)


def _decided(state: JackpotState, hit: Hit) -> Fault:
    """Return the end of the fault of a win that was held: it, or what it was held against, does not count."""
    say = f"Win {place(hit)} at {hit.table}: its order is not open any more: it, or the other win, does not count"
    return Fault(UNDECIDED, say, hit.table, clause(state, "jackpot_order"), active=False)


def _update(state: JackpotState) -> tuple[Fault, ...]:
    """Compute again what each paid win was worth; return a fault for each that changed."""
    chain: list[tuple[Hit, int]] = []
    faults: list[Fault] = []
    for hit in hits.ranked(state):
        if hit.due is not None and hit.due.void:
            continue
        before = sum(moved for one, moved in chain if not one.paid_turn or one.paid_turn > hit.turn)
        price = hits.price_of(hit, hit.seen + before)
        if hit.paid_turn:
            faults += _correct(state, hit, price)
        chain.append((hit, hits.moved_by(hit) if hit.paid_turn else _moved(state, hit, price)))
    return tuple(faults)


def _moved(state: JackpotState, hit: Hit, price: hits.Price) -> int:
    """Return by how much a pending win will move Display."""
    if not price.shares:
        return 0
    coming, levels = state.waiting or state.parameters, money.Levels(price.value, state.overflow)
    after = money.levels_after(levels, coming, price.value, price.prize, hit.percent == hits.IN_FULL)
    return after.display - price.value


def _correct(state: JackpotState, hit: Hit, price: hits.Price) -> list[Fault]:
    """Note what a paid win was worth; return the fault if that is new."""
    due = None
    if (price.value, price.prize) != (hit.value, hit.prize):
        more = price.value - hit.value if hit.percent == hits.IN_FULL else price.prize - hit.prize
        due = Due(price.value, price.prize, hit.moved - more)
    known = hit.due
    if due is None and known is not None and known.settled_prize is not None:
        due = Due(price.value, price.prize, hit.moved)  # it was right, but another prize was settled
    if due is None and known is None:
        return []
    if due is not None and known is not None:
        if (due.value, due.prize) == (known.value, known.prize):
            return []
        due.settled_prize = known.settled_prize
    hit.due = due
    return [_fault(state, hit)]


def _fault(state: JackpotState, hit: Hit) -> Fault:
    currency, what = state.parameters.currency, f"Win {place(hit)} at {hit.table}"
    if hit.due is None:
        say = f"{what}: the {written(hit.prize, currency)} that were paid are right after all"
        return Fault(DIFFERENCE, say, hit.table, active=False)
    return Fault(DIFFERENCE, f"{what}: {say_difference(state, hit)}. {_NEXT.format(win=place(hit))}", hit.table)


_NEXT = "Pay or recover the difference, then close it: sabot jackpot settle JACKPOT {win} --reason TEXT"


def say_difference(state: JackpotState, hit: Hit) -> str:
    """Return what was paid and what was due, in words."""
    currency, due = state.parameters.currency, hit.due.prize if hit.due else hit.prize
    has = hits.has(hit)
    way = "overpaid" if has > due else "underpaid"
    settled = "" if has == hit.prize else f", {written(has, currency)} as settled"
    parts = f"{written(hit.prize, currency)} were paid{settled}, {written(due, currency)} were due"
    return f"{parts}: {written(abs(has - due), currency)} {way}"


def settle(state: JackpotState, hit: Hit, entry: Settled) -> tuple[Fault, ...]:
    """Close the difference of a win; return the ends of its faults."""
    if hit.due is None:
        return ()
    hit.due.settled, rule = entry.time, clause(state, "jackpot_order")
    say = f"{entry.by} settled win {place(hit)}, {say_difference(state, hit)}: {entry.reason}"
    faults = (Fault(DIFFERENCE, say, hit.table, rule, active=False),)
    if entry.rules >= SETTLED_BY_OTHERS:
        hit.due.settled_prize = hit.due.prize
    return (*faults, Fault(REVERSED, say, hit.table, rule, active=False)) if hit.due.void else faults


def cancel(state: JackpotState, table: str, increment: str, time: str) -> tuple[tuple[Win, ...], tuple[Fault, ...]]:
    """Cancel the win of a table's reversed increment; if it was paid, return the faults: people must decide."""
    hit = next((hit for hit in state.open.values() if (hit.table, hit.increment) == (table, increment)), None)
    if hit is not None:
        end = "the coup was corrected or voided"
        win, faults = changed(state, lambda: hits.close(state, hit, "cancelled", None, time, end))
        return (win,), faults
    of, paid_ones = (table, increment), (hit for hit in state.closed if hit.state == "paid")
    paid = next((hit for hit in paid_ones if (hit.table, hit.increment) == of), None)
    if paid is None:
        return (), ()
    currency = state.parameters.currency
    say = (
        f"Coup {paid.win} at {paid.table} was corrected or voided after its jackpot of "
        f"{written(paid.prize, currency)} was paid: {written(hits.has(paid), currency)} overpaid. The meters keep the "
        f"pay-out: decide, and adjust the meter if it must change. {_NEXT.format(win=place(paid))}"
    )
    _, faults = changed(state, lambda: _make_void(paid))
    return (), (Fault(REVERSED, say, paid.table), *faults)


def _make_void(paid: Hit) -> None:
    if paid.rank:
        paid.due = Due(void=True, settled_prize=paid.due.settled_prize if paid.due else None)
