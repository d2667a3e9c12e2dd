"""Chain: what an entry of a log is, and the hash that ties each one to the entry before it."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from struct import Struct
from typing import NamedTuple

GENESIS = bytes(32)
MOST_NAME = 200  # characters of a log's name, an id, a kind, a time
MOST_PAYLOAD = 1 << 20
MOST_STATE = 64 << 20
_LENGTHS = Struct(">QIIIII")
_SEALED = Struct(">QIIQ")


class StoreError(RuntimeError):
    """The store could not do what it was asked; the sentence has the next step. The same call may succeed later."""


class AwayError(StoreError):
    """The database server does not answer, or refuses us; the same call may succeed when it is back."""


class DamagedError(StoreError):
    """The store holds something that it did not write; nothing may be built on it."""


class EntryError(StoreError):
    """An entry or a state cannot be stored, however often it is tried."""


class Entry(NamedTuple):  # thousands per second: made in a tenth of the time of a frozen dataclass
    """What is to be stored."""

    id: str
    kind: str
    payload: bytes
    time: str = ""  # ISO 8601, UTC


class Stored(NamedTuple):
    """An entry as the store has it, in the order of its columns."""

    log: str
    seq: int
    id: str
    kind: str
    payload: bytes
    time: str
    hash: bytes


class Head(NamedTuple):
    """Where a log stands: its newest entry, that entry's hash, and the state after it."""

    seq: int = 0
    hash: bytes = GENESIS
    state: bytes | None = None


def link(before: bytes, log: str, seq: int, entry: Entry | Stored) -> bytes:
    """Return the hash of an entry: everything in it with its length, the log's name, and the hash before it."""
    return _hash(before, log.encode(), seq, entry.id.encode(), entry.kind.encode(), entry.payload, entry.time.encode())


def _hash(before: bytes, log: bytes, seq: int, own_id: bytes, kind: bytes, payload: bytes, time: bytes) -> bytes:
    lengths = _LENGTHS.pack(seq, len(log), len(own_id), len(kind), len(payload), len(time))
    return sha256(b"".join((before, lengths, log, own_id, kind, payload, time))).digest()


def extend(log: str, head: Head, entries: Sequence[Entry]) -> list[Stored]:
    """Return the entries as they continue a log."""
    name, last = log.encode(), head.hash
    stored = []
    for number, (own_id, kind, payload, time) in enumerate(entries, head.seq + 1):
        last = _hash(last, name, number, own_id.encode(), kind.encode(), payload, time.encode())
        stored.append(Stored(log, number, own_id, kind, payload, time, last))
    return stored


def seal(log: str, head: Head) -> bytes:
    """Return the hash of a head: entry, hash and state, with the log's name."""
    name, state = log.encode(), head.state or b""
    lengths = _SEALED.pack(head.seq, len(name), len(head.hash), len(state) + (head.state is not None))
    return sha256(b"".join((lengths, name, head.hash, state))).digest()


def continues(entries: Iterable[Stored], log: str, head: Head) -> Head:
    """Recompute every hash; return the head after them, or raise an error that names the first bad entry."""
    seq, last = head.seq, head.hash
    for entry in entries:
        seq += 1
        if entry.log != log or entry.seq != seq or entry.hash != _linked(last, log, seq, entry):
            raise DamagedError(f"entry {seq} of log {log} is not what was written: the chain breaks there")
        last = entry.hash
    return Head(seq, last)


def _linked(before: bytes, log: str, seq: int, entry: Stored) -> bytes | None:
    """Return the hash of an entry that was read, which can hold anything; None where it cannot be computed."""
    try:
        return link(before, log, seq, entry)
    except (AttributeError, TypeError, UnicodeError):
        return None


def refuse_misfits(log: str, entries: Iterable[Entry], state: bytes | None) -> None:
    """Raise an error if a value fits no column of every store."""
    _refuse_text("the name of the log", log)
    known = {""}  # times and kinds: most entries have those of the entry before
    for own_id, kind, payload, time in entries:
        _refuse_text(f"the id of an entry for log {log}", own_id)
        if kind not in known or not kind:
            _refuse_text(f"the kind of entry {own_id!r} for log {log}", kind)
            known.add(kind)
        if time not in known:
            _refuse_text(f"the time of entry {own_id!r} for log {log}", time)
            known.add(time)
        if type(payload) is not bytes or len(payload) > MOST_PAYLOAD:
            raise EntryError(f"the payload of entry {own_id!r} for log {log} is not bytes, or over {MOST_PAYLOAD}")
    if state is not None and (type(state) is not bytes or len(state) > MOST_STATE):
        raise EntryError(f"the state of log {log} is not bytes, or over {MOST_STATE} bytes; nothing was stored")


def _refuse_text(what: str, text: str) -> None:
    """Raise an error if a text is empty, too long, or one that PostgreSQL cannot hold."""
    if type(text) is not str or not 0 < len(text) <= MOST_NAME or "\0" in text or not _encodes(text):
        raise EntryError(f"{what} is {text!r:.80}: expected 1 to {MOST_NAME} characters of text; nothing was stored")


def _encodes(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeError:
        return False
    return True
