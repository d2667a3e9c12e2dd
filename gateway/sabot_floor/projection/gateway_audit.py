"""Audit: recompute the log `gateways`: chain, every entry, and the state."""

from functools import partial

import msgspec

from sabot_floor.projection import gateways
from sabot_floor.projection.gateway_log import LOG
from sabot_floor.projection.gateways import Entry, GatewaysState
from sabot_floor.store import Store, recompute
from sabot_floor.store.recompute import Rules, Verdict, state_problem

_decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)


def verify(store: Store) -> Verdict:
    """Recompute everything; a store without gateways is right."""
    state = GatewaysState()
    problem = partial(state_problem, state, gateways.decode)
    return recompute.verify(store, Rules(LOG, _decoder.decode, partial(gateways.apply, state), problem))
