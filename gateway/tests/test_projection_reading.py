"""The reading of the projection: ranges of time, one shoe, one coup, one person; SQLite and PostgreSQL."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from projection_rows import (
    GATEWAY,
    alarm,
    attempt,
    card,
    confirmed,
    coup,
    health,
    incident,
    increment,
    outcome,
    shoe,
    time,
)
from sabot_floor.projection import reading
from sabot_floor.projection.reading import Alarm, Decision, Reading
from sabot_floor.projection.writing import insert
from sabot_floor.store import Store, open_store
from sabot_floor.store.rows import Row


def holding(store: Store, *rows: Row) -> Reading:
    """The reading of a store that holds these rows, each inserted twice."""
    for _ in range(2):
        with store.writing("projection"):
            insert(store, rows)
    return Reading(store)


def test_a_range_has_its_start_and_not_its_end(store: Store) -> None:
    found = holding(store, *(coup(minute) for minute in (59, 60, 61, 119, 120)))
    assert [row.entry for row in found.coups("2026-03-01T01:00:00Z", "2026-03-01T02:00:00Z")] == [60, 61, 119]
    assert [row.entry for row in found.coups(time(60), time(120))] == [60, 61, 119]
    assert [row.entry for row in found.coups("2026-03-01T01", "2026-03-01T02")] == [60, 61, 119]


def test_a_range_of_many_pages_has_every_row_once_in_order(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_PAGE", 3)
    same_time = [coup(entry, time=time(5), gateway=gateway) for entry in range(1, 8) for gateway in ("b", "a")]
    found = holding(store, *same_time, coup(9, table="t2"))
    expected = [("a", entry) for entry in range(1, 8)] + [("b", entry) for entry in range(1, 8)]
    assert [(row.gateway, row.entry) for row in found.coups(time(5), time(6))] == expected
    assert [row.table for row in found.coups(time(0), time(99), "t2")] == ["t2"]


def test_the_newest_rows_about_sensors_come_oldest_first(store: Store) -> None:
    rows = [health(entry, sensor, shoe=entry // 10) for entry in (10, 20, 30) for sensor in ("a",)]
    found = holding(store, *reversed(rows), health(40, "a", table="t2"))
    assert [row.shoe for row in found.health("t1", 2)] == [2, 3]
    assert [row.shoe for row in found.health("t1", 99)] == [1, 2, 3]
    assert found.health("t3", 99) == []


def test_an_alarm_has_its_end_however_late_and_the_first_of_two_acknowledgements(store: Store) -> None:
    raised, other = alarm(1, "u1-1", "raised"), alarm(2, "u1-2", "raised")
    first, second = alarm(100, "u1-1", "acknowledged", by="A"), alarm(101, "u1-1", "acknowledged", by="B")
    cleared = alarm(200, "u1-1", "cleared")
    found = holding(store, cleared, second, first, other, raised)
    assert list(found.alarms(time(0), time(10))) == [Alarm(raised, first, cleared), Alarm(other, None, None)]
    assert found.alarms_by("B", time(0), time(999)) == [second]


def test_a_decision_is_a_request_with_its_answer(store: Store) -> None:
    made, unanswered, answer = attempt(1, id="g-1"), attempt(2, id="g-2", by="B. Jones"), outcome(7, "g-1")
    found = holding(store, answer, unanswered, made)
    assert list(found.decisions(time(0), time(5))) == [Decision(made, answer), Decision(unanswered, None)]
    assert found.decisions_by("B. Jones", time(0), time(5)) == [Decision(unanswered, None)]
    assert found.attempt("g-1", "t1") == Decision(made, answer)
    assert found.attempt("g-9", "t1") is None


def test_a_shoe_has_all_that_happened_in_it_and_nothing_of_others(store: Store) -> None:
    opened, closed, burnt = shoe(1, "open"), shoe(9, "closed"), card(2)
    dealt, confirmation, raised = coup(3), confirmed(4, "u1-3"), alarm(5, "u1-5", "raised")
    open_one = incident(6, "i1", time(6))
    others: list[Row] = [
        shoe(11, "open", shoe=2),
        coup(12, shoe=2),
        coup(13, unit="u2"),
        card(14, shoe=2),
        confirmed(15, "u1-12"),
    ]
    found = holding(store, opened, closed, burnt, dealt, confirmation, raised, open_one, *others).shoe("t1", "u1", 1)
    assert (found.shoe.opened, found.shoe.closed) == (opened, closed)
    assert (found.coups, found.confirmed, found.cards) == ([dealt], [confirmation], [burnt])
    assert (found.alarms, found.incidents) == ([Alarm(raised, None, None)], [open_one])


def test_a_coup_has_every_message_about_it(store: Store) -> None:
    first, second = coup(3, coup=7), coup(5, coup=7, corrects="u1-3", by="A. Smith")
    found = holding(store, second, first, coup(4, coup=8))
    assert found.coup("t1", "u1", 1, 7) == [first, second]
    assert found.coup_by_id("u1-3") == first
    assert found.coup_by_id("none") is None
    assert found.corrections(first) == [second]
    assert found.coups_by("A. Smith", time(0), time(9)) == [second]


def test_the_newest_state_of_an_incident_counts_whatever_came_last(store: Store) -> None:
    opened, closed = incident(3, "i1", time(3)), incident(8, "i1", time(3), state="closed")
    other = incident(4, "i2", time(4))
    found = holding(store, closed, other, opened)
    assert list(found.incidents(time(0), time(5))) == [closed, other]
    assert found.open_incidents() == [other]
    assert found.open_incidents("t2") == []


def test_increments_are_running_totals_by_the_half_hour(store: Store) -> None:
    early, late = increment(3, "2026-03-01T05:30", 3, 300), increment(9, "2026-03-01T06:00", 9, 900)
    older = increment(2, "2026-03-01T05:30", 2, 200)
    found = holding(store, late, early, older)
    assert found.increments("2026-03-01T05:30:00Z", "2026-03-01T06:30:00Z") == [early, late]
    assert found.increment_before("grand", GATEWAY, "t1", "2026-03-01T06:00:00Z") == early
    assert found.increment_before("grand", GATEWAY, "t1", "2026-03-01T05:30:00Z") is None


@pytest.mark.parametrize("table", ["", "t1"])
def test_a_range_is_read_from_an_index_by_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str) -> None:
    with open_store(str(tmp_path / "floor.db")) as store:
        real, plans = store.select, list[str]()

        def explained(query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
            plans.append("; ".join(str(row[-1]) for row in real(f"EXPLAIN QUERY PLAN {query}", values)))
            return real(query, values)

        monkeypatch.setattr(store, "select", explained)
        found, day = Reading(store), (time(0), time(99))
        for read in (found.coups, found.confirmed, found.cards, found.shoe_changes, found.alarms, found.decisions):
            list(read(*day, table))
        list(found.incidents(*day, table))
        assert [("time>? AND time<?" in plan, "TEMP B-TREE" in plan) for plan in plans[:6]] == [(True, False)] * 6
        assert "opened>? AND opened<?" in plans[6]
