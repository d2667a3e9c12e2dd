"""apply: one entry to a state; the only place that knows which function takes which entry."""

from sabot_floor.jackpots.engine.entries import Entry, Opened
from sabot_floor.jackpots.engine.results import Applied, Logged, Refused
from sabot_floor.jackpots.engine.state import JackpotState


def open_jackpot(entry: Opened) -> JackpotState:
    """Return the state after the first entry of a log: the base is on the display."""
    base = entry.parameters.base
    return JackpotState(parameters=entry.parameters, base=base, display=base, commitment=entry.commitment)


def apply(state: JackpotState, entry: Entry) -> Applied | Refused:
    """Apply an entry: change the state in place and return what changed; or refuse it and change nothing.

    If `Refused.then` is given (an increment is missing: the table must be withdrawn), apply that entry next.
    """
    raise NotImplementedError


def logged(state: JackpotState, applied: Applied) -> Logged:
    """Return the entry as the log keeps it; call it directly after `apply`."""
    return Logged(applied.entry, applied.version, applied.in_force, applied.digest, state.meters())
