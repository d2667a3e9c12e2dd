"""The reports of a month, a shoe, a coup and a person, against the day written by hand."""

from collections.abc import Iterator
from datetime import date

import pytest
from floor_stores import BACKENDS
from report_day import write
from report_scene import UNIT, Scene, at, scope
from sabot_floor.reports.contents import CoupReport, MonthReport, PersonReport, ShoeReport
from sabot_floor.reports.day import day_report
from sabot_floor.reports.month import month_report
from sabot_floor.reports.person import person_report
from sabot_floor.reports.play import ShoeKey
from sabot_floor.reports.shoe import coup_report, shoe_report
from sabot_floor.reports.source import NotFoundError, Source
from sabot_floor.store import open_store


@pytest.fixture(scope="module", params=BACKENDS)
def source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Source]:
    """The store of the day, of each kind."""
    url = str(tmp_path_factory.mktemp("report") / "floor.db")
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres").new_store()
    with open_store(url) as store:
        write(store)
        yield Source(store)


@pytest.fixture(scope="module")
def month(source: Source) -> MonthReport:
    """The report of November."""
    return month_report(source, scope(), 2026, 11)


def test_the_sums_of_the_days(month: MonthReport) -> None:
    assert (month.head.report, month.head.about) == ("month", "2026-11")
    assert (month.head.begin, month.head.end) == ("2026-10-31T19:00:00.000Z", "2026-11-30T19:00:00.000Z")
    rows = {row.day: row for row in month.days}
    assert list(rows)[-1] == "2026-11-18"  # days that have not begun are not listed
    day = rows["2026-11-17"]
    # Shoe 4 was opened in the day, shoe 3 before it, the one of bac-02 is not known.
    assert (day.shoes, day.coups, day.live, day.unwagered, day.voids) == (1, 9, 5, 2, 2)
    assert (day.irregularities, day.discrepancies, day.deck_checks, day.keyed_cards) == (3, 1, 3, 1)  # no refused check
    assert (day.alarms, day.decisions, day.refused) == (8, 14, 4)
    assert (day.incidents, day.notifications, day.late, day.wins) == (3, 4, 1, 1)
    assert (day.open_s, day.complete) == (4 * 3600, False)
    before = rows["2026-11-16"]
    assert (before.shoes, before.coups, before.live, before.incidents, before.complete) == (1, 1, 1, 2, True)
    assert sum(row.coups for row in month.coups) == sum(row.coups for row in month.days) == 10


def test_days_before_the_first_entry_are_not_covered(month: MonthReport, source: Source) -> None:
    # Shoe 3 was opened at 18:30 UTC on 16 November, 05:30 in Sydney: on the gaming day of the 16th.
    rows = {row.day: row.complete for row in month.days}
    assert (rows["2026-11-14"], rows["2026-11-15"], rows["2026-11-16"]) == (False, False, True)
    warning = "The store has nothing before 2026-11-17 05:30:00: what came before is not covered."
    assert warning in month.head.warnings
    day = day_report(source, scope(), date(2026, 11, 15))
    assert (day.head.complete, day.head.warnings[0]) == (False, warning)
    assert not any("not covered" in text for text in day_report(source, scope(), date(2026, 11, 16)).head.warnings)


def test_the_register_of_payments(month: MonthReport) -> None:
    # The Star 12.20.2: above $1,000 to the NICC; $1,000.00 itself is not above.
    rows = [(row.incident, row.direction, row.amount, row.patron, row.intentional) for row in month.payments]
    assert rows == [
        ("p0", "over", 250_000, "Q.", True),  # of October, notified and closed in November
        ("p1", "over", 100_001, "P. Patron", False),
        ("p2", "under", 100_000, "", True),
    ]
    assert [(row.date, row.enquired, row.identified, row.notified, row.note) for row in month.payments] == [
        ("2026-10-05", "", at("08:00", 2), at("09:00", 3), ""),
        ("2026-11-17", at("22:10"), "", "", "camera 4"),
        ("", "", "", "", ""),
    ]
    assert [(row.incident, row.to_nicc) for row in month.large_payments] == [("p1", True)]


def test_every_misdelivery_of_premium_is_in_the_month(month: MonthReport) -> None:
    (row,) = month.misdeliveries
    assert (row.time, row.shoe, row.coup, row.clause) == (at("10:00"), 2, 7, "14.12.1")
    assert row.followed == ["0 of 2 steps done"]


def test_a_month_without_data(source: Source) -> None:
    report = month_report(source, scope(), 2026, 2)
    assert report.head.empty
    assert len(report.days) == 28
    assert "There is no data" in report.head.warnings[-1]


@pytest.fixture(scope="module")
def shoe(source: Source) -> ShoeReport:
    """The report of shoe 3."""
    return shoe_report(source, scope(), ShoeKey("bac-01", "", 3))


