"""What belongs to a shoe or coup: requests that name it, however late; cards; gaps since it began."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from report_scene import Scene, at, scope
from sabot_floor.commands.entries import Refused
from sabot_floor.commands.log import CommandLog
from sabot_floor.reports.day import day_report
from sabot_floor.reports.play import ShoeKey
from sabot_floor.reports.shoe import coup_report, shoe_report
from sabot_floor.reports.source import Source
from sabot_floor.store import Store, open_store
from sabot_protocol.topics import Step

SHOE = ShoeKey("bac-01", "", 1)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with open_store(str(tmp_path / "floor.db")) as opened:
        yield opened


def test_requests_that_name_a_coup_are_its_own_however_late(store: Store) -> None:
    scene = Scene(store)
    scene.coup("c2", at("20:00"), 1, 2)
    scene.coup("c3", at("20:01"), 1, 3)
    scene.coup("c4", at("20:02"), 1, 4)
    for number, time in enumerate((at("20:01:01"), at("20:30"), at("09:00", 17)), 1):
        scene.request(f"q{number}", time, "decide", "E. Low", args={"coup": "1/3"}, ok=False)
    scene.request("pay", at("21:00"), "payment", "A. Smith", args={"coup": "1/3", "direction": "over"})
    scene.request("other", at("21:01"), "dispute", "A. Smith", args={"coup": "1/4"})
    scene.request("longer", at("21:02"), "dispute", "A. Smith", args={"coup": "1/33"})
    scene.request("old", at("19:00"), "dispute", "A. Smith", args={"coup": "2/3"})
    scene.incident("i1", at("21:00"), "wrong_payment", Step(name="enquire", say="Enquire."), coup=(1, 3))
    scene.request("step", at("22:00"), "step", "E. Low", args={"incident": "i1", "step": "enquire"}, ok=False)
    scene.request("step-2", at("22:01"), "step", "E. Low", args={"incident": "i2", "step": "enquire"}, ok=False)
    scene.save()
    refused: dict[str, Any] = {
        "table": "bac-01",
        "verb": "decide",
        "args": {"coup": "1/3"},
        "clause": "",
        "second": "",
        "by": "root",
    }
    CommandLog(store).append([Refused(time=at("23:00"), person="elow", say="A Dealer may not do this.", **refused)])
    coup = coup_report(Source(store), scope(), SHOE, 3)
    assert [(row.attempt, row.ok) for row in coup.decisions] == [
        ("q1", False),
        ("q2", False),
        ("pay", True),
        ("step", False),
        ("", False),  # refused by the floor service
        ("q3", False),
    ]
    shoe = shoe_report(Source(store), scope(), SHOE)
    expected = ["q1", "q2", "pay", "other", "longer", "step", "", "q3"]
    assert [row.attempt for row in shoe.decisions] == expected


def test_the_number_of_a_coup_means_the_newer_shoe_of_that_number(store: Store) -> None:
    scene = Scene(store)
    scene.coup("c1", at("20:00"), 1, 1)
    scene.request("own", at("20:30"), "dispute", "A. Smith", args={"coup": "1/1"})
    scene.add("shoe", _opened(scene, at("21:00"), "5ab0000000000009"))
    scene.coup("d1", at("21:10"), 1, 1, unit="5ab0000000000009")
    scene.request("newer", at("21:30"), "dispute", "A. Smith", args={"coup": "1/1"})
    scene.save()
    units = {"own": "5ab0000000000001", "newer": "5ab0000000000009"}
    for attempt, unit in units.items():
        report = coup_report(Source(store), scope(), ShoeKey("bac-01", unit, 1), 1)
        assert [row.attempt for row in report.decisions] == [attempt]


def _opened(scene: Scene, time: str, unit: str) -> dict[str, object]:
    fields = {"state": "open", "decks": 8, "card_set": 1, "burn": "one", "unit": unit}
    return scene.common("s-9", time, 1, 0) | fields


def test_a_gap_since_a_coup_began_makes_its_report_incomplete(store: Store) -> None:
    scene = Scene(store)
    scene.coup("c1", at("20:00"), 1, 1)  # entry 1 of gw-1
    scene.coup("c2", at("20:01"), 1, 2)
    scene.coup("o1", at("20:00"), 1, 1, "bac-02")  # entry 1 of gw-2
    scene.add("jackpot/lucky-tie/recorded", {})
    scene.add("jackpot/lucky-tie/recorded", {}, "gw-2")
    scene.coup("c9", at("10:00", 17), 1, 9)  # entry 4 of gw-1: entry 3 is missing
    scene.coup("o9", at("10:00", 17), 1, 9, "bac-02")
    scene.save()
    for gateway, last in (("gw-1", 4), ("gw-2", 3)):
        scene.covered(gateway, 0, last - 2)
        scene.covered(gateway, last - 1, last)
    for report in (coup_report(Source(store), scope(), SHOE, 1), shoe_report(Source(store), scope(), SHOE)):
        assert [(row.gateway, row.first, row.last) for row in report.gaps] == [("gw-1", 3, 3)]
        assert not report.head.complete
        assert "entry 3 is not in the store" in report.head.warnings[0]


def test_a_gap_before_a_shoe_began_is_not_its_own(store: Store) -> None:
    scene = Scene(store, after=3)  # entry 3 is missing
    scene.coup("c1", at("20:00"), 1, 1)
    scene.shoe(at("21:00"), 2, "open")
    scene.save()
    scene.covered("gw-1", 0, 2)
    scene.covered("gw-1", 3, 5)
    assert shoe_report(Source(store), scope(), SHOE).gaps
    report = shoe_report(Source(store), scope(), ShoeKey("bac-01", "", 2))
    assert (report.gaps, report.head.complete) == ([], True)
    assert report.head.begin == at("21:00")  # not the time of requests before it


def test_cards_of_a_check_after_the_closing_are_not_those_of_the_shoe(store: Store) -> None:
    scene = Scene(store)
    scene.shoe(at("20:00"), 1, "open")
    scene.card(at("20:01"), 1, 0, "burn", "5H")
    scene.shoe(at("21:00"), 1, "closed")
    scene.card(at("21:05"), 1, 80, "burn", "2S")  # nobody checks the decks
    scene.request("k1", at("21:10"), "deck-check", "C. Lee", args={"on": 1})
    scene.card(at("21:11"), 1, 81, "burn", "3S")
    scene.request("k2", at("21:20"), "deck-check", "C. Lee", args={"on": 0})
    scene.card(at("21:21"), 1, 82, "burn", "4S")
    scene.save()
    assert [row.card for row in shoe_report(Source(store), scope(), SHOE).cards] == ["5H", "2S", "4S"]
    (check,) = day_report(Source(store), scope(), date(2026, 11, 17)).deck_checks
    assert (check.attempt, check.cards) == ("k1", 1)
