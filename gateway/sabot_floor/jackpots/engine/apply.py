"""apply: one entry to a state; the only place that knows which function takes which entry."""

from collections.abc import Callable
from typing import Any, Final

from sabot_floor.jackpots.engine import changes, increments, tables, wins
from sabot_floor.jackpots.engine.entries import (
    Accepted,
    Adjusted,
    Changed,
    Confirmed,
    Drawn,
    Entry,
    Increment,
    Invalid,
    MadeGood,
    Opened,
    Ordered,
    Proposed,
    Recorded,
    Restored,
    Settled,
    Withdrawn,
)
from sabot_floor.jackpots.engine.results import Applied, Fault, Logged, Refused
from sabot_floor.jackpots.engine.state import JackpotState

_TAKEN_BY: Final[dict[type, Callable[[JackpotState, Any], Applied | Refused]]] = {
    Opened: changes.refuse_opened,
    Changed: changes.change,
    Increment: increments.increment,
    Recorded: wins.record,
    Confirmed: wins.confirm,
    Invalid: wins.deem_invalid,
    Adjusted: changes.adjust,
    Withdrawn: tables.withdraw,
    Restored: tables.restore,
    Proposed: tables.propose,
    MadeGood: tables.make_good,
    Drawn: wins.draw,
    Accepted: changes.accept,
    Ordered: wins.order,
    Settled: wins.settle,
}


def open_jackpot(entry: Opened) -> JackpotState:
    """Return the state after the first entry of a log: the base is on the display."""
    state = JackpotState(parameters=entry.parameters, commitment=entry.commitment)
    changes.begin(state)
    return state


def apply(state: JackpotState, entry: Entry) -> Applied | Refused:
    """Apply an entry: change the state in place and return what changed; or refuse it and change nothing.

    If `Refused.then` is given (an increment is missing: the table must be withdrawn), apply that entry next.
    """
    if not state.balanced():
        return _unbalanced(state)
    return _TAKEN_BY[type(entry)](state, entry)


def _unbalanced(state: JackpotState) -> Refused:
    say = (
        f"Jackpot {state.parameters.id} is stopped: base {state.base} + in {state.in_} is not display {state.display} "
        f"+ wins {state.wins} + overflow {state.overflow} + reserve {state.reserve}, or a meter is below 0. "
        "Verify its log, then restore the store from a backup"
    )
    return Refused("unbalanced", say, fault=Fault("unbalanced", say))


def logged(state: JackpotState, applied: Applied) -> Logged:
    """Return the entry as the log keeps it; call it directly after `apply`."""
    return Logged(applied.entry, applied.version, applied.in_force, applied.digest, state.meters(), applied.not_counted)


def logged_opened(state: JackpotState, entry: Opened) -> Logged:
    """Return the first entry as the log keeps it."""
    parameters = entry.parameters
    return Logged(entry, parameters.version, parameters.in_force, parameters.digest, state.meters())
