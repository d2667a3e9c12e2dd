"""Shoes, coups and alarms follow from the entries, and from nothing else."""

from pathlib import Path

import msgspec
import pytest
from ledger_entries import BOOK, UNIT, alarm, at, confirmed, coup, entry, message, play, shoe
from sabot_gateway.ledger import Entry, Ledger, audit

GATEWAY = "0102030405060708"


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger.db")


def test_a_shoe_from_its_opening_to_its_closing(ledger: Ledger) -> None:
    entries = play(1, 7, 3, minute=10)
    ledger.append(entries[:8])
    (row,) = ledger.rows("shoes")
    assert (row["opened"], row["closed"], row["coups"], row["opened_seq"]) == (at(10), "", 1, 1)
    ledger.append(entries[8:])
    (row,) = ledger.rows("shoes")
    assert row == {
        "table": "bac-01", "unit": UNIT, "shoe": 7, "opened": at(10), "closed": at(14), "decks": 8, "card_set": 1,
        "burn": "one", "coups": 3, "opened_seq": 1, "seq": 20,
    }  # fmt: skip


def test_a_coup_with_its_correction_and_its_decision(ledger: Ledger) -> None:
    ledger.append([coup(5, 3, 1, 9, player=["8H", "8S"], player_pair=True, natural=True, last_coup=True)])
    (row,) = ledger.rows("coups")
    assert row == {
        "id": f"{UNIT}-5", "table": "bac-01", "unit": UNIT, "shoe": 1, "coup": 9, "time": at(3), "kind": "live",
        "status": "verified", "winner": "banker", "player": "8H 8S", "banker": "3C 4D", "player_points": 6,
        "banker_points": 7, "player_pair": 1, "banker_pair": 0, "natural": 1, "last_coup": 1, "rulebook": BOOK,
        "corrects": "", "corrected_by": "", "by": "", "clause": "", "confirmed": "", "seq": 1,
    }  # fmt: skip
    assert [row["coups"] for row in ledger.rows("shoes")] == [1]


def test_a_void_coup_has_no_winner(ledger: Ledger) -> None:
    ledger.append([coup(5, 3, 1, 9, winner=None, kind="void", status="void")])
    assert [(row["winner"], row["status"]) for row in ledger.rows("coups")] == [("", "void")]


def test_a_disputed_coup_is_open_until_it_is_corrected(ledger: Ledger) -> None:
    ledger.append([coup(1, 1, 1, 1), coup(2, 2, 1, 2, status="disputed"), coup(3, 3, 1, 3, status="disputed")])
    ledger.append([coup(4, 3, 1, 3, status="disputed", table="bac-02")])
    waiting = [msgspec.json.decode(payload)["coup"] for payload in ledger.disputed("bac-01")]
    assert waiting == [2, 3]
    fields = {"corrects": f"{UNIT}-2", "by": "ann", "clause": "12.2", "id": f"{GATEWAY}-1"}
    ledger.append([coup(5, 4, 1, 2, status="confirmed", **fields)])
    assert [msgspec.json.decode(payload)["coup"] for payload in ledger.disputed("bac-01")] == [3]
    rows = {row["id"]: row for row in ledger.rows("coups")}
    assert rows[f"{UNIT}-2"]["corrected_by"] == f"{GATEWAY}-1"
    assert (rows[f"{GATEWAY}-1"]["by"], rows[f"{GATEWAY}-1"]["clause"]) == ("ann", "12.2")
    assert [row["coups"] for row in ledger.rows("shoes") if row["table"] == "bac-01"] == [3]


def test_a_coup_names_the_message_that_confirmed_it(ledger: Ledger) -> None:
    ledger.append([coup(1, 1, 1, 1), coup(2, 2, 1, 2), confirmed(3, 3, f"{UNIT}-1"), confirmed(4, 3, "not here")])
    assert [row["confirmed"] for row in ledger.rows("coups")] == [f"{UNIT}-3", ""]
    assert ledger.confirmed("bac-01", 100) == {}
    ledger.append([coup(5, 4, 1, 1, status="disputed", corrects=f"{UNIT}-1"), coup(6, 5, 1, 3, status="disputed")])
    assert ledger.confirmed("bac-01", 100) == {f"{UNIT}-5": f"{UNIT}-3"}
    assert ledger.confirmed("bac-02", 100) == {}
    ledger.append([coup(7, 4, 1, 1, status="void", corrects=f"{UNIT}-5")])
    assert ledger.confirmed("bac-01", 100) == {}


