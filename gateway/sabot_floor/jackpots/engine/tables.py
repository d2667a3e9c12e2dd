"""Tables: withdrawn and restored, and coups that were missed and are made good."""

from sabot_protocol.jackpots.currency import written
from sabot_protocol.jackpots.parameters import Parameters

from sabot_floor.jackpots.engine import coups, hits, money
from sabot_floor.jackpots.engine.entries import MADE_BY_OTHERS, Entry, MadeGood, Proposed, Restored, Withdrawn
from sabot_floor.jackpots.engine.increments import governing
from sabot_floor.jackpots.engine.results import Applied, Fault, Refused
from sabot_floor.jackpots.engine.rights import clause, refuse_people, refuse_role
from sabot_floor.jackpots.engine.state import MOST_CHANGERS, JackpotState, Missed


def withdraw(state: JackpotState, entry: Withdrawn) -> Applied | Refused:
    """Stop offering the jackpot at a table; its increments are remembered as missed."""
    refused = _refuse_table(state, entry.table) or _refuse_operator(state, entry)
    if refused:
        return refused
    place = state.places.get(entry.table)
    if place is not None and place.withdrawn:
        return Refused("state", f"{entry.table} is withdrawn already: {place.withdrawn}")
    coups.place_of(state, entry.table).withdrawn = entry.reason.strip() or "malfunction"
    return _applied(state, entry, _fault(state, entry, "is not offered", active=True))


def restore(state: JackpotState, entry: Restored) -> Applied | Refused:
    """Offer the jackpot at a table again; the next increment of each gateway sets its count and total."""
    refused = _refuse_table(state, entry.table) or _refuse_operator(state, entry)
    if refused:
        return refused
    place = state.places.get(entry.table)
    if place is None or not place.withdrawn:
        return Refused("state", f"{entry.table} is not withdrawn: nothing to restore")
    place.withdrawn, place.any_start = "", True
    for sequence in state.sequences.get(entry.table, {}).values():
        sequence.restart = True
    return _applied(state, entry, _fault(state, entry, "is offered again", active=False))


def _refuse_table(state: JackpotState, table: str) -> Refused | None:
    if table in state.parameters.tables or table in state.places:
        return None
    return Refused("table", f"{table} does not take part in jackpot {state.parameters.id}")


def _refuse_operator(state: JackpotState, entry: Withdrawn | Restored) -> Refused | None:
    """A fault withdraws a table by itself; a person needs the role."""
    if not (entry.by or entry.role):
        return None
    return refuse_people((entry.by,), 1) or refuse_role(state, "jackpot_withdraw", entry.role)


def _fault(state: JackpotState, entry: Withdrawn | Restored, what: str, active: bool) -> Fault:
    why = f": {entry.reason}" if isinstance(entry, Withdrawn) else ""
    say = f"Jackpot {state.parameters.title} {what} at {entry.table}{why}"
    act = "jackpot_withdraw" if entry.by else "jackpot_suspend"  # by itself, after a fault
    return Fault("withdrawn", say, entry.table, clause(state, act), active)


def propose(state: JackpotState, entry: Proposed) -> Applied | Refused:
    """List a coup without increment, so that a person can make it good."""
    refused = _refuse_table(state, entry.table) or _refuse_proposal(state, entry)
    if refused:
        return refused
    amount = state.parameters.increment if entry.amount is None else entry.amount
    name = entry.coup_id or f"{entry.table}/{entry.unit}/{entry.shoe}/{entry.coup}"
    coups.miss_coup(coups.place_of(state, entry.table), entry.unit, entry.shoe, entry.coup)
    coups.remember(
        state,
        Missed(
            id=name,
            table=entry.table,
            amount=amount,
            unit=entry.unit,
            shoe=entry.shoe,
            coup=entry.coup,
            coup_id=entry.coup_id,
            trigger=entry.outcome,
            parameters=state.parameters.digest,
            reason=entry.reason or "no increment",
            proposed=True,
        ),
    )
    value = written(amount, state.parameters.currency)
    say = f"Coup {entry.shoe}/{entry.coup} at {entry.table} has no increment: {value} can be made good"
    return _applied(state, entry, Fault("missed", say, entry.table, clause(state, "jackpot_make_good")))


