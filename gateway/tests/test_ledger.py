"""The ledger: durable, once each, in a chain that shows every edit."""

import os
import sqlite3
from pathlib import Path

import pytest
from sabot_gateway.ledger import Entry, Ledger, LedgerError, Reader


def entry(event_no: int | None, topic: str = "coup", table: str = "bac-01", unit: str = "u1") -> Entry:
    return Entry(unit, event_no, table, topic, b'{"n":%d}' % (event_no or 0), b"frame")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger.db")


def test_settings_that_survive_a_power_cut(ledger: Ledger) -> None:
    assert ledger._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert ledger._db.execute("PRAGMA synchronous").fetchone() == (2,)


def test_what_is_appended_is_there_after_reopening(tmp_path: Path) -> None:
    first = Ledger(tmp_path / "ledger.db")
    first.append([entry(1), entry(2), entry(None, "alarm")])
    first.close()
    again = Ledger(tmp_path / "ledger.db")
    assert again.durable_event_no("u1") == 2
    assert again.durable_event_no("u2") == 0
    assert [(stored.seq, stored.event_no, stored.topic) for stored in again.since(0, 10)] == [
        (1, 1, "coup"),
        (2, 2, "coup"),
        (3, None, "alarm"),
    ]
    again.append([entry(3)])
    assert again.verify_chain() == 4


def test_an_event_is_there_once(ledger: Ledger) -> None:
    ledger.append([entry(1)])
    with pytest.raises(LedgerError, match="refused 2 entries"):
        ledger.append([entry(2), entry(1)])
    assert ledger.durable_event_no("u1") == 1
    ledger.append([entry(2), entry(1, unit="u2")])
    assert ledger.verify_chain() == 3


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE entries SET payload = '{}' WHERE seq = 3",
        "UPDATE entries SET event_no = 30 WHERE seq = 3",
        "UPDATE entries SET frame = x'00' WHERE seq = 3",
        "UPDATE entries SET table_name = 'bac-02' WHERE seq = 3",
        "UPDATE entries SET topic = '' WHERE seq = 3",
        "DELETE FROM entries WHERE seq = 3",
        "UPDATE entries SET hash = zeroblob(32) WHERE seq = 3",
        "UPDATE entries SET time = '2026-01-01T00:00:00.000Z' WHERE seq = 3",
        "UPDATE entries SET rulebook = '00' WHERE seq = 3",
        "UPDATE entries SET unit = x'7531' WHERE seq = 3",
    ],
)
def test_an_edit_breaks_the_chain_where_it_was_made(tmp_path: Path, edit: str) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.append([entry(number) for number in range(1, 6)])
    assert ledger.verify_chain() == 5
    with sqlite3.connect(tmp_path / "ledger.db") as other:
        other.execute(edit)
    with pytest.raises(LedgerError, match="entry 3 is not what was written"):
        ledger.verify_chain()


def test_parts_cannot_be_moved_between_fields(tmp_path: Path) -> None:
    one, other = Ledger(tmp_path / "1.db"), Ledger(tmp_path / "2.db")
    one.append([Entry("u", 1, "ab", "c", b"", b"")])
    other.append([Entry("u", 1, "a", "bc", b"", b"")])
    assert one.since(0, 1)[0].hash != other.since(0, 1)[0].hash


def test_the_shoe_on_the_table(ledger: Ledger) -> None:
    ledger.append([entry(1, "shoe"), entry(2), entry(3, "shoe"), entry(4), entry(5, table="bac-02"), entry(6, "cards")])
    assert [stored.event_no for stored in ledger.this_shoe("bac-01")] == [3, 4, 6]
    assert ledger.this_shoe("bac-03") == []


def test_cursors(ledger: Ledger) -> None:
    assert ledger.cursor("mqtt") == 0
    ledger.move_cursor("mqtt", 5)
    ledger.move_cursor("mqtt", 7)
    assert ledger.cursor("mqtt") == 7


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="check the path, the disk and its permissions"):
        Ledger(tmp_path / "nowhere" / "ledger.db")


def test_a_ledger_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.append([entry(1)])
    ledger._db.execute("PRAGMA query_only = ON")
    with pytest.raises(LedgerError, match="refused 1 entries"):
        ledger.append([entry(2)])
    ledger._db.execute("PRAGMA query_only = OFF")
    ledger.append([entry(2)])
    assert ledger.verify_chain() == 2


def test_a_gateway_has_one_id_for_good_and_another_gateway_another(tmp_path: Path) -> None:
    ids = []
    for name in ("1.db", "1.db", "2.db"):
        ledger = Ledger(tmp_path / name)
        ids += [ledger.gateway_id(), ledger.gateway_id()]
        ledger.close()
    assert len(set(ids[:4])) == 1
    assert len(set(ids)) == 2
    assert all(len(each) == 8 for each in ids)


def test_an_id_that_cannot_be_kept_is_an_error(ledger: Ledger) -> None:
    ledger._db.execute("DELETE FROM meta")
    ledger._db.execute("PRAGMA query_only = ON")
    with pytest.raises(LedgerError, match="refused the gateway's id"):
        ledger.gateway_id()


def test_time_and_book_are_kept(ledger: Ledger) -> None:
    ledger.append([Entry("u", 1, "t", "coup", b"", b"", "2026-01-01T00:00:00.000Z", "0123")])
    (kept,) = ledger.since(0, 1)
    assert (kept.time, kept.rulebook) == ("2026-01-01T00:00:00.000Z", "0123")


def test_own_numbers_are_given_once(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    unit = ledger.gateway_id().hex()
    assert [ledger.next_own_no(), ledger.next_own_no()] == [1, 2]
    ledger.append([entry(2, "attempt", unit=unit)])
    ledger.close()
    again = Ledger(tmp_path / "ledger.db")
    assert [again.next_own_no(), again.next_own_no()] == [3, 4]


def test_a_second_writer_is_refused_with_the_process_that_has_the_ledger_and_a_reader_is_served(tmp_path: Path) -> None:
    first = Ledger(tmp_path / "ledger.db")
    first.append([entry(1)])
    with pytest.raises(LedgerError, match=rf"another gateway or command writes it \(process {os.getpid()}\)"):
        Ledger(tmp_path / "ledger.db")
    reader = Reader(tmp_path / "ledger.db")
    first.append([entry(2)])
    assert reader.verify_chain() == 2
    reader.close()
    first.close()
    Ledger(tmp_path / "ledger.db").close()


def test_a_reader_can_hold_the_ledger_as_it_is(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.append([entry(1)])
    reader = Reader(tmp_path / "ledger.db")
    reader.hold()
    ledger.append([entry(2)])
    assert (reader.count(), reader.verify_chain(), ledger.count()) == (1, 1, 2)


def test_a_reader_of_a_closed_ledger_leaves_nothing_behind(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.append([entry(1)])
    ledger.close()
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    reader = Reader(tmp_path / "ledger.db")
    assert [kept.event_no for kept in reader.since(0, 9)] == [1]
    reader.close()
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    assert sorted(before) == ["ledger.db", "ledger.db-head", "ledger.db-key", "ledger.db-lock"]


def test_a_reader_of_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="no such file; give the path of the ledger"):
        Reader(tmp_path / "ledger.db")
