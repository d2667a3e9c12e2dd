"""Audit: recompute the people from their log: chain, every entry, and the state."""

from dataclasses import dataclass, field

import msgspec

from sabot_floor.people import state as states
from sabot_floor.people.entries import Entry
from sabot_floor.people.log import LOG, commitment
from sabot_floor.people.state import PeopleState
from sabot_floor.store import Store, Stored, StoreError, audit

_MOST_FAULTS = 20
_decoder = msgspec.json.Decoder(Entry)


@dataclass
class Verdict:
    """What is wrong with the log, oldest first; `entries` counts what was recomputed."""

    entries: int = 0
    faults: list[str] = field(default_factory=list)


def verify(store: Store) -> Verdict:
    """Recompute everything; a store without people is right."""
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
    state = PeopleState()
    for entry in store.entries(LOG):
        if problem := _problem(state, entry):
            verdict.faults.append(f"entry {entry.seq} ({entry.kind}): {problem}")
        if len(verdict.faults) >= _MOST_FAULTS:
            return
        verdict.entries += 1
    head = store.head(LOG)
    if problem := _state_problem(state, head.state if head else None):
        verdict.faults.append(problem)


def _problem(state: PeopleState, entry: Stored) -> str:
    """Apply an entry; return what is wrong with it."""
    try:
        found = _decoder.decode(entry.payload)
        if (entry.kind, entry.time) != (str(found.__struct_config__.tag), found.time):
            return "its kind or its time is not that of its payload"
        return states.apply(state, found)
    except (msgspec.MsgspecError, ValueError) as error:
        return f"it cannot be read: {error}"


def _state_problem(state: PeopleState, data: bytes | None) -> str:
    """Return how the state in the store differs from what the entries make."""
    try:
        stored = states.decode(data or b"")
        if commitment(bytes.fromhex(stored.key)) != stored.commitment:
            return "the key that badges are hashed with is not the one of the log"
    except (msgspec.MsgspecError, ValueError) as error:
        return f"the state cannot be read: {error}"
    stored.key = ""
    return "" if stored == state else "the state in the store is not what the entries make; nobody may log in by it"
