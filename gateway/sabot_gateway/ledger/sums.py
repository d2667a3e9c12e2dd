"""Sums: a short hash of every page of the ledger's file, so that a changed byte is found wherever it is.

While the ledger is open they are in a file beside it; when it is closed they stand in the file, behind its last page,
where SQLite does not look. SQLite writes only at a checkpoint, and the ledger makes those itself.
"""

import os
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from shutil import copyfileobj
from typing import BinaryIO

from sabot_gateway.keys import sync_directory
from sabot_gateway.ledger import wal
from sabot_gateway.ledger.wal import SUM_BYTES, Log, page_sum

_MAGIC = b"SABOTSUM"
_HEAD = struct.Struct(">8sIIQ32s")  # magic, page size, pages, last entry, its hash
_DIGEST_BYTES = 32
_SQLITE = b"SQLite format 3\0"
_PAGE_BYTES = [2**power for power in range(9, 17)]
_CHUNK_PAGES = 256
_CHUNK_SUMS = 8192


@dataclass(frozen=True)
class Sums:
    """The pages of a file as of a checkpoint, and the last entry that is in them."""

    page_bytes: int
    pages: bytes
    seq: int
    head: bytes

    def __len__(self) -> int:
        """How many pages."""
        return len(self.pages) // SUM_BYTES

    def page(self, number: int) -> bytes:
        """The sum of a page, counted from 1; empty behind the last."""
        return self.pages[(number - 1) * SUM_BYTES : number * SUM_BYTES]

    def packed(self) -> bytes:
        """As they are kept, with a hash over all of it."""
        data = _HEAD.pack(_MAGIC, self.page_bytes, len(self), self.seq, self.head) + self.pages
        return data + sha256(data).digest()


@dataclass(frozen=True)
class Fault:
    """What is wrong with a file, and whether its write-ahead log makes it good."""

    what: str
    mended: bool = False

    @property
    def text(self) -> str:
        """In words."""
        mended = "; the write-ahead log has it whole, and the daemon's next start mends it"
        return self.what + (mended if self.mended else "")


@dataclass(frozen=True)
class Loaded:
    """The sums of a file, or why there are none that can be used."""

    sums: Sums | None
    problem: str | None = None


def beside(path: Path, what: str) -> Path:
    """A file that goes with the ledger: wal, sums, lock, key."""
    return path.with_name(f"{path.name}-{what}")


def unpacked(data: bytes) -> Sums | None:
    """Sums as they were packed; None where a byte is not."""
    body, digest = data[:-_DIGEST_BYTES], data[-_DIGEST_BYTES:]
    if len(body) < _HEAD.size or sha256(body).digest() != digest:
        return None
    magic, page_bytes, count, seq, head = _HEAD.unpack_from(body)
    pages = body[_HEAD.size :]
    return Sums(page_bytes, pages, seq, head) if magic == _MAGIC and len(pages) == count * SUM_BYTES else None


def load(path: Path) -> Loaded:
    """The sums beside an open ledger, or those in a closed one."""
    aside = beside(path, "sums")
    with suppress(FileNotFoundError):
        found = unpacked(aside.read_bytes())
        return Loaded(found, None if found else f"{aside.name} is damaged")
    found = _at_end(path)
    if found:
        return Loaded(found)
    with path.open("rb") as file:
        page_bytes, count = geometry(file.read(100))
    if path.stat().st_size > page_bytes * count:
        return Loaded(None, "the page sums at its end are damaged")
    return Loaded(None, "there are no page sums: it was not closed, or its end was cut off")


def _at_end(path: Path) -> Sums | None:
    """The sums of a closed ledger: where they begin follows from the size of the file and of its pages."""
    size = path.stat().st_size - _HEAD.size - _DIGEST_BYTES
    for page_bytes in _PAGE_BYTES:
        count, rest = divmod(size, page_bytes + SUM_BYTES)
        if count > 0 and not rest:
            with path.open("rb") as file:
                file.seek(count * page_bytes)
                found = unpacked(file.read())
            if found and found.page_bytes == page_bytes:
                return found
    return None


def geometry(header: bytes) -> tuple[int, int]:
    """Page size and number of pages, as a file's first page has them; zeros where it is no SQLite file."""
    if len(header) < 100 or not header.startswith(_SQLITE):
        return 0, 0
    page_bytes = int.from_bytes(header[16:18], "big")
    return 65_536 if page_bytes == 1 else page_bytes, int.from_bytes(header[28:32], "big")


