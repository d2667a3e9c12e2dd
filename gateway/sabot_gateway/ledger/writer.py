"""Ledger: SQLite, write-ahead, fully synchronous, hash-chained; an entry is there once and for all."""

import fcntl
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from sabot_protocol.fields import UNIT_BYTES

from sabot_gateway.ledger import audit, derived, retention, schema, sums, wal
from sabot_gateway.ledger.chain import Entry, LedgerError, Stored, link
from sabot_gateway.ledger.reader import Reader
from sabot_gateway.ledger.settling import Settled, Settling
from sabot_gateway.ledger.sums import beside

__all__ = ["Entry", "Ledger", "LedgerError", "Reader", "Stored"]

_INSERT = f"INSERT INTO entries ({schema.COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_SETTLE_BYTES = 8 * 2**20  # of write-ahead log, about: its file keeps its length
_COMMIT_BYTES = 4 * 4096  # of indexes and the like, with every commit
_ROW_BYTES = 300  # beside payload and frame
_PATIENCE_MS = 5000


class Ledger(Reader):
    """One file and the only one who writes it. Append, then read on from a cursor."""

    def __init__(self, path: Path, *, recheck: bool = False) -> None:
        """Open a ledger, or make it; one that is damaged is refused. `recheck` every entry and write the sums anew."""
        self.path, self.notes, self._own_no = path, list[str](), 0
        self._settling: Settling | None = None
        try:
            self._lock = _locked(path)
            try:
                self._open(recheck)
            except BaseException:
                self._lock.close()
                raise
        except (sqlite3.Error, OSError) as error:
            raise LedgerError(f"ledger {path}: {error}; check the path, the disk and its permissions") from error

    def _open(self, recheck: bool) -> None:
        new = not self.path.exists() or self.path.stat().st_size == 0
        if new:
            beside(self.path, "sums").unlink(missing_ok=True)  # of a ledger that was moved away
        found = None if new else audit.start(self.path, recheck=recheck)
        if found:
            self.notes += found.notes
        sums.open_file(self.path, found.sums if found and found.sums else _renewed(self.path))
        self._db = _connect(self.path)
        self._waiting_bytes = _SETTLE_BYTES
        with self._transaction("its tables"):
            before = schema.upgrade(self._db)
        if 0 < before < schema.VERSION:
            self.notes.append(f"it was of version {before}, and is of version {schema.VERSION} now")
        self._learn()
        self._seq, self._hash = self.newest()
        if found and found.rebuild:
            self.rebuild()
        self._settle_when_due()

    def gateway_id(self) -> bytes:
        """Which gateway writes here: eight bytes made once, the same after every start."""
        found = self._db.execute("SELECT value FROM meta WHERE name = 'gateway'").fetchone()
        if found is None:
            found = (secrets.token_bytes(UNIT_BYTES),)
            with self._transaction("the gateway's id"):
                self._db.execute("INSERT INTO meta VALUES ('gateway', ?)", found)
        return bytes(found[0])

    def next_own_no(self) -> int:
        """A number that no entry of the gateway's own has had."""
        self._own_no = max(self._own_no, self.durable_event_no(self.gateway_id().hex())) + 1
        return self._own_no

    def last_seq(self) -> int:
        """The newest entry's number, 0 when there is none."""
        return self._seq

    def close(self) -> None:
        """Bring everything into the one file, with its sums, and give it back."""
        with suppress(sqlite3.Error, OSError):
            self._settle()
        waiting = wal.read(beside(self.path, "wal"))  # for a reader, and SQLite takes it in if that one has just gone
        self._db.close()
        if not beside(self.path, "wal").exists():
            with suppress(OSError):  # then they stay beside it, or the next start checks every entry
                sums.renew_beside(self.path, waiting, self._seq, self._hash)
                sums.close_file(self.path)
        self._lock.close()

    def append(self, entries: Sequence[Entry]) -> None:
        """All of them, durably, in one transaction; or none and an error."""
        seq, head, second_from = self._seq, self._hash, self.origin.second_from
        rows, changes = [], []
        for entry in entries:
            seq += 1
            head = link(head, seq, entry, second_from)
            rows.append(_row(entry, seq, head))
            changes += derived.changes(seq, entry)
        with self._transaction(f"{len(rows)} entries"):
            self._db.executemany(_INSERT, rows)
            derived.apply(self._db, changes)
        self._seq, self._hash = seq, head
        self._waiting_bytes += sum(len(entry.payload) + len(entry.frame) + _ROW_BYTES for entry in entries)
        self._settle_beside()

    def move_cursor(self, name: str, seq: int) -> None:
        """The reader is done up to `seq`; a power cut may take this back, and then he reads the last ones again."""
        with self._unhurried(), self._transaction(f"the cursor {name}"):
            self._db.execute(
                "INSERT INTO cursors VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET seq = excluded.seq", (name, seq)
            )

    def rebuild(self, progress: Callable[[int], None] = lambda done: None) -> None:
        """Make shoes, coups and alarms anew from the entries."""
        with self._transaction("its derived tables"):
            derived.rebuild(self._db, self.entries(), progress)
        self._waiting_bytes = _SETTLE_BYTES
        self._settle_when_due()

    def prune(self, before: str) -> retention.Plan:
        """Remove the oldest entries, as far as they are older and nobody needs them; a signed checkpoint stays."""
        plan = retention.plan(self._db, retention.moment(before), self.origin.seq)
        if not plan.count:
            return plan
        key = retention.make_key(retention.key_path(self.path))
        with self._transaction("the checkpoint of a pruning"):
            retention.remove(self._db, plan, key)
            derived.rebuild(self._db, self.entries())
        self._learn()
        try:
            self._db.execute("VACUUM")
        except sqlite3.Error as error:
            self.notes.append(f"the entries are gone, but their space is not given back: {error}")
        self._waiting_bytes = _SETTLE_BYTES
        self._settle_when_due()
        return plan

    def _settle_beside(self) -> None:
        """Begin when it is due, and end it once the thread has; a disk that does not keep up is waited for."""
        if self._settling is None and self._waiting_bytes >= _SETTLE_BYTES:
            with suppress(sqlite3.Error):
                self._settling = Settling(self.path)
        elif self._settling and (not self._settling.is_alive() or self._waiting_bytes >= 4 * _SETTLE_BYTES):
            self._settle_when_due()

    def _settle_when_due(self) -> None:
        """What is committed is safe; that it waits in the log for want of space or because of a reader is no error."""
        if self._waiting_bytes < _SETTLE_BYTES:
            return
        self._waiting_bytes = _SETTLE_BYTES * 3 // 4  # for the next try, if this one fails
        with suppress(sqlite3.Error, OSError):
            self._settle()

    def _settle(self) -> None:
        """Bring the write-ahead log into the file and renew the sums; SQLite then begins the log anew in its place."""
        before = self._settled_beside()
        busy, frames, done = self._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        if busy or frames != done:
            return
        log = before.log.then(wal.read(beside(self.path, "wal"), range(before.frames, frames)))
        sums.renew_beside(self.path, log, self._seq, self._hash)
        self._waiting_bytes = 0

    def _settled_beside(self) -> Settled:
        """What the thread has brought into the file."""
        settling, self._settling = self._settling, None
        return settling.release() if settling else Settled()

    @contextmanager
    def _unhurried(self) -> Iterator[None]:
        """What is written in here is on the disk with the next that is not."""
        self._db.execute("PRAGMA synchronous=NORMAL")
        try:
            yield
        finally:
            self._db.execute("PRAGMA synchronous=FULL")

    @contextmanager
    def _transaction(self, what: str) -> Iterator[None]:
        """All of it or nothing, durably; an error leaves the ledger as it was, and usable."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield
            self._db.execute("COMMIT")
            self._waiting_bytes += _COMMIT_BYTES
        except BaseException as error:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            self._waiting_bytes = _SETTLE_BYTES  # what it left in the log goes at the next chance
            if isinstance(error, sqlite3.Error):
                raise LedgerError(f"the ledger refused {what}: {error}") from error
            raise


def _locked(path: Path) -> IO[str]:
    """A file that holds the ledger for one writer, until it is closed or the process ends."""
    lock = beside(path, "lock").open("a+")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.seek(0)
        holder = lock.read(20).strip() or "unknown"
        lock.close()
        raise LedgerError(
            f"ledger {path}: another gateway or command writes it (process {holder}); "
            "stop that one first, or give this one a ledger of its own"
        ) from None
    lock.truncate(0)
    print(os.getpid(), file=lock, flush=True)
    return lock


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE_MS / 1000)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA wal_autocheckpoint = 0")
    return db


def _renewed(path: Path) -> sums.Sums:
    """The sums of a file whose entries were checked, or that is new; its log is brought into it."""
    with closing(_connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with closing(Reader(path)) as reader:
        seq, head = reader.newest()
    return sums.of_file(path, seq, head)


def _row(entry: Entry, seq: int, head: bytes) -> tuple[Any, ...]:
    """As `schema.COLUMNS`; Python's sqlite3 takes bytes by a detour that a bytearray is spared."""
    unit, event_no, table, topic, payload, frame, time, rulebook = entry
    return unit, event_no, table, topic, bytearray(payload), bytearray(frame), time, rulebook, seq, bytearray(head)
