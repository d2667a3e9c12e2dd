"""What is notified, through which channel and when: chosen alarms, floods, steps and their time limits."""

from pathlib import Path

import msgspec
import pytest
from notify_parts import BEGIN_S, Worker, alarm, arrived, incident, shown, step
from sabot_floor.gaming_day import Calendar
from sabot_floor.inbox import Arrived
from sabot_floor.notify.channels import Syslog
from sabot_floor.notify.due_times import reminder_s, until
from sabot_floor.notify.state import MOST_WAITING, MOST_WATCHED
from sabot_floor.projection.rebuild import LedgerEntry, LedgerSpan, rebuild
from sabot_floor.store import Store, open_store
from sabot_protocol.topics import AlarmMessage, IncidentMessage
from sabot_service.moment import Moment, utc

HOUR_S = 3600.0


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "floor.db"))


# Alarms


def test_a_critical_alarm_is_notified_by_default(store: Store) -> None:
    worker = Worker(store)
    [sent] = worker.take(alarm(1), alarm(2, severity="warning"), alarm(3, state="acknowledged", by="A. Smith"))
    assert (sent.channel, sent.occasion, sent.severity, sent.table) == ("pit", "raised", "critical", "bac-01")
    assert sent.subject == "bac-01: alarm discrepancy, critical, raised"
    assert sent.text == "Shoe and gateway differ. Call a supervisor. Shoe 3, coup 17. Rule 12.13."


@pytest.mark.parametrize(
    ("channel", "message", "wanted"),
    [
        (Syslog(name="c", alarms=("disc*",)), alarm(severity="warning"), True),
        (Syslog(name="c", alarms=("fault_*", "reject")), alarm(), False),
        (Syslog(name="c", severity="warning"), alarm(severity="warning"), True),
        (Syslog(name="c", severity="warning"), alarm(severity="info"), False),
        (Syslog(name="c", alarms=("*",), severity="critical"), alarm(severity="warning"), False),
        (Syslog(name="c", tables=("bac-0?",)), alarm(), True),
        (Syslog(name="c", tables=("vip-*",)), alarm(), False),
        (Syslog(name="c", states=("raised", "cleared")), alarm(state="cleared"), True),
        (Syslog(name="c", to=("inspector",)), alarm(), False),
        (Syslog(name="c", limits=True), alarm(), False),
        (Syslog(name="c", to=("inspector",), severity="critical"), alarm(), True),
    ],
)
def test_a_channel_is_for_chosen_alarms(store: Store, channel: Syslog, message: AlarmMessage, wanted: bool) -> None:
    assert bool(Worker(store, channel).take(message)) is wanted


def test_an_alarm_of_yesterday_notifies_nobody(store: Store) -> None:
    worker = Worker(store)
    assert worker.take(alarm(1, BEGIN_S - 25 * HOUR_S)) == []
    assert len(worker.take(alarm(2, BEGIN_S - 23 * HOUR_S))) == 1
    status = worker.notifier.status()
    assert status is not None
    assert status["too_old"] == 1


def test_a_flood_becomes_one_summary_a_minute(store: Store) -> None:
    worker = Worker(store)
    worker.take(*(alarm(number) for number in range(30)), *(alarm(number, table="bac-02") for number in range(30, 45)))
    sent = worker.send_all()
    assert shown(sent) == [("raised", "")] * 5  # the first five were sent before
    assert worker.take(*(alarm(number) for number in range(45, 50)), pass_s=1) == []
    [summary] = worker.take(pass_s=60)
    assert (summary.occasion, summary.count, summary.severity) == ("summary", 40, "critical")
    assert "25 × discrepancy at bac-01, 15 × discrepancy at bac-02" in summary.text
    worker.send_all()
    assert [one.occasion for one in worker.take(alarm(90), pass_s=61)] == ["raised"]  # the flood is over
    assert worker.take(*(alarm(number) for number in range(50))) == []  # all of them are known


def test_a_summary_is_bounded(store: Store) -> None:
    worker = Worker(store)
    worker.take(*(alarm(number, table=f"table-{number}") for number in range(500)))
    worker.send_all()
    [summary] = worker.take(pass_s=61)
    assert summary.count == 490
    assert "470 others" in summary.text
    assert len(summary.text) <= 1000


