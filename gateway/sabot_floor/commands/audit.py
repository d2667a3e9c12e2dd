"""Audit: recompute the log `commands`: chain, every entry, and the state."""

import msgspec

from sabot_floor.commands import log as logs
from sabot_floor.commands.entries import Entry
from sabot_floor.commands.log import LOG, CommandsState
from sabot_floor.people.audit import Verdict
from sabot_floor.store import Store, Stored, StoreError, audit

_MOST_FAULTS = 20
_decoder = msgspec.json.Decoder(Entry)


def verify(store: Store) -> Verdict:
    """Recompute everything; a store without commands is right."""
    verdict = Verdict()
    try:
        if LOG in store.logs() or LOG in store.logs_of_entries():
            verdict.faults += audit.verify_log(store, LOG).faults
            if not verdict.faults:
                with store.snapshot():
                    _recompute(store, verdict)
    except StoreError as error:
        verdict.faults.append(str(error))
    return verdict


def _recompute(store: Store, verdict: Verdict) -> None:
    state = CommandsState()
    for entry in store.entries(LOG):
        if problem := _problem(state, entry):
            verdict.faults.append(f"entry {entry.seq} ({entry.kind}): {problem}")
        if len(verdict.faults) >= _MOST_FAULTS:
            return
        verdict.entries += 1
    head = store.head(LOG)
    try:
        same = head is not None and logs.decode(head.state) == state
    except (msgspec.MsgspecError, ValueError):
        same = False
    if not same:
        verdict.faults.append("the state in the store is not what the entries make")


def _problem(state: CommandsState, entry: Stored) -> str:
    """Apply an entry; return what is wrong with it."""
    try:
        found = _decoder.decode(entry.payload)
        if (entry.kind, entry.time) != (str(found.__struct_config__.tag), found.time):
            return "its kind or its time is not that of its payload"
        return logs.apply(state, found)
    except (msgspec.MsgspecError, ValueError) as error:
        return f"it cannot be read: {error}"
