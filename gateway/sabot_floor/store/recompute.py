"""Recompute: a log of the floor again from its first entry: chain, every entry, and the state."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from sabot_floor.store import audit
from sabot_floor.store.chain import Stored, StoreError
from sabot_floor.store.store import Store

_MOST_FAULTS = 20


@dataclass
class Verdict:
    """What is wrong with the log, oldest first; `entries` counts what was recomputed."""

    entries: int = 0
    faults: list[str] = field(default_factory=list)


class Rules(NamedTuple):
    """How a log is read: bytes to an entry, an entry applied, the state in the store compared; each says what is wrong.

    An entry is a tagged struct with its `time`.
    """

    log: str
    decode: Callable[[bytes], Any]
    apply: Callable[[Any], str]
    state_problem: Callable[[bytes | None], str]


def state_problem(state: object, decode: Callable[[bytes], object], data: bytes | None) -> str:
    """Return how the state in the store differs from the one that the entries make; empty if it does not."""
    try:
        same = data is not None and decode(data) == state
    except (msgspec.MsgspecError, ValueError, RecursionError):
        same = False
    return "" if same else "the state in the store is not what the entries make"


def verify(store: Store, rules: Rules) -> Verdict:
    """Recompute everything; a store without this log is right."""
    verdict = Verdict()
    try:
        if rules.log in store.logs() or rules.log in store.logs_of_entries():
            verdict.faults += audit.verify_log(store, rules.log).faults
            if not verdict.faults:
                with store.snapshot():
                    _recompute(store, rules, verdict)
    except StoreError as error:
        verdict.faults.append(str(error))
    return verdict


def _recompute(store: Store, rules: Rules, verdict: Verdict) -> None:
    for entry in store.entries(rules.log):
        if problem := _problem(rules, entry):
            verdict.faults.append(f"entry {entry.seq} ({entry.kind}): {problem}")
        if len(verdict.faults) >= _MOST_FAULTS:
            return
        verdict.entries += 1
    head = store.head(rules.log)
    if problem := rules.state_problem(head.state if head else None):
        verdict.faults.append(problem)


def _problem(rules: Rules, entry: Stored) -> str:
    """Apply an entry; return what is wrong with it."""
    try:
        found = rules.decode(entry.payload)
        if (entry.kind, entry.time) != (str(found.__struct_config__.tag), found.time):
            return "its kind or its time is not that of its payload"
        return rules.apply(found)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return f"it cannot be read: {error}"
