"""What one table publishes changes nothing that is reported of another, whatever ids it names; doubts are said."""

from typing import Any

import msgspec
import pytest
from projection_rows import GATEWAY, alarm, attempt, confirmed, coup, incident, outcome, shoe, time
from sabot_floor.gaming_day import Calendar, Span
from sabot_floor.projection.writing import insert
from sabot_floor.reports.day import period_report
from sabot_floor.reports.play import ShoeKey
from sabot_floor.reports.shoe import shoe_report
from sabot_floor.reports.source import Scope, Source
from sabot_floor.store import Store
from sabot_floor.store.rows import Contradiction, Coup, Head

OWN: list[Any] = [
    shoe(1, "open"),
    coup(3, kind="live", status="disputed", winner="player"),
    coup(4, kind="live", status="verified", winner="banker"),
    coup(5, kind="live", status="confirmed", winner="player", coup=3, corrects="u1-3", by="A", attempt="g-1"),
    confirmed(6, "u1-4", coup=4),
    alarm(7, "u1-7", "raised", name="discrepancy", coup=3),
    attempt(8, id="g-1", verb="decide", role="pit_boss"),
    outcome(9, "g-1"),
    incident(10, "u1-7", time(10), alarm="u1-7"),
    alarm(11, "u1-11", "raised", name="coup_void", coup=12, shoe_says="misdeal"),
    coup(12, kind="void", status="void"),
]
FORGED: list[Any] = [
    coup(3, kind="live", status="verified", winner="tie", time=time(2)),
    coup(13, kind="void", status="void", winner="", coup=4, corrects="u1-4"),
    coup(14, kind="void", status="void", winner="", coup=3, corrects="u1-5"),
    confirmed(15, "u1-3", coup=3, status="void"),
    confirmed(16, "u1-4", coup=4, status="void", by="B"),
    alarm(17, "u1-7", "acknowledged", by="B"),
    alarm(18, "u1-7", "cleared", by="B"),
    attempt(8, id="g-1", verb="decide", role="dealer", by="B"),
    outcome(19, "g-1", ok=0, say="no"),
    incident(20, "u1-7", time(10), state="closed", alarm="u1-7"),
    alarm(21, "u1-11", "raised", name="coup_void", coup=12, shoe_says="short_shoe"),
]
SCOPE = Scope(Span(time(0), time(600)), (), Calendar(), "sydney", time(700))


def reported(store: Store) -> list[Any]:
    """Every row about the table, of the report of the time and of its shoe."""
    source = Source(store)
    shoe_of = shoe_report(source, SCOPE, ShoeKey("t1", "u1", 1))
    day = msgspec.to_builtins(period_report(source, SCOPE, "a time"))
    rows = {name: [row for row in found if row.get("table") == "t1"] for name, found in day.items() if name != "head"}
    return [rows, msgspec.to_builtins(shoe_of)]


def test_ids_that_a_neighbour_names_change_nothing_of_another_table(store: Store) -> None:
    with store.writing("projection"):
        insert(store, OWN)
    before = reported(store)
    with store.writing("projection"):
        insert(store, [row._replace(table="t2", gateway=gateway) for row in FORGED for gateway in ("0000", "ffff")])
    assert reported(store) == before


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([Contradiction(GATEWAY, 4, "t1/coup u1-4", "t2/coup u1-9")], ("entry 4 ", "t1/coup u1-4", "t2/coup u1-9")),
        ([Head(GATEWAY, "2026-03-01", 8, "ff", time(30), "")], ("entry 8", "up to 12")),
    ],
)
def test_a_report_says_what_may_be_false(store: Store, rows: list[Any], said: tuple[str, ...]) -> None:
    with store.writing("projection"):
        insert(store, [*OWN, *rows])
        store.execute("INSERT INTO coverage VALUES (?, 0, 12)", (GATEWAY,))
    head = period_report(Source(store), SCOPE, "a time").head
    assert not head.complete
    assert all(any(word in warning for warning in head.warnings) for word in said), head.warnings


def test_a_later_head_or_another_day_gives_no_doubt(store: Store) -> None:
    with store.writing("projection"):
        insert(store, [*OWN, Contradiction(GATEWAY, 4, "a", "b"), Head(GATEWAY, "2026-03-01", 12, "ff", time(12), "")])
        store.execute("INSERT INTO coverage VALUES (?, 0, 12)", (GATEWAY,))
    assert period_report(Source(store), SCOPE.of(Span(time(300), time(600))), "later").head.complete


def test_the_same_id_at_two_tables_is_two_coups(store: Store) -> None:
    one = coup(3, kind="live", status="verified", winner="player")
    other: Coup = one._replace(table="t2", gateway="0000", winner="tie")
    with store.writing("projection"):
        insert(store, [one, other])
    counts = period_report(Source(store), SCOPE, "a time").coups
    assert sorted((row.table, row.coups) for row in counts) == [("t1", 1), ("t2", 1)]
