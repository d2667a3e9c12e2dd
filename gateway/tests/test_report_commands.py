"""Commands of the floor in reports: what it refused, what a gateway refused at once, and what was never answered."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest
from report_scene import Scene, at, scope
from sabot_floor.commands.entries import Answered, Asked, Refused, Unanswered
from sabot_floor.commands.log import CommandLog
from sabot_floor.people import log as people_log
from sabot_floor.people.entries import LockedOut, LoginFailed, NotKnown
from sabot_floor.people.state import PeopleState, Person
from sabot_floor.reports.day import day_report
from sabot_floor.reports.person import person_report
from sabot_floor.reports.source import Source
from sabot_floor.store import Decision, Store, open_store
from sabot_floor.store import Entry as LogEntry

DAY = date(2026, 11, 17)


def asked(own_id: str, time: str, **changes: Any) -> Asked:
    fields: dict[str, Any] = {"table": "bac-01", "verb": "void", "args": {"coup": "3/17", "reason": "misdeal"}}
    fields |= {"clause": "12.1.2", "rulebook": "star-baccarat", "act": "void_misdeal", "person": "asmith"}
    fields |= {"name": "A. Smith", "role": "casino_supervisor", "asks_person": "", "asks": "", "asks_role": ""}
    fields |= {"expires": time, "digest": "", "worker": "1", "by": "root"}
    return Asked(time=time, id=own_id, **(fields | changes))


def refused(time: str, person: str, second: str = "", **changes: Any) -> Refused:
    fields: dict[str, Any] = {"table": "bac-01", "verb": "void", "args": {}, "clause": "12.1.2", "by": "root"}
    return Refused(time=time, person=person, second=second, say="A Dealer may not do this.", **(fields | changes))


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Source]:
    """A store with the log of commands and two people."""
    with open_store(str(tmp_path / "floor.db")) as store:
        people = {"elow": Person("elow", "E. Low"), "asmith": Person("asmith", "A. Smith")}
        state = msgspec.json.encode(PeopleState(people))
        store.append(people_log.LOG, lambda head: Decision([LogEntry("1", "begun", b"{}", at("12:00"))], state))
        scene = Scene(store)
        scene.request("q1", at("20:00:01"), "void", "A. Smith", role="casino_supervisor")  # the request of cmd-q1
        scene.save()
        CommandLog(store).append(
            [
                refused(at("18:59:59"), "elow"),  # of the day before
                refused(at("19:30"), "elow"),
                refused(at("19:40"), "elow", "zz", left_out=3),
                asked("cmd-q1", at("20:00")),
                Answered(time=at("20:00:02"), id="cmd-q1", ok=True, say="Void.", reason="", replied=at("20:00:02")),
                asked("cmd-2", at("20:10"), asks_person="elow", asks="E. Low", asks_role="dealer"),
                Answered(time=at("20:11"), id="cmd-2", ok=False, say="Expired.", reason="expired", replied=at("20:11")),
                asked("cmd-3", at("20:20"), table="bac-02"),
                Unanswered(time=at("20:21"), id="cmd-3", say="No reply came."),
                asked("cmd-4", at("18:59:59", 17)),
                Answered(time=at("19:00:01", 17), id="cmd-4", ok=False, say="Late.", reason="x", replied=""),
            ]
        )
        yield Source(store)


def test_what_no_gateway_has_as_a_request_is_a_decision(source: Source) -> None:
    report = day_report(source, scope(), DAY)
    assert [(row.time, row.by, row.asks, row.ok, row.say, row.attempt) for row in report.decisions] == [
        (at("19:30"), "E. Low", "", False, "A Dealer may not do this.", ""),
        (
            *(at("19:40"), "zz", "E. Low", False),
            *("A Dealer may not do this. (and 3 more refusals that are only counted)", ""),
        ),
        (at("20:00:01"), "A. Smith", "", True, "Done.", "q1"),
        (at("20:10"), "A. Smith", "E. Low", False, "Expired.", "cmd-2"),
        (at("20:20"), "A. Smith", "", None, "No reply came.", "cmd-3"),
        (at("18:59:59", 17), "A. Smith", "", False, "Late.", "cmd-4"),
    ]
    row = report.decisions[3]
    assert (row.origin, row.role, row.asks_role, row.act) == ("floor", "casino_supervisor", "dealer", "void_misdeal")
    assert (row.coup, row.args, row.clause, row.user) == ("3/17", '{"reason":"misdeal"}', "12.1.2", "root")
    assert [row.attempt for row in day_report(source, scope("bac-02"), DAY).decisions] == ["cmd-3"]


def test_refusals_are_those_of_the_person_who_was_named(source: Source) -> None:
    span = scope().calendar.day(DAY)
    low = person_report(source, scope().of(span), "e. low")
    assert [row.time for row in low.refused] == [at("19:30"), at("19:40"), at("20:10")]
    smith = person_report(source, scope().of(span), "A. Smith")
    assert [row.attempt for row in smith.decisions] == ["q1", "cmd-3"]
    assert [row.attempt for row in smith.refused] == ["cmd-2", "cmd-4"]


def test_a_person_is_found_by_id(source: Source) -> None:
    span = scope().calendar.day(DAY)
    by_id, by_name = (person_report(source, scope().of(span), given) for given in ("ASmith", "A. Smith"))
    assert by_id == by_name
    assert by_id.decisions


def test_failed_log_ins_and_lock_outs_are_refusals(source: Source) -> None:
    failed: list[LoginFailed | LockedOut] = [
        LoginFailed(time=at("18:59"), person="elow", act="void bac-01", by="root"),  # of the day before
        LoginFailed(time=at("19:29:59"), person="elow", act="void bac-01", by="root"),  # its command was refused
        LoginFailed(time=at("21:00"), person="elow", act="confirm lucky-tie", by="root"),
        LockedOut(time=at("21:00"), person="elow", until=at("21:15"), by="root"),
        LoginFailed(time=at("21:01"), person="", act="confirm lucky-tie", by="root"),
    ]
    entries = [
        LogEntry(f"p{n}", str(one.__struct_config__.tag), msgspec.json.encode(one), one.time)
        for n, one in enumerate(failed)
    ]
    source.store.append(people_log.LOG, lambda head: Decision(entries, head.state))
    jackpot = refused(at("22:00"), "elow", table="", verb="jackpot confirm", args={"jackpot": "lucky-tie"}, clause="")
    CommandLog(source.store).append([jackpot])
    low = person_report(source, scope().of(scope().calendar.day(DAY)), "elow")
    assert [(row.time, row.verb, row.say) for row in low.refused[-3:]] == [
        (at("21:00"), "log-in", "The PIN, password or badge was wrong, for: confirm lucky-tie."),
        (at("21:00"), "log-in", f"Log-ins are locked out until {at('21:15')}."),
        (at("22:00"), "jackpot confirm", "A Dealer may not do this."),
    ]
    assert len(low.refused) == 6
    day = day_report(source, scope(), DAY)
    assert [row.say for row in day.decisions if row.time == at("21:01")] == [
        "Nobody has this badge, for: confirm lucky-tie."
    ]


def test_log_ins_with_an_id_that_cannot_log_in_are_in_the_report_of_the_day(source: Source) -> None:
    made = [
        NotKnown(time=at("19:29:59"), given="elow", act="void bac-01", by="root"),  # its command was refused
        NotKnown(time=at("21:00"), given="elow", act="log in at a page", by="web 10.0.0.1"),
        NotKnown(time=at("21:01"), given="admin", act="log in at a page", by="web 10.0.0.1"),
    ]
    entries = [LogEntry(f"n{n}", "unknown", msgspec.json.encode(one), one.time) for n, one in enumerate(made)]
    source.store.append(people_log.LOG, lambda head: Decision(entries, head.state))
    found = [row for row in day_report(source, scope(), DAY).decisions if row.verb == "log-in"]
    assert [(row.time, row.by, row.user) for row in found] == [
        (at("21:00"), "E. Low", "web 10.0.0.1"),
        (at("21:01"), "admin", "web 10.0.0.1"),
    ]
    assert "cannot log in there now, for: log in at a page" in found[0].say


def test_entries_are_in_the_report_of_their_time_though_the_clock_was_ahead_for_a_while(store: Store) -> None:
    times = [at("20:00", 19 if 6 <= number < 13 else 17) for number in range(20)]  # 7 of 20 are two days ahead
    CommandLog(store).append([refused(time, f"p{number}") for number, time in enumerate(times)])
    for day, count in ((18, 13), (19, 0), (20, 7)):
        report = day_report(Source(store), scope(), date(2026, 11, day))
        assert len(report.decisions) == count
        warned = [line for line in report.head.warnings if "entries of commands do not have rising times" in line]
        assert len(warned) == bool(count)


def test_entries_in_order_give_no_warning_of_the_clock(store: Store) -> None:
    CommandLog(store).append([refused(at("20:00", day - 1), f"p{day}") for day in (18, 19, 20)])
    for day in (18, 19, 20):
        report = day_report(Source(store), scope(), date(2026, 11, day))
        assert len(report.decisions) == 1
        assert not [line for line in report.head.warnings if "clock" in line]
