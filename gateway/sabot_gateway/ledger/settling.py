"""Settling: the write-ahead log is brought into the ledger's file by a thread, while entries go on being appended."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from threading import Thread

from sabot_gateway.ledger import wal
from sabot_gateway.ledger.sums import beside
from sabot_gateway.ledger.wal import Log


class Settling(Thread):
    """One checkpoint of what the log holds now. Until `release` SQLite begins no new log in the place of this one."""

    def __init__(self, path: Path) -> None:
        super().__init__(name="ledger-settling", daemon=True)
        self._path = path
        self.frames, self.log = 0, Log()  # what has been brought into the file, once the thread has ended
        self._holder = sqlite3.connect(path, isolation_level=None)
        self._holder.execute("BEGIN")
        self._holder.execute("SELECT count(*) FROM meta").fetchone()
        self.start()

    def run(self) -> None:
        """Everything that takes long; what fails is left to the writer's own checkpoint, which says so."""
        with suppress(sqlite3.Error, OSError):
            with closing(sqlite3.connect(self._path, isolation_level=None)) as db:
                _, _, frames = db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            self.log = wal.read(beside(self._path, "wal"), range(frames))
            self.frames = frames

    def release(self) -> None:
        """Wait for the thread, and let go of the log."""
        self.join()
        self._holder.close()
