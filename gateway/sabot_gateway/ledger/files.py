"""Files: the files beside a ledger, the lock of its writer, and what earlier releases left behind its last page."""

import fcntl
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import IO

from sabot_service.file_modes import identity

from sabot_gateway.ledger.errors import LedgerError

_SQLITE = b"SQLite format 3\0"
_HEADER_BYTES = 100
_SUMS = b"SABOTSUM"  # releases with versions 2 and 3 kept sums of all pages there
REST_STEPS = 5000  # of SQLite's machine: some hundred rows, a millisecond or two

Rest = Callable[[], None]  # called between pieces of a long read


class LockedError(LedgerError):
    """Somebody else writes this ledger."""


def sidecar_path(path: Path, what: str) -> Path:
    """Return the path of a file that goes with the ledger: wal, lock, key, head."""
    return path.with_name(f"{path.name}-{what}")


def read_only_uri(path: Path) -> str:
    """Return how SQLite opens a ledger to read: beside its writer, or as it lies there, with nothing made beside it."""
    mode = "mode=ro" if sidecar_path(path, "wal").exists() else "immutable=1"
    return f"{path.absolute().as_uri()}?{mode}"


def locked(path: Path) -> IO[str]:
    """Reserve the ledger for one writer, until the file is closed or the process ends."""
    lock = sidecar_path(path, "lock").open("a+")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.seek(0)
        holder = lock.read(20).strip() or "unknown"
        lock.close()
        raise LockedError(
            f"ledger {path}: another gateway or command writes it (process {holder}); "
            "stop that one first, or give this one a ledger of its own"
        ) from None
    lock.truncate(0)
    print(os.getpid(), file=lock, flush=True)
    return lock


class InPlace:
    """Whether a ledger that is open, and its write-ahead log, are still the files at their paths."""

    def __init__(self, path: Path) -> None:
        self._path, self._files = path, {path: identity(path)}

    def problem(self) -> str:
        """Return which file is no longer there, and the next step; empty while all are."""
        log = sidecar_path(self._path, "wal")
        if log not in self._files and (found := identity(log)) is not None:
            self._files[log] = found
        for path, opened in self._files.items():
            now = identity(path)
            if now != opened:
                what = "was moved away or removed" if now is None else "was replaced by another file"
                return (
                    f"{path} {what} while the gateway ran. Nothing more is stored. Put that very file back, and the "
                    "gateway goes on; or stop the gateway, put the right files back (all of "
                    f"{self._path.name}… together), check them with `sabot ledger verify {self._path}`, and start it"
                )
        return ""


def remove_sums(path: Path) -> None:
    """Remove the page sums of an earlier release; SQLite would count them as pages once it writes."""
    for name in ("sums", "sums.new"):
        sidecar_path(path, name).unlink(missing_ok=True)
    log = sidecar_path(path, "wal")
    if log.exists() and log.stat().st_size:  # bringing the log into the file removes them
        return
    with path.open("r+b") as file:
        end = _pages_end(file.read(_HEADER_BYTES))
        file.seek(end)
        if end and _SUMS in file.read():
            file.truncate(end)
            os.fsync(file.fileno())


def _pages_end(header: bytes) -> int:
    """Return the size of the file's pages by its header, 0 where it is no SQLite file."""
    if len(header) < _HEADER_BYTES or not header.startswith(_SQLITE):
        return 0
    page_bytes = int.from_bytes(header[16:18], "big")
    return (65_536 if page_bytes == 1 else page_bytes) * int.from_bytes(header[28:32], "big")


def connect_read_only(path: Path, rest: Rest | None = None) -> sqlite3.Connection:
    """Open a ledger to read it; a closed one as it lies there, so that nothing is made beside it."""
    if not path.is_file():
        fact = "no plain file" if path.exists() else "no such file"
        raise LedgerError(f"{fact}; give the path of the ledger, as `ledger` of the gateway's config has it")
    db = sqlite3.connect(read_only_uri(path), uri=True, isolation_level=None)
    db.set_progress_handler(rest, REST_STEPS)
    return db