def test_alarms_are_active_until_they_are_cleared_and_the_last_message_counts(ledger: Ledger) -> None:
    ledger.append([alarm(1, 1, "discrepancy", "raised", "a"), alarm(2, 2, "sensor", "raised", "b")])
    ledger.append([alarm(3, 3, "lid", "raised", "c", table="bac-02"), alarm(4, 4, "sensor", "cleared", "b")])
    ledger.append([alarm(5, 5, "cut", "raised", "d"), alarm(6, 6, "discrepancy", "acknowledged", "a", by="ann")])
    active = [msgspec.json.decode(payload) for payload in ledger.active_alarms("bac-01")]
    assert [(one["alarm"], one["state"], one.get("by", "")) for one in active] == [
        ("a", "acknowledged", "ann"),
        ("d", "raised", ""),
    ]
    (row,) = (row for row in ledger.rows("alarms") if row["alarm"] == "a")
    assert (row["raised"], row["last"], row["by"], row["raised_seq"], row["seq"]) == (at(1), at(6), "ann", 1, 6)


def test_an_alarm_of_an_older_release_goes_by_its_own_id(ledger: Ledger) -> None:
    fields = message(1, 1, 1, 1, name="lid", say="Shut the lid.", clause="", shoe_says="", cards_say="")
    ledger.append([entry(None, "alarm", fields)])
    assert [(row["alarm"], row["state"]) for row in ledger.rows("alarms")] == [(f"{UNIT}-1", "raised")]


def test_what_cannot_be_read_and_what_is_of_another_kind_changes_nothing(ledger: Ledger) -> None:
    strange = [b"", b"{", b"{}", b'{"id":7}', b"[]"]
    ledger.append([Entry("u", number, "t", "coup", payload, b"") for number, payload in enumerate(strange, 1)])
    ledger.append([Entry("u", 99, "t", "attempt", b'{"id":"x"}', b"")])
    assert [list(ledger.rows(name)) for name in ("shoes", "coups", "alarms")] == [[], [], []]


def test_a_refused_append_leaves_the_tables_as_they_were(ledger: Ledger) -> None:
    ledger.append(play(1, 1, 2))
    before = [list(ledger.rows(name)) for name in ("shoes", "coups")]
    with pytest.raises(RuntimeError, match="refused 2 entries"):
        ledger.append([coup(900, 5, 2, 1), coup(1, 5, 2, 2)])
    assert [list(ledger.rows(name)) for name in ("shoes", "coups")] == before


@pytest.mark.parametrize(
    ("edit", "table"),
    [
        ("UPDATE coups SET winner = 'player' WHERE coup = 2", "coups"),
        ("DELETE FROM coups WHERE coup = 3", "coups"),
        ("UPDATE coups SET confirmed = 'x' WHERE coup = 2", "coups"),
        ("UPDATE shoes SET coups = 4", "shoes"),
        ("INSERT INTO alarms (alarm, seq) VALUES ('x', 3)", "alarms"),
        ("UPDATE alarms SET state = 'cleared'", "alarms"),
    ],
)
def test_an_edited_table_is_found_and_rebuilt_from_the_entries(tmp_path: Path, edit: str, table: str) -> None:
    path = tmp_path / "ledger.db"
    ledger = Ledger(path)
    ledger.append([*play(1, 1, 3), alarm(1, 1, "lid", "raised", "a")])
    before = list(ledger.rows(table))
    ledger._db.execute(edit)
    ledger.close()
    (fault,) = audit.verify(path).faults
    assert fault.startswith(f"table {table}: entry ")
    assert f"`sabot ledger rebuild {path}` rebuilds it" in fault
    again = Ledger(path, recheck=True)
    again.close()
    assert audit.verify(path).faults == []
    assert list(Ledger(path).rows(table)) == before


def test_a_shoe_that_is_opened_twice_counts_from_its_last_opening(ledger: Ledger) -> None:
    ledger.append([shoe(1, 1, 4, "open"), shoe(2, 5, 4, "open")])
    assert [(row["opened"], row["opened_seq"]) for row in ledger.rows("shoes")] == [(at(5), 2)]
