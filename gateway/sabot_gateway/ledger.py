"""Ledger: SQLite, write-ahead, fully synchronous, hash-chained; an entry is there once and for all."""

import secrets
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from sabot_protocol.fields import UNIT_BYTES

_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
    seq INTEGER PRIMARY KEY,
    unit TEXT NOT NULL,
    event_no INTEGER,            -- NULL where the gateway itself is the source
    table_name TEXT NOT NULL,
    topic TEXT NOT NULL,         -- empty where nothing is published
    payload BLOB NOT NULL,
    frame BLOB NOT NULL,         -- the shoe's own words
    hash BLOB NOT NULL,
    UNIQUE (unit, event_no)
);
CREATE INDEX IF NOT EXISTS by_topic ON entries (table_name, topic, seq);
CREATE TABLE IF NOT EXISTS cursors (name TEXT PRIMARY KEY, seq INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value BLOB NOT NULL);
"""
_COLUMNS = "seq, unit, event_no, table_name, topic, payload, frame, hash"
_GENESIS = bytes(32)


class LedgerError(RuntimeError):
    """The ledger cannot be trusted or written; nothing may be published."""


@dataclass(frozen=True)
class Entry:
    """What is to be kept."""

    unit: str
    event_no: int | None
    table: str
    topic: str
    payload: bytes
    frame: bytes


@dataclass(frozen=True)
class Stored(Entry):
    """An entry in its place."""

    seq: int
    hash: bytes


class Ledger:
    """One file. Append, then read on from a cursor."""

    def __init__(self, path: Path) -> None:
        try:
            self._db = sqlite3.connect(path, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise LedgerError(f"ledger {path}: {error}; check the path, the disk and its permissions") from error
        newest: tuple[int, bytes] | None = self._db.execute(
            "SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1"
        ).fetchone()
        self._seq, self._hash = newest or (0, _GENESIS)

    def gateway_id(self) -> bytes:
        """Which gateway writes here: eight bytes made once, the same after every start."""
        try:
            self._db.execute("INSERT OR IGNORE INTO meta VALUES ('gateway', ?)", (secrets.token_bytes(UNIT_BYTES),))
            return bytes(self._db.execute("SELECT value FROM meta WHERE name = 'gateway'").fetchone()[0])
        except sqlite3.Error as error:
            raise LedgerError(f"the ledger refused the gateway's id: {error}") from error

    def last_seq(self) -> int:
        """The newest entry's number, 0 when there is none."""
        return self._seq

    def close(self) -> None:
        """Give the file back."""
        self._db.close()

    def append(self, entries: Sequence[Entry]) -> None:
        """All of them, durably, in one transaction; or none and an error."""
        seq, head, rows = self._seq, self._hash, []
        for entry in entries:
            seq += 1
            head = _link(head, seq, entry)
            rows.append((seq, entry.unit, entry.event_no, entry.table, entry.topic, entry.payload, entry.frame, head))
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(f"INSERT INTO entries ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise LedgerError(f"the ledger refused {len(rows)} entries: {error}") from error
        self._seq, self._hash = seq, head

    def durable_event_no(self, unit: str) -> int:
        """The last event number held of a unit, 0 when there is none."""
        return int(self._one("SELECT max(event_no) FROM entries WHERE unit = ?", unit) or 0)

    def since(self, seq: int, limit: int) -> list[Stored]:
        """The entries after `seq`, in order."""
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM entries WHERE seq > ? ORDER BY seq LIMIT ?", (seq, limit))
        return [_stored(row) for row in rows]

    def this_shoe(self, table: str) -> list[Stored]:
        """One table's entries since its shoe was last opened or closed, that one included."""
        rows = self._db.execute(
            f"""SELECT {_COLUMNS} FROM entries WHERE table_name = :table AND seq >=
            (SELECT max(seq) FROM entries WHERE table_name = :table AND topic = 'shoe') ORDER BY seq""",
            {"table": table},
        )
        return [_stored(row) for row in rows]

    def cursor(self, name: str) -> int:
        """How far a reader has come."""
        return int(self._one("SELECT seq FROM cursors WHERE name = ?", name) or 0)

    def move_cursor(self, name: str, seq: int) -> None:
        """The reader is done up to `seq`."""
        try:
            self._db.execute(
                "INSERT INTO cursors VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET seq = excluded.seq", (name, seq)
            )
        except sqlite3.Error as error:
            raise LedgerError(f"the ledger refused the cursor {name}: {error}") from error

    def _one(self, query: str, value: str) -> int | None:
        row = self._db.execute(query, (value,)).fetchone()
        return row[0] if row else None

    def verify_chain(self) -> int:
        """Recompute every hash; the number of entries, or an error that names the first bad one."""
        head, seq = _GENESIS, 0
        for entry in self._all():
            seq += 1
            head = _link(head, seq, entry)
            if entry.seq != seq or entry.hash != head:
                raise LedgerError(f"entry {seq} is not what was written: the chain breaks there")
        return seq

    def _all(self) -> Iterable[Stored]:
        return map(_stored, self._db.execute(f"SELECT {_COLUMNS} FROM entries ORDER BY seq"))


def _stored(row: tuple[int, str, int | None, str, str, bytes, bytes, bytes]) -> Stored:
    seq, unit, event_no, table, topic, payload, frame, digest = row
    return Stored(unit, event_no, table, topic, payload, frame, seq, digest)


def _link(head: bytes, seq: int, entry: Entry) -> bytes:
    """The hash of an entry: everything in it, each part with its length, chained to the one before."""
    digest = sha256(head)
    event_no = "" if entry.event_no is None else str(entry.event_no)
    for part in (str(seq), entry.unit, event_no, entry.table, entry.topic, entry.payload, entry.frame):
        data = part if isinstance(part, bytes) else part.encode()
        digest.update(len(data).to_bytes(4, "big") + data)
    return digest.digest()
