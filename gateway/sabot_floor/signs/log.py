"""Log `signs`: entries go to the store one transaction at a time; the state as the store has it now."""

from collections.abc import Callable

import msgspec

from sabot_floor.signs import state as states
from sabot_floor.signs.entries import Entry
from sabot_floor.signs.state import SignsState
from sabot_floor.store import Decision, Head, Store
from sabot_floor.store import Entry as LogEntry

LOG = "signs"
Make = Callable[[SignsState], Entry | str]  # pure: it can be called again; a text refuses


class SignLog:
    """The log in a store; other workers append to it too."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seq, self._state = -1, SignsState()

    def state(self) -> SignsState:
        """Return the signs as the store has them now; StoreError if it cannot be read."""
        head = self._store.head(LOG) or Head()
        if head.seq != self._seq:
            self._seq, self._state = head.seq, states.decode(head.state)
        return self._state

    def append(self, make: Make) -> str:
        """Store what is made of the state; return why it is refused, or an empty text. StoreError if it cannot be."""
        refused = ""

        def decide(head: Head) -> Decision:
            nonlocal refused
            state = states.decode(head.state)
            entry = make(state)
            refused = entry if isinstance(entry, str) else states.apply(state, entry)
            if isinstance(entry, str) or refused:
                return Decision((), head.state)
            return Decision([_logged(entry, head.seq + 1)], states.encode(state))

        self._store.append(LOG, decide)
        return refused


def _logged(entry: Entry, number: int) -> LogEntry:
    return LogEntry(f"{LOG}-{number}", str(entry.__struct_config__.tag), msgspec.json.encode(entry), entry.time)
