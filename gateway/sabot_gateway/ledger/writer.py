"""Ledger: SQLite, write-ahead, fully synchronous, hash-chained; an entry never changes."""

import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, count
from operator import add, itemgetter
from pathlib import Path
from typing import Any

import msgspec
from sabot_protocol.topics import LedgerMessage

from sabot_gateway.ledger import audit, derived, files, heads, rebuilding, retention, schema, units
from sabot_gateway.ledger.chain import Entry, Stored, links
from sabot_gateway.ledger.checkpointer import Checkpointer
from sabot_gateway.ledger.errors import IN_THE_ENTRY, EntryError, LedgerError
from sabot_gateway.ledger.files import sidecar_path
from sabot_gateway.ledger.heads import Accepted, Kept
from sabot_gateway.ledger.inserts import Insert, places
from sabot_gateway.ledger.reader import Reader
from sabot_gateway.ledger.rebuilding import Source
from sabot_gateway.ledger.units import Units

__all__ = ["Entry", "Ledger", "LedgerError", "Reader", "Stored"]

_ENTRIES = Insert(f"INSERT INTO entries ({schema.COLUMNS}, before)", places(11))
_BLOBS = itemgetter(Entry._fields.index("payload"), Entry._fields.index("frame"))
_PAGE_BYTES = 4096
_COMMIT_PAGES = 4  # of indexes and the like, with every commit
_ROW_BYTES = 300  # beside payload and frame
_CHECKPOINT_PAGES = 400  # of log, about: then the thread brings them into the file
_MOST_PAGES = 2000  # of log: then the writer itself brings in the rest, and SQLite begins the log anew
_PATIENCE_S = 5.0
_MOST_RECENT = 8000  # entries, kept for a reader that goes on from its cursor: twice as many for a moment
SLICE = 500  # entries that one slice of a pruning removes

Progress = Callable[[int], None]


