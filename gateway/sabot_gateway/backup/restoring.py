"""Restoring: make a ledger from the newest copy and the segments behind it, and verify it before it gets its name."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from sabot_protocol.inputs.secret_file import sync_directory
from sabot_protocol.topics import LedgerMessage

from sabot_gateway.backup import directory, proof, segments
from sabot_gateway.backup.backup import write_head
from sabot_gateway.backup.directory import Copy, Segment
from sabot_gateway.backup.proof import Proof
from sabot_gateway.backup.segments import Beginning, Cursors
from sabot_gateway.ledger import audit, heads, retention, schema
from sabot_gateway.ledger.chain import Entry, Stored
from sabot_gateway.ledger.errors import LedgerError
from sabot_gateway.ledger.files import sidecar_path
from sabot_gateway.ledger.reader import Reader
from sabot_gateway.ledger.writer import Ledger

_PIECE = 5000  # entries of one transaction
_IN_THE_WAY = ("", "-wal", "-shm", "-journal")  # beside the path of a new ledger: SQLite would take them for its own

Progress = Callable[[int], None]


class Restored(NamedTuple):
    """A ledger from a backup: what it was made of, how far it goes, and what the heads prove."""

    seq: int
    hash: bytes
    entries: int
    copy: Path | None
    from_segments: int  # entries
    proof: Proof
    notes: tuple[str, ...]


def restore(
    place: Path,
    out: Path,
    *,
    to: int | None = None,
    key: Path | None = None,
    known: list[LedgerMessage],
    progress: Progress = lambda done: None,
) -> Restored:
    """Make the ledger `out` of what a directory holds, up to the entry `to`; nothing is overwritten."""
    _check_free(out)
    with TemporaryDirectory(prefix=".restore-", dir=out.parent) as work:
        new = Path(work) / "ledger.db"
        _put_key(new, out, key)
        made = _Restoration(place, new, to).run(progress)
        verdict = audit.verify(new, _read_key(new) if _has_key(out, key) else None)
        if verdict.faults:
            raise LedgerError(f"what {place} gives is not a ledger: {verdict.faults[0]}; nothing was restored")
        found = proof.of(new, [*known, *_head_beside(out)], _read_key(new) if _has_key(out, key) else None)
        _move(new, out, found, keep_key=_has_key(out, key))
    notes = (*made.notes, *(note for note in verdict.notes if note not in made.notes))
    return Restored(made.seq, made.hash, verdict.entries, made.copy, made.from_segments, found, notes)


def _check_free(out: Path) -> None:
    there = [name for end in _IN_THE_WAY if (name := out.with_name(out.name + end)).exists()]
    if there:
        raise LedgerError(
            f"{there[0]} is there and is not overwritten; move {out.name} and {out.name}-wal away together and keep "
            "them, or give another path with --out"
        )
    if not out.absolute().parent.is_dir():
        raise LedgerError(f"{out.absolute().parent}: no such directory; make it, and give it to the gateway's user")


def _has_key(out: Path, key: Path | None) -> bool:
    return key is not None or retention.key_path(out).exists()


def _put_key(new: Path, out: Path, key: Path | None) -> None:
    """Put the ledger's own key beside the new one, so that it signs as before."""
    source = key or retention.key_path(out)
    if key is not None and not key.exists():
        raise LedgerError(f"--key {key}: no such file; give the copy that was kept of the ledger's key")
    if source.exists():
        retention.read(source)
        shutil.copy2(source, retention.key_path(new))


def _read_key(new: Path) -> bytes | None:
    return retention.read(retention.key_path(new))


def _head_beside(out: Path) -> list[LedgerMessage]:
    """Return the head that is still beside the lost ledger: the best proof there is."""
    kept = heads.read(sidecar_path(out, "head"))
    return [kept.head] if kept else []


def _move(new: Path, out: Path, found: Proof, *, keep_key: bool) -> None:
    """Give a ledger its place; with the newest head, so that the daemon holds if entries are missing."""
    if found.newest is not None:
        write_head(sidecar_path(out, "head"), found.newest)
    if keep_key and not retention.key_path(out).exists():
        retention.key_path(new).rename(retention.key_path(out))
    with new.open("rb") as file:
        os.fsync(file.fileno())
    new.chmod(0o640)
    new.rename(out)
    sync_directory(out.absolute().parent)


class _Base(NamedTuple):
    """What the segments are added to."""

    seq: int
    hash: bytes
    copy: Path | None
    from_segments: int = 0
    notes: tuple[str, ...] = ()


