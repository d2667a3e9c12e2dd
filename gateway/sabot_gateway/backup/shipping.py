"""Shipping: append the entries since the last shipped one to segments in another place; the ledger is only read."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec
from sabot_protocol.inputs.secret_file import sync_directory

from sabot_gateway.backup import directory, segments
from sabot_gateway.backup.pace import Pace
from sabot_gateway.backup.segments import Beginning, Cursors, End
from sabot_gateway.ledger.chain import Origin
from sabot_gateway.ledger.errors import LedgerError
from sabot_gateway.ledger.reader import Reader
from sabot_gateway.ledger.retention import Checkpoint

_PIECE = 500  # entries of one read
_SYNC_BYTES = 1 << 20
MOST_BYTES = 64 << 20  # of a segment: then the next one is begun

Progress = Callable[[int], None]


class Shipped(NamedTuple):
    """What is in the other place now: how many entries were added, the last one, and its hash."""

    added: int
    seq: int
    hash: bytes


def ship(
    ledger: Path, place: Path, pace: Pace, progress: Progress = lambda done: None, most_bytes: int = MOST_BYTES
) -> Shipped:
    """Bring a directory of segments up to a ledger; go on where an interrupted shipping ended."""
    with closing(Reader(ledger)) as reader:
        directory.check_only(place, reader.gateway())
        with directory.only_one(place, "segments"):
            return _Shipment(reader, place, most_bytes).run(pace, progress)


def _origin(checkpoint: bytes) -> End:
    """Return where the chain of a ledger begins that has this checkpoint, or none."""
    if not checkpoint:
        return End(0, Origin().hash, 0)
    made = msgspec.json.decode(checkpoint, type=Checkpoint)
    return End(made.seq, bytes.fromhex(made.hash), 0)


class _Shipment:
    """The segment that is written, and how far it goes."""

    def __init__(self, reader: Reader, place: Path, most_bytes: int) -> None:
        self._reader, self._place, self._most_bytes = reader, place, most_bytes
        self._descriptor, self._size = -1, 0
        found = directory.segments(place)
        self._pruned = (b"", b"") if found else reader.checkpoint_bytes()
        if not found:
            self._end = _origin(self._pruned[0])
            return
        self._end = segments.end(found[-1], segments.beginning(found[-1]))
        self._check_same_chain()
        self._open(found[-1].path, self._end.size)

    def _check_same_chain(self) -> None:
        """Refuse a ledger that does not hold the last entry that was shipped."""
        seq, reader, place = self._end.seq, self._reader, self._place
        if seq < reader.origin.seq:
            raise LedgerError(
                f"entries {seq + 1} to {reader.origin.seq} were pruned before they were shipped to {place}; "
                "keep it, and ship to a new, empty directory"
            )
        if reader.hash_of(seq) != self._end.hash:
            raise LedgerError(
                f"{place} holds entries up to {seq}, and this ledger has not the same entry {seq}: entries of the "
                "ledger were lost or replaced. Keep the directory: `sabot ledger restore` can bring them back. "
                "Ship to a new, empty directory from now on"
            )

    def _open(self, path: Path, size: int) -> None:
        """Go on with a segment, without a last line that was cut."""
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o640)
        os.ftruncate(self._descriptor, size)
        os.lseek(self._descriptor, size, os.SEEK_SET)
        self._size = size

    def run(self, pace: Pace, progress: Progress) -> Shipped:
        """Write everything that is new, in pieces; what is written is synced."""
        first, unsynced = self._end.seq, 0
        second_from = self._reader.origin.second_from
        try:
            while entries := self._reader.since(self._end.seq, _PIECE):
                head = segments.chained(entries, self._end.seq, self._end.hash, second_from)
                if self._descriptor < 0 or self._size >= self._most_bytes:
                    self._begin()
                unsynced += self._write(b"".join(segments.encode(entry) + b"\n" for entry in entries))
                self._end = End(entries[-1].seq, head, self._size)
                progress(len(entries))
                if unsynced >= _SYNC_BYTES:
                    os.fdatasync(self._descriptor)
                    unsynced = 0
                pace.rest()
            if self._end.seq > first:
                self._write(segments.encode(Cursors(self._reader.cursors())) + b"\n")
        finally:
            self._close()
        return Shipped(self._end.seq - first, self._end.seq, self._end.hash)

    def _begin(self) -> None:
        """Begin the next segment."""
        self._close()
        reader, after = self._reader, self._end.seq
        gateway = reader.gateway()
        begun = Beginning(
            segments.VERSION, gateway, after, self._end.hash.hex(), reader.origin.second_from, *self._pruned
        )
        self._pruned = b"", b""
        path = self._place / directory.segment_name(gateway, after)
        self._open(path, 0)
        self._write(segments.encode(begun) + b"\n")
        sync_directory(self._place)

    def _write(self, data: bytes) -> int:
        """Write all of it; a disk that is full leaves a cut line, which the next shipping removes."""
        left = memoryview(data)
        while left:
            left = left[os.write(self._descriptor, left) :]
        self._size += len(data)
        return len(data)

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.fsync(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = -1