def test_a_clock_that_goes_back_ends_the_minute(store: Store) -> None:
    worker = Worker(store)
    worker.take(*(alarm(number) for number in range(12)))
    worker.send_all()
    worker.notifier.turn([], Moment(worker.now_s + HOUR_S, utc(worker.now_s - HOUR_S)))
    assert [one.count for one in worker.receivers.got[10:]] == [2]


def test_what_cannot_be_read_is_counted_and_the_rest_is_notified(store: Store) -> None:
    worker = Worker(store)
    bad = [
        Arrived("sabot/v1/sydney/bac-01/alarm", b"{"),
        Arrived("sabot/v1/sydney/bac-01/alarm", b"x" * 70_000),
        Arrived("sabot/v1/sydney/b c/alarm", b"{}"),
        arrived(alarm(2), "bac-09"),
        arrived(alarm(3, alarm="")),
        Arrived("sabot/v1/sydney/bac-01/coup", b"{}"),  # of others
    ]
    worker.notifier.turn([*bad, arrived(alarm(1))], Moment(BEGIN_S, utc(BEGIN_S)))
    assert [one.alarm for one in worker.receivers.got] == ["a-1"]
    status = worker.notifier.status()
    assert status is not None
    assert status["rejected"] == 5


def test_text_of_others_is_one_plain_line(store: Store) -> None:
    [sent] = Worker(store).take(alarm(say="a\r\nBcc: x\x1b[31m" + "y" * 5000, name="n\nm", by="\x07"))
    assert sent.text.isprintable()
    assert sent.subject.isprintable()
    assert len(sent.text) == 1000


# Steps


def test_a_step_notifies_its_recipient_at_once_ahead_of_its_limit_and_once_late(store: Store) -> None:
    surveillance = Syslog(name="surveillance", to=("surveillance",), remind_minutes=30)
    worker = Worker(store, surveillance, Syslog(name="inspector", to=("inspector",)))
    opened = incident(step(to=["surveillance", "players"], until=utc(BEGIN_S + 2 * HOUR_S)), step("decide"))
    [first] = worker.take(opened)
    assert (first.channel, first.occasion, first.to) == ("surveillance", "opened", ["surveillance"])
    assert first.subject == "bac-01: to do: Notify surveillance (foreign card)"
    assert "By 2026-11-17 14:00:00 UTC." in first.text
    worker.receivers.answer_all()
    assert worker.take(pass_s=1.5 * HOUR_S - 1) == []
    assert shown(worker.take(pass_s=1)) == [("reminder", "notify_surveillance")]
    worker.receivers.answer_all()
    assert worker.take(pass_s=0.5 * HOUR_S - 1) == []
    assert shown(worker.take(opened, pass_s=1)) == [("late", "notify_surveillance")]
    worker.receivers.answer_all()
    assert worker.take(opened, pass_s=100 * HOUR_S) == []


def test_a_notice_has_amount_and_coup_and_only_who_must_be_notified_reads_the_patron(store: Store) -> None:
    facts = {"direction": "over", "amount_cents": 150_000, "date": "2026-11-16", "patron": "B. Lee", "note": "odds"}
    limit = utc(BEGIN_S + HOUR_S)
    nicc = step("notify_nicc", say="Notify the NICC.", clause="12.20.2", to=["nicc"], until=limit)
    worker = Worker(store, Syslog(name="nicc", to=("nicc",)), Syslog(name="pit", limits=True))
    [sent] = worker.take(incident(nicc, kind="wrong_payment", say="Overpayment: odds.", facts=facts))
    assert sent.subject == "bac-01: to do: Notify the NICC (wrong payment)"
    assert sent.text == (
        "Notify the NICC. By 2026-11-17 13:00:00 UTC. Rule 12.20.2. Overpayment of $1,500.00: odds. Date: 2026-11-16. "
        "Patron: B. Lee. Table bac-01, shoe 3, coup 17, opened 2026-11-17 12:00:00 UTC."
    )
    late = [one for one in worker.take(pass_s=2 * HOUR_S) if one.channel == "pit"]
    assert [one.subject for one in late] == ["bac-01: late: Notify the NICC (wrong payment)"]
    assert "$1,500.00" in late[0].text
    assert "B. Lee" not in late[0].text


