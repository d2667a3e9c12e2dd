"""Settling: the write-ahead log is brought into the ledger's file by a thread, while entries go on being appended."""

import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

from sabot_gateway.ledger import wal
from sabot_gateway.ledger.sums import beside
from sabot_gateway.ledger.wal import Log

_FEW_FRAMES = 50
_MOST_ROUNDS = 5


@dataclass
class Settled:
    """So many frames of the log are in the file; the sums of their pages."""

    frames: int = 0
    log: Log = field(default_factory=Log)


class Settling(Thread):
    """Checkpoints until little is left to do. Until `release` SQLite begins no new log in the place of this one."""

    def __init__(self, path: Path) -> None:
        super().__init__(name="ledger-settling", daemon=True)
        self._path = path
        self._settled = Settled()
        self._holder = _held(path)
        self.start()

    def run(self) -> None:
        """Everything that takes long; what fails is left to the writer's own checkpoint, which says so."""
        with suppress(sqlite3.Error, OSError):
            for _ in range(_MOST_ROUNDS):
                before = self._settled
                self._settled = self._round(before)
                if self._settled.frames - before.frames < _FEW_FRAMES:
                    return
                newer = _held(self._path)  # a checkpoint goes no further than what somebody still holds
                self._holder.close()
                self._holder = newer

    def _round(self, before: Settled) -> Settled:
        # Closed here whatever happens: the last to close a ledger makes a checkpoint, and that must be its writer.
        with closing(sqlite3.connect(self._path, isolation_level=None)) as db:
            _, _, frames = db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        return Settled(frames, before.log.then(wal.read(beside(self._path, "wal"), range(before.frames, frames))))

    def release(self) -> Settled:
        """Wait for the thread, let go of the log, and say what has been done."""
        self.join()
        self._holder.close()
        return self._settled


def _held(path: Path) -> sqlite3.Connection:
    """Somebody who reads the ledger as it is now."""
    holder = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        holder.execute("BEGIN")
        holder.execute("SELECT count(*) FROM meta").fetchone()
    except sqlite3.Error:
        holder.close()
        raise
    return holder
