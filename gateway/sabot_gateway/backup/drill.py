"""Drill: restore the newest backup into a temporary place, and find out whether it could replace the ledger."""

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from sabot_protocol.topics import LedgerMessage

from sabot_gateway.backup import directory
from sabot_gateway.backup.restoring import Restored, restore
from sabot_gateway.ledger.errors import LedgerError
from sabot_gateway.ledger.reader import Reader

Progress = Callable[[int], None]


class Drilled(NamedTuple):
    """What a drill restored, what is wrong with it, and how many entries the ledger in use has beyond it."""

    restored: Restored
    faults: tuple[str, ...]
    newer: int | None  # None where it was not compared with a ledger


def drill(
    place: Path,
    work: Path | None,
    *,
    ledger: Path | None,
    key: Path | None,
    known: list[LedgerMessage],
    oldest: datetime,
    progress: Progress = lambda done: None,
) -> Drilled:
    """Restore, verify and compare with heads and with the ledger in use; a backup from before `oldest` is a fault."""
    check_any(place)
    faults = _too_old(place, oldest)
    with TemporaryDirectory(prefix="sabot-drill-", dir=work) as temporary:
        out = Path(temporary) / "ledger.db"
        restored = restore(place, out, key=key, known=known, progress=progress)
        faults += restored.proof.contradictions
        newer = None
        if ledger is not None:
            newer, fault = _compared(restored, ledger)
            faults += (fault,) if fault else ()
    return Drilled(restored, faults, newer)


def check_any(place: Path) -> None:
    """Refuse a directory without a backup."""
    if not directory.gateways(place):
        raise LedgerError(f"{place} holds no backup of a ledger; make one with `sabot ledger backup {place}`")


def _compared(restored: Restored, ledger: Path) -> tuple[int, str]:
    """Return how many entries the ledger in use has beyond a restored one, and what contradicts."""
    with closing(Reader(ledger)) as reader:
        newer = reader.newest()[0] - restored.seq
        if restored.seq < reader.origin.seq or reader.hash_of(restored.seq) == restored.hash:
            return newer, ""
    return newer, f"entry {restored.seq} of the backup is not the one that {ledger} has: one of them was replaced"


def _too_old(place: Path, oldest: datetime) -> tuple[str, ...]:
    times = [datetime.strptime(copy.time, "%Y%m%dT%H%M%S%z") for copy in directory.copies(place)]
    times += [datetime.fromtimestamp(one.path.stat().st_mtime, UTC) for one in directory.segments(place)]
    if max(times) >= oldest:
        return ()
    return (f"the newest backup is of {max(times):%Y-%m-%d %H:%M} UTC: look after the timer that makes them",)
