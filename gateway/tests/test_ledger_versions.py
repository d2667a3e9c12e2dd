"""Ledgers of older releases are brought up, with every hash as it was; those of newer ones are refused."""

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from ledger_entries import UNIT, alarm, confirmed, coup, play
from old_ledgers import OLD, version_1, version_2, version_3
from sabot_gateway.ledger import Ledger, LedgerError, Reader, audit, schema

CRASH = """
import os, sqlite3, sys
from sabot_gateway.ledger import schema
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA cache_size = 1")
db.execute("PRAGMA cache_spill = 1")
db.execute("BEGIN IMMEDIATE")
schema.upgrade(db)
os._exit(9)
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return version_1(tmp_path / "ledger.db", [*play(1, 1, 20), alarm(50, 9, "discrepancy", "raised", "a")])


def hashes(path: Path) -> list[bytes]:
    reader = Reader(path)
    found = [each.hash for each in reader.since(0, 10_000)]
    reader.close()
    return found


def test_version_1_keeps_its_hashes_and_the_chain_goes_on(old: Path) -> None:
    before = hashes(old)
    ledger = Ledger(old)
    assert ledger.notes == ["it was brought from version 1 to version 8"]
    assert (ledger.version, ledger.cursor("mqtt"), ledger.gateway_id().hex()) == (8, 7, "0102030405060708")
    ledger.append([coup(1000, 30, 2, 1)])
    assert ledger.verify_chain() == 124
    ledger.close()
    assert hashes(old)[:-1] == before
    assert len(before) == 123
    assert audit.verify(old).faults == []


def test_version_1_gets_its_derived_tables(old: Path) -> None:
    ledger = Ledger(old)
    assert [(row["shoe"], row["coups"]) for row in ledger.rows("shoes")] == [(1, 20)]
    assert len(list(ledger.rows("coups"))) == 20
    assert len(ledger.active_alarms("bac-01")) == 1


def test_where_version_2_begins_is_covered_by_the_chain(old: Path) -> None:
    ledger = Ledger(old)
    ledger.append([coup(1000, 30, 2, 1), coup(1001, 31, 2, 2)])
    for wrong, bad in ((123, 123), (125, 124)):
        ledger._db.execute("UPDATE meta SET value = ? WHERE name = 'second_from'", (wrong,))
        ledger._learn()
        with pytest.raises(LedgerError, match=f"entry {bad} is not what was written"):
            ledger.verify_chain()


def test_version_1_can_be_verified_as_it_is(old: Path) -> None:
    before = old.read_bytes()
    verdict = audit.verify(old)
    assert (verdict.entries, verdict.faults) == (123, [])
    assert verdict.notes == ["of version 1: its derived tables are not checked, for the next start rebuilds them"]
    assert old.read_bytes() == before
    with sqlite3.connect(old) as db:
        db.execute("UPDATE entries SET topic = '' WHERE seq = 5")
    assert "entry 5 is not what was written" in audit.verify(old).faults[0]


def test_a_damaged_ledger_of_version_1_is_not_brought_up(old: Path) -> None:
    with sqlite3.connect(old) as db:
        db.execute("UPDATE entries SET payload = x'00' WHERE seq = 5")
    db.close()
    with pytest.raises(LedgerError, match="cannot be used: entry 5 is not what was written"):
        Ledger(old)
    assert Reader(old).version == 1


@pytest.mark.parametrize(
    ("name", "entries", "alarms"),
    [("version_3_closed.db", 51, 1), ("version_3_stale_sums.db", 101, 1), ("version_3_killed.db", 52, 0)],
)
def test_version_3_is_verified_as_it_is_and_brought_up(tmp_path: Path, name: str, entries: int, alarms: int) -> None:
    path = version_3(tmp_path / "ledger.db", name)
    verdict = audit.verify(path)
    assert (verdict.entries, verdict.faults) == (entries, [])
    assert verdict.notes == ["of version 3: its derived tables are not checked, for the next start rebuilds them"]
    before = hashes(path)
    ledger = Ledger(path)
    assert (ledger.version, ledger.notes) == (8, ["it was brought from version 3 to version 8"])
    assert (ledger.cursor("mqtt"), len(ledger.active_alarms("bac-01"))) == (5, alarms)
    ledger.append([coup(5000, 30, 9, 1)])
    ledger.close()
    assert hashes(path)[:-1] == before
    assert path.stat().st_size % 4096 == 0  # nothing stands behind its last page
    assert {file.name for file in tmp_path.iterdir()} == {f"ledger.db{end}" for end in ("", "-head", "-key", "-lock")}
    assert audit.verify(path).faults == []
    Ledger(path).close()


def test_version_4_is_verified_as_it_is_and_its_coups_are_not_known_to_be_confirmed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    shutil.copy(OLD / "version_4_closed.db", path)
    verdict = audit.verify(path)
    assert (verdict.entries, verdict.faults) == (28, [])
    before = hashes(path)
    ledger = Ledger(path)
    assert (ledger.version, ledger.notes) == (8, ["it was brought from version 4 to version 8"])
    assert [row["confirmed"] for row in ledger.rows("coups")] == [""] * 5
    assert (len(ledger.disputed("bac-01")), ledger.confirmed("bac-01", 100)) == (1, {})
    ledger.append([confirmed(5000, 30, f"{UNIT}-60")])
    assert [row["confirmed"] for row in ledger.rows("coups")][-1] == f"{UNIT}-5000"
    ledger.close()
    assert hashes(path)[:-1] == before
    assert audit.verify(path).faults == []


def test_version_2_is_verified_as_it_is_and_brought_up(tmp_path: Path) -> None:
    path = version_2(tmp_path / "ledger.db")
    verdict = audit.verify(path)
    assert (verdict.entries, verdict.faults) == (51, [])
    assert Reader(path).version == 2
    before = hashes(path)
    ledger = Ledger(path)
    assert (ledger.version, ledger.notes) == (8, ["it was brought from version 2 to version 8"])
    names = {name for (name,) in ledger._db.execute("SELECT name FROM sqlite_master WHERE tbl_name = 'entries'")}
    indexes = {"shoes_of_a_table", "alarms_of_a_table", "incidents_of_a_table", "accepted"}
    assert names == {"entries", *indexes}
    assert len(ledger.this_shoe("bac-01")) == 1  # it was closed
    assert len(list(ledger.rows("coups"))) == 8
    ledger.close()
    assert hashes(path) == before
    assert audit.verify(path).faults == []


def test_the_first_ledgers_had_no_id_and_get_one(tmp_path: Path) -> None:
    ledger = Ledger(version_1(tmp_path / "ledger.db", play(1, 1, 2), meta=False))
    assert ledger.gateway_id() == ledger.gateway_id() != bytes(8)
    assert ledger.verify_chain() == 14


def test_an_empty_ledger_of_version_1(tmp_path: Path) -> None:
    ledger = Ledger(version_1(tmp_path / "ledger.db", []))
    ledger.append(play(1, 1, 1))
    assert ledger.verify_chain() == 8


def test_a_crash_half_way_leaves_version_1_and_the_next_start_brings_it_up(old: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run([sys.executable, "-c", CRASH, str(old)], check=False, env=environment)
    assert ran.returncode == 9
    assert old.with_name("ledger.db-wal").stat().st_size > 0  # half of it had been written
    reader = Reader(old)
    assert (reader.version, reader.verify_chain()) == (1, 123)
    reader.close()
    ledger = Ledger(old)
    assert (ledger.version, ledger.verify_chain()) == (schema.VERSION, 123)
    ledger.close()
    assert audit.verify(old).faults == []


def test_a_ledger_of_a_newer_release_is_refused_and_left_alone(tmp_path: Path) -> None:
    Ledger(tmp_path / "ledger.db").close()
    with sqlite3.connect(tmp_path / "ledger.db") as db:
        db.execute("PRAGMA user_version = 9")
    db.close()
    before = (tmp_path / "ledger.db").read_bytes()
    for open_it in (Ledger, Reader):
        with pytest.raises(
            LedgerError, match="version 9, and this release knows up to 8; use the release that wrote it"
        ):
            open_it(tmp_path / "ledger.db")
    assert (tmp_path / "ledger.db").read_bytes() == before
