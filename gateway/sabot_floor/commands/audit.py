"""Audit: recompute the log `commands`: chain, every entry, and the state."""

from functools import partial

import msgspec

from sabot_floor.commands import log as logs
from sabot_floor.commands.entries import Entry
from sabot_floor.commands.log import LOG, CommandsState
from sabot_floor.store import Store, recompute
from sabot_floor.store.recompute import Rules, Verdict, state_problem

_decoder = msgspec.json.Decoder(Entry)


def verify(store: Store) -> Verdict:
    """Recompute everything; a store without commands is right."""
    state = CommandsState()
    problem = partial(state_problem, state, logs.decode)
    return recompute.verify(store, Rules(LOG, _decoder.decode, partial(logs.apply, state), problem))
