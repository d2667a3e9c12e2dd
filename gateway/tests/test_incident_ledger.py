"""Incidents in the ledger: their derived table, pruning, and a file of the version before."""

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ledger_entries import UNIT, at, coup, entry, message, play
from sabot_gateway.incidents.book import IncidentBook
from sabot_gateway.ledger import Entry, Ledger, LedgerError, Reader, audit
from sabot_protocol import rulebooks
from sabot_protocol.topics import IncidentMessage

OLD = Path(__file__).parent / "ledgers"
STEP = {"name": "decide", "say": "Confirm the outcome or void the coup."}


def incident(number: int, minute: int, incident_id: str, state: str = "open", **more: Any) -> Entry:
    """The state of an incident."""
    fields = {"incident": incident_id, "kind": "discrepancy", "state": state, "say": "Differ.", "clause": "12.13"}
    steps = [STEP if state == "open" else {**STEP, "done": at(minute), "by": "ann", "late": True}]
    return entry(None, "incident", message(number, minute, 1, 9, **fields, opened=at(1), steps=steps, **more))


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger.db")


def test_a_row_has_the_last_state(ledger: Ledger) -> None:
    ledger.append([incident(5, 1, "a", alarm="al"), incident(6, 2, "b")])
    ledger.append([incident(7, 3, "a", "closed", coup_id="c")])
    assert {row["incident"]: row for row in ledger.rows("incidents")}["a"] == {
        "incident": "a", "table": "bac-01", "unit": UNIT, "shoe": 1, "coup": 9, "kind": "discrepancy",
        "state": "closed", "opened": at(1), "last": at(3), "by": "", "alarm": "al", "coup_id": "c", "late": 1,
        "say": "Differ.", "clause": "12.13", "opened_seq": 1, "seq": 3,
    }  # fmt: skip
    assert audit.verify(ledger.path).faults == []


def test_open_incidents_and_the_newest_others_are_read_in_the_order_of_their_opening(ledger: Ledger) -> None:
    ledger.append([incident(number, number, name) for number, name in enumerate("abcde", 1)])
    ledger.append([incident(9, 9, "d", "closed"), incident(10, 10, "b", "closed"), incident(11, 11, "e", "closed")])
    found = [msgspec.json.decode(payload, type=IncidentMessage) for payload in ledger.incidents("bac-01", 2)]
    assert [(one.incident, one.state) for one in found] == [
        ("a", "open"), ("c", "open"), ("d", "closed"), ("e", "closed"),
    ]  # fmt: skip
    assert ledger.incidents("bac-02", 2) == []
    book = IncidentBook("bac-01", rulebooks.load("star-baccarat"))
    book.restore(found)
    assert [one.incident for one in book.open()] == ["a", "c"]


def test_a_table_that_was_changed_by_hand_is_found_and_rebuilt(ledger: Ledger) -> None:
    ledger.append([incident(5, 1, "a")])
    ledger._db.execute("UPDATE incidents SET state = 'closed'")
    ledger.close()
    assert any("table incidents" in str(fault) for fault in audit.verify(ledger.path).faults)
    again = Ledger(ledger.path)
    again.rebuild()
    assert [row["state"] for row in again.rows("incidents")] == ["open"]


def test_an_open_incident_keeps_its_entries_and_a_closed_one_is_pruned(ledger: Ledger) -> None:
    ledger.append([*play(1, 1, 1), incident(20, 3, "a"), *play(30, 2, 1, minute=10)])
    ledger.append([coup(99, 600, 9, 1)])
    ledger.move_cursor("mqtt", ledger.last_seq())
    plan = ledger.plan(at(500))
    assert (plan.seq, plan.kept_by) == (8, "of an open incident")
    ledger.append([incident(50, 30, "a", "closed")])
    ledger.move_cursor("mqtt", ledger.last_seq())
    assert ledger.plan(at(20)).seq == 17  # its last entry stays
    assert ledger.prune(at(20)).seq == 17
    assert [(row["incident"], row["state"], row["opened_seq"]) for row in ledger.rows("incidents")] == [
        ("a", "closed", 19),
    ]  # fmt: skip
    assert audit.verify(ledger.path).faults == []


def test_version_6_is_verified_as_it_is_and_brought_up(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    shutil.copy(OLD / "version_6_closed.db", path)
    verdict = audit.verify(path)
    assert (verdict.entries, verdict.faults) == (16, [])
    with pytest.raises(LedgerError, match="is of version 6 and has no table incidents"):
        Reader(path).rows("incidents")
    before = [stored.hash for stored in Reader(path).entries()]
    ledger = Ledger(path)
    assert (ledger.version, ledger.notes[0]) == (8, "it was brought from version 6 to version 8")
    assert (len(ledger.disputed("bac-01")), len(ledger.active_alarms("bac-01"))) == (1, 1)
    assert ledger.incidents("bac-01", 10) == []
    assert [stored.hash for stored in ledger.entries()] == before
    ledger.append([incident(70, 20, "a")])
    ledger.close()
    assert audit.verify(path).faults == []
