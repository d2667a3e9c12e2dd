"""Audit: recompute the log `commands`: chain, every entry, and the state."""

from functools import partial

import msgspec

from sabot_floor.commands import log as logs
from sabot_floor.commands.entries import Entry
from sabot_floor.commands.log import LOG, CommandsState
from sabot_floor.store import Store, recompute
from sabot_floor.store.recompute import Rules, Verdict

_decoder = msgspec.json.Decoder(Entry)


def verify(store: Store) -> Verdict:
    """Recompute everything; a store without commands is right."""
    state = CommandsState()
    return recompute.verify(
        store, Rules(LOG, _decoder.decode, partial(logs.apply, state), partial(_state_problem, state))
    )


def _state_problem(state: CommandsState, data: bytes | None) -> str:
    try:
        same = data is not None and logs.decode(data) == state
    except (msgspec.MsgspecError, ValueError):
        same = False
    return "" if same else "the state in the store is not what the entries make"
