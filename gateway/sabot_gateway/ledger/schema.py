"""Schema: the ledger's tables, version by version; every older file is brought up in one transaction."""

import sqlite3
from contextlib import closing

from sabot_gateway.ledger import derived, rebuilding, retention, units
from sabot_gateway.ledger.errors import LedgerError

VERSION = 8
WITH_TIMES = 2  # and rulebooks
WITH_CURSOR_HASH = 4
WITH_JACKPOTS = 6
WITH_INCIDENTS = 7
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

_DERIVED = (*(f"DROP TABLE IF EXISTS {name}" for name in derived.NAMES), *derived.TABLES)  # made anew

# An index of every entry by table and topic had each entry change a page of its own.
_VERSION_3 = (
    "DROP INDEX by_topic",
    "CREATE INDEX shoes_of_a_table ON entries (table_name, seq) WHERE topic = 'shoe'",
)


# A cursor names the hash of its entry, so that one that was moved by hand is found. Derived tables are rebuilt.
_VERSION_4 = (
    *_DERIVED,
    "ALTER TABLE cursors ADD COLUMN hash BLOB NOT NULL DEFAULT x''",
    "UPDATE cursors SET hash = ifnull((SELECT hash FROM entries WHERE entries.seq = cursors.seq), x'')",
    "CREATE INDEX alarms_of_a_table ON entries (table_name, seq) WHERE topic = 'alarm'",
    "CREATE INDEX accepted ON entries (seq) WHERE topic = 'accepted'",
)
# A coup's row names the message that confirmed it.
_VERSION_5 = _DERIVED
# Increments, recorded wins, stakes and parameters of jackpots.
_VERSION_6 = _DERIVED
# Incidents.
_VERSION_7 = (
    *_DERIVED,
    "CREATE INDEX incidents_of_a_table ON entries (table_name, seq) WHERE topic = 'incident'",
)
# An index of every entry by unit and number had each entry change a page of its own, too.
_VERSION_8 = (
    *_DERIVED,
    units.TABLE,
    "ALTER TABLE entries RENAME TO entries_7",
    """CREATE TABLE entries (
    seq INTEGER PRIMARY KEY,
    unit TEXT NOT NULL,
    event_no INTEGER,            -- NULL where an entry follows from the event before it
    table_name TEXT NOT NULL,
    topic TEXT NOT NULL,         -- empty where nothing is published
    payload BLOB NOT NULL,
    frame BLOB NOT NULL,         -- the shoe's own words
    hash BLOB NOT NULL,
    time TEXT NOT NULL,
    rulebook TEXT NOT NULL,
    before INTEGER NOT NULL      -- the entry before it of the same unit, 0 where it is the first
)""",
    f"INSERT INTO entries ({COLUMNS}, before) SELECT {COLUMNS}, 0 FROM entries_7 ORDER BY seq",
    "DROP TABLE entries_7",
    "CREATE INDEX shoes_of_a_table ON entries (table_name, seq) WHERE topic = 'shoe'",
    "CREATE INDEX alarms_of_a_table ON entries (table_name, seq) WHERE topic = 'alarm'",
    "CREATE INDEX incidents_of_a_table ON entries (table_name, seq) WHERE topic = 'incident'",
    "CREATE INDEX accepted ON entries (seq) WHERE topic = 'accepted'",
)
_BY_VERSION = {
    1: _VERSION_1, 2: _VERSION_2, 3: _VERSION_3, 4: _VERSION_4, 5: _VERSION_5, 6: _VERSION_6, 7: _VERSION_7,
    8: _VERSION_8,
}  # fmt: skip


class NewerError(LedgerError):
    """A file of a later release."""


def version(db: sqlite3.Connection) -> int:
    """Return the version of a file's tables, 0 where there are none; one of a later release is refused."""
    found = int(db.execute("PRAGMA user_version").fetchone()[0])
    if found > VERSION:
        raise NewerError(
            f"it is of version {found}, and this release knows up to {VERSION}; "
            "use the release that wrote it, or a newer one"
        )
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    if found == 0 and {"entries", "logs"} <= tables:
        raise LedgerError(
            "it is no ledger but a store of the floor service; check it with `sabot jackpot verify --store FILE`"
        )
    if found == 0 and "entries" in tables:
        return 1
    return found


def upgrade(db: sqlite3.Connection) -> int:
    """Bring a file of any older version to this one and return which it was; inside a transaction of the caller."""
    before = version(db)
    if before == VERSION:
        return before
    for statement in _statements(before + 1 if before > 1 else 1, VERSION):
        db.execute(statement)
    rebuilding.rebuild(db, rebuilding.sources(db))
    units.rebuild(db, retention.pruned_units(db))
    db.execute(f"PRAGMA user_version = {VERSION}")
    return before


def _statements(first: int, last: int) -> list[str]:
    """Return what makes the tables of a version from those of the one before `first`."""
    return [statement for number in range(first, last + 1) for statement in _BY_VERSION[number]]


def difference(db: sqlite3.Connection) -> str | None:
    """Return which table, index, trigger or view a file has that a ledger has not, or lacks."""
    found, of_version = _parts(db), version(db)
    if of_version < VERSION:  # the next start rebuilds its indexes and derived tables
        later = _later_table(db, of_version)
        if later:
            return (
                f"it says that it is of version {of_version}, but its table {later!r} is not: its version was changed"
            )
        expected = {part for part in found if part[0] in ("table", "index")}
    else:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
            upgrade(fresh)
            expected = _parts(fresh)
    for kind, name in sorted(found - expected):
        return f"it has a {kind} {name!r} that a ledger has not"
    for kind, name in sorted(expected - found):
        return f"it lacks the {kind} {name!r}"
    return None


def _later_table(db: sqlite3.Connection, of_version: int) -> str | None:
    """Return a table that has not the columns which it had in this version."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as then:
        for statement in _statements(1, of_version):
            then.execute(statement)
        expected = _stored_columns(then)
    return next((name for name, columns in _stored_columns(db).items() if columns != expected.get(name)), None)


def _stored_columns(db: sqlite3.Connection) -> dict[str, set[str]]:
    """Return the columns of the tables that are not computed from the entries."""
    names = ("entries", "cursors", "meta", "units")
    columns = {name: {row[1] for row in db.execute(f"PRAGMA table_info({name})")} for name in names}
    return {name: found for name, found in columns.items() if found}


def _parts(db: sqlite3.Connection) -> set[tuple[str, str]]:
    return set(db.execute("SELECT type, name FROM sqlite_master WHERE name <> 'sqlite_stat1'").fetchall())


def columns(of_version: int) -> str:
    """Return what to select of `entries` in a file of this version, in the order of `COLUMNS`."""
    return COLUMNS if of_version >= WITH_TIMES else COLUMNS.replace("time, rulebook", "'', ''")