def faults(path: Path, sums: Sums, log: Log, progress: Callable[[int], None] = lambda done: None) -> Iterator[Fault]:
    """Every page that is neither what the sums say nor what a checkpoint of the log would have made of it."""
    count = _page_count(path, sums)
    if count is None:
        yield Fault("behind its last page stands something that was not written there")
        return
    for number, page in _pages(path, sums.page_bytes, count):
        digest = page_sum(page)
        if digest != sums.page(number) and digest not in log.pages.get(number, ()):
            yield Fault(f"page {number} is not what was written", mended=number in log.pages)
        if number % _CHUNK_PAGES == 0:
            progress(_CHUNK_PAGES)
    expected = min(len(sums), log.page_count or len(sums))
    missing = [number for number in range(count + 1, expected + 1) if number not in log.pages]
    if missing:
        yield Fault(f"page {missing[0]} and what follows is missing: the file is shorter than it was")


def _page_count(path: Path, sums: Sums) -> int | None:
    """Whole pages of a file, without the sums at its end; None where those are something else."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(len(sums) * sums.page_bytes)
        packed = sums.packed()
        if packed.startswith(file.read(len(packed) + 1)):
            return min(size // sums.page_bytes, len(sums))
    return None if size % sums.page_bytes else size // sums.page_bytes


def _pages(path: Path, page_bytes: int, count: int) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as file:
        for number in range(1, count + 1):
            yield number, file.read(page_bytes)


def of_file(path: Path, seq: int, head: bytes) -> Sums:
    """Of a file without a log, as it is now."""
    with path.open("rb") as file:
        page_bytes, count = geometry(file.read(100))
    return Sums(page_bytes, b"".join(page_sum(page) for _, page in _pages(path, page_bytes, count)), seq, head)


@contextmanager
def _kept_beside(path: Path) -> Iterator[BinaryIO]:
    """What is written here goes beside an open ledger: the old sums or the new ones are there at every moment."""
    aside, fresh = beside(path, "sums"), beside(path, "sums.new")
    with fresh.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(aside)
    sync_directory(path.parent)


def renew_beside(path: Path, log: Log, seq: int, head: bytes) -> None:
    """A checkpoint has brought the log's newest pages into the file: new sums, or none, for the old are not of it."""
    try:
        _renew(path, log, seq, head)
    except OSError:
        beside(path, "sums").unlink(missing_ok=True)
        raise


def _renew(path: Path, log: Log, seq: int, head: bytes) -> None:
    """From file to file, never all in memory."""
    changed: dict[int, list[int]] = {}
    for number in log.pages:
        changed.setdefault((number - 1) // _CHUNK_SUMS * _CHUNK_SUMS, []).append(number)
    with beside(path, "sums").open("rb") as old, _kept_beside(path) as new:
        parts = _old_parts(old)
        _, page_bytes, count, *_ = _HEAD.unpack(next(parts))
        count = log.page_count or count
        new.write(begin := _HEAD.pack(_MAGIC, page_bytes, count, seq, head))
        digest = sha256(begin)
        for first, part in zip_longest(range(0, count, _CHUNK_SUMS), parts):
            if first is None:  # the ledger has become shorter
                continue
            pages = bytearray(part or b"").ljust(_CHUNK_SUMS * SUM_BYTES, b"\0")
            for number in changed.get(first, ()):
                at = (number - 1 - first) * SUM_BYTES
                pages[at : at + SUM_BYTES] = log.pages[number][-1]
            del pages[(count - first) * SUM_BYTES :]
            new.write(pages)
            digest.update(pages)
        new.write(digest.digest())


def _old_parts(file: BinaryIO) -> Iterator[bytes]:
    """Head and sums as they were kept, part by part; at the end an error where they are not what was written."""
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size:
        raise OSError("the page sums are cut short")
    yield head
    digest, left = sha256(head), _HEAD.unpack(head)[2] * SUM_BYTES
    while left and (part := file.read(min(left, _CHUNK_SUMS * SUM_BYTES))):
        digest.update(part)
        left -= len(part)
        yield part
    if file.read() != digest.digest():
        raise OSError("the page sums are damaged")


def open_file(path: Path, sums: Sums) -> None:
    """The ledger is to be written: its sums go beside it, and the file ends with its last page."""
    with _kept_beside(path) as file:
        file.write(sums.packed())
    if path.stat().st_size > len(sums) * sums.page_bytes and not wal.read(beside(path, "wal")).page_count:
        os.truncate(path, len(sums) * sums.page_bytes)


def close_file(path: Path) -> None:
    """The ledger is closed and has no log: its sums go from beside it into it."""
    with beside(path, "sums").open("rb") as aside, path.open("r+b") as file:
        _, page_bytes, count, *_ = _HEAD.unpack(aside.read(_HEAD.size))
        aside.seek(0)
        file.seek(count * page_bytes)
        file.truncate()
        copyfileobj(aside, file)
        file.flush()
        os.fsync(file.fileno())
    beside(path, "sums").unlink()
    sync_directory(path.parent)
