"""Backup: copy a store in an SQLite file while the service writes it, and verify the copy."""

import os
import re
from pathlib import Path

from sabot_floor.people.kept import PREFIX
from sabot_floor.store import audit
from sabot_floor.store.chain import StoreError
from sabot_floor.store.sqlite import SqliteStore
from sabot_floor.store.store import Store

_COPY = re.compile(r"floor-\d{8}T\d{6}Z\.db", re.ASCII)


def backup(store: Store, place: Path, time: str) -> tuple[Path, int]:
    """Return the file of a copy, which has its name once it is verified, and the number of its entries."""
    if not isinstance(store, SqliteStore):
        raise StoreError(f"{store.place} is no file: back it up with the tools of PostgreSQL, such as pg_dump")
    if not place.is_dir():
        raise StoreError(f"{place}: no such directory; make it, or mount it, and give it to the service's user")
    path = place / f"floor-{re.sub('[-:]|[.][0-9]+', '', time)}.db"
    part = path.with_name(f"{path.name}.part")
    for left in place.glob("floor-*.db.part*"):  # by a copying that was killed
        left.unlink()
    try:
        store.copy_to(part)
        _without_sessions(part)
        entries = _verified(part)
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)
    return path, entries


def _without_sessions(part: Path) -> None:
    """Take the sessions of pages out of a copy: restored, it would open again what has ended since."""
    copy = SqliteStore(part)
    try:
        with copy.writing("a copy"):
            copy.execute("DELETE FROM logs WHERE name LIKE ?", (f"{PREFIX}%",))
    finally:
        copy.close()


def _verified(part: Path) -> int:
    copy = SqliteStore(part, read_only=True)
    try:
        verdict = audit.verify(copy)
    finally:
        copy.close()
    if verdict.faults:
        raise StoreError(f"the copy is not intact: {verdict.faults[0]}; find out with `sabot floor verify`")
    descriptor = os.open(part, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return verdict.entries


def rotate(place: Path, keep: int) -> list[Path]:
    """Remove all but the newest copies; return those that were removed."""
    old = sorted((path for path in place.iterdir() if _COPY.fullmatch(path.name)), reverse=True)[keep:]
    for path in old:
        path.unlink()
    return old