class Ledger(Reader):
    """One file and its only writer. Append, then read on from a cursor.

    One class because appends, heads, cursors and prunings share one connection and one transaction.
    """

    def __init__(self, path: Path, *, recheck: bool = False) -> None:
        """Open a ledger, or make it; refuse one that is damaged. `recheck` every entry, not only the newest."""
        self.path, self.notes, self._own_no = path, list[str](), 0
        self.behind: str | None = None  # why nothing may be appended until a person accepts it
        self._lost: LedgerMessage | None = None  # the head that it is behind
        self._cursors: dict[str, int] = {}
        self._recent: list[Stored] = []  # the newest entries, without a gap
        try:
            self._lock = files.locked(path)
            try:
                self._open(recheck)
            except BaseException:
                self._lock.close()
                raise
        except (sqlite3.Error, OSError) as error:
            raise LedgerError(f"ledger {path}: {error}; check the path, the disk and its permissions") from error

    def _open(self, recheck: bool) -> None:
        new = not self.path.exists() or self.path.stat().st_size == 0
        rebuild = False if new else self._checked(recheck)
        self._key = self._own_key(new)
        self._db, self._place = _connect(self.path), files.InPlace(self.path)
        self._log_pages = self._settled_pages = 0
        with self._transaction("its tables"):
            before = schema.upgrade(self._db)
        if 0 < before < schema.VERSION:
            self.notes.append(f"it was brought from version {before} to version {schema.VERSION}")
        self._learn()
        self._seq, self._hash = self.newest()
        if rebuild:
            self.rebuild()
        self._units = Units(self._db, retention.pruned_units(self._db))
        self._open_head()
        self._checkpointer = Checkpointer(self.path)

    def _checked(self, recheck: bool) -> bool:
        """Check what is there; return True if its derived tables must be rebuilt."""
        files.remove_sums(self.path)
        found = audit.start(self.path, retention.read(retention.key_path(self.path)), whole=recheck)
        self.notes += found.notes
        return found.rebuild

    def _own_key(self, new: bool) -> bytes:
        """Return the key that signs heads and checkpoints."""
        path = retention.key_path(self.path)
        if not new and sidecar_path(self.path, "head").exists() and not path.exists():
            self.notes.append(f"{path.name} was missing and a new one was made; put the old one back from your copy")
        return retention.make_key(path)

    def _open_head(self) -> None:
        """Compare the ledger with the head beside it; a ledger that is behind takes nothing until a person accepts."""
        self._gateway = self.gateway_id().hex()
        self._time = self._newest_time()
        path = sidecar_path(self.path, "head")
        kept = self._kept_head(path)
        self._head_file = heads.HeadFile(path)
        if kept and kept.head.gateway != self._gateway:
            self._fall_behind(
                kept.head, f"the ledger that was here held {kept.head.entry} entries, and this is another"
            )
        elif kept:
            self.compare(kept.head)
        self._check_cursors(kept.cursors if kept else {}, own=bool(kept and kept.head.gateway == self._gateway))
        if self.behind is None:
            self._keep_head()

    def _kept_head(self, path: Path) -> Kept | None:
        try:
            kept = heads.read(path)
        except LedgerError as error:
            self.notes.append(str(error))
            return None
        if kept and not heads.is_signed(kept.head, self._key):
            self.notes.append(f"{path.name} is not signed by {retention.key_path(self.path).name}: it was changed")
        return kept

    def _newest_time(self) -> str:
        row = self._db.execute("SELECT time FROM entries WHERE seq = ?", (self._seq,)).fetchone()
        return row[0] if row else ""

    def compare(self, head: LedgerMessage) -> None:
        """Hold the ledger, if it contradicts a head that it once had."""
        found = heads.contradiction(self, head)
        if found and not heads.excused(head, self.accepted()):
            self._fall_behind(head, found)

    def _fall_behind(self, head: LedgerMessage, why: str) -> None:
        if self._lost is None or head.entry > self._lost.entry:
            self._lost = head
        self.behind = self.behind or (
            f"ledger {self.path} was made shorter or replaced: {why}. Stop the gateway and put the right file back; "
            f"or accept the loss: `sabot ledger accept {self.path} --by NAME --reason TEXT`"
        )

    def accept(self, by: str, reason: str, time: str) -> None:
        """Accept a ledger that is behind, for a person; an entry records it for good."""
        if self.behind is None or self._lost is None:
            raise LedgerError(f"ledger {self.path} is not behind any head: there is nothing to accept")
        accepted = Accepted(time, by, reason, self._seq, self._lost)
        number = self.next_own_no() + max(self._lost.entry - self._seq, 0)  # no number that was lost is given again
        behind, self.behind = self.behind, None
        try:
            self.append([Entry(self._gateway, number, "", heads.ACCEPTED, msgspec.json.encode(accepted), b"", time)])
        except LedgerError:
            self.behind = behind
            raise
        self._own_no, self._lost = number, None

    def gateway_id(self) -> bytes:
        """Return which gateway writes here: eight bytes made once, the same after every start."""
        found = self._db.execute("SELECT value FROM meta WHERE name = 'gateway'").fetchone()
        if found is None:
            from sabot_protocol.fields import UNIT_BYTES  # a fifth of the start of a program that only reads

            found = (secrets.token_bytes(UNIT_BYTES),)
            with self._transaction("the gateway's id"):
                self._db.execute("INSERT INTO meta VALUES ('gateway', ?)", found)
        return bytes(found[0])

    def next_own_no(self) -> int:
        """Return a number that no entry of the gateway's own has had."""
        self._own_no = max(self._own_no, self.durable_event_no(self.gateway_id().hex())) + 1
        return self._own_no

    def check_in_place(self) -> None:
        """Raise LedgerError if the file was moved away, or another one is in its place: nothing is stored blindly."""
        if problem := self._place.problem():
            raise LedgerError(problem)

    def last_seq(self) -> int:
        """Return the newest entry's number, 0 when there is none."""
        return self._seq

    def head(self) -> LedgerMessage:
        """Return the newest entry's number and hash, signed; it shows later that nothing was cut off."""
        unsigned = LedgerMessage(gateway=self._gateway, entry=self._seq, hash=self._hash.hex(), time=self._time)
        return heads.sign(unsigned, self._key)

    def is_own_head(self, head: LedgerMessage) -> bool:
        """Return True if this ledger signed the head."""
        return heads.is_signed(head, self._key)

    def _keep_head(self) -> None:
        """Keep the head beside the file, unless the ledger is behind it: then the kept one is the proof."""
        if self.behind:
            return
        with suppress(OSError):  # it holds nothing up: the next start then compares with an older one
            self._head_file.write(Kept(self.head(), self._cursors))

    def close(self) -> None:
        """Bring everything into the one file and give it back."""
        self._checkpointer.stop()
        self._head_file.close()
        self._db.close()
        self._lock.close()

    def append(self, entries: Sequence[Entry]) -> None:
        """Store all of them, durably, in one transaction; or none and an error."""
        if self.behind:
            raise LedgerError(self.behind)
        self.check_in_place()
        first = self._seq + 1
        try:
            with self._transaction(f"{len(entries)} entries"):
                before, newest = self._units.place(first, entries)
                hashes = links(self._hash, first, entries, self.origin.second_from)
                _ENTRIES.write(self._db, _rows(entries, first, hashes, before))
                units.store(self._db, newest)
                derived.apply(self._db, derived.changes_of_entries(first, entries))
        except LedgerError:
            self._checkpointer.wake()  # it may make room in the log
            raise
        if entries:
            self._units.stored(newest)
            self._seq, self._hash, self._time = self._seq + len(entries), hashes[-1], entries[-1].time
            self._remember(entries, first, hashes)
        self._keep_head()
        self._log_grew(sum(map(len, chain.from_iterable(map(_BLOBS, entries)))) + _ROW_BYTES * len(entries))

    def _remember(self, entries: Sequence[Entry], first: int, hashes: list[bytes]) -> None:
        """Keep the newest entries for a reader that goes on from its cursor."""
        self._recent += map(Stored._make, map(add, entries, zip(count(first), hashes, strict=False)))
        if len(self._recent) > 2 * _MOST_RECENT:
            del self._recent[:-_MOST_RECENT]

    def next_after(self, seq: int, limit: int) -> list[Stored]:
        """Return the entries after `seq`, in order: from memory if they were just stored, else from the file."""
        if not self._recent or seq < self._recent[0].seq - 1:
            return self.since(seq, limit)
        start = seq + 1 - self._recent[0].seq
        return self._recent[start : start + limit]

    def move_cursor(self, name: str, seq: int) -> None:
        """Store how far a reader has come; after a power cut the reader may read the last entries again."""
        with self._unhurried():
            self._put_cursor(name, seq)
        self._keep_head()

    def _put_cursor(self, name: str, seq: int) -> None:
        with self._transaction(f"the cursor {name}"):
            self._db.execute("INSERT OR REPLACE INTO cursors VALUES (?, ?, ?)", (name, seq, self.hash_of(seq) or b""))
        self._cursors[name] = seq

    def _check_cursors(self, kept: dict[str, int], *, own: bool) -> None:
        """Put a cursor that was moved by hand back to where the head has it, or to the beginning."""
        for name, (seq, problem) in self.cursor_problems(kept).items():
            self._cursors[name] = seq
            problem = problem or (heads.cursor_ahead(name, seq, kept) if own else "")
            if problem:
                back = min(kept.get(name, 0), self._seq)
                self.notes.append(f"{problem}; everything after entry {back} is published again")
                self._put_cursor(name, back)
            elif own and seq < kept.get(name, seq):
                self.notes.append(
                    f"the cursor {name} is at entry {seq}, but the head beside the ledger has it at entry {kept[name]};"
                    f" everything after entry {seq} is published again"
                )

    def rebuild(self, progress: Progress = lambda done: None) -> None:
        """Rebuild shoes, coups and alarms from the entries."""
        with self._transaction("its derived tables"):
            sources = (Source(entry.seq, entry.topic, entry.payload) for entry in self.entries())
            rebuilding.rebuild(self._db, sources, progress)
            units.rebuild(self._db, retention.pruned_units(self._db))

    def prune(self, before: str, progress: Progress = lambda done: None) -> retention.Plan:
        """Remove the oldest entries that nobody needs, all at once, and give their space back to the disk."""
        plan = self.plan(before)
        while self.prune_slice(plan.seq):
            progress(SLICE)
        if plan.count:
            try:
                self._db.execute("VACUUM")
            except sqlite3.Error as error:
                self.notes.append(f"the entries are gone, but their space is not given back: {error}")
        return plan

    def prune_slice(self, seq: int) -> int:
        """Remove some of the oldest entries up to `seq`, which `retention.plan` gave; return how many."""
        first, last = self.origin.seq, min(self.origin.seq + SLICE, seq)
        if last <= first:
            return 0
        with self._transaction("the checkpoint of a pruning"):
            retention.remove(self._db, last, first, self._key)
            derived.trim(self._db, last, self._select)
            units.trim(self._db, last)
        self._learn()
        return last - first

    def _log_grew(self, data_bytes: int) -> None:
        """Have the log brought into the file, small and often; a disk that does not keep up is waited for."""
        self._log_pages += data_bytes // _PAGE_BYTES
        if self._log_pages >= _MOST_PAGES:
            self._checkpointer.idle(_PATIENCE_S)
            with suppress(sqlite3.Error):  # what is committed is safe: it waits in the log for room, or for a reader
                self._db.execute("PRAGMA wal_checkpoint(PASSIVE)")
            self._log_pages = self._settled_pages = 0
        elif self._log_pages - self._settled_pages >= _CHECKPOINT_PAGES and self._checkpointer.idle():
            self._settled_pages = self._log_pages
            self._checkpointer.wake()

    @contextmanager
    def _unhurried(self) -> Iterator[None]:
        """Make what is written in this context durable only with the next synchronous commit."""
        self._db.execute("PRAGMA synchronous=NORMAL")
        try:
            yield
        finally:
            self._db.execute("PRAGMA synchronous=FULL")

    @contextmanager
    def _transaction(self, what: str) -> Iterator[None]:
        """Commit all of it or nothing, durably; an error leaves the ledger as it was, and usable."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield
            self._db.execute("COMMIT")
            self._log_pages += _COMMIT_PAGES
        except BaseException as error:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            if isinstance(error, IN_THE_ENTRY):
                raise EntryError(f"the ledger refused {what}: {error}") from error
            if isinstance(error, sqlite3.Error):
                raise LedgerError(f"the ledger refused {what}: {error}") from error
            raise


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE_S)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA wal_autocheckpoint = 0")
    db.execute("PRAGMA secure_delete = ON")  # what is pruned is overwritten
    return db


def _rows(entries: Sequence[Entry], first: int, hashes: list[bytes], before: list[int]) -> list[tuple[Any, ...]]:
    """As `_ENTRIES` has them; Python's sqlite3 takes bytes by a detour that a bytearray is spared."""
    blob = bytearray
    return [
        (unit, event_no, table, topic, blob(payload), blob(frame), time, rulebook, seq, blob(digest), pointer)
        for (unit, event_no, table, topic, payload, frame, time, rulebook), seq, digest, pointer in zip(
            entries, count(first), hashes, before, strict=False
        )
    ]
