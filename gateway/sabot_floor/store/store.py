"""Store: what an SQLite file and a PostgreSQL database of the floor service have in common."""

import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, NamedTuple, Self

from sabot_floor.store import chain
from sabot_floor.store.chain import DamagedError, Entry, EntryError, Head, Stored

_COLUMNS = "log, seq, id, kind, payload, time, hash"  # as Stored has them
LOCK_S = 10.0  # that an append waits for another process
_PAGE = 1000  # entries that a walk through a log reads at once


class _TriedError(Exception):
    """Ends a transaction that was only a try."""


class Decision(NamedTuple):
    """What is to become of a log: entries to append, and the state after them."""

    entries: Sequence[Entry]
    state: bytes | None


class Cursor(NamedTuple):
    """How far a reader of a log has come."""

    name: str
    log: str
    seq: int
    hash: bytes


# Takes where the log stands, `Head()` for a new one. Pure: it can be called again after an error.
Decide = Callable[[Head], Decision]


class Store(ABC):
    """Logs in one place. Used by one thread.

    One class because appends, readings and cursors share one connection, its transactions and the handling of errors.
    """

    place: str  # where it is, without any password
    notes: list[str]  # for the log of the service

    @abstractmethod
    def _execute(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one statement with `?` for each value; return the rows."""

    @abstractmethod
    def _transaction(self, what: str, *, durable: bool = True) -> AbstractContextManager[None]:
        """Commit at the end, or roll back and raise a StoreError; what is not `durable` is so with the next commit."""

    @abstractmethod
    def _lock(self, logs: Sequence[str]) -> None:
        """Keep every other writer from these logs, given in order, until the end of the transaction."""

    @abstractmethod
    def _insert(self, entries: list[Stored]) -> None:
        """Insert many entries."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[None]:
        """From now on read the store as it is at this moment, whatever others append."""

    @abstractmethod
    def structure_problem(self) -> str | None:
        """Return what the database itself finds wrong with its structure."""

    @abstractmethod
    def close(self) -> None:
        """Give the connection back; the next call opens it again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, log: str, decide: Decide) -> list[Stored]:
        """Lock a log, decide by its state what to append, and store that durably; return the new entries."""
        return self.append_many({log: decide})[log]

    def append_many(self, decides: Mapping[str, Decide]) -> dict[str, list[Stored]]:
        """Append to several logs in one transaction: all of it is stored, or nothing."""
        logs = sorted(decides)
        for log in logs:
            chain.refuse_misfits(log, (), None)
        if not logs:
            return {}
        with self._transaction(f"to append to {_named(logs)}"):
            self._lock(logs)
            return self._append_locked(decides)

    def append_within(self, log: str, decide: Decide) -> list[Stored]:
        """Append inside `writing` of the log's name."""
        chain.refuse_misfits(log, (), None)
        return self._append_locked({log: decide})[log]

    def _append_locked(self, decides: Mapping[str, Decide]) -> dict[str, list[Stored]]:
        """Append to logs that are locked, inside the transaction."""
        heads = self._heads(sorted(decides))
        appended, changed = dict[str, list[Stored]](), dict[str, Head]()
        for log in sorted(decides):
            before = heads.get(log, Head())
            appended[log], after = _decided(log, before, decides[log])
            if after != before:
                changed[log] = after
        self._write([entry for entries in appended.values() for entry in entries], changed)
        return appended

    def try_to_write(self) -> None:
        """Raise a StoreError if nothing could be appended now; nothing is changed."""
        with suppress(_TriedError), self._transaction("to try whether it can be written"):
            self._insert([Stored("", 0, "", "", b"", "", b"")])
            self._execute("UPDATE logs SET seq = seq WHERE name = ?", ("",))
            raise _TriedError

    def _write(self, entries: list[Stored], heads: dict[str, Head]) -> None:
        if entries:
            self._insert(entries)
        for log, head in heads.items():
            self._execute(
                "INSERT INTO logs (name, seq, hash, state, seal) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE "
                "SET seq = excluded.seq, hash = excluded.hash, state = excluded.state, seal = excluded.seal",
                (log, head.seq, head.hash, head.state, chain.seal(log, head)),
            )

    def _heads(self, logs: Sequence[str]) -> dict[str, Head]:
        marks = ", ".join("?" * len(logs))
        rows = self._execute(f"SELECT name, seq, hash, state, seal FROM logs WHERE name IN ({marks})", tuple(logs))
        return {name: self._head_of(name, Head(seq, hash_, state), seal) for name, seq, hash_, state, seal in rows}

    def _head_of(self, log: str, head: Head, seal: bytes) -> Head:
        if not _is_sealed(log, head, seal):
            raise DamagedError(
                f"the head of log {log} in {self.place} is not what was written (its entry {head.seq!r:.20}, hash or "
                "state was changed). Stop the service and put back a copy of the store"
            )
        return head

    def head(self, log: str) -> Head | None:
        """Return where a log stands, None where there is no such log."""
        with self._reading():
            return self._heads([log]).get(log)

    def logs(self) -> list[str]:
        """Return the names of all logs, in order."""
        with self._reading():
            return sorted(str(row[0]) for row in self._execute("SELECT name FROM logs"))

    def read(self, log: str, after_seq: int = 0, limit: int = _PAGE) -> list[Stored]:
        """Return the entries after `after_seq`, in order."""
        return self._select("log = ? AND seq > ? ORDER BY seq LIMIT ?", (log, after_seq, limit))

    def find(self, log: str, own_id: str) -> Stored | None:
        """Return the first entry with this id; reads the whole log."""
        found = self._select("log = ? AND id = ? ORDER BY seq LIMIT 1", (log, own_id))
        return found[0] if found else None

    def entries(self, log: str, after_seq: int = 0) -> Iterator[Stored]:
        """Yield the entries of a log after `after_seq`, a page at a time."""
        while page := self.read(log, after_seq):
            yield from page
            if len(page) < _PAGE or not isinstance(page[-1].seq, int) or page[-1].seq <= after_seq:
                return
            after_seq = page[-1].seq

    def _select(self, where: str, values: Sequence[Any]) -> list[Stored]:
        with self._reading():
            return list(map(Stored._make, self._execute(f"SELECT {_COLUMNS} FROM entries WHERE {where}", values)))

    def logs_of_entries(self) -> list[str]:
        """Return the names of all logs that have entries; reads everything."""
        with self._reading():
            return sorted(str(row[0]) for row in self._execute("SELECT DISTINCT log FROM entries"))

    def cursor(self, name: str, log: str) -> int:
        """Return how far a reader of a log has come, 0 at first."""
        with self._reading():
            rows = self._execute("SELECT seq FROM cursors WHERE name = ? AND log = ?", (name, log))
            return int(rows[0][0]) if rows else 0

    def cursors(self) -> list[Cursor]:
        """Return all cursors, in order of their names."""
        with self._reading():
            return sorted(map(Cursor._make, self._execute("SELECT name, log, seq, hash FROM cursors")))

    def move_cursor(self, name: str, log: str, seq: int) -> None:
        """Store how far a reader has come; after a power cut the reader may read the last entries again."""
        chain.refuse_misfits(log, (Entry(name, "cursor", b""),), None)
        with self._transaction(f"to move the cursor {name} of log {log}", durable=False):
            rows = self._execute("SELECT hash FROM entries WHERE log = ? AND seq = ?", (log, seq))
            if not rows:
                raise EntryError(
                    f"the cursor {name} cannot be moved to entry {seq} of log {log}: there is no such entry"
                )
            self._execute(
                "INSERT INTO cursors (name, log, seq, hash) VALUES (?, ?, ?, ?) ON CONFLICT (name, log) DO UPDATE "
                "SET seq = excluded.seq, hash = excluded.hash",
                (name, log, seq, rows[0][0]),
            )

    # Tables beside the logs

    def select(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query with `?` for each value."""
        with self._reading():
            return self._execute(query, values)

    @contextmanager
    def writing(self, name: str) -> Iterator[None]:
        """Commit durably at the end what `execute` and `execute_many` wrote; keep out other writers of this name."""
        with self._transaction(f"to write {name}"):
            self._lock([name])
            yield

    def execute(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one statement with `?` for each value, inside `writing`."""
        return self._execute(query, values)

    @abstractmethod
    def execute_many(self, query: str, values: Iterable[Sequence[Any]]) -> None:
        """Run one statement for each of many rows, inside `writing`."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[None]:
        """Raise every error of the database as a StoreError."""


def _named(logs: Sequence[str]) -> str:
    return f"log {logs[0]}" if len(logs) == 1 else f"{len(logs)} logs"


def _decided(log: str, before: Head, decide: Decide) -> tuple[list[Stored], Head]:
    """Return the entries that a decision appends, and the head after them."""
    decision = decide(before)
    chain.refuse_misfits(log, decision.entries, decision.state)
    entries = chain.extend(log, before, decision.entries)
    seq, last = (entries[-1].seq, entries[-1].hash) if entries else (before.seq, before.hash)
    return entries, Head(seq, last, decision.state)


def _is_sealed(log: str, head: Head, seal: bytes) -> bool:
    """Return True if the seal fits a head that was read, which can hold anything."""
    try:
        return chain.seal(log, head) == seal
    except (AttributeError, TypeError, UnicodeError, struct.error):
        return False
