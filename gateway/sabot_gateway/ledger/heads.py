"""Heads: how long a ledger was and its last hash, kept outside it; so that a ledger made shorter is found."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

import msgspec
from sabot_protocol.signed_heads import is_signed as is_signed
from sabot_protocol.signed_heads import sign as sign
from sabot_protocol.topics import LedgerMessage

from sabot_gateway.ledger.chain import Origin
from sabot_gateway.ledger.errors import LedgerError

ACCEPTED = "accepted"  # topic of the entry by which a person accepts a ledger that was made shorter
_FILE_BYTES = 1024  # one write of less than a block: a power cut leaves the old one or the new one
_MOST_FILE_BYTES = 1 << 26  # of a file of heads: one a minute for a year


class Kept(msgspec.Struct, frozen=True):
    """What the file beside the ledger holds."""

    head: LedgerMessage
    cursors: dict[str, int] = {}


class Accepted(msgspec.Struct, frozen=True):
    """A person has accepted a ledger that is behind a head."""

    time: str
    by: str
    reason: str
    after: int  # the last entry that was there
    lost: LedgerMessage  # the head that it was behind

    def count(self) -> int:
        """Return how many entries were lost, at most."""
        return max(self.lost.entry - self.after, 0)


class Chain(Protocol):
    """What a comparison needs of a ledger."""

    origin: Origin

    def newest(self) -> tuple[int, bytes]:
        """Return the last entry's number and hash."""

    def hash_of(self, seq: int) -> bytes | None:
        """Return the hash of an entry, None where it is not there."""


def contradiction(chain: Chain, head: LedgerMessage) -> str | None:
    """Return where a ledger contradicts one of its heads, None where it agrees or its part was pruned."""
    last, _ = chain.newest()
    if head.entry > last:
        return f"entry {last + 1} is missing: it ends with entry {last}, but entry {head.entry} was stored" + _of(head)
    if head.entry < chain.origin.seq or head.entry <= 0:
        return None
    stored = chain.hash_of(head.entry)
    if stored is None or stored.hex() != head.hash:
        return f"entry {head.entry} is not the one that was stored: its hash was {head.hash}" + _of(head)
    return None


def _of(head: LedgerMessage) -> str:
    return f" (head of {head.time})" if head.time else ""


def excused(head: LedgerMessage, accepted: Iterable[Accepted]) -> Accepted | None:
    """Return the acceptance that covers a head which the ledger contradicts."""
    return next((one for one in accepted if one.after < head.entry <= one.lost.entry and head.time <= one.time), None)


def cursor_ahead(name: str, seq: int, kept: Mapping[str, int]) -> str:
    """Return that a cursor is ahead of the head beside the ledger: by hand, or a kill or power cut lost the head."""
    if seq <= kept.get(name, seq):
        return ""
    return f"the cursor {name} is at entry {seq}, but the head beside the ledger has it at entry {kept[name]}"


class HeadFile:
    """The file beside the ledger; each commit rewrites it in place."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)

    def write(self, kept: Kept) -> None:
        """Keep it; a kill loses nothing, a power cut at most the newest, which is no harm."""
        os.pwrite(self._descriptor, msgspec.json.encode(kept).ljust(_FILE_BYTES - 1) + b"\n", 0)

    def close(self) -> None:
        """Give the file back."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def read(path: Path) -> Kept | None:
    """Return what the file beside a ledger holds, None where there is none; LedgerError where it cannot be read."""
    if path.exists() and not path.is_file():
        raise LedgerError(f"{path} is not a plain file; remove it")
    try:
        with path.open("rb") as file:
            data = file.read(_FILE_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LedgerError(f"{path}: {error.strerror}; let the gateway's user read it") from None
    if not data.strip(b"\0 \n"):  # made, and then the power failed
        return None
    try:
        return msgspec.json.decode(data, type=Kept)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise LedgerError(f"{path} is damaged: it does not hold the head of a ledger") from None


def load(path: Path) -> Iterator[LedgerMessage]:
    """Yield the heads in a file, one JSON object a line as published; LedgerError names the first line that is none."""
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_FILE_BYTES + 1)
    except OSError as error:
        raise LedgerError(f"{path}: {error.strerror}; give a file of heads, one JSON object a line") from None
    if len(data) > _MOST_FILE_BYTES:
        raise LedgerError(f"{path}: more than {_MOST_FILE_BYTES} bytes; give the heads in parts")
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            yield _head(line, f"{path}, line {number}")


def _head(line: bytes, place: str) -> LedgerMessage:
    try:
        if line.lstrip().startswith(b'{"head"'):
            return msgspec.json.decode(line, type=Kept).head
        return msgspec.json.decode(line, type=LedgerMessage)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise LedgerError(f"{place} is not a head of a ledger: {error}") from None
