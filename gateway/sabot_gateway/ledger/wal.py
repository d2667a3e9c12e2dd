"""The write-ahead log, frame by frame: SQLite takes a damaged frame for the end of the log, this says so instead."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from mmap import ACCESS_READ, mmap
from pathlib import Path

_HEADER = struct.Struct(">8I")  # magic, format, page size, checkpoint no, two salts, two checksums
_FRAME = struct.Struct(">6I")  # page, pages after a commit or 0, two salts, two checksums
_PAGE = struct.Struct(">2I")  # the first two of them
_MAGIC = 0x377F0682  # the lowest bit says that sums are of big-endian words
_WORD = 0xFFFFFFFF
_LOGS = 2**16  # begun anew while a rest of the first still lies there
SUM_BYTES = 8

Pair = tuple[int, int]


def page_sum(page: bytes) -> bytes:
    """Short, fast, and different for every other page that chance can make."""
    return blake2b(page, digest_size=SUM_BYTES).digest()


@dataclass
class Log:
    """What a write-ahead log holds: of each page the sums of its committed versions, newest last."""

    pages: dict[int, list[bytes]] = field(default_factory=dict)
    page_count: int = 0  # of the file, after the last commit; 0 without one
    damage: str | None = None  # what was committed cannot be read any more
    torn: str | None = None  # the last transaction is not whole

    def then(self, newer: "Log") -> "Log":
        """Both, where one goes on from the other: the newest version of each page."""
        return Log(self.pages | newer.pages, newer.page_count or self.page_count)


@dataclass(frozen=True)
class _Frame:
    number: int
    page: int
    commit: int
    salts: Pair
    before: Pair  # the running checksum that this frame goes on from, as the file has it
    sums: Pair
    body: bytes
    head: bytes

    def sound(self, salts: Pair, before: Pair, order: str) -> bool:
        return self.salts == salts and _checksum(self.head + self.body, before, order) == self.sums


def read(path: Path, own_frames: range | None = None) -> Log:
    """A log as it lies there, empty where there is none; of its own the writer knows which frames there are."""
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER.size)
        if len(header) < _HEADER.size:
            return Log(torn="its header is cut short" if header else None)
        return _read(header, path) if own_frames is None else _own(header, path, own_frames)
    except FileNotFoundError:  # it was never there, or its writer has just closed the ledger
        return Log()


def _read(header: bytes, path: Path) -> Log:
    magic, _, page_bytes, _, *numbers = _HEADER.unpack(header)
    salts, sums = (numbers[0], numbers[1]), (numbers[2], numbers[3])
    order = ">" if magic & 1 else "<"
    if magic & ~1 != _MAGIC or _checksum(header[:24], (0, 0), order) != sums:
        return _headless(path)
    log, waiting, before = Log(), [], sums
    frames = _frames(path, page_bytes, sums)
    for frame in frames:
        if not frame.sound(salts, before, order):
            _behind(log, frame, frames, salts, order)
            return log
        before = frame.sums
        waiting.append((frame.page, page_sum(frame.body)))
        if frame.commit:
            _commit(log, waiting, frame.commit)
            waiting = []
    if (path.stat().st_size - _HEADER.size) % (page_bytes + _FRAME.size):
        log.torn = "its last frame is cut short"
    return log


def _own(header: bytes, path: Path, frames: range) -> Log:
    """The newest version of each page in these frames, the last of which is a commit."""
    page_bytes = _HEADER.unpack(header)[2]
    newest: dict[int, int] = {}
    log = Log()
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        for number in frames:
            place = _HEADER.size + number * (_FRAME.size + page_bytes)
            page, log.page_count = _PAGE.unpack_from(data, place)
            newest[page] = place + _FRAME.size
        for page, place in newest.items():
            log.pages[page] = [page_sum(data[place : place + page_bytes])]
    return log


def _commit(log: Log, waiting: list[tuple[int, bytes]], page_count: int) -> None:
    for page, digest in waiting:
        log.pages.setdefault(page, []).append(digest)
    log.page_count = page_count


def _behind(log: Log, bad: _Frame, rest: Iterator[_Frame], salts: Pair, order: str) -> None:
    """A frame that does not fit: the rest of an older log, a transaction that never ended, one cut short, or damage."""
    place = f"frame {bad.number} is not what was written"
    due = _checksum(bad.head + bad.body, bad.before, order)  # where only its own sums are damaged, the next goes on so
    behind = [
        bool(frame.commit)
        for frame in rest
        if frame.sound(salts, frame.before, order)
        or (frame.number == bad.number + 1 and frame.sound(salts, due, order))
    ]
    ends = [bool(bad.commit) or (not any(behind) and _lost_its_commit(bad, order)), *behind]
    if any(ends[:-1]):  # a transaction ended and another began: the first was safe on the disk
        log.damage = f"{place}, and whole transactions stand behind it"
    elif any(ends) and not _older(bad.salts, salts):
        log.torn = place


def _lost_its_commit(bad: _Frame, order: str) -> bool:
    """Whether one changed byte made this of a frame that ended a transaction."""
    counts = (byte << shift for shift in (0, 8, 16, 24) for byte in range(1, 256))
    heads = (bad.head[:4] + count.to_bytes(4, "big") for count in counts)
    return any(_checksum(head + bad.body, bad.before, order) == bad.sums for head in heads)


def _older(frame: Pair, log: Pair) -> bool:
    """Whether a frame is of a log that was here before: each new one counts its first salt up and draws its second."""
    return 0 < (log[0] - frame[0]) & _WORD < _LOGS and frame[1] != log[1]


def _headless(path: Path) -> Log:
    """A bad header hides every frame."""
    with path.open("rb") as file:
        file.seek(_HEADER.size)
        first = file.read(_FRAME.size)
    if len(first) < _FRAME.size:
        return Log(torn="its header is not what was written")
    return Log(damage="its header is not what was written, so SQLite would not see its frames")


def _frames(path: Path, page_bytes: int, before: Pair) -> Iterator[_Frame]:
    with path.open("rb") as file:
        file.seek(_HEADER.size)
        number = 0
        while len(data := file.read(_FRAME.size + page_bytes)) == _FRAME.size + page_bytes:
            number += 1
            page, commit, salt_1, salt_2, sum_1, sum_2 = _FRAME.unpack_from(data)
            sums, body = (sum_1, sum_2), data[_FRAME.size :]
            yield _Frame(number, page, commit, (salt_1, salt_2), before, sums, body, data[:8])
            before = sums


def _checksum(data: bytes, start: Pair, order: str) -> Pair:
    """SQLite's running sum over pairs of 32-bit words."""
    one, two = start
    words = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for word in words:
        one = (one + word + two) & _WORD
        two = (two + next(words) + one) & _WORD
    return one, two
