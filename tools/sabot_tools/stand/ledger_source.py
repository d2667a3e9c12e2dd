"""A gateway's ledger as a source of the floor's projection: verified, compared with kept heads, then read in order."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from sabot_floor.projection.rebuild import LedgerEntry, LedgerSpan
from sabot_floor.store.rows import Head
from sabot_gateway.ledger import LedgerError, Reader, audit, retention
from sabot_protocol.topics import LedgerMessage, is_published


class LedgerSource(NamedTuple):
    """A ledger that is what was written: its span, its published entries in order, and notes about it."""

    span: LedgerSpan
    entries: Iterator[LedgerEntry]
    notes: list[str]


def gateway_of(path: Path) -> str:
    """Return the id of the gateway that writes a ledger; LedgerError if it has none."""
    with closing(Reader(path)) as reader:
        gateway = reader.gateway()
    if not gateway:
        raise LedgerError(f"ledger {path} has no gateway's id: it is empty; give the file that the gateway writes")
    return gateway


def count(path: Path) -> int:
    """Return the number of entries of a ledger."""
    with closing(Reader(path)) as reader:
        return reader.count()


@contextmanager
def opened(
    path: Path, kept: Iterable[Head], progress: Callable[[int], None] = lambda done: None
) -> Iterator[LedgerSource]:
    """Verify a ledger and compare it with heads that were kept; LedgerError with all that is wrong, or its source."""
    known = [
        LedgerMessage(gateway=one.gateway, entry=one.entry, hash=one.hash, time=one.time, signature=one.signature)
        for one in kept
    ]
    verdict = audit.verify(path, _key(path), progress, known)
    if verdict.faults:
        raise LedgerError("\n".join(f"ledger {path}: {fault}" for fault in verdict.faults))
    with closing(Reader(path)) as reader:
        reader.hold()
        origin = reader.origin.seq
        span = LedgerSpan(reader.gateway(), origin, origin + verdict.entries)
        yield LedgerSource(span, _published(reader, span.last), verdict.notes)


def _key(path: Path) -> bytes | None:
    key = retention.key_path(path)
    return retention.read(key) if os.access(key, os.R_OK) else None


def _published(reader: Reader, last: int) -> Iterator[LedgerEntry]:
    for entry in reader.entries("WHERE seq <= ?", (last,)):
        if is_published(entry.topic, entry.table):
            yield LedgerEntry(entry.seq, entry.table, entry.topic, bytes(entry.payload), entry.hash.hex())
