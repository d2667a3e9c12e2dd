"""Log of people: what is decided goes to the store in one transaction; the state as the store has it now."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

import msgspec

from sabot_floor.people import state as states
from sabot_floor.people.entries import Entry, Opened
from sabot_floor.people.state import PeopleState
from sabot_floor.store import Decision, Head, Store
from sabot_floor.store import Entry as LogEntry

LOG = "people"
_KEY_BYTES = 32


class Made(NamedTuple):
    """Entries to append, and a refusal for the person who asked: a failed log-in has both."""

    entries: Sequence[Entry] = ()
    refused: str = ""


Make = Callable[[PeopleState], Made]  # pure: it can be called again


@dataclass
class _Change:
    """`decide` is called inside the transaction, and may be called again; then `refused` is the newest."""

    time: str
    make: Make
    key: bytes  # of a new log
    refused: str = ""

    def decide(self, head: Head) -> Decision:
        """Apply what is made of the state; an entry that is refused keeps all of them from the log."""
        state, entries = self._begin(head)
        made = self.make(state)
        self.refused = made.refused
        for entry in made.entries:
            if refused := states.apply(state, entry):
                self.refused = refused
                return Decision((), head.state)
        if not made.entries:
            return Decision((), head.state)
        entries += made.entries
        logged = [_logged(entry, head.seq + number) for number, entry in enumerate(entries, 1)]
        return Decision(logged, states.encode(state))

    def _begin(self, head: Head) -> tuple[PeopleState, list[Entry]]:
        if head.state is not None:
            return states.decode(head.state), []
        state, opened = PeopleState(key=self.key.hex()), Opened(time=self.time, commitment=commitment(self.key))
        states.apply(state, opened)
        return state, [opened]


def commitment(key: bytes) -> str:
    """Return what the log keeps of the key."""
    return sha256(key).hexdigest()


def _logged(entry: Entry, number: int) -> LogEntry:
    return LogEntry(f"{LOG}-{number}", str(entry.__struct_config__.tag), msgspec.json.encode(entry), entry.time)


class PeopleLog:
    """The log in a store; other processes may append to it."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def state(self) -> PeopleState:
        """Return the people as the store has them now."""
        head = self.store.head(LOG)
        return states.decode(head.state) if head is not None and head.state is not None else PeopleState()

    def append(self, time: str, make: Make) -> str:
        """Store what is made of the state; return the refusal, or an empty text. StoreError if it cannot be written."""
        change = _Change(time, make, secrets.token_bytes(_KEY_BYTES))
        self.store.append(LOG, change.decide)
        return change.refused