def test_the_coups_of_a_shoe(shoe: ShoeReport) -> None:
    assert shoe.head.about == "bac-01/3"
    assert [(row.unit, row.opened, row.closed, row.coups) for row in shoe.shoes] == [
        (UNIT, at("18:30"), at("21:00"), 7)
    ]
    found = [(row.coup, row.coup_id, row.status, row.confirmed) for row in shoe.coups]
    assert found == [
        (40, "c40-2", "confirmed", ""),
        (41, "c41", "verified", at("19:05:20")),
        (42, "c42-2", "confirmed", at("19:14:31")),
        (43, "c43", "verified", ""),
        (44, "c44-2", "void", ""),
        (45, "c45", "verified", ""),
        (46, "c46", "verified", ""),
    ]
    assert [(row.coup_id, row.status, row.corrected_by) for row in shoe.corrected] == [
        ("c40", "disputed", "c40-2"),
        ("c42", "disputed", "c42-2"),
        ("c44", "verified", "c44-2"),
    ]
    first = shoe.coups[1]
    assert (first.player, first.banker, first.player_points, first.banker_points) == (["2S", "3D"], ["KH", "6C"], 5, 6)
    assert (first.player_pair, first.banker_pair, first.natural, first.last_coup) == (True, False, True, False)
    assert (shoe.coups[2].by, shoe.coups[2].role) == ("A. Smith", "casino_supervisor")


def test_what_else_happened_in_a_shoe(shoe: ShoeReport) -> None:
    assert [(row.slot, row.card) for row in shoe.cards] == [("burn", "5H")]
    assert [row.name for row in shoe.irregularities] == ["discrepancy", "wrong_area"]
    assert [row.attempt for row in shoe.decisions] == [
        "q40",
        "q42",
        "q43",
        "q49",
        "q45",
        "q46",
        "q44",
    ]  # q39 is about shoe 2
    assert {"i1", "p1", "p2"} <= {row.incident for row in shoe.incidents}
    assert {"old", "g1"} <= {row.alarm for row in shoe.alarms}


@pytest.fixture(scope="module")
def coup(source: Source) -> CoupReport:
    """The report of the disputed coup."""
    return coup_report(source, scope(), ShoeKey("bac-01", UNIT, 3), 42)


def test_a_coup_from_its_first_message_to_its_final_state(coup: CoupReport) -> None:
    assert coup.head.about == "bac-01/3/42"
    assert [(row.coup_id, row.status, row.corrected_by, row.confirmed) for row in coup.messages] == [
        ("c42", "disputed", "c42-2", ""),
        ("c42-2", "confirmed", "", at("19:14:31")),
    ]
    assert coup.final == coup.messages[-1:]
    assert [row.alarm for row in coup.alarms] == ["a42"]
    assert [row.attempt for row in coup.decisions] == ["q42"]  # not the one about 3/40
    assert [row.name for row in coup.irregularities] == ["discrepancy"]


def test_the_cards_incident_and_requests_of_a_coup(source: Source) -> None:
    keyed = coup_report(source, scope(), ShoeKey("bac-01", "", 4), 1)
    assert [(row.card, row.notes) for row in keyed.cards] == [("9C", ["keyed"])]
    assert [row.attempt for row in keyed.decisions] == ["q51"]
    foreign = coup_report(source, scope(), ShoeKey("bac-01", "", 3), 46)
    assert [(row.incident, row.state) for row in foreign.incidents] == [("i1", "closed")]
    assert [row.name for row in foreign.steps] == ["void", "notify_inspector"]


def test_shoes_and_coups_that_there_are_not(source: Source) -> None:
    with pytest.raises(NotFoundError, match="no shoe 9 at table 'bac-01'; the shoes of a day are in `sabot report day"):
        shoe_report(source, scope(), ShoeKey("bac-01", "", 9))
    with pytest.raises(NotFoundError, match="no shoe 3 of unit zz"):
        shoe_report(source, scope(), ShoeKey("bac-01", "zz", 3))
    with pytest.raises(NotFoundError, match="has no coup 99 in the store; it has coups 40 to 46"):
        coup_report(source, scope(), ShoeKey("bac-01", "", 3), 99)


def test_two_units_with_a_shoe_of_one_number_are_asked_for(tmp_path_factory: pytest.TempPathFactory) -> None:
    with open_store(str(tmp_path_factory.mktemp("units") / "floor.db")) as store:
        scene = Scene(store)
        scene.coup("c1", at("20:00"), 1, 1)
        scene.coup("c2", at("21:00"), 1, 1, unit="5ab0000000000009")
        scene.save()
        with pytest.raises(NotFoundError, match=f"units: 5ab0000000000009, {UNIT}; give one with --unit"):
            shoe_report(Source(store), scope(), ShoeKey("bac-01", "", 1))
        assert len(shoe_report(Source(store), scope(), ShoeKey("bac-01", UNIT, 1)).coups) == 1


