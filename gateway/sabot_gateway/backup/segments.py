"""Segments: entries in files of JSON lines; each file begins with what it goes on from, and each entry has its hash.

A line that is an object is the first of a file (`Beginning`), or says how far the readers of the ledger had come
(`Cursors`). A line that is an array is an entry, its columns as `Stored` has them, bytes as base64.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from sabot_gateway.backup.directory import Segment
from sabot_gateway.ledger.chain import Stored, links
from sabot_gateway.ledger.errors import LedgerError

VERSION = 1
_TAIL_BYTES = 1 << 20  # of a segment, read first to find its last entry
MOST_LINE_BYTES = 1 << 24


class Beginning(msgspec.Struct, frozen=True, tag="segment", tag_field="kind"):
    """The first line: whose ledger, the entry before the first one, and the checkpoint if that one was pruned."""

    version: int
    gateway: str
    after: int
    hash: str  # of the entry `after`, hex
    second_from: int  # as the ledger's meta has it
    checkpoint: bytes = b""
    signature: bytes = b""


class Cursors(msgspec.Struct, frozen=True, tag="cursors", tag_field="kind"):
    """How far each reader of the ledger had come when these lines were written."""

    cursors: dict[str, int]


class End(msgspec.Struct, frozen=True):
    """How far a segment goes: its last entry and that one's hash, and the bytes up to its last whole line."""

    seq: int
    hash: bytes
    size: int


_objects: msgspec.json.Decoder[Beginning | Cursors] = msgspec.json.Decoder(Beginning | Cursors)
_entries = msgspec.json.Decoder(tuple[str, int | None, str, str, bytes, bytes, str, str, int, bytes])  # as `Stored`
encode = msgspec.json.Encoder().encode


def chained(entries: list[Stored], seq: int, head: bytes, second_from: int) -> bytes:
    """Check that entries go on from `seq` and its hash; return the hash of the last, or an error naming the bad one."""
    hashes = links(head, seq + 1, [entry[:8] for entry in entries], second_from)
    for number, (entry, right) in enumerate(zip(entries, hashes, strict=True), seq + 1):
        if entry.seq != number or entry.hash != right:
            raise LedgerError(f"entry {number} is not what was written: the chain breaks there")
    return hashes[-1] if hashes else head


def beginning(segment: Segment) -> Beginning:
    """Return the first line of a segment; LedgerError if it is none, or of a later release."""
    with segment.path.open("rb") as file:
        line = file.readline(MOST_LINE_BYTES)
    found = _object(segment.path, line)
    if not isinstance(found, Beginning) or not line.endswith(b"\n"):
        raise LedgerError(f"{segment.path}: its first line is not the beginning of a segment; {_PUT_BACK}")
    if (found.after, found.gateway) != (segment.after, segment.gateway):
        raise LedgerError(f"{segment.path}: its name is not what its first line has; {_PUT_BACK}")
    return found


_PUT_BACK = "put the right file back from another copy of this directory"


def _object(path: Path, line: bytes) -> Beginning | Cursors:
    try:
        version = msgspec.json.decode(line, type=dict[str, Any]).get("version", VERSION)
        if isinstance(version, int) and version > VERSION:
            raise LedgerError(
                f"{path}: it is of version {version}, and this release knows up to {VERSION}; "
                "use the release that wrote it, or a newer one"
            )
        return _objects.decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise LedgerError(f"{path} is damaged: {error}; {_PUT_BACK}") from None


def end(segment: Segment, begun: Beginning) -> End:
    """Return how far a segment goes; a last line that is cut does not count."""
    size = segment.path.stat().st_size
    with segment.path.open("rb") as file:
        for start in (max(size - _TAIL_BYTES, 0), 0):
            file.seek(start)
            lines = file.read(size - start).splitlines(keepends=True)[0 if start == 0 else 1 :]
            cut = len(lines[-1]) if lines and not lines[-1].endswith(b"\n") else 0
            for line in reversed(lines[:-1] if cut else lines):
                if line.startswith(b"["):
                    last = _entry(segment.path, line)
                    return End(last.seq, last.hash, size - cut)
    return End(begun.after, bytes.fromhex(begun.hash), size - cut)


def read(segment: Segment, *, last: bool) -> Iterator[Stored | Cursors]:
    """Yield the entries of a segment, and cursors between them; only the last segment may end in a cut line."""
    with segment.path.open("rb") as file:
        file.readline(MOST_LINE_BYTES)
        while line := file.readline(MOST_LINE_BYTES):
            if not line.endswith(b"\n"):
                if last and file.tell() == os.fstat(file.fileno()).st_size:
                    return
                raise LedgerError(f"{segment.path} is damaged: a line is cut; {_PUT_BACK}")
            if line.startswith(b"["):
                yield _entry(segment.path, line)
            elif isinstance(found := _object(segment.path, line), Cursors):
                yield found


def _entry(path: Path, line: bytes) -> Stored:
    try:
        return Stored(*_entries.decode(line))
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise LedgerError(f"{path} is damaged: {error}; {_PUT_BACK}") from None
