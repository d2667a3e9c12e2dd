"""Ledgers as older releases left them, and more entries for them."""

import shutil
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from ledger_entries import play
from sabot_gateway.ledger import Entry, Reader
from sabot_gateway.ledger.chain import links

# Version 1 as it was written: tables, and the formula of the hash.
VERSION_1 = """
CREATE TABLE IF NOT EXISTS entries (
    seq INTEGER PRIMARY KEY,
    unit TEXT NOT NULL,
    event_no INTEGER,            -- NULL where the gateway itself is the source
    table_name TEXT NOT NULL,
    topic TEXT NOT NULL,         -- empty where nothing is published
    payload BLOB NOT NULL,
    frame BLOB NOT NULL,         -- the shoe's own words
    hash BLOB NOT NULL,
    UNIQUE (unit, event_no)
);
CREATE INDEX IF NOT EXISTS by_topic ON entries (table_name, topic, seq);
CREATE TABLE IF NOT EXISTS cursors (name TEXT PRIMARY KEY, seq INTEGER NOT NULL);
"""
META = "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value BLOB NOT NULL);"


OLD = Path(__file__).parent / "ledgers"  # written by releases with versions 3 and 4


def hash_1(head: bytes, seq: int, entry: Entry) -> bytes:
    digest = sha256(head)
    event_no = "" if entry.event_no is None else str(entry.event_no)
    for part in (str(seq), entry.unit, event_no, entry.table, entry.topic, entry.payload, entry.frame):
        data = part if isinstance(part, bytes) else part.encode()
        digest.update(len(data).to_bytes(4, "big") + data)
    return digest.digest()


def version_1(path: Path, entries: list[Entry], *, meta: bool = True) -> Path:
    """A ledger as version 1 left it."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.executescript(VERSION_1 + (META if meta else ""))
    head = bytes(32)
    for seq, each in enumerate(entries, 1):
        head = hash_1(head, seq, each)
        row = (seq, each.unit, each.event_no, each.table, each.topic, each.payload, each.frame, head)
        db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    db.execute("INSERT INTO cursors VALUES ('mqtt', 7)")
    if meta:
        db.execute("INSERT INTO meta VALUES ('gateway', x'0102030405060708')")
    db.close()
    return path


def version_2(path: Path) -> Path:
    """A ledger as version 2 left it: that of version 3 with the index of version 1."""
    shutil.copy(OLD / "version_3_closed.db", path)
    with sqlite3.connect(path) as db:
        db.execute("DROP INDEX shoes_of_a_table")
        db.execute("CREATE INDEX by_topic ON entries (table_name, topic, seq)")
        db.execute("PRAGMA user_version = 2")
    db.close()
    return path


def version_3(path: Path, name: str) -> Path:
    """A ledger as version 3 left it, with all that lay beside it."""
    for part in ("", "-wal", "-sums"):
        if (OLD / f"{name}{part}").exists():
            shutil.copy(OLD / f"{name}{part}", f"{path}{part}")
    return path


def of_version(path: Path, version: int, coups: int) -> Path:
    """A ledger of a release with this version, with so many coups more than the one that was kept."""
    if version == 1:
        version_1(path, play(1, 1, 2))
    elif version == 2:
        version_2(path)
    elif version == 3:
        version_3(path, "version_3_closed.db")
    else:
        shutil.copy(OLD / f"version_{version}_closed.db", path)
    grow(path, coups)
    return path


def grow(path: Path, coups: int) -> None:
    """Append coups to a ledger of any version by its own formula; its derived tables stay behind."""
    with closing(Reader(path)) as reader:
        (seq, head), second_from, names = reader.newest(), reader.origin.second_from, _NAMES[reader.version >= 2]
    rows = []
    for entry in play(1_000_000, 900, coups):
        seq += 1
        (head,) = links(head, seq, [entry[:8]], second_from)
        rows.append((seq, head, *entry[: len(names.split(",")) - 2]))
    with closing(sqlite3.connect(path)) as db, db:
        marks = ", ".join("?" * len(rows[0]))
        db.executemany(f"INSERT INTO entries ({names}) VALUES ({marks})", rows)


_NAMES = {
    False: "seq, hash, unit, event_no, table_name, topic, payload, frame",
    True: "seq, hash, unit, event_no, table_name, topic, payload, frame, time, rulebook",
}