def test_a_coup_that_is_decided_at_the_gateway(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The decision has the gateway as its unit; the shoe is still one, and the coup has a verdict."""
    with open_store(str(tmp_path_factory.mktemp("decided") / "floor.db")) as store:
        scene, decided = Scene(store), {"by": "A. Smith", "clause": "12.13", "decided": at("20:01")}
        scene.coup("c1", at("20:00"), 1, 1, status="disputed")
        scene.alarm("a1", at("20:00"), "discrepancy", (1, 1))
        scene.coup("d1", at("20:01"), 1, 1, unit="gw-1", status="confirmed", corrects="c1", **decided)
        scene.confirmed("f1", at("20:01"), 1, 1, "d1")
        scene.save()
        (coup,) = shoe_report(Source(store), scope(), ShoeKey("bac-01", "", 1)).coups
        assert (coup.status, coup.by, coup.confirmed) == ("confirmed", "A. Smith", at("20:01"))
        (final,) = coup_report(Source(store), scope(), ShoeKey("bac-01", "", 1), 1).final
        assert final == coup
        (row,) = day_report(Source(store), scope(), date(2026, 11, 17)).discrepancies
        assert (row.verdict, row.winner, row.by, row.response_s) == ("confirmed", "banker", "A. Smith", 60.0)


def _person(source: Source, name: str) -> PersonReport:
    span = scope().calendar.days(date(2026, 11, 17), date(2026, 11, 17))
    return person_report(source, scope().of(span), name)


def test_a_decision_at_a_gateway_is_of_the_unit_that_dealt(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Its messages have the id of the gateway for a unit: that is no second shoe."""
    with open_store(str(tmp_path_factory.mktemp("gateway") / "floor.db")) as store:
        scene = Scene(store)
        scene.coup("d1", at("20:00"), 8, 1, status="disputed")
        scene.coup("d2", at("20:01"), 8, 1, unit="gw-1", status="confirmed", corrects="d1", decided=at("20:01"))
        scene.confirmed("d3", at("20:02"), 8, 1, "d2")
        scene.save()
        shoe = shoe_report(Source(store), scope(), ShoeKey("bac-01", "", 8))
        coup = coup_report(Source(store), scope(), ShoeKey("bac-01", "", 8), 1)
    assert [(row.coup_id, row.unit, row.confirmed) for row in shoe.coups] == [("d2", UNIT, at("20:02"))]
    assert [(row.coup_id, row.unit) for row in coup.messages] == [("d1", UNIT), ("d2", UNIT)]
    assert coup.final[0].confirmed == at("20:02")


def test_what_a_person_did_and_approved(source: Source) -> None:
    report = _person(source, "a.  smith")  # spaces and large letters do not matter
    assert [row.attempt for row in report.decisions] == ["q40", "q42", "q51"]
    assert report.refused == []
    assert [row.coup_id for row in report.coups] == ["c40-2", "c42-2"]
    assert [row.alarm for row in report.alarms] == ["a42", "r1"]
    assert [row.incident for row in report.incidents] == ["p1", "p2"]
    assert [(row.incident, row.name) for row in report.steps] == [("p1", "enquire")]
    assert [row.act for row in report.jackpot_acts] == ["adjusted", "withdrawn"]
    assert report.wins == []


def test_steps_of_another_time_are_not_those_of_a_person(source: Source) -> None:
    span = scope().calendar.day(date(2026, 11, 2))
    report = person_report(source, scope().of(span), "A. Smith")
    assert [(row.incident, row.name) for row in report.steps] == [("p0", "identify_patron")]


def test_what_a_person_asked_for_and_was_refused(source: Source) -> None:
    assert [row.attempt for row in _person(source, "D. Deal").decisions] == ["q51"]
    low = _person(source, "E. Low")
    assert (low.decisions, [row.attempt for row in low.refused]) == ([], ["q49", "q46", "k5"])
    assert [row.win for row in _person(source, "M. Manager").wins] == ["f41"]


def test_a_person_whom_nobody_knows(source: Source) -> None:
    with pytest.raises(NotFoundError, match=r"has the name or id 'A\. Smit'; near to it: A\. Smith"):
        _person(source, "A. Smit")
    with pytest.raises(NotFoundError, match=r"id 'qqq'\. `sabot users list` has the people"):
        _person(source, "qqq")
    assert person_report(source, scope().of(scope().calendar.day(date(2026, 1, 5))), "A. Smith").head.empty


def test_a_table_that_the_store_does_not_have(source: Source) -> None:
    for report in (
        day_report(source, scope("xx-01"), date(2026, 11, 17)),
        month_report(source, scope("xx-01"), 2026, 11),
    ):
        assert report.head.warnings[0] == "The store has nothing of table xx-01; it has bac-01, bac-02."
        assert report.head.empty  # acts on jackpots that are about no table are no data of this one
    both = day_report(source, scope("bac-01", "xx-01"), date(2026, 11, 17))
    assert both.head.warnings[0] == "The store has nothing of table xx-01; it has bac-01, bac-02."
    assert not both.head.empty
