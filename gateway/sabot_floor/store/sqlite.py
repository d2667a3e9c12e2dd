"""SQLite: a store in one file, write-ahead, fully synchronous; several processes may append."""

import os
import sqlite3
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from sabot_service.file_modes import identity

from sabot_floor.store import schema
from sabot_floor.store.chain import DamagedError, EntryError, Stored, StoreError
from sabot_floor.store.store import LOCK_S, Store

_TURN_S = 0.01
_PAGE_BYTES = 8192  # an increment has about 900 bytes
_TYPES = {"integer": "INTEGER", "blob": "BLOB", "text": "TEXT", "clustered": " WITHOUT ROWID"}
_INSERT = "INSERT INTO entries (log, seq, id, kind, payload, time, hash) VALUES (?, ?, ?, ?, ?, ?, ?)"
_HAS_META = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'meta'"
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_IN_THE_ENTRY = (sqlite3.IntegrityError, sqlite3.DataError)


class SqliteStore(Store):
    """A store in an SQLite file."""

    def __init__(self, path: Path, *, read_only: bool = False, lock_s: float = LOCK_S) -> None:
        self.place, self.notes = f"store {path}", list[str]()
        self._path, self._read_only, self._lock_s = path, read_only, lock_s
        self._db: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None  # device and inode, once it is open to write
        self._log: tuple[int, int] | None = None  # those of its write-ahead log, once this connection has one
        with self._reading():
            self._connected()

    def _connected(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = self._opened_to_read() if self._read_only else self._opened()
        return self._db

    def _opened(self) -> sqlite3.Connection:
        if self._file is not None:
            self._check_in_place()  # a lost connection must not begin a new file
        try:
            _check_directory(self._path)
            _make_private(self._path)
        except OSError as error:
            raise StoreError(f"{error.strerror or error}; check the path and its permissions") from error
        db = sqlite3.connect(self._path, isolation_level=None, timeout=self._lock_s, check_same_thread=False)
        try:
            db.execute(f"PRAGMA page_size = {_PAGE_BYTES}")  # of a new file
            self._write_ahead(db)
            db.execute("PRAGMA synchronous = FULL")
            if self._version(db) < schema.VERSION:
                db.execute("BEGIN IMMEDIATE")
                schema.upgrade(lambda query: db.execute(query).fetchall(), self._version(db), _TYPES)
                db.execute("COMMIT")
            db.execute(schema.BY_TIME)
        except BaseException:
            db.close()
            raise
        return db

    def _write_ahead(self, db: sqlite3.Connection) -> None:
        """Switch to a write-ahead log; SQLite itself does not wait for another process that is doing the same."""
        until = time.monotonic() + self._lock_s
        while True:
            try:
                db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if _code(error) not in _BUSY or time.monotonic() > until:
                    raise
            time.sleep(_TURN_S)

    def _opened_to_read(self) -> sqlite3.Connection:
        """Open a file beside its writer; one without a writer as it lies there, so that nothing is made beside it."""
        if not self._path.is_file():
            raise StoreError("there is no such file; give the path that `store` of the floor's config has")
        mode = "mode=ro" if Path(f"{self._path}-wal").exists() else "immutable=1"
        uri = f"{self._path.absolute().as_uri()}?{mode}"
        db = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=self._lock_s, check_same_thread=False)
        try:
            if self._version(db) < schema.VERSION:
                raise StoreError("it has no logs yet, or is of an older release: start the floor service once")
        except BaseException:
            db.close()
            raise
        return db

    def _check_in_place(self) -> None:
        """Raise an error if another file is at the path than the one that was opened first, or none."""
        now = identity(self._path)
        self._file = self._file or now
        if now is None or now != self._file:
            raise _not_in_place("it", now)

    def _check_log_in_place(self) -> None:
        """Raise an error if the write-ahead log is not at its path: a kill would lose what it has."""
        path = Path(f"{self._path}-wal")
        now = identity(path)
        self._log = self._log or now
        if now != self._log:
            raise _not_in_place(path.name, now)

    def _version(self, db: sqlite3.Connection) -> int:
        if db.execute("PRAGMA user_version").fetchone()[0]:
            raise StoreError(
                "it is no store of the floor service; if it is a gateway's ledger, check it with `sabot ledger verify`"
            )
        return schema.read_version(lambda query: db.execute(query).fetchall(), bool(db.execute(_HAS_META).fetchone()))

    def _execute(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._connected().execute(query, values).fetchall()

    @contextmanager
    def _transaction(self, what: str, *, durable: bool = True) -> Iterator[None]:
        with self._reading(what):
            self._connected()
            self._check_in_place()
            self._check_log_in_place()
            self._execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._execute("BEGIN IMMEDIATE")
            with self._ended("COMMIT"):
                yield

    @contextmanager
    def _ended(self, by: str) -> Iterator[None]:
        """End the transaction by a statement, or roll it back after an error."""
        try:
            yield
            self._execute(by)
        except BaseException:
            with suppress(sqlite3.Error):
                if self._db is not None:
                    self._db.execute("ROLLBACK")
            raise

    def _lock(self, logs: Sequence[str]) -> None:
        """Do nothing: BEGIN IMMEDIATE locked the whole file."""

    def _insert(self, entries: list[Stored]) -> None:
        """Python's sqlite3 takes bytes by a detour that a bytearray is spared."""
        rows = (
            (log, seq, own_id, kind, bytearray(payload), time, bytearray(hash_))
            for log, seq, own_id, kind, payload, time, hash_ in entries
        )
        self._connected().executemany(_INSERT, rows)

    def execute_many(self, query: str, values: Iterable[Sequence[Any]]) -> None:
        """Run one statement for each of many rows, inside `writing`."""
        self._connected().executemany(query, values)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """From now on read the store as it is at this moment, whatever others append."""
        with self._reading():
            self._execute("BEGIN")
            with self._ended("ROLLBACK"):
                self._execute("SELECT 1 FROM logs LIMIT 1")  # a snapshot begins with the first reading
                yield

    def structure_problem(self) -> str | None:
        """SQLite's own check of pages, tables and indexes."""
        with self._reading():
            found = str(self._execute("PRAGMA integrity_check(1)")[0][0])
        return None if found == "ok" else f"SQLite finds it malformed: {found}"

    def copy_to(self, target: Path) -> None:
        """Copy the whole store, as it is at this moment, into a new file that only its owner may read."""
        with self._reading("to be copied"):
            _make_private(target)
            with closing(sqlite3.connect(target, isolation_level=None)) as copy:
                self._connected().backup(copy)

    def close(self) -> None:
        """Give the file back; the next call opens it again."""
        if self._db is not None:
            self._db.close()
            self._db = self._log = None

    @contextmanager
    def _reading(self, what: str = "to read") -> Iterator[None]:
        try:
            yield
        except StoreError as error:
            if self.place in str(error) or isinstance(error, EntryError):
                raise
            raise type(error)(f"{self.place}: {error}") from error
        except _IN_THE_ENTRY as error:
            raise EntryError(f"{self.place} refused {what}: {error}; nothing was stored") from error
        except sqlite3.Error as error:
            if _code(error) not in _BUSY:
                self.close()
            raise self._translated(error, what) from error

    def _translated(self, error: sqlite3.Error, what: str) -> StoreError:
        code = _code(error)
        if code in _DAMAGED:
            name = self._path.name
            return DamagedError(
                f"{self.place} is damaged: {error}. Stop the service, move {name} and the files beside it ({name}-…) "
                "away together, keep them, and put back a copy"
            )
        if code in _BUSY:
            return StoreError(
                f"{self.place}: another process has kept it locked for {self._lock_s:g} s ({what}). Nothing was "
                "stored; end that process if it hangs"
            )
        return StoreError(f"{self.place} failed {what}: {error}. Check the disk, its space and the permissions")


def _code(error: sqlite3.Error) -> int:
    """Return SQLite's primary code of an error."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _not_in_place(name: str, now: tuple[int, int] | None) -> StoreError:
    what = "was moved away or removed" if now is None else "was replaced by another file"
    return StoreError(
        f"{name} {what} while the service ran; nothing is stored. Put that very file back, and the service goes "
        "on; or stop the service first, and put the right file back"
    )


def _check_directory(path: Path) -> None:
    """Raise an error if a file cannot be made here, or if anybody could replace it."""
    directory = path.absolute().parent
    if not directory.is_dir():
        raise StoreError(f"there is no directory {directory}; make it, or correct the path")
    if path.exists() and not path.is_file():
        raise StoreError("this is not a plain file; correct the path")
    mode = directory.stat().st_mode
    if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
        raise StoreError(f"everybody may replace files in {directory}: chmod o-w {directory}")
    if not os.access(directory, os.W_OK | os.X_OK):
        raise StoreError(f"directory {directory} may not be written by this user; change its owner or the path")


def _make_private(path: Path) -> None:
    """Make an empty file that only its owner may read and write; a file that others may read is closed to them."""
    with suppress(FileExistsError):  # which is not opened: closing it would end the locks of this process
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    if path.stat().st_mode & 0o077:
        path.chmod(0o600)
