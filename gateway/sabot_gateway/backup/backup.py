"""Backup: make a copy of a ledger, check it, give it its name, and remove the oldest copies."""

import os
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from sabot_protocol.inputs.secret_file import sync_directory
from sabot_protocol.topics import LedgerMessage

from sabot_gateway.backup import copying, directory
from sabot_gateway.backup.directory import PART
from sabot_gateway.backup.pace import Pace
from sabot_gateway.ledger import audit, heads, retention
from sabot_gateway.ledger.errors import LedgerError
from sabot_gateway.ledger.files import sidecar_path
from sabot_gateway.ledger.reader import Reader

_TRIES = 3  # a daemon that starts in the middle changes a ledger that was at rest
_SPARE_BYTES = 64 << 20

Progress = Callable[[int], None]


class Made(NamedTuple):
    """A copy: its file, its newest entry, how many entries it has, and what its check noted."""

    path: Path
    seq: int
    hash: bytes
    entries: int
    notes: tuple[str, ...]


def backup(ledger: Path, place: Path, time: str, pace: Pace, progress: Progress = lambda done: None) -> Made:
    """Copy a ledger into a directory while the daemon may write it; the copy has its name once it is verified."""
    with closing(Reader(ledger)) as reader:
        gateway = reader.gateway()
    directory.check_only(place, gateway)
    with directory.only_one(place, "copies"):
        _remove_parts(place)
        _check_room(ledger, place)
        part = place / f"{directory.copy_name(gateway, time, 0, bytes(32))}{PART}"
        try:
            return _named(_checked_copy(ledger, part, pace, progress), part, time, _key(ledger))
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def _checked_copy(ledger: Path, part: Path, pace: Pace, progress: Progress) -> audit.Verdict:
    for tries in range(1, _TRIES + 1):
        copying.copy(ledger, part, pace, progress)
        verdict = audit.verify(part, _key(ledger), rest=pace.rest)
        if not verdict.faults:
            return verdict
        part.unlink()
        if tries == _TRIES:
            raise LedgerError(
                f"the copy of {ledger} is not intact: {verdict.faults[0]}; find out with `sabot ledger verify {ledger}`"
            )
    raise AssertionError("unreachable")


def _named(verdict: audit.Verdict, part: Path, time: str, key: bytes | None) -> Made:
    """Give a copy its name, and its head if it can be signed."""
    with closing(Reader(part)) as reader:
        (seq, digest), gateway, last = reader.newest(), reader.gateway(), next(reader.latest(), None)
    path = part.with_name(directory.copy_name(gateway, time, seq, digest))
    if path.exists():
        raise LedgerError(f"{path} is there already; the next copy can be made a second later")
    if key is not None and gateway:
        head = LedgerMessage(gateway=gateway, entry=seq, hash=digest.hex(), time=last.time if last else "")
        write_head(sidecar_path(path, "head"), heads.sign(head, key))
    part.rename(path)
    sync_directory(path.parent)
    return Made(path, seq, digest, verdict.entries, tuple(verdict.notes))


def write_head(path: Path, head: LedgerMessage) -> None:
    """Write the head that goes beside a ledger."""
    with closing(heads.HeadFile(path)) as file:
        file.write(heads.Kept(head))
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def rotate(place: Path, keep: int) -> list[Path]:
    """Remove all but the newest copies; return those that were removed."""
    old = [copy.path for copy in directory.copies(place)[keep:]]
    for path in old:
        path.unlink()
        sidecar_path(path, "head").unlink(missing_ok=True)
    return old


def _remove_parts(place: Path) -> None:
    """Remove what a copying left that was killed."""
    for path in place.glob(f"ledger-*.db{PART}*"):
        path.unlink(missing_ok=True)


def _check_room(ledger: Path, place: Path) -> None:
    log = sidecar_path(ledger, "wal")
    needed = ledger.stat().st_size + (log.stat().st_size if log.exists() else 0) + _SPARE_BYTES
    free = shutil.disk_usage(place).free
    if free < needed:
        raise LedgerError(
            f"{place}: {free >> 20} MiB are free, and a copy needs {needed >> 20} MiB; "
            "make room, or keep fewer copies with --keep"
        )


def _key(ledger: Path) -> bytes | None:
    """Return the key of a ledger, None if only the daemon can read it."""
    path = retention.key_path(ledger)
    return retention.read(path) if os.access(path, os.R_OK) else None
