"""Recompute: every hash of a ledger again, from the rows as they lie in the file, which can hold anything.

A range of entries is checked on its own, from the stored hash of the entry before it, which the range before it checks.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from struct import Struct
from typing import Any, Final, NamedTuple

from sabot_gateway.ledger.chain import Lengths, Origin, Texts, counted
from sabot_gateway.ledger.errors import LedgerError
from sabot_gateway.ledger.units import Pointer, Run

Row = tuple[Any, ...]  # the columns of Stored, in order, and `before`
_RANGE_ENTRIES: Final = 5000
_MOST_RANGES: Final = 2048  # so many fit into a pipe
_PACKED: Final = Struct(">qq")


class Range(NamedTuple):
    """Entries behind `after`, up to and with `last`."""

    after: int
    last: int


def ranges(first: int, last: int) -> Iterator[Range]:
    """Yield the ranges between two entries; of a file with an absurd number not more than of any other."""
    size = _RANGE_ENTRIES
    while (last - first) // size >= _MOST_RANGES:
        size *= 2
    for after in range(first, last, size):
        yield Range(after, min(after + size, last))


class SharedRanges:
    """Ranges that two processes share: each takes the next one from a pipe, in order; made before the fork."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)

    def offer(self, first: int, last: int) -> None:
        """Offer the ranges between two entries; all of them fit into the pipe."""
        for part in ranges(first, last):
            os.write(self._write, _PACKED.pack(*part))

    def take(self) -> Iterator[Range]:
        """Yield ranges until none is left."""
        with suppress(BlockingIOError):
            while True:
                yield Range(*_PACKED.unpack(os.read(self._read, _PACKED.size)))

    def close(self) -> None:
        """Give the pipe back."""
        os.close(self._read)
        os.close(self._write)


class _Log:
    """Of a unit: its id as the hash takes it, its newest entry, and the last number, if any has one."""

    __slots__ = ("last_no", "newest", "text")

    def __init__(self, unit: str, before: int) -> None:
        self.text, self.newest = counted(unit), before
        self.last_no: int | None = None


def follow(rows: Iterable[Row], origin: Origin, last: int) -> Run:
    """Recompute each hash by the formula of `chain.links`, up to the entry `last`; an error names the first bad one."""
    head, seq, second_from = origin.hash, origin.seq, origin.second_from
    texts, lengths, join, since = Texts(), Lengths(), b"".join, counted(str(second_from))
    first, logs, wrong = dict[str, tuple[int, int]](), dict[str, _Log](), list[Pointer]()
    find, same_time, same_rulebook, end = logs.get, "", "", texts[""] + texts[""] + since
    for unit, event_no, table, topic, payload, frame, time, rulebook, number, digest, before in rows:
        seq += 1
        try:
            log = find(unit)
            if log is None:
                first[unit], logs[unit] = (seq, before), (log := _Log(unit, before))
            seq_text, event = b"%d" % seq, b"" if event_no is None else str(event_no).encode()
            if time != same_time or rulebook != same_rulebook:
                same_time, same_rulebook, end = time, rulebook, texts[time] + texts[rulebook] + since
            parts = (
                head, lengths[len(seq_text)], seq_text, log.text, lengths[len(event)], event, texts[table],
                texts[topic], lengths[len(payload)], payload, lengths[len(frame)], frame,
                end if seq >= second_from else b"",
            )  # fmt: skip
            head = sha256(join(parts)).digest()
        except (AttributeError, TypeError, UnicodeError) as error:
            raise _broken(seq) from error
        if number != seq or head != digest:
            raise _broken(seq)
        if log.newest != before and not wrong:
            wrong.append(Pointer(seq, before, log.newest))
        log.newest = seq
        if event_no is not None:
            log.last_no = event_no
    if seq != last:
        raise _broken(seq + 1)
    newest = {unit: log.newest for unit, log in logs.items()}
    numbers = {unit: log.last_no for unit, log in logs.items() if log.last_no is not None}
    return Run(seq - origin.seq, first, newest, numbers, wrong)


def _broken(seq: int) -> LedgerError:
    return LedgerError(f"entry {seq} is not what was written: the chain breaks there")