def test_an_amount_of_another_act_is_named_too(store: Store) -> None:
    facts = {"act": "refuse_claim", "amount_cents": 15_005, "intentional": True}
    [sent] = Worker(store, Syslog(name="s", to=("case_file",))).take(
        incident(step(to=["case_file"]), say="Claim refused.", facts=facts, coup=0)
    )
    assert "Claim refused. Amount: $150.05. Intentional. Table bac-01, opened 2026" in sent.text


def stored(store: Store, *messages: IncidentMessage) -> None:
    """Store incidents as a rebuild does: no message of the broker comes."""
    entries = [LedgerEntry(one.entry or 0, one.table, "incident", msgspec.json.encode(one)) for one in messages]
    rebuild(store, LedgerSpan("g-1", 0, entries[-1].entry), entries)


def test_incidents_of_a_rebuild_are_notified_by_a_service_that_runs(store: Store) -> None:
    worker = Worker(store, Syslog(name="s", to=("surveillance",)))
    assert worker.take() == []
    open_step = step(to=["surveillance"])
    stored(store, incident(open_step, entry=1), incident(open_step, entry=2, number=2, state="closed"))
    assert worker.take(pass_s=4) == []
    assert [one.incident for one in worker.take(pass_s=2)] == ["i-1"]
    worker.send_all()
    assert worker.take(pass_s=6) == []  # known now
    stored(store, incident(open_step, step("inform", to=["surveillance"]), entry=3))
    assert [(one.incident, one.step) for one in worker.take(pass_s=6)] == [("i-1", "inform")]
    worker.send_all()
    stored(store, incident(entry=4, state="closed"))
    worker.take(pass_s=6)
    status = worker.notifier.status()
    assert status is not None
    assert status["incidents"] == 0
    assert worker.take(pass_s=6) == []


def test_limits_reminds_of_every_step_and_of_none_without_a_limit(store: Store) -> None:
    worker = Worker(store, Syslog(name="pit", limits=True))
    steps = (step("decide", until=utc(BEGIN_S + HOUR_S)), step("enquire", due="reasonable_time"))
    assert worker.take(incident(*steps)) == []
    assert shown(worker.take(pass_s=HOUR_S / 2)) == [("reminder", "decide")]  # after half of the time
    assert shown(worker.send_all()) == []
    assert shown(worker.take(pass_s=HOUR_S)) == [("late", "decide")]


def test_a_limit_of_play_is_late_when_the_gateway_reports_it(store: Store) -> None:
    worker = Worker(store, Syslog(name="pit", limits=True))
    assert worker.take(incident(step("notice", due="before_next_coup"))) == []
    late = incident(step("notice", due="before_next_coup", late=True), entry=2)
    assert shown(worker.take(late)) == [("late", "notice")]


def test_what_is_done_is_not_reminded_of(store: Store) -> None:
    worker = Worker(store, Syslog(name="pit", limits=True, tables=("bac-*",)))
    limit = utc(BEGIN_S + HOUR_S)
    worker.take(incident(step("decide", until=limit), step("check", until=limit)))
    worker.take(incident(step("decide", until=limit, done=utc(BEGIN_S)), step("check", until=limit), entry=2))
    worker.take(incident(step("decide", until=limit), step("check", until=limit), entry=1))  # delivered again, older
    worker.take(incident(step("x", until=limit), table="vip-01", number=2))
    assert shown(worker.take(pass_s=2 * HOUR_S)) == [("late", "check")]
    worker.send_all()
    worker.take(incident(state="closed", entry=3))
    assert worker.take(incident(step("check", until=limit), entry=2)) == []  # delivered again, older
    assert worker.take(pass_s=HOUR_S) == []
    assert shown(worker.take(incident(step("review", late=True), entry=4))) == [("late", "review")]  # opened again


def test_a_step_that_is_done_before_its_notice_is_sent_is_given_up(store: Store) -> None:
    worker = Worker(store, Syslog(name="s", to=("surveillance",)))
    worker.take(incident(step(to=["surveillance"])))
    worker.receivers.answer_all("failed", "Connection refused")
    worker.take(pass_s=1)
    worker.take(incident(state="closed", entry=2), pass_s=1)
    assert [kind for kind, _ in worker.log()] == ["decided", "failed", "given_up"]
    assert worker.log()[-1][1]["say"] == "the step was done before this was sent"
    assert worker.take(pass_s=HOUR_S) == []


