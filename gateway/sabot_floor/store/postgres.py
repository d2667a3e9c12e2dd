"""PostgreSQL: a store in a database, for several workers on several machines."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import errors

from sabot_floor.store import schema
from sabot_floor.store.chain import AwayError, DamagedError, EntryError, Stored, StoreError
from sabot_floor.store.postgres_connection import Connection, connect, rows, setting
from sabot_floor.store.postgres_url import PostgresUrl
from sabot_floor.store.store import LOCK_S, Store

_STATEMENT_S = 20.0
_READ_ONLY_S = 600.0  # an audit reads everything
_UPGRADE_LOCK = 0x5AB07  # advisory, while tables are made
# Text is compared byte by byte, as SQLite does.
_TYPES = {"integer": "BIGINT", "blob": "BYTEA", "text": 'TEXT COLLATE "C"', "clustered": ""}
# Not by to_regclass: it does not see what another has just committed.
_HAS_META = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'meta'"
_LOCK_ROWS = 'SELECT name FROM logs WHERE name = ANY(%s) ORDER BY name COLLATE "C" FOR UPDATE'
_LOCK_NAME = "SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))"
_LOCKED_NAMES = 0x5AB0
_COPY = "COPY entries (log, seq, id, kind, payload, time, hash) FROM STDIN (FORMAT BINARY)"
_COPY_TYPES = ("text", "int8", "text", "text", "bytea", "text", "bytea")
_BUSY = (errors.LockNotAvailable, errors.DeadlockDetected, errors.SerializationFailure, errors.QueryCanceled)
_IN_THE_ENTRY = (psycopg.DataError, psycopg.IntegrityError)
_UNREACHABLE = ("08", "28", "3D", "53", "57P")  # classes of codes: connection, login, database, resources, shutdown
_DAMAGED = (errors.DataCorrupted, errors.IndexCorrupted)


class PostgresStore(Store):
    """A store in a PostgreSQL database."""

    def __init__(self, url: str, *, read_only: bool = False, lock_s: float = LOCK_S) -> None:
        self._url = PostgresUrl(url)
        self.place, self.notes = f"store {self._url.shown}", list[str]()
        self._read_only, self._lock_s = read_only, lock_s
        self._db: Connection | None = None
        with self._reading():
            self._connected()

    def _connected(self) -> Connection:
        """Return the connection; open it, if there is none or the last one was lost."""
        if self._db is None:
            statement_s = _READ_ONLY_S if self._read_only else _STATEMENT_S
            db = connect(self._url.settings, read_only=self._read_only, lock_s=self._lock_s, statement_s=statement_s)
            try:
                self._check_server(db)
                self._make_tables(db)
            except BaseException:
                db.close()
                raise
            self._db = db
        return self._db

    def _check_server(self, db: Connection) -> None:
        encoding = setting(db, "server_encoding")
        if encoding != "UTF8":
            raise StoreError(f"the database has the encoding {encoding}; make one with encoding UTF8 and give its name")
        if setting(db, "fsync") != "on" and not self.notes:
            self.notes.append(f"{self.place}: the server runs with fsync off; a power cut can lose entries")

    def _make_tables(self, db: Connection) -> None:
        if self._version(db) == schema.VERSION:
            if not self._read_only and not rows(db.execute("SELECT to_regclass('entries_by_time')"))[0][0]:
                db.execute(schema.BY_TIME.encode())  # only then: it waits for all writers
            return
        if self._read_only:
            raise StoreError("it has no logs yet, or is of an older release: start the floor service once")
        with db.transaction():
            db.execute("SELECT pg_advisory_xact_lock(%s)", (_UPGRADE_LOCK,))
            schema.upgrade(lambda query: rows(db.execute(query)), self._version(db), _TYPES)
            db.execute(
                "ALTER TABLE logs ALTER COLUMN state SET STORAGE EXTERNAL"
            )  # not compressed: each commit replaces it
            db.execute(schema.BY_TIME.encode())

    def _version(self, db: Connection) -> int:
        has_meta = bool(rows(db.execute(_HAS_META))[0][0])
        return schema.read_version(lambda query: rows(db.execute(query)), has_meta)

    def _execute(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return rows(self._connected().execute(query.replace("?", "%s"), values, binary=True))

    @contextmanager
    def _transaction(self, what: str, *, durable: bool = True) -> Iterator[None]:
        with self._reading(what):
            self._execute("BEGIN ISOLATION LEVEL READ COMMITTED")
            with self._ended("COMMIT"):
                if not durable:
                    self._execute("SET LOCAL synchronous_commit = off")
                yield

    @contextmanager
    def _ended(self, by: str) -> Iterator[None]:
        """End the transaction by a statement, or roll it back after an error."""
        try:
            yield
            if self._connected().execute(by).statusmessage != by:
                raise StoreError(f"the server did not {by}; nothing was stored")
        except BaseException:
            with suppress(psycopg.Error):
                if self._db is not None:
                    self._db.execute("ROLLBACK")
            raise

    def _lock(self, logs: Sequence[str]) -> None:
        """Lock the head rows in order; of a log without one its name, and then the row that another may have made."""
        db = self._connected()
        found = {row[0] for row in rows(db.execute(_LOCK_ROWS, (list(logs),)))}
        missing = [log for log in logs if log not in found]
        for log in missing:
            db.execute(_LOCK_NAME, (log, _LOCKED_NAMES))
        if missing:
            db.execute(_LOCK_ROWS, (missing,))

    def _insert(self, entries: list[Stored]) -> None:
        with self._connected().cursor() as cursor, cursor.copy(_COPY) as copy:
            copy.set_types(_COPY_TYPES)
            for entry in entries:
                copy.write_row(entry)

    def execute_many(self, query: str, values: Iterable[Sequence[Any]]) -> None:
        """Run one statement for each of many rows, inside `writing`."""
        with self._connected().cursor() as cursor:
            cursor.executemany(query.replace("?", "%s"), values)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """From now on read the store as it is at this moment, whatever others append."""
        with self._reading():
            self._execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            with self._ended("ROLLBACK"):
                yield

    def structure_problem(self) -> str | None:
        """Return None: a PostgreSQL server checks its own pages."""
        return None

    def close(self) -> None:
        """Give the connection back; the next call opens it again."""
        if self._db is not None:
            with suppress(psycopg.Error):
                self._db.close()
            self._db = None

    @contextmanager
    def _reading(self, what: str = "to read") -> Iterator[None]:
        """Raise errors without the one before: its text could hold the password."""
        try:
            yield
        except StoreError as error:
            if self.place in str(error) or isinstance(error, EntryError):
                raise
            raise type(error)(f"{self.place}: {error}") from None
        except _IN_THE_ENTRY as error:
            raise EntryError(f"{self.place} refused {what}: {self._text(error)}; nothing was stored") from None
        except psycopg.Error as error:
            if self._db is not None and (error.sqlstate is None or self._db.broken):
                self.close()  # lost, or in a state that nobody knows
            raise self._translated(error, what) from None

    def _translated(self, error: psycopg.Error, what: str) -> StoreError:
        text = self._text(error)
        if isinstance(error, _DAMAGED):
            return DamagedError(
                f"{self.place} is damaged: {text}. Stop the service and put back a copy of the database"
            )
        if isinstance(error, _BUSY):
            return StoreError(
                f"{self.place}: another process held a lock too long ({what}): {text}. Nothing was stored; the next "
                "try may succeed, else end the process that hangs"
            )
        if error.sqlstate is None or error.sqlstate.startswith(_UNREACHABLE):
            return AwayError(
                f"{self.place} cannot be reached ({what}): {text}. The next try connects again; check that PostgreSQL "
                "runs there, and the user, database and password"
            )
        return StoreError(f"{self.place} failed {what}: {text}. Check the database and the rights of this user")

    def _text(self, error: psycopg.Error) -> str:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        return self._url.without_secrets(lines[0].strip().rstrip("."))
