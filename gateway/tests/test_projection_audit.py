"""`sabot floor verify` finds whatever is changed in the tables that reports are made from, and names the place."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from floor_stores import edit
from projection_ledger import GATEWAY, LAST, Published, entries
from projection_rows import coup as coup_row
from sabot_floor.inbox import Arrived
from sabot_floor.projection import audit, record
from sabot_floor.projection.feed import Feed
from sabot_floor.projection.rebuild import LedgerEntry, LedgerSpan, rebuild
from sabot_floor.projection.writing import insert
from sabot_floor.store import Store, open_store
from test_projection_gateways import coup, head, sent

ENTRIES = entries()


@pytest.fixture
def filled(store_url: str) -> str:
    """A store with a ledger, fed live, another one's coup, a head and a contradiction."""
    with open_store(store_url) as store:
        feed = Feed(store, "sydney")
        for one in (ENTRIES[:9], ENTRIES[9:]):
            feed.take([arrived(entry) for entry in one])
        feed.take([sent(coup(1, 0), "bac-02", "fedcba9876543210"), head(GATEWAY, LAST), sent(coup(15, 14))])
        assert audit.verify(store).faults == []
    return store_url


def arrived(one: Published) -> Arrived:
    return Arrived(f"sabot/v1/sydney/{one.table}/{one.topic}", one.sent())


def faults(url: str) -> str:
    with open_store(url, read_only=True) as store:
        return " | ".join(audit.verify(store).faults)


CHANGES = [
    ("UPDATE coups SET winner = 'banker' WHERE entry = 6", ("coups", "entry 6 ", GATEWAY, "bac-01")),
    ("UPDATE coups SET player = '9HTD' WHERE entry = 6", ("coups", "entry 6 ")),
    ("UPDATE dealt SET card = '9H'", ("dealt", "entry 4 ")),
    ("UPDATE cards SET notes = '' WHERE entry = 5", ("cards", "entry 5 ")),
    ("UPDATE coups SET \"table\" = 'bac-09' WHERE entry = 6", ("coups", "entry 6 ")),
    ("UPDATE alarms SET state = 'cleared' WHERE entry = 7", ("alarms", "entry 7 ")),
    ("UPDATE incidents SET state = 'open', entry = 99", ("incidents", "a-1")),
    ("UPDATE increments SET total = 1 WHERE half_hour = '2026-05-01T10:30'", ("increments", "grand")),
    ("UPDATE entry_hashes SET hash = 'ff' WHERE entry = 16", ("entry_hashes", "entry 16 ")),
    ("UPDATE ledger_heads SET entry = 5", ("ledger_heads", "day 2026-05-01", GATEWAY)),
    ("DELETE FROM confirmed", ("confirmed", "entry 16 ", "gone")),
    ("DELETE FROM coups WHERE \"table\" = 'bac-02'", ("coups", "entry 1 ", "fedcba9876543210", "gone")),
    ("DELETE FROM contradictions", ("contradictions", "entry 15 ", "gone")),
    ("DELETE FROM incidents", ("incidents", "a-1", "gone")),
    ("DROP TABLE attempts", ("attempts",)),
    ("DROP TABLE coverage", ("coverage",)),
    (
        f"INSERT INTO outcomes VALUES ('{GATEWAY}', 77, '2026-05-01T10:08:01.000Z', 'x', 'bac-01', 'y', 1, 'Done.')",
        ("outcomes", "1 more row", "entry 77 "),
    ),
    ("UPDATE coverage SET entry = 10000", ("coverage", GATEWAY, "10000")),
    ("DELETE FROM coverage", ("coverage", GATEWAY)),
    ("DELETE FROM entries WHERE log = 'projection' AND seq = 2", ("projection",)),
]


@pytest.mark.parametrize(("query", "named"), CHANGES, ids=[query for query, _ in CHANGES])
def test_each_change_is_named(filled: str, query: str, named: tuple[str, ...]) -> None:
    edit(filled, query)
    said = faults(filled)
    assert all(name in said for name in named), said


@pytest.mark.parametrize(
    ("value", "column"), [("x'f074c3'", "player"), ("x''", "corrects")], ids=["its bytes read as the cards", "empty"]
)
def test_bytes_in_place_of_a_text_are_named(tmp_path: Path, value: str, column: str) -> None:
    """SQLite keeps them, and then compares them as unequal to the text: a report would lose the row."""
    with open_store(str(tmp_path / "floor.db")) as store:
        Feed(store, "sydney").take([arrived(entry) for entry in ENTRIES])
    with closing(sqlite3.connect(tmp_path / "floor.db")) as direct, direct:
        before = direct.execute(f"SELECT {column} FROM coups WHERE entry = 6").fetchone()[0]
        assert before in ("8HTD", "")
        direct.execute(f"UPDATE coups SET {column} = {value} WHERE entry = 6")
    assert "entry 6 " in faults(str(tmp_path / "floor.db"))


def test_a_record_that_is_gone_is_missed(filled: str) -> None:
    edit(filled, "DELETE FROM entries WHERE log = 'projection'")
    edit(filled, "DELETE FROM logs WHERE name = 'projection'")
    assert "the log projection" in faults(filled)


def test_a_rebuild_makes_right_what_was_changed(filled: str) -> None:
    edit(filled, "UPDATE coups SET winner = 'banker' WHERE entry = 6")
    edit(filled, "DELETE FROM alarms")
    with open_store(filled) as store:
        listed = [LedgerEntry(one.entry, one.table, one.topic, one.payload, one.hash) for one in ENTRIES]
        rebuild(store, LedgerSpan(GATEWAY, 0, LAST), listed)
    assert faults(filled) == ""


def test_what_comes_again_does_not_hide_a_change(filled: str) -> None:
    edit(filled, "UPDATE coups SET winner = 'banker' WHERE entry = 6")
    with open_store(filled) as store:
        Feed(store, "sydney").take([arrived(entry) for entry in ENTRIES])
    assert "entry 6 " in faults(filled)


def test_rows_of_an_earlier_release_are_taken_as_they_are_once(store: Store) -> None:
    Feed(store, "sydney").take([arrived(entry) for entry in ENTRIES])
    with store.writing("test"):
        for table in ("logs WHERE name", "entries WHERE log"):
            store.execute(f"DELETE FROM {table} = 'projection'")
    record.begin(store)
    record.begin(store)
    assert audit.verify(store).faults == []
    with store.writing("test"):
        store.execute("UPDATE coups SET winner = 'tie' WHERE entry = 15")
    assert "entry 15 " in audit.verify(store).faults[0]


def test_a_store_of_the_third_version_is_taken_as_it_is(store: Store, store_url: str) -> None:
    with store.writing("projection"):
        insert(store, [coup_row(1), coup_row(2, table="t2")])
        store.execute("INSERT INTO coverage VALUES (?, 0, 2)", (GATEWAY,))
    store.close()
    edit(store_url, "DROP TABLE contradictions")
    edit(store_url, "UPDATE meta SET value = '3' WHERE name = 'version'")
    with open_store(store_url) as again:
        Feed(again, "sydney").take([])
        verdict = audit.verify(again)
        assert (verdict.entries, verdict.faults) == (2, [])
    edit(store_url, "DELETE FROM coups WHERE entry = 2")
    with open_store(store_url, read_only=True) as read:
        assert "entry 2 " in audit.verify(read).faults[0]
