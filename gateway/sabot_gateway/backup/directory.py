"""Directory: what a place for backups holds: copies and segments of one gateway's ledger, by their names."""

import errno
import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sabot_gateway.ledger.errors import LedgerError

PART = ".part"  # ends the name of a copy that is not complete
_NO_ID = "0" * 16  # of a ledger whose gateway has no id yet
_COPY = re.compile(r"ledger-([0-9a-f]{16})-(\d{8}T\d{6}Z)-(\d{1,19})-([0-9a-f]{16})\.db", re.ASCII)
_SEGMENT = re.compile(r"segment-([0-9a-f]{16})-(\d{12,19})\.jsonl", re.ASCII)


class Copy(NamedTuple):
    """A copy of a whole ledger: when it was made, its last entry and the beginning of that entry's hash."""

    time: str  # as in the name: 20260131T060000Z
    seq: int
    hash_start: str
    gateway: str
    path: Path


class Segment(NamedTuple):
    """A file of entries, from the one after `after` on."""

    after: int
    gateway: str
    path: Path


def copy_name(gateway: str, time: str, seq: int, digest: bytes) -> str:
    """Return the name of a copy; `time` is ISO 8601, UTC."""
    return f"ledger-{gateway or _NO_ID}-{re.sub('[-:]|[.][0-9]+', '', time)}-{seq}-{digest.hex()[:16]}.db"


def segment_name(gateway: str, after: int) -> str:
    """Return the name of a segment that begins with the entry behind `after`."""
    return f"segment-{gateway or _NO_ID}-{after + 1:012}.jsonl"


def copies(directory: Path) -> list[Copy]:
    """Return the copies in a directory, the newest first."""
    found = [
        Copy(match[2], int(match[3]), match[4], match[1], path)
        for path in _names(directory)
        if (match := _COPY.fullmatch(path.name))
    ]
    return sorted(found, reverse=True)


def segments(directory: Path) -> list[Segment]:
    """Return the segments in a directory, in the order of their entries."""
    found = [
        Segment(int(match[2]) - 1, match[1], path)
        for path in _names(directory)
        if (match := _SEGMENT.fullmatch(path.name))
    ]
    return sorted(found)


def _names(directory: Path) -> list[Path]:
    if not directory.is_dir():
        raise LedgerError(f"{directory}: no such directory; make it, or mount it, and give it to the gateway's user")
    return list(directory.iterdir())


def gateways(directory: Path) -> set[str]:
    """Return whose ledgers are backed up here."""
    return {copy.gateway for copy in copies(directory)} | {segment.gateway for segment in segments(directory)}


def check_only(directory: Path, gateway: str) -> None:
    """Refuse a directory that holds backups of another gateway."""
    others = gateways(directory) - {gateway or _NO_ID, _NO_ID}
    if others:
        raise LedgerError(
            f"{directory} holds backups of gateway {min(others)}, and this ledger is of gateway {gateway}; "
            "give each gateway a directory of its own"
        )


@contextmanager
def only_one(directory: Path, what: str) -> Iterator[None]:
    """Reserve a directory for one process that writes copies, or segments."""
    descriptor = os.open(directory / f"{what}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            os.close(descriptor)
            raise LedgerError(f"{directory}: another process writes {what} here; wait until it has ended") from None
    try:
        yield
    finally:
        os.close(descriptor)
