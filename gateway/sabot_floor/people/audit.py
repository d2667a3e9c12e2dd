"""Audit: recompute the people from their log: chain, every entry, and the state."""

from functools import partial

import msgspec

from sabot_floor.people import state as states
from sabot_floor.people.entries import Entry
from sabot_floor.people.log import LOG, commitment
from sabot_floor.people.state import PeopleState
from sabot_floor.store import Store, recompute
from sabot_floor.store.recompute import Rules, Verdict

_decoder = msgspec.json.Decoder(Entry)


def verify(store: Store) -> Verdict:
    """Recompute everything; a store without people is right."""
    state = PeopleState()
    return recompute.verify(
        store, Rules(LOG, _decoder.decode, partial(states.apply, state), partial(_state_problem, state))
    )


def _state_problem(state: PeopleState, data: bytes | None) -> str:
    """Return how the state in the store differs from what the entries make."""
    try:
        stored = states.decode(data or b"")
        if commitment(bytes.fromhex(stored.key)) != stored.commitment:
            return "the key that badges are hashed with is not the one of the log"
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return f"the state cannot be read: {error}"
    stored.key = ""
    return "" if stored == state else "the state in the store is not what the entries make; nobody may log in by it"
