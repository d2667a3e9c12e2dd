"""Copying: a ledger into a new file while the daemon writes it, in many short reads.

One long read would keep SQLite from starting the write-ahead log again: it grows, and is brought in at once afterwards.
Entries never change, so they are copied in pieces; all other tables follow in one last read, with the rest of them.
"""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from sabot_gateway.backup.pace import Pace
from sabot_gateway.ledger import retention
from sabot_gateway.ledger.errors import LedgerError
from sabot_gateway.ledger.files import read_only_uri

_PIECE = 250  # entries of one read: a few ms
_SYNC_STEPS = 2000  # of SQLite's machine, while it copies whole tables
_SYNC_BYTES = 1 << 20  # after so much the new file is synced: a disk with much to write would delay the daemon
_CACHE_KIB = 2048
_COPY_PIECE = "INSERT INTO main.entries SELECT * FROM source.entries WHERE seq > ? ORDER BY seq LIMIT ?"
_TABLES = "SELECT sql, name FROM source.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
_INDEXES = "SELECT sql FROM source.sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY rowid"

Progress = Callable[[int], None]


def copy(source: Path, target: Path, pace: Pace, progress: Progress = lambda done: None) -> None:
    """Copy a ledger into a file that must not exist; the source is only read."""
    descriptor = os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o640)
    try:
        with closing(_open(source, target)) as db:
            tables = _make_tables(db)
            sync = _Sync(descriptor)
            _copy_entries(db, sync, pace, progress)
            db.set_progress_handler(sync.step, _SYNC_STEPS)
            _copy_rest(db, tables)
        os.fsync(descriptor)
    except sqlite3.Error as error:
        raise LedgerError(f"ledger {source} cannot be copied to {target.parent}: {error}; check both disks") from error
    finally:
        os.close(descriptor)  # after SQLite has closed the file, whose locks this would end


def _open(source: Path, target: Path) -> sqlite3.Connection:
    """Nobody else knows the target: no lock, no journal, and syncs when we want them."""
    db = sqlite3.connect(f"{target.absolute().as_uri()}?nolock=1", uri=True, isolation_level=None)
    try:
        for setting in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{_CACHE_KIB}"):
            db.execute(f"PRAGMA {setting}")
        db.execute("ATTACH ? AS source", (read_only_uri(source),))
    except BaseException:
        db.close()
        raise
    return db


def _make_tables(db: sqlite3.Connection) -> list[str]:
    """Make the tables and indexes of the source; return the names of the tables beside the entries."""
    tables = db.execute(_TABLES).fetchall()
    for sql in [sql for sql, _ in tables] + [sql for (sql,) in db.execute(_INDEXES).fetchall()]:
        db.execute(sql)
    (version,) = db.execute("PRAGMA source.user_version").fetchone()
    db.execute(f"PRAGMA main.user_version = {version:d}")
    return [name for _, name in tables if name != "entries"]


class _Sync:
    """Syncs a file that grows, so that the disk never has much of it to write at once."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._bytes = descriptor, 0

    def step(self) -> None:
        """Sync the file if it has grown enough."""
        size = os.fstat(self._descriptor).st_size
        if size - self._bytes >= _SYNC_BYTES:
            os.fdatasync(self._descriptor)
            self._bytes = size


def _copy_entries(db: sqlite3.Connection, sync: _Sync, pace: Pace, progress: Progress) -> None:
    """Copy the entries in pieces, until few are left."""
    last = 0
    while True:
        done = db.execute(_COPY_PIECE, (last, _PIECE)).rowcount
        (last,) = db.execute("SELECT ifnull(max(seq), 0) FROM main.entries").fetchone()
        progress(done)
        if done < _PIECE:
            return
        sync.step()
        pace.rest()


def _copy_rest(db: sqlite3.Connection, tables: list[str]) -> None:
    """Copy everything that changes, and the newest entries, as they are at one moment."""
    db.execute("BEGIN")
    (last,) = db.execute("SELECT ifnull(max(seq), 0) FROM main.entries").fetchone()
    db.execute(_COPY_PIECE, (last, -1))
    for name in tables:
        db.execute(f'INSERT INTO main."{name}" SELECT * FROM source."{name}"')
    db.execute("COMMIT")
    pruned = retention.pruned_units(db).seq
    db.execute("DELETE FROM main.entries WHERE seq <= ?", (pruned,))  # removed while the copy was being made
