"""The engine of a jackpot: a pure function of entries; amounts are whole minor units.

`open_jackpot(entry)` makes the state from the first entry. `apply(state, entry)` returns `Applied`, and has changed the
state in place, or `Refused` with a sentence, and has not. After every entry base + in = display + wins + overflow +
reserve. `encode` and `decode` turn the state into JSON and back.
"""

from sabot_floor.jackpots.engine.apply import apply, logged, logged_opened, open_jackpot
from sabot_floor.jackpots.engine.changes import refuse_parameters
from sabot_floor.jackpots.engine.entries import Entry
from sabot_floor.jackpots.engine.results import REASONS, Applied, Fault, Logged, Reason, Refused
from sabot_floor.jackpots.engine.rights import may_be_notified, person_to_notify, same_person
from sabot_floor.jackpots.engine.state import JackpotState, decode, encode
from sabot_floor.jackpots.engine.views import closed_wins, differences, not_offered, open_wins

__all__ = [
    "REASONS",
    "Applied",
    "Entry",
    "Fault",
    "JackpotState",
    "Logged",
    "Reason",
    "Refused",
    "apply",
    "closed_wins",
    "decode",
    "differences",
    "encode",
    "logged",
    "logged_opened",
    "may_be_notified",
    "not_offered",
    "open_jackpot",
    "open_wins",
    "person_to_notify",
    "refuse_parameters",
    "same_person",
]
