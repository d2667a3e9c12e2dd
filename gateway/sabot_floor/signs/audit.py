"""Audit: recompute the log `signs`: chain, every entry, and the state."""

from functools import partial

import msgspec

from sabot_floor.signs import state as states
from sabot_floor.signs.entries import Entry
from sabot_floor.signs.log import LOG
from sabot_floor.signs.state import SignsState
from sabot_floor.store import Store, recompute
from sabot_floor.store.recompute import Rules, Verdict, state_problem

_decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)


def verify(store: Store) -> Verdict:
    """Recompute everything; a store without signs is right."""
    state = SignsState()
    problem = partial(state_problem, state, states.decode)
    return recompute.verify(store, Rules(LOG, _decoder.decode, partial(states.apply, state), problem))
