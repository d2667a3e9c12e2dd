"""The report of a day, against a day written by hand: each row as a person would read it from the entries."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from floor_stores import BACKENDS
from report_day import write
from report_scene import NOW, UNIT, Scene, at, scope
from sabot_floor.reports.contents import DayReport
from sabot_floor.reports.day import day_report, period_report
from sabot_floor.reports.incidents import step_state
from sabot_floor.reports.play import ShoeKey
from sabot_floor.reports.shoe import coup_report, shoe_report
from sabot_floor.reports.source import Source
from sabot_floor.store import Store, open_store
from sabot_protocol.topics import Step

DAY = date(2026, 11, 17)


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
def day(source: Source) -> DayReport:
    """The report of the day."""
    return day_report(source, scope(), DAY)


def test_the_head(day: DayReport) -> None:
    head = day.head
    assert (head.report, head.about, head.site, head.tables) == ("day", "2026-11-17", "sydney", [])
    assert (head.begin, head.end) == (at("19:00"), at("19:00", 17))
    assert (head.gaming_day, head.time_zone, head.made) == ("06:00", "Australia/Sydney", NOW)
    assert not head.empty


def test_a_gap_is_a_warning_and_never_silence(day: DayReport) -> None:
    assert [(row.gateway, row.first, row.last, row.after, row.before) for row in day.gaps] == [
        ("gw-2", 2, 3, at("22:00"), at("22:30"))
    ]
    assert not day.head.complete
    assert day.head.warnings == [
        "Of gateway gw-2 entries 2 to 3 are not in the store, so this report may be incomplete. Bring them in from its "
        "ledger: sabot floor rebuild --ledger FILE"
    ]


def test_a_gap_of_another_day_is_no_warning(source: Source) -> None:
    for day in (16, 18):
        report = day_report(source, scope(now=at("00:00", 25)), date(2026, 11, day))
        assert (report.gaps, report.head.complete, report.head.warnings) == ([], True, [])


def test_coups_are_counted_once_in_their_current_state(day: DayReport) -> None:
    # 3/40 is of the day before. 3/42 was disputed and is confirmed, 3/44 is voided on the next day.
    assert [(row.table, row.kind, row.status, row.coups) for row in day.coups] == [
        ("bac-01", "dummy", "verified", 1),  # 46
        ("bac-01", "live", "confirmed", 1),  # 42
        ("bac-01", "live", "verified", 2),  # 41, 4/1
        ("bac-01", "live", "void", 1),  # 44
        ("bac-01", "no_bet", "verified", 1),  # 45
        ("bac-01", "void", "verified", 1),  # 43
        ("bac-02", "live", "verified", 2),
    ]


def test_the_correction_of_an_earlier_coup_is_listed(day: DayReport) -> None:
    found = [(row.shoe, row.coup, row.status, row.by, row.role, row.corrects) for row in day.corrected]
    assert found == [(3, 40, "confirmed", "A. Smith", "casino_supervisor", "c40")]


def test_shoes_and_how_long_the_tables_played(day: DayReport) -> None:
    assert [(row.table, row.shoe, row.opened, row.closed, row.decks, row.coups) for row in day.shoes] == [
        ("bac-02", 1, "", "", 0, 2),
        ("bac-01", 3, at("18:30"), at("21:00"), 8, 6),
        ("bac-01", 4, at("21:30"), at("23:00"), 8, 1),
    ]
    # bac-01: 19:00 to 21:00 and 21:30 to 23:00. bac-02: only its coups are known, half an hour apart.
    assert [(row.table, row.open_s, row.first, row.last, row.shoes, row.coups) for row in day.played] == [
        ("bac-01", 3.5 * 3600, at("19:05"), at("21:40"), 2, 7),
        ("bac-02", 0.5 * 3600, at("22:00"), at("22:30"), 1, 2),
    ]


def test_irregularities_and_what_followed(day: DayReport) -> None:
    assert [(row.time, row.coup, row.name, row.case, row.clause, row.followed) for row in day.irregularities] == [
        (
            *(at("19:12:01"), 42, "discrepancy", "", "12.13"),
            ["coup live confirmed by A. Smith (12.13)", "cleared by A. Smith"],
        ),
        (
            *(at("20:30"), 46, "wrong_area", "wrong_area", "12.1"),
            ["coup dummy verified", "incident foreign_card closed, 2 of 2 steps done"],
        ),
        (at("23:39:59"), 0, "decks_differ", "", "12.11", []),
    ]


def test_voids(day: DayReport) -> None:
    found = [(row.time, row.coup, row.by, row.role, row.clause, row.reason, row.cards) for row in day.voids]
    assert found == [
        (at("19:20"), 43, "B. Jones", "", "12.1.2", "misdeal", ["2S", "KH"]),
        (at("20:00", 17), 44, "B. Jones", "", "14.5.2", "discrepancy", ["2S", "3D", "KH", "6C"]),
    ]


def test_discrepancies(day: DayReport) -> None:
    (row,) = day.discrepancies
    assert (row.shoe, row.coup, row.shoe_says, row.cards_say) == (3, 42, "player", "banker")
    assert (row.verdict, row.winner, row.by, row.role) == ("confirmed", "banker", "A. Smith", "casino_supervisor")
    assert (row.raised, row.decided, row.response_s) == (at("19:12:01"), at("19:14:31"), 150)


def test_coups_without_wagers_and_who_authorised_them(day: DayReport) -> None:
    assert [(row.coup, row.kind, row.by, row.role, row.clause, row.attempt) for row in day.unwagered] == [
        (45, "no_bet", "C. Lee", "casino_supervisor", "7.4", "q45"),
        (46, "dummy", "", "", "", ""),
    ]


def test_checks_of_the_composition(day: DayReport) -> None:
    assert [(row.time, row.by, row.decks, row.result, row.say, row.alarm) for row in day.deck_checks] == [
        (at("23:10"), "C. Lee", 0, "differs", "One card differs.", "d1"),
        (at("23:50"), "C. Lee", 1, "complete", "The decks are complete.", ""),
        (at("00:20", 17), "E. Low", 0, "refused", "A shoe is open.", ""),
        (at("00:30", 17), "C. Lee", 0, "open", "Done.", ""),
    ]


def test_keyed_cards(day: DayReport) -> None:
    (row,) = day.keyed_cards
    assert (row.shoe, row.coup, row.slot, row.card) == (4, 1, "banker_2", "9C")
    assert (row.by, row.role, row.asks, row.asks_role) == ("A. Smith", "casino_supervisor", "D. Deal", "dealer")
    assert (row.clause, row.attempt) == ("11.8.12", "q51")


def test_alarms_and_response_times(day: DayReport) -> None:
    found = [(row.alarm, row.state, row.acknowledged_by, row.acknowledged_s, row.cleared_s) for row in day.alarms]
    assert found == [
        ("a42", "cleared", "", None, 150),
        ("a43", "raised", "", None, None),
        ("r1", "cleared", "A. Smith", 30, 120),
        ("r2", "cleared", "", None, 10),
        ("r3", "raised", "", None, None),
        ("w1", "raised", "", None, None),
        ("g1", "raised", "", None, None),
        ("d1", "raised", "", None, None),
    ]
    rows = {row.name: row for row in day.responses}
    reject = rows["reject"]
    assert (reject.raised, reject.acknowledged, reject.cleared) == (3, 1, 2)
    assert (reject.median_s, reject.longest_s) == (30, 30)  # the shoe cleared the other: nobody responded
    assert (rows["wrong_area"].median_s, rows["wrong_area"].longest_s) == (None, None)


def test_decisions(day: DayReport) -> None:
    assert [row.attempt for row in day.decisions] == [
        *("q40", "q42", "q43", "q39", "q49", "q45", "q46", "q51"),
        *("k1", "k2", "k3", "k4", "k5", "k6"),
    ]
    rows = {row.attempt: row for row in day.decisions}
    decided, local, refused, keyed = (rows[name] for name in ("q42", "q43", "q49", "q51"))
    assert (decided.by, decided.role, decided.act) == ("A. Smith", "casino_supervisor", "decide_discrepancy")
    assert (decided.origin, decided.coup, decided.args) == ("floor", "3/42", '{"verdict":"confirmed"}')
    assert (decided.ok, decided.answered, decided.say) == (True, at("19:14:31"), "Coup 3/42 is confirmed.")
    assert (local.origin, local.role, local.user) == ("local", "", "bjones")
    assert (refused.ok, refused.say) == (False, "A Dealer may not do this.")
    assert (keyed.asks, keyed.asks_role) == ("D. Deal", "dealer")


def test_incidents_steps_and_notifications(day: DayReport) -> None:
    # `i-` was over before the day began.
    assert [(row.incident, row.state, row.steps, row.done, row.late, row.closed) for row in day.incidents] == [
        ("i0", "open", 2, 0, 0, ""),
        ("i1", "closed", 2, 2, 1, at("21:05")),
        ("p1", "open", 2, 1, 0, ""),
        ("p2", "open", 1, 0, 0, ""),
    ]
    assert [(row.incident, row.name, row.state) for row in day.steps if row.incident == "i1"] == [
        ("i1", "void", "done"),
        ("i1", "notify_inspector", "done late"),
    ]
    assert [(row.row, row.to, row.due, row.state, row.by) for row in day.notifications] == [
        ("P-78", ["inspector"], "month_end", "open", ""),
        ("P-75", ["inspector"], "daily", "done late", "C. Lee"),
        ("P-80", ["case_file"], "reasonable_time", "done", "A. Smith"),
        ("P-79", ["nicc"], "month_end", "open", ""),
        ("P-80", ["case_file"], "reasonable_time", "open", ""),
    ]


def test_jackpots(day: DayReport) -> None:
    (win,) = day.wins
    assert (win.jackpot, win.time, win.state, win.amount, win.currency) == (
        "lucky-tie",
        at("20:42"),
        "paid",
        2500,
        "AUD",
    )
    assert (win.table, win.shoe, win.coup, win.by, win.role) == ("bac-01", 3, 41, "M. Manager", "area_manager")
    assert [(row.act, row.table, row.amount, row.by, row.reason) for row in day.jackpot_acts] == [
        ("adjusted", "", 500, ["A. Smith", "M. Manager"], "missed coups"),
        ("withdrawn", "bac-02", None, ["A. Smith"], "lamp"),
    ]


def test_contributions_are_totals_at_the_end_less_those_before(day: DayReport) -> None:
    rows = [(row.jackpot, row.gateway, row.table, row.currency, row.count, row.amount) for row in day.increments]
    assert rows == [("lucky-tie", "gw-1", "bac-01", "AUD", 4, 90)]  # 14 - 10, 340 - 250


def test_one_table(source: Source) -> None:
    report = day_report(source, scope("bac-02"), DAY)
    assert [(row.table, row.coups) for row in report.coups] == [("bac-02", 2)]
    assert (report.alarms, report.decisions, report.incidents, report.wins) == ([], [], [], [])
    assert [row.act for row in report.jackpot_acts] == ["adjusted", "withdrawn"]  # an adjustment is of all tables
    both = day_report(source, scope("bac-01", "bac-02"), DAY)
    assert both.coups == day_report(source, scope(), DAY).coups


def test_a_period_of_two_days(source: Source) -> None:
    span = scope().calendar.days(date(2026, 11, 16), DAY)
    report = period_report(source, scope().of(span), "2026-11-16 to 2026-11-17")
    # Coup 3/40 is in the period now, confirmed by its correction.
    assert [row.coups for row in report.coups if row.status == "confirmed"] == [2]
    assert report.corrected == []


def test_a_day_without_data_says_it(source: Source) -> None:
    report = day_report(source, scope(), date(2026, 1, 1))
    assert report.head.empty
    not_covered, warning = report.head.warnings
    assert "not covered" in not_covered
    assert warning.startswith(f"There is no data: the newest coup of this store is of {at('20:00', 17)}.")


def test_today_is_not_over(source: Source) -> None:
    report = day_report(source, scope(now=at("23:00")), DAY)
    assert "This period is not over: the report holds what has come so far." in report.head.warnings
    assert report.played[0].open_s == 3.5 * 3600


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Store]:
    """An empty store in a file."""
    with open_store(str(tmp_path / "floor.db")) as store:
        yield store


def test_a_store_without_any_coup(sqlite: Store) -> None:
    report = day_report(Source(sqlite), scope(), DAY)
    assert report.head.warnings[0].startswith("There is no data: this store has no coup at all.")


def test_a_ledger_of_which_only_the_head_has_come_is_a_gap(sqlite: Store) -> None:
    with sqlite.writing("projection"):
        values = ("gw-9", "2026-11-16", 7, "00", at("20:00"), "")
        sqlite.execute("INSERT INTO ledger_heads VALUES (?, ?, ?, ?, ?, ?)", values)
    report = day_report(Source(sqlite), scope(), DAY)
    assert [(row.gateway, row.first, row.last, row.after, row.before) for row in report.gaps] == [
        ("gw-9", 1, 7, "", "")
    ]


def test_a_correction_whose_coup_is_missing_is_counted_once(sqlite: Store) -> None:
    scene = Scene(sqlite)
    scene.coup("x2", at("20:00"), 1, 1, corrects="x1", status="confirmed", by="A. Smith", decided=at("20:00"))
    scene.coup("x3", at("20:05"), 1, 1, corrects="x2", status="void", winner=None, by="A. Smith", decided=at("20:05"))
    scene.save()
    report = day_report(Source(sqlite), scope(), DAY)
    assert [(row.kind, row.status, row.coups) for row in report.coups] == [("live", "void", 1)]


def test_a_correction_of_a_correction_long_after(sqlite: Store) -> None:
    scene = Scene(sqlite)
    scene.coup("x1", at("20:00"), 1, 1)
    scene.coup("x2", at("20:05"), 1, 1, corrects="x1", status="disputed")
    scene.request("q1", at("12:00", 25), "decide", "A. Smith", role="casino_supervisor")
    late: dict[str, Any] = {
        "status": "void",
        "winner": None,
        "by": "A. Smith",
        "decided": at("12:00", 25),
        "attempt": "q1",
    }
    scene.coup("x3", at("12:00", 25), 1, 1, corrects="x2", **late)
    scene.save()
    report = day_report(Source(sqlite), scope(), DAY)
    assert [(row.kind, row.status, row.coups) for row in report.coups] == [("live", "void", 1)]
    assert [(row.coup_id, row.by, row.role) for row in report.voids] == [("x3", "A. Smith", "casino_supervisor")]


def test_a_coup_that_two_gateways_published_is_counted_once(sqlite: Store) -> None:
    scene = Scene(sqlite)
    scene.coup("x1", at("20:00"), 1, 1, status="disputed")
    scene.coup("x2", at("20:01"), 1, 1, corrects="x1", status="confirmed", by="A. Smith", decided=at("20:01"))
    scene.gateway = "gw-5"  # which the shoe was connected to later
    scene.coup("x1", at("20:30"), 1, 1, status="disputed")
    scene.coup("x2", at("20:31"), 1, 1, corrects="x1", status="confirmed", by="A. Smith", decided=at("20:01"))
    scene.save()
    report = day_report(Source(sqlite), scope(), DAY)
    assert [(row.status, row.coups) for row in report.coups] == [("confirmed", 1)]
    assert len(shoe_report(Source(sqlite), scope(), ShoeKey("bac-01", UNIT, 1)).coups) == 1
    messages = coup_report(Source(sqlite), scope(), ShoeKey("bac-01", UNIT, 1), 1).messages
    assert [row.coup_id for row in messages] == ["x1", "x2"]


def test_corrections_in_a_circle_end(sqlite: Store) -> None:
    scene = Scene(sqlite)
    scene.coup("x1", at("20:00"), 1, 1)
    scene.coup("x2", at("20:01"), 1, 1, corrects="x1", status="disputed")
    scene.coup("x1", at("20:02"), 1, 1, corrects="x2")
    scene.save()
    assert [row.coups for row in day_report(Source(sqlite), scope(), DAY).coups] == [1]


def test_a_coup_that_became_one_without_wagers(sqlite: Store) -> None:
    scene = Scene(sqlite)
    scene.coup("x1", at("20:00"), 1, 1, status="disputed")
    scene.coup("x2", at("20:05"), 1, 1, kind="no_bet", corrects="x1", status="confirmed", by="A. Smith")
    scene.save()
    report = day_report(Source(sqlite), scope(), DAY)
    assert [(row.coup_id, row.kind, row.status) for row in report.unwagered] == [("x2", "no_bet", "confirmed")]


def test_an_open_step_is_late_after_its_time() -> None:
    step = Step(name="notify", say="Notify.", until=at("20:00"))
    assert [step_state(step, at(clock)) for clock in ("19:59", "20:00", "20:00:01")] == ["open", "open", "late"]
    assert step_state(Step(name="notify", say="Notify."), at("20:00")) == "open"


def test_a_section_that_is_too_long_is_cut_with_a_warning(sqlite: Store) -> None:
    scene = Scene(sqlite)
    for number in range(5):
        scene.alarm(f"r{number}", at(f"20:0{number}"), "reject")
    scene.save()
    report = day_report(Source(sqlite), replace(scope(), most_rows=2), DAY)
    assert [row.alarm for row in report.alarms] == ["r0", "r1"]
    assert report.responses[0].raised == 5
    assert "Section alarms has 3 more rows" in report.head.warnings[0]
