"""Log `commands`: entries go to the store one transaction at a time; its state is what is not answered yet."""

from collections.abc import Sequence

import msgspec

from sabot_floor.commands.entries import Answered, Asked, Entry, Refused, Unanswered
from sabot_floor.store import Decision, Head, Store
from sabot_floor.store import Entry as LogEntry

LOG = "commands"


class CommandsState(msgspec.Struct):
    """The worker of each command without an outcome."""

    open: dict[str, str] = {}


def apply(state: CommandsState, entry: Entry) -> str:
    """Change the state by an entry and return an empty text; or return why it cannot be and change nothing."""
    match entry:
        case Asked():
            if entry.id in state.open:
                return f"command {entry.id} was asked for before"
            state.open[entry.id] = entry.worker
        case Answered() | Unanswered():
            if entry.id not in state.open:
                return f"command {entry.id} is not open"
            del state.open[entry.id]
        case Refused():
            pass
    return ""


def decode(data: bytes | None) -> CommandsState:
    """Return the state; msgspec.ValidationError if it is damaged."""
    return msgspec.json.decode(data, type=CommandsState) if data is not None else CommandsState()


def _logged(entry: Entry, number: int) -> LogEntry:
    return LogEntry(f"{LOG}-{number}", str(entry.__struct_config__.tag), msgspec.json.encode(entry), entry.time)


class CommandLog:
    """The log in a store; other workers append to it too."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def open_of(self, worker: str) -> list[str]:
        """Return the ids of this worker's commands without an outcome."""
        head = self._store.head(LOG)
        state = decode(head.state if head else None)
        return [command for command, of in state.open.items() if of == worker]

    def append(self, entries: Sequence[Entry]) -> None:
        """Store entries durably, but for those that the state refuses; StoreError if that cannot be done."""

        def decide(head: Head) -> Decision:
            state = decode(head.state)
            taken = [entry for entry in entries if not apply(state, entry)]
            if not taken:
                return Decision((), head.state)
            logged = [_logged(entry, head.seq + number) for number, entry in enumerate(taken, 1)]
            return Decision(logged, msgspec.json.encode(state))

        self._store.append(LOG, decide)
