"""Chain: what an entry is, and the hash that ties each one to the entry before it."""

import sqlite3
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

_GENESIS = bytes(32)
# Errors that lie in an entry, and never in the disk.
IN_THE_ENTRY = (
    sqlite3.IntegrityError,
    sqlite3.DataError,
    AttributeError,
    OverflowError,
    TypeError,
    UnicodeError,
)


class LedgerError(RuntimeError):
    """The ledger cannot be trusted or written; nothing may be published."""


class EntryError(LedgerError):
    """An entry cannot be stored, whatever the disk does: its number is used, or a value fits no column."""


class Entry(NamedTuple):  # thousands a second: made in a tenth of the time of a frozen dataclass
    """What is to be stored."""

    unit: str
    event_no: int | None
    table: str
    topic: str
    payload: bytes
    frame: bytes
    time: str = ""  # of the gateway's clock, ISO 8601, UTC
    rulebook: str = ""  # the book's hash, hex


class Stored(NamedTuple):
    """An entry as the ledger has it."""

    unit: str
    event_no: int | None
    table: str
    topic: str
    payload: bytes
    frame: bytes
    time: str
    rulebook: str
    seq: int
    hash: bytes


@dataclass(frozen=True)
class Origin:
    """Where the chain of a file begins: behind what was pruned, and from which entry on by the second formula."""

    seq: int = 0
    hash: bytes = _GENESIS
    second_from: int = 1


def link(head: bytes, seq: int, entry: Entry | Stored, second_from: int) -> bytes:
    """Return the hash of an entry: everything in it, each part with its length, chained to the one before."""
    event_no = "" if entry.event_no is None else str(entry.event_no)
    parts = [head, _text(str(seq)), _text(entry.unit), _text(event_no), _text(entry.table), _text(entry.topic)]
    parts += [len(entry.payload).to_bytes(4, "big"), entry.payload, len(entry.frame).to_bytes(4, "big"), entry.frame]
    if seq >= second_from:
        parts += [_text(entry.time), _text(entry.rulebook), _text(str(second_from))]
    return sha256(b"".join(parts)).digest()


@lru_cache(maxsize=4096)  # units, tables, topics and times come again and again
def _text(part: str) -> bytes:
    data = part.encode()
    return len(data).to_bytes(4, "big") + data
