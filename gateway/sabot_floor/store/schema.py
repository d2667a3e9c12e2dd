"""Schema: the tables of a store, the same in SQLite and PostgreSQL; an older store is brought up in one transaction."""

from collections.abc import Callable
from typing import Any

from sabot_floor.store import tables as projection
from sabot_floor.store.chain import StoreError

VERSION = 4
Execute = Callable[[str], list[tuple[Any, ...]]]

# No index by id: it halves the speed of appending, and the sequence numbers of the messages already prevent that
# anything is counted twice.
_VERSION_1 = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    """CREATE TABLE logs (
    name TEXT PRIMARY KEY, seq {integer} NOT NULL, hash {blob} NOT NULL, state {blob}, seal {blob} NOT NULL)""",
    """CREATE TABLE entries (
    log TEXT NOT NULL, seq {integer} NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, payload {blob} NOT NULL,
    time TEXT NOT NULL, hash {blob} NOT NULL, PRIMARY KEY (log, seq))""",
    """CREATE TABLE cursors (
    name TEXT NOT NULL, log TEXT NOT NULL, seq {integer} NOT NULL, hash {blob} NOT NULL, PRIMARY KEY (name, log))""",
)
# Not part of a version: a store without it is read as well, but slower.
BY_TIME = "CREATE INDEX IF NOT EXISTS entries_by_time ON entries (log, time, seq)"
_BY_VERSION = {1: _VERSION_1} | {number: tuple(projection.statements(number)) for number in projection.BY_VERSION}


def read_version(execute: Execute, has_meta: bool) -> int:
    """Return the version of a store's tables, 0 where there are none; one of a later release is refused."""
    rows = execute("SELECT value FROM meta WHERE name = 'version'") if has_meta else []
    if not rows:
        return 0
    text = str(rows[0][0])
    found = int(text) if text.isdecimal() and len(text) < 10 else VERSION + 1
    if found > VERSION:
        raise StoreError(
            f"it is of version {text:.20}, and this release knows up to {VERSION}; use the release that wrote it, or a "
            "newer one"
        )
    return found


def upgrade(execute: Execute, before: int, types: dict[str, str]) -> None:
    """Bring a store to this version, inside a transaction of the caller."""
    for number in range(before + 1, VERSION + 1):
        for statement in _BY_VERSION[number]:
            execute(statement.format_map(types))
    if before < VERSION:
        execute("DELETE FROM meta WHERE name = 'version'")
        execute(f"INSERT INTO meta VALUES ('version', '{VERSION}')")
