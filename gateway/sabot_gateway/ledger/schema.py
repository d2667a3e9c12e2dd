"""Schema: the ledger's tables, version by version; every older file is brought up in one transaction."""

import sqlite3

from sabot_gateway.ledger import derived
from sabot_gateway.ledger.chain import LedgerError, Stored

VERSION = 3
WITH_SUMS = 2  # and with derived tables
COLUMNS = "unit, event_no, table_name, topic, payload, frame, time, rulebook, seq, hash"  # as Stored has them

_VERSION_1 = (
    """CREATE TABLE IF NOT EXISTS entries (
    seq INTEGER PRIMARY KEY,
    unit TEXT NOT NULL,
    event_no INTEGER,            -- NULL where an entry follows from the event before it
    table_name TEXT NOT NULL,
    topic TEXT NOT NULL,         -- empty where nothing is published
    payload BLOB NOT NULL,
    frame BLOB NOT NULL,         -- the shoe's own words
    hash BLOB NOT NULL,
    UNIQUE (unit, event_no)
)""",
    "CREATE INDEX IF NOT EXISTS by_topic ON entries (table_name, topic, seq)",
    "CREATE TABLE IF NOT EXISTS cursors (name TEXT PRIMARY KEY, seq INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value BLOB NOT NULL)",
)
_VERSION_2 = (
    "ALTER TABLE entries ADD COLUMN time TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE entries ADD COLUMN rulebook TEXT NOT NULL DEFAULT ''",
    "INSERT INTO meta SELECT 'second_from', ifnull(max(seq), 0) + 1 FROM entries",
    *derived.TABLES,
)


# An index of every entry by table and topic had each entry change a page of its own.
_VERSION_3 = (
    "DROP INDEX by_topic",
    "CREATE INDEX shoes_of_a_table ON entries (table_name, seq) WHERE topic = 'shoe'",
)


class NewerError(LedgerError):
    """A file from the future."""


def version(db: sqlite3.Connection) -> int:
    """The version of a file's tables, 0 where there are none; one from the future is refused."""
    found = int(db.execute("PRAGMA user_version").fetchone()[0])
    if found > VERSION:
        raise NewerError(
            f"it is of version {found}, and this release knows up to {VERSION}; "
            "use the release that wrote it, or a newer one"
        )
    if found == 0 and db.execute("SELECT 1 FROM sqlite_master WHERE name = 'entries'").fetchone():
        return 1
    return found


def upgrade(db: sqlite3.Connection) -> int:
    """Bring a file of any older version to this one, and say which it was; inside a transaction of the caller."""
    before = version(db)
    if before == VERSION:
        return before
    for statement in (*(_VERSION_1 + _VERSION_2 if before < WITH_SUMS else ()), *_VERSION_3):
        db.execute(statement)
    if before < WITH_SUMS:
        derived.rebuild(db, map(Stored._make, db.execute(f"SELECT {COLUMNS} FROM entries ORDER BY seq")))
    db.execute(f"PRAGMA user_version = {VERSION}")
    return before


def columns(of_version: int) -> str:
    """What to select of `entries` in a file of this version, in the order of `COLUMNS`."""
    return COLUMNS if of_version >= WITH_SUMS else COLUMNS.replace("time, rulebook", "'', ''")
