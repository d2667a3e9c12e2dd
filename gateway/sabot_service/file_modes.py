"""Files of a daemon: whether others than they should can read or change them; whether a path has the same file."""

import os
import pwd
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from sabot_service.facts import Fact, Status

_WRITE = stat.S_IWGRP | stat.S_IWOTH


class Guarded(NamedTuple):
    """A file or directory, the most that its mode may permit, and whether it is a secret."""

    path: Path
    most: int
    secret: bool = False


def public(path: str | Path | None) -> list[Guarded]:
    """Return a file that all may read and only its owner may change; nothing without a path."""
    return [Guarded(Path(path), 0o644)] if path is not None else []


def secret(path: str | Path | None) -> list[Guarded]:
    """Return a file for its owner alone; nothing without a path."""
    return [Guarded(Path(path), 0o600, secret=True)] if path is not None else []


def mode_facts(files: Iterable[Guarded], data: Path) -> Iterator[Fact]:
    """Yield what is wrong with each and the command that mends it, or that all are right; missing files are skipped.

    They may belong to root and to the owner of the data's directory, who is the daemon's user.
    """
    try:
        owners = {0, data.stat().st_uid}
    except OSError:  # another fact has it
        return
    checked, bad = 0, 0
    for one in files:
        found = list(_facts(one, owners))
        yield from found
        bad += len(found)
        checked += one.path.exists() if os.access(one.path.parent, os.X_OK) else 0
    if not bad:
        yield Fact("ok", "files", f"modes and owners are right; checked: {checked}")


def _facts(one: Guarded, owners: set[int]) -> Iterator[Fact]:
    try:
        found = one.path.stat()
    except OSError:  # another fact has it
        return
    mode = stat.S_IMODE(found.st_mode)
    excess = mode & 0o777 & ~one.most
    if excess:
        status: Status = "wrong" if one.secret or excess & _WRITE else "warning"
        can = "change" if excess & _WRITE else "read"
        text = f"others can {can} it (mode {mode:04o}): `sudo chmod {mode & one.most:04o} {one.path}`"
        yield Fact(status, "files", f"{one.path}: {text}")
    if found.st_uid not in owners:
        daemon = _name(max(owners))
        yield Fact("wrong", "files", f"{one.path}: belongs to {_name(found.st_uid)}: `sudo chown {daemon} {one.path}`")


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def identity(path: Path) -> tuple[int, int] | None:
    """Return device and inode of a file; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
