"""Checkpointer: a thread brings the write-ahead log into the ledger's file while entries go on being appended."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from threading import Event, Thread


class Checkpointer(Thread):
    """Makes a passive checkpoint each time it is woken; a passive one never blocks the writer."""

    def __init__(self, path: Path) -> None:
        super().__init__(name="ledger-checkpoint", daemon=True)
        self._path = path
        self._due, self._idle = Event(), Event()
        self._idle.set()
        self._stopping = False
        self.start()

    def wake(self) -> None:
        """Make a checkpoint soon."""
        self._idle.clear()
        self._due.set()

    def idle(self, timeout_s: float = 0.0) -> bool:
        """Wait until no checkpoint is due or under way; return False if that takes longer."""
        return self._idle.wait(timeout_s)

    def run(self) -> None:
        """Serve until stopped. A checkpoint that fails is made when the next one is due: the entries are safe."""
        while not self._stopping and self._taken():
            with suppress(sqlite3.Error), closing(sqlite3.connect(self._path, isolation_level=None)) as db:
                self._checkpoint(db)
                while not self._stopping and self._taken():
                    self._checkpoint(db)
            self._idle.set()

    def _taken(self) -> bool:
        """Wait until a checkpoint is due and take it on, also if it fails; return False if the thread is to end."""
        self._due.wait()
        self._due.clear()
        return not self._stopping

    def _checkpoint(self, db: sqlite3.Connection) -> None:
        db.execute("PRAGMA wal_checkpoint(PASSIVE)")
        self._idle.set()

    def stop(self) -> None:
        """End the thread and wait for it."""
        self._stopping = True
        self._due.set()
        self.join()
