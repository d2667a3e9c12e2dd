"""Changes by people: new parameters, adjustments of the meter, and a log that is accepted as it is."""

from sabot_protocol.jackpots.currency import written
from sabot_protocol.jackpots.parameters import Parameters

from sabot_floor.jackpots.engine import money
from sabot_floor.jackpots.engine.entries import Accepted, Adjusted, Changed, Opened
from sabot_floor.jackpots.engine.results import Applied, Fault, Refused
from sabot_floor.jackpots.engine.rights import refuse_people, refuse_role
from sabot_floor.jackpots.engine.state import MOST_CHANGERS, JackpotState
from sabot_floor.jackpots.engine.wins import take_waiting

MOST_ADJUSTMENT = 10**12
MOST_ADJUSTMENTS = 100  # ids that are remembered


def refuse_opened(state: JackpotState, entry: Opened) -> Applied | Refused:
    """Refuse: a log is opened once."""
    return Refused("state", f"jackpot {state.parameters.id} is open already; new parameters come as a change")


def change(state: JackpotState, entry: Changed) -> Applied | Refused:
    """Let new parameters wait until the jackpot is won in full; before the first contribution they apply at once."""
    refused = refuse_role(state, "jackpot_parameters", entry.role) if entry.by or entry.role else None
    refused = refused or refuse_parameters(state, entry.parameters)
    if refused:
        return refused
    state.waiting = entry.parameters
    if not state.begun:
        take_waiting(state)
        begin(state)
    parameters = entry.parameters
    return Applied(entry, parameters.digest, parameters.version, parameters.in_force, status=True)


def begin(state: JackpotState) -> None:
    """Put the base on the display, of a jackpot that has not begun."""
    state.base, state.display, state.overflow = state.parameters.base, 0, 0
    money.move(state, state.parameters.base)


def refuse_parameters(state: JackpotState, new: Parameters) -> Refused | None:
    """Return why these parameters cannot follow those of the state; None if they can."""
    old = state.parameters
    what = f"parameters {new.digest}, version {new.version}"
    if new.id != old.id or new.currency != old.currency:
        return Refused("parameters", f"{what}: id and currency of {old.id} cannot change; open another jackpot")
    if new.digest == old.digest:
        return Refused("repeat", f"{what} are in force already")
    if state.waiting is not None and new.digest == state.waiting.digest:
        return Refused("repeat", f"{what} wait already until the jackpot is won")
    if new.version <= old.version:
        return Refused("parameters", f"{what}: give a version above {old.version}, the one in force")
    return None


def adjust(state: JackpotState, entry: Adjusted) -> Applied | Refused:
    """Change the meter by an amount that two people give, with a reason; it counts as a contribution."""
    refused = refuse_people(entry.by, 2) or refuse_role(state, "jackpot_adjust", entry.role) or _refuse(state, entry)
    if refused:
        return refused
    state.in_ += entry.amount
    state.begun = True
    money.move(state, entry.amount)
    if entry.rules:
        ids = (*entry.people, *[""] * len(entry.by))
        state.changers = [*state.changers, *zip(entry.by, ids, strict=False)][-MOST_CHANGERS:]
        state.lacking = max(0, state.lacking - entry.amount) if min(entry.amount, state.lacking) > 0 else state.lacking
        state.owed = min(state.owed, state.lacking) if entry.amount > 0 else state.owed
    state.adjustments = [*state.adjustments, entry.id][-MOST_ADJUSTMENTS:]
    parameters = state.parameters
    return Applied(entry, parameters.digest, parameters.version, parameters.in_force, entry.amount)


def _refuse(state: JackpotState, entry: Adjusted) -> Refused | None:
    amount, currency = entry.amount, state.parameters.currency
    if entry.id in state.adjustments:
        return Refused("repeat", f"adjustment {entry.id} was made before; it was not made again")
    if type(amount) is not int or not 0 < abs(amount) <= MOST_ADJUSTMENT:
        return Refused("amount", f"adjustment {amount!r}: give a whole number of minor units that is not 0")
    if not entry.reason.strip():
        return Refused("people", f"adjustment of {written(amount, currency)}: give the reason")
    if state.display + state.overflow + amount < 0:
        there = written(state.display + state.overflow, currency)
        return Refused("amount", f"adjustment of {written(amount, currency)}: there is only {there} on the meter")
    return None


def accept(state: JackpotState, entry: Accepted) -> Applied | Refused:
    """Go on although a meter named an entry that this log does not have; the meters stay as they are."""
    refused = refuse_people((entry.by,), 1) or refuse_role(state, "jackpot_adjust", entry.role)
    if refused is None and not entry.reason.strip():
        refused = Refused("people", "accept: give the reason")
    if refused:
        return refused
    state.accepted = entry.hash
    say = (
        f"{entry.by} accepted the log as it is, although the meter at the broker named entry {entry.entry}: "
        f"{entry.reason}. Compare the wins with what was paid"
    )
    parameters = state.parameters
    fault = Fault("accepted", say, active=False)
    return Applied(entry, parameters.digest, parameters.version, parameters.in_force, faults=(fault,), status=True)
