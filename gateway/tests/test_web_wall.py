"""The wall as a view: one entry a table with road, counts, streak, hot tables, alarms without their texts, link."""

from typing import Any

import msgspec
import pytest
from sabot_floor.signs.limits import TableLimits
from sabot_floor.web.site_state import Link, SiteState
from sabot_floor.web.views.wall import WallAlarms, WallTable, view
from sabot_service.moment import Moment

AT = Moment(1.0, "2026-10-17T09:00:00.000Z")
ALARM = {
    "id": "a", "unit": "SHOE1", "event_no": 1, "table": "bac-01", "shoe": 1, "coup": 1, "time": AT.time,
    "rulebook": "", "name": "card", "say": "Card 8H is foreign.", "clause": "", "shoe_says": "8H", "cards_say": "",
    "alarm": "a", "state": "raised",
}  # fmt: skip


def put(site: SiteState, topic: str, message: object) -> None:
    assert site.received(f"sabot/v1/sydney/{topic}", msgspec.json.encode(message), AT), topic


def of_results(results: str, **more: Any) -> WallTable:
    """Return the entry of a table with these results."""
    site = SiteState("sydney", public=True)
    put(
        site,
        "bac-01/history",
        {"table": "bac-01", "time": AT.time, "state": "open", "phase": "bets", "results": results, **more},
    )
    return view(site, "", AT).tables[0]


def test_road_counts_and_streak() -> None:
    found = of_results("B B P T P", coup=6)
    assert (found.big, found.banker, found.player, found.tie) == ("B0.0 B1.0 P0.1=1 P1.1", 2, 2, 1)
    assert (found.streak_side, found.streak, found.hot, found.coup) == ("P", 2, "", 6)


@pytest.mark.parametrize(
    ("results", "hot"),
    [
        ("P B B B B B", ""),
        ("P B B B B B B", "streak"),
        ("P B B B T B B B", "streak"),  # a tie does not break it
        ("B P B P B", ""),
        ("B P B P B P", "chop"),
        ("B B P B P B P B", "chop"),
        ("B B P B P B P", ""),  # five changes after the streak of two
    ],
)
def test_hot_tables(results: str, hot: str) -> None:
    assert of_results(results).hot == hot


def test_a_closed_shoe_is_not_hot() -> None:
    assert of_results("B B B B B B B", state="closed").hot == ""


def test_alarms_are_counted_and_their_texts_left_out() -> None:
    site = SiteState("sydney", public=True)
    alarms = [{**ALARM, "severity": "info"}, {**ALARM, "severity": "critical"}, {**ALARM, "severity": "warning"}]
    put(site, "bac-01/alarms", {"table": "bac-01", "time": AT.time, "alarms": alarms, "more": 2})
    put(site, "bac-02/alarms", {"table": "bac-02", "time": AT.time, "alarms": []})
    found = view(site, "", AT)
    assert [table.alarms for table in found.tables] == [WallAlarms(5, "critical"), WallAlarms()]
    assert b"8H" not in msgspec.json.encode(found)


def test_tables_of_the_config_and_areas() -> None:
    site = SiteState("sydney", [TableLimits("bac-02", area="Salon"), TableLimits("bac-01", area="Main")])
    put(site, "bac-03/status", {"state": "online", "time": AT.time})
    found = view(site, "", AT)
    assert [(table.name, table.area) for table in found.tables] == [
        ("bac-01", "Main"),
        ("bac-02", "Salon"),
        ("bac-03", ""),
    ]
    assert found.areas == ["Main", "Salon"]
    assert found.tables[0].link == Link(False, False, False)
    assert found.tables[0].state == "unknown"
