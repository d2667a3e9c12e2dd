"""Due: what wins that were paid are worth after all, once a win before them is void, or comes late."""

from collections.abc import Callable, Sequence
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


def changed(
    state: JackpotState, hit: Hit, change: Callable[[], _Result], *, void: bool = False
) -> tuple[_Result, tuple[Fault, ...]]:
    """Make a change of a win's place or end; return its result and the faults about what was paid."""
    before = {one.win: price.value for one, price in hits.prices(state)}
    held = [one for one in state.open.values() if one.undecided]
    result = change()
    ended = tuple(_decided(state, one) for one in held if one.win not in state.open or not one.undecided)
    faults = _update(state, hit if void else None)
    more = _note_lacking(state, before)
    state.owed += more if hit.follows and not void else 0
    if _let_go(state):
        faults += _update(state)
        state.owed += _note_lacking(state, before)
    return result, (*ended, *faults)


def _note_lacking(state: JackpotState, before: dict[str, int]) -> int:
    """Note what Display lacks now, and return how much more; it comes back with a win whose value has changed."""
    corrected = sum(map(hits.correction, hits.ranked(state)))
    more = corrected - state.corrected
    if more:
        state.lacking, state.corrected = state.lacking + more, corrected
        for hit, price in hits.prices(state):
            hit.returns = hit.returns or before.get(hit.win) != price.value
    return more


def see(state: JackpotState, hit: Hit, others: Sequence[Hit]) -> None:
    """Note what a new win sees: Display as it should be; with what void ones took if a win before brings it back."""
    kept = 0 if any(map(_brings_back, others)) else state.lacking - state.owed
    hit.seen, hit.kept = state.display + state.lacking - kept, -kept
    hit.returns = state.lacking != kept


def put_back(hit: Hit, paid: Sequence[Hit], others: Sequence[Hit], behind: range) -> None:
    """Let a win see what those behind it have moved since; what was contributed after one of them it does not see."""
    if paid:
        hit.seen, hit.kept = hit.seen - hit.kept - sum(map(hits.moved_by, paid)), 0
    own = _contributed(hit, others[: behind.start])
    hit.seen += min([own, *(_contributed(others[at], others[:at]) for at in behind)]) - own


def _contributed(hit: Hit, before: Sequence[Hit]) -> int:
    """Return what a win saw, without what wins before it had moved."""
    return hit.seen - hit.kept - sum(hits.moved_by(one) for one in before if 0 < one.paid_turn < hit.turn)


def _brings_back(hit: Hit) -> bool:
    return hit.state == "pending" and hit.returns


def _let_go(state: JackpotState) -> bool:
    """Take from the wins what void pay-outs had moved, once a win before them brings it back; return True if any."""
    found = False
    for hit in hits.ranked(state):
        if hit.kept and any(_brings_back(one) and one.rank < hit.rank for one in state.open.values()):
            hit.seen, hit.kept, found = hit.seen - hit.kept, 0, True
    return found


def _follow(state: JackpotState, paid: Hit, more: int, void: Hit | None) -> None:
    """Correct what the wins behind a paid one saw, if they were recorded after it was paid."""
    for one in hits.ranked(state):
        if one.follows and paid.rank < one.rank and paid.paid_turn < one.turn:
            if void is not None and void.paid_turn < one.turn:
                one.kept -= more
            else:
                one.seen += more


def _decided(state: JackpotState, hit: Hit) -> Fault:
    """Return the end of the fault of a win that was held: it, or what it was held against, does not count."""
    say = f"Win {place(hit)} at {hit.table}: its order is not open any more: it, or the other win, does not count"
    return Fault(UNDECIDED, say, hit.table, clause(state, "jackpot_order"), active=False)


def _update(state: JackpotState, void: Hit | None = None) -> tuple[Fault, ...]:
    """Compute again what each paid win was worth; return a fault for each that changed."""
    chain: list[tuple[Hit, int]] = []
    faults: list[Fault] = []
    for hit in hits.ranked(state):
        if hit.due is not None and hit.due.void:
            continue
        before = sum(moved for one, moved in chain if not one.paid_turn or one.paid_turn > hit.turn)
        price = hits.price_of(hit, hit.seen + before)
        if hit.paid_turn:
            was = hits.moved_by(hit)
            faults += _correct(state, hit, price)
            _follow(state, hit, hits.moved_by(hit) - was, void)
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
        win, faults = changed(state, hit, lambda: hits.close(state, hit, "cancelled", None, time, end))
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
    _, faults = changed(state, paid, lambda: _make_void(state, paid), void=True)
    return (), (Fault(REVERSED, say, paid.table), *faults)


def _make_void(state: JackpotState, paid: Hit) -> None:
    if paid.rank:
        _follow(state, paid, -hits.moved_by(paid), paid)
        paid.due = Due(void=True, settled_prize=paid.due.settled_prize if paid.due else None)