def test_incidents_and_waiting_notices_are_bounded(store: Store) -> None:
    worker = Worker(store, Syslog(name="s", to=("surveillance",)))
    three = [step(name, to=["surveillance"]) for name in ("a", "b", "c")]
    worker.take(*(incident(*three, number=number) for number in range(MOST_WATCHED + 5)))
    status = worker.notifier.status()
    assert status is not None
    assert (status["incidents"], status["not_watched"]) == (MOST_WATCHED, 5)
    assert status["channels"][0]["waiting"] == MOST_WAITING
    worker.receivers.answer_all()
    worker.take()  # five are sent, and five of those that had no room are decided
    assert sum(kind == "decided" for kind, _ in worker.log()) == MOST_WAITING + 5


# Time limits in words. Sydney is at UTC+11 in November: 12:00Z on the 17th is 23:00.


@pytest.mark.parametrize(
    ("due", "known", "opened", "expected"),
    [
        ("daily", "", "2026-11-17T12:00:00.000Z", "2026-11-17T19:00:00.000Z"),  # 06:00 of the 18th
        ("daily", "", "2026-11-17T18:59:59.999Z", "2026-11-17T19:00:00.000Z"),
        ("daily", "", "2026-11-17T19:00:00.000Z", "2026-11-18T19:00:00.000Z"),
        ("month_end", "", "2026-11-17T12:00:00.000Z", "2026-11-30T19:00:00.000Z"),  # 06:00 of 1 December
        ("month_end", "", "2026-11-30T18:00:00.000Z", "2026-11-30T19:00:00.000Z"),  # 05:00 of 1 December
        ("month_end", "", "2026-12-31T12:00:00.000Z", "2026-12-31T19:00:00.000Z"),
        ("within", "2026-11-19T12:00:00Z", "2026-11-17T12:00:00Z", "2026-11-19T12:00:00.000Z"),  # 48 hours, 16.11
        ("daily", "2026-11-17T13:00:00+00:00", "2026-11-17T12:00:00Z", "2026-11-17T13:00:00.000Z"),
        ("before_next_coup", "", "2026-11-17T12:00:00.000Z", ""),
        ("at_once", "", "2026-11-17T12:00:00.000Z", ""),
        ("", "", "2026-11-17T12:00:00.000Z", ""),
        ("daily", "soon", "never", ""),
        ("daily", "", "2026-11-17", "2026-11-17T19:00:00.000Z"),  # without an offset it is UTC
        ("daily", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", ""),
    ],
)
def test_words_for_a_limit_become_a_time(due: str, known: str, opened: str, expected: str) -> None:
    assert until(Calendar("06:00", "Australia/Sydney"), due, known, opened) == expected


def test_a_reminder_comes_ahead_but_not_in_the_first_half() -> None:
    opened, limit = utc(BEGIN_S), utc(BEGIN_S + 24 * HOUR_S)
    assert reminder_s(opened, limit, HOUR_S) == BEGIN_S + 23 * HOUR_S
    assert reminder_s(opened, utc(BEGIN_S + 1200), HOUR_S) == BEGIN_S + 600
    assert reminder_s(opened, "", HOUR_S) is None


def test_the_daily_report_of_a_foreign_card_is_due_at_the_end_of_the_gaming_day(store: Store) -> None:
    worker = Worker(store, Syslog(name="inspector", to=("inspector",)), zone="Australia/Sydney")
    [opened] = worker.take(incident(step("notify_inspector", to=["inspector"], due="daily")))
    assert opened.until == "2026-11-17T19:00:00.000Z"
    assert "By 2026-11-18 06:00:00 Australia/Sydney." in opened.text
    worker.send_all()
    worker.now_s = BEGIN_S + 6 * HOUR_S
    assert shown(worker.take()) == [("reminder", "notify_inspector")]
    worker.receivers.answer_all()
    assert shown(worker.take(pass_s=HOUR_S)) == [("late", "notify_inspector")]