def _refuse_proposal(state: JackpotState, entry: Proposed) -> Refused | None:
    what = f"coup {entry.shoe}/{entry.coup} at {entry.table}"
    if entry.amount is not None and not 0 <= entry.amount <= state.parameters.unreasonable:
        return Refused("unreasonable", f"{what}: {entry.amount} is not between 0 and {state.parameters.unreasonable}")
    if entry.outcome and not hits.percent(state.parameters, entry.outcome):
        return Refused("win", f"{what}: {entry.outcome!r} is no outcome of this jackpot's trigger")
    block = coups.find_block(state, entry.table, entry.unit, entry.shoe, entry.coup)
    if block is not None:
        return Refused("repeat", f"{what} is in {block.id}, which was missed as a sum")
    if len(state.missed) >= coups.MOST_MISSED:
        return Refused("state", f"{what}: {len(state.missed)} missed coups are listed; make those good first")
    if entry.coup < 1:
        return Refused("coup", f"{what}: coups are numbered from 1")
    place = state.places.get(entry.table)
    if place is not None and coups.is_counted(place, entry.unit, entry.shoe, entry.coup):
        return Refused("repeat", f"{what} was counted or made good")
    other = coups.counted_elsewhere(state, entry.table, entry.unit, entry.shoe, entry.coup)
    if other:
        return Refused("repeat", f"{what} was counted at {other}")
    of_coup = (entry.table, entry.unit, entry.shoe, entry.coup)
    if any((one.table, one.unit, one.shoe, one.coup) == of_coup for one in state.missed):
        return Refused("repeat", f"{what} is proposed already")
    return None


def make_good(state: JackpotState, entry: MadeGood) -> Applied | Refused:
    """Count what was missed, once; a winning hand in it may then be recorded."""
    missed = coups.find_missed(state, entry.missed)
    if missed is None:
        say = (
            f"nothing missed with id {entry.missed!r}: it was made good, never missed, or its increment may still come"
        )
        return Refused("coup", f"{say}; sabot jackpot show lists what was missed")
    parameters = governing(state, missed.parameters) or state.parameters
    refused = (
        refuse_people((entry.by,), 1)
        or refuse_role(state, "jackpot_make_good", entry.role)
        or _refuse_amount(parameters, missed, entry.amount)
    )
    if refused:
        return refused
    state.missed.remove(missed)
    amount = missed.amount if entry.amount is None else entry.amount
    money.contribute(state, parameters.reserve, amount)
    place = coups.place_of(state, missed.table)
    coups.make_good(place, missed)
    _note_block(state, entry, missed)
    if missed.trigger and missed.coup_id:
        hit = hits.recognise(state, parameters, missed, {})
        if entry.rules:
            hit.people = [(entry.by, entry.person)]
    if entry.rules and entry.amount is not None:
        state.changers = [*state.changers, (entry.by, entry.person)][-MOST_CHANGERS:]
    say = f"{written(amount, parameters.currency)} of {missed.table} was made good by {entry.by}"
    fault = Fault("missed", say, missed.table, active=False)
    return Applied(
        entry,
        parameters.digest,
        parameters.version,
        parameters.in_force,
        amount,
        faults=(fault,),
        pending=bool(missed.trigger),
        status=True,
    )


def _note_block(state: JackpotState, entry: MadeGood, missed: Missed) -> None:
    """Note at a sum that it was made good, and by whom."""
    for block in state.blocks:
        if block.id == missed.id:
            block.made_good = True
            block.people = [(entry.by, entry.person)] if entry.rules >= MADE_BY_OTHERS else []


def _refuse_amount(parameters: Parameters, missed: Missed, amount: int | None) -> Refused | None:
    """Bound an amount that a person gives in place of the one listed."""
    most = parameters.unreasonable * max(1, missed.coups)
    if amount is None or (type(amount) is int and 0 <= amount <= most):
        return None
    return Refused("unreasonable", f"{missed.id}: {amount!r} is not a whole number of minor units from 0 to {most}")


def _applied(state: JackpotState, entry: Entry, fault: Fault) -> Applied:
    parameters = state.parameters
    return Applied(entry, parameters.digest, parameters.version, parameters.in_force, faults=(fault,), status=True)