class _Restoration:
    """The making of one ledger."""

    def __init__(self, place: Path, new: Path, to: int | None) -> None:
        self._place, self._new, self._to = place, new, to
        self._notes: list[str] = []
        gateways = directory.gateways(place)
        if len(gateways) != 1:
            fact = "holds backups of several gateways" if gateways else "holds no backup of a ledger"
            raise LedgerError(f"{place} {fact}; give the directory of one gateway's backups")
        self._segments = directory.segments(place)
        self._beginnings = [segments.beginning(one) for one in self._segments]

    def run(self, progress: Progress) -> _Base:
        """Take the newest copy that is intact, else the segments alone, and add the segments behind it."""
        base = self._newest_copy() or self._first_segment()
        if base is None:
            up_to = f" that ends with entry {self._to} or before" if self._to is not None else ""
            raise LedgerError(f"{self._place} holds no copy{up_to}, and its segments do not begin with the first entry")
        with closing(Ledger(self._new)) as ledger:
            added = self._add_segments(ledger, base, progress)
            seq, digest = ledger.newest()
        if self._to is not None and seq < self._to:
            raise LedgerError(f"{self._place} ends with entry {seq}: it holds no entry {self._to}")
        return _Base(seq, digest, base.copy, added, tuple(self._notes))

    def _newest_copy(self) -> _Base | None:
        """Return the newest copy that is intact and not behind the wanted entry."""
        for copy in directory.copies(self._place):
            if self._to is not None and copy.seq > self._to:
                continue
            problem = self._take(copy)
            if problem is None:
                with closing(Reader(self._new)) as reader:
                    return _Base(*reader.newest(), copy.path)
            self._notes.append(f"{copy.path.name} is not used: {problem}")
        return None

    def _take(self, copy: Copy) -> str | None:
        """Copy a copy; return why it cannot be used."""
        shutil.copyfile(copy.path, self._new)
        verdict = audit.verify(self._new)
        if verdict.faults:
            return verdict.faults[0]
        with closing(Reader(self._new)) as reader:
            seq, digest = reader.newest()
        return None if (seq, digest.hex()[:16]) == (copy.seq, copy.hash_start) else "its end is not the one in its name"

    def _first_segment(self) -> _Base | None:
        """Make an empty ledger that the first segment goes on from."""
        self._new.unlink(missing_ok=True)
        if not self._beginnings or (self._beginnings[0].after and not self._beginnings[0].checkpoint):
            return None
        first = self._beginnings[0]
        _make_empty(self._new, first)
        return _Base(first.after, bytes.fromhex(first.hash), None)

    def _add_segments(self, ledger: Ledger, base: _Base, progress: Progress) -> int:
        """Append what the segments hold behind a base; return how many entries."""
        self._check_gaps(base.seq)
        pending, cursors, added = list[Stored](), dict[str, int](), 0
        for line in self._lines(base.seq):
            if isinstance(line, Cursors):
                cursors = line.cursors
                continue
            if not added and not pending:
                self._check_goes_on(base)
            pending.append(line)
            if len(pending) >= _PIECE:
                added += _append(ledger, pending, progress)
        added += _append(ledger, pending, progress)
        for name, seq in cursors.items() if added else ():
            ledger.move_cursor(name, max(min(seq, ledger.last_seq()), ledger.origin.seq))
        return added

    def _check_goes_on(self, base: _Base) -> None:
        """Refuse segments of another time than the copy: the ledger was replaced between them."""
        before = {begun.after: bytes.fromhex(begun.hash) for begun in self._beginnings}.get(base.seq)
        for one in self._lines(base.seq - 1) if before is None else ():
            if isinstance(one, Stored):
                before = one.hash
                break
        if before != base.hash and base.copy is not None:
            raise LedgerError(
                f"the segments of {self._place} do not go on from {base.copy.name}: their entry {base.seq} is another: "
                "the ledger was replaced in between; move the older files away"
            )

    def _lines(self, after: int) -> Iterator[Stored | Cursors]:
        for number, segment in enumerate(self._segments, 1):
            behind = self._segments[number].after if number < len(self._segments) else None
            if behind is not None and behind <= after:
                continue
            for line in segments.read(segment, last=behind is None):
                if isinstance(line, Cursors) or after < line.seq <= (line.seq if self._to is None else self._to):
                    yield line

    def _check_gaps(self, after: int) -> None:
        """Refuse segments of which one is missing, cut or exchanged; those before the base do not matter."""
        if self._beginnings and self._beginnings[0].after > after:
            self._refuse(after, self._beginnings[0].after, self._segments[0])
        for (segment, begun), (behind, next_begun) in pairwise(zip(self._segments, self._beginnings, strict=True)):
            if next_begun.after <= after or (self._to is not None and begun.after >= self._to):
                continue
            found = segments.end(segment, begun)
            if found.seq != next_begun.after:
                self._refuse(found.seq, next_begun.after, behind)
            elif found.hash.hex() != next_begun.hash:
                raise LedgerError(f"{behind.path} does not go on from {segment.path}: one of them was exchanged")

    def _refuse(self, last: int, next_after: int, behind: Segment) -> None:
        if self._to is None or self._to > last:
            raise LedgerError(
                f"{self._place}: entries {last + 1} to {next_after} are missing before {behind.path.name}: a segment "
                f"was removed or cut. Put it back, or restore what is before it with --to {last}"
            )


def _append(ledger: Ledger, pending: list[Stored], progress: Progress) -> int:
    """Append entries and empty the list; each must get the hash that it had."""
    if not pending:
        return 0
    seq, digest = ledger.newest()
    segments.chained(pending, seq, digest, ledger.origin.second_from)
    ledger.append([Entry(*entry[:8]) for entry in pending])
    count = len(pending)
    pending.clear()
    progress(count)
    return count


def _make_empty(path: Path, begun: Beginning) -> None:
    """Make a ledger without entries that goes on from the beginning of a segment."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN")
        schema.upgrade(db)
        values: list[tuple[str, bytes | int]] = [("second_from", begun.second_from)]
        values += [("gateway", bytes.fromhex(begun.gateway))] if begun.gateway else []
        values += [("checkpoint", begun.checkpoint), ("signature", begun.signature)] if begun.checkpoint else []
        db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values)
        db.execute("COMMIT")
