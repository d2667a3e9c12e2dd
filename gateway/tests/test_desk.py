"""The desk: attempt, command and outcome are durable in this order; refusals, time limits, alarms."""

from typing import Any

import msgspec
import pytest
from desk_bench import GATEWAY, TIME, VOID, DeskBench
from sabot_gateway.operator.local_roles import Granted
from sabot_protocol.topics import AlarmMessage
from sabot_service.messages import Answer
from sabot_service.moment import Moment
from shoe_events import SLOTS, UNIT, cards, event, result
from stand_in import StandIn
from verified_log import Log


@pytest.fixture
def bench() -> DeskBench:
    return DeskBench()


def test_attempt_and_command_are_durable_before_they_go_out_and_the_outcome_before_the_answer(
    bench: DeskBench,
) -> None:
    bench.table.serve()
    bench.request("void", args=VOID)
    assert bench.commands_sent(0.1) == []
    ((number, topic, attempt),) = bench.commit()
    assert (number, topic) == (7, "attempt")
    assert attempt == {
        "id": f"{GATEWAY}-7",
        "time": TIME,
        "table": "bac-01",
        "verb": "void",
        "by": "A. Smith",
        "user": "floor",
        "clause": "12.1.2",
        "args": {"coup": None, "reason": "misdeal", "then": "go_on"},
        "origin": "local",
        "role": "",
        "asks": "",
        "command": None,
    }
    assert bench.commands_sent(0.2) == []
    ((number, topic, command),) = bench.commit()
    assert (number, topic) == (8, "sent")
    assert (command["attempt"], command["unit"], command["command_id"]) == (f"{GATEWAY}-7", UNIT, 1)
    assert bench.commands_sent(0.3) == [(1, "void_coup", {"reason": "misdeal", "then": "go_on"})]
    bench.shoe_logs("command_done", command_id=1, command="void_coup", outcome="done", data=VOID)
    assert bench.answers == []
    ((number, topic, outcome),) = bench.commit()
    assert (number, topic) == (9, "outcome")
    assert (outcome["attempt"], outcome["ok"]) == (f"{GATEWAY}-7", True)
    assert bench.answers == [Answer(True, outcome["say"])]
    assert outcome["say"] == "Done. The coup on the table is void: return all stakes. The shoe goes on."


def test_a_command_that_the_shoe_refuses_is_answered_with_the_reason(bench: DeskBench) -> None:
    bench.table.serve()
    bench.send("key-card", args={"card": "8H", "flags": {"face_up": False}})
    assert bench.commands_sent(0.2)[0][:2] == (1, "key_card")
    bench.shoe_logs("command_refused", command_id=1, command="key_card", outcome="not_authorised")
    bench.commit()
    (answer,) = bench.answers
    assert not answer.ok
    assert answer.say.startswith("Key card refused: it needs a supervisor. Turn the supervisor's key")


def test_a_command_that_the_shoe_does_not_know_is_answered_with_reflash(bench: DeskBench) -> None:
    bench.table.serve()
    bench.send("lock")
    assert bench.commands_sent(0.2)[0][:2] == (1, "lock")
    bench.shoe_logs("command_refused", command_id=1, command="unknown", outcome="unknown")
    bench.commit()
    assert bench.answers == [
        Answer(
            False, "Lock refused: the shoe's firmware does not know this command. Reflash the shoe with `sabot flash`."
        )
    ]


def test_a_coup_becomes_one_without_wagers_only_under_a_clause(bench: DeskBench) -> None:
    bench.table.serve()
    bench.send("this-no-bet", clause="")
    assert [answer.say for answer in bench.answers] == [
        "No bet for this coup refused: it needs a clause of star-baccarat. Add --clause N."
    ]
    bench.table.open()
    bench.table.follow(*cards(2, "9S 2H"))
    bench.send("this-no-bet", clause="7.5")
    assert bench.commands_sent(0.2)[0][:2] == (1, "this_no_bet")


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        ({"verb": "confirm", "table": "bac-99"}, "Confirm refused: this gateway has no table 'bac-99'."),
        ({"verb": "confirm"}, "Confirm refused: no shoe is connected at bac-01"),
        ({"verb": "void", "clause": ""}, "Void refused: it needs a clause of star-baccarat. Add --clause N."),
        (
            {"verb": "void", "clause": "12.99"},
            "Void refused: star-baccarat has no clause '12.99'; similar clauses: 12.9, 12.19",
        ),
        ({"verb": "ack-alarm", "clause": "x"}, "Acknowledge refused: star-baccarat has no clause 'x'"),
        ({"verb": "ack-alarm"}, "Acknowledge refused: no alarm is active at bac-01. There is nothing to acknowledge."),
        ({"verb": "ack-alarm", "args": {"alarm": "x"}}, "Acknowledge refused: alarm x is not active; active: "),
        (
            {"verb": "decide", "args": {"coup": "1/1", "verdict": "void"}},
            "Decide refused: no coup 1/1 is disputed: none is disputed",
        ),
    ],
)
def test_a_refused_request_is_stored_with_its_reason(bench: DeskBench, request_: dict[str, Any], why: str) -> None:
    bench.request(**request_)
    assert [topic for _, topic, _ in bench.commit()] == ["attempt"]
    ((_, topic, outcome),) = bench.commit()
    assert topic == "outcome"
    assert outcome["ok"] is False
    assert why in outcome["say"]
    assert bench.answers == [Answer(False, outcome["say"])]


def test_an_internal_error_is_an_answer_and_the_desk_goes_on(bench: DeskBench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.table.serve()
    monkeypatch.setattr(bench.table, "link", StandIn(bench.table.link, prepare_command=lambda kind, data: 1 / 0))
    assert "Internal error in the gateway" in bench.answer_to("lock")
    assert bench.answer_to("ack-alarm").startswith("Acknowledge refused: no alarm is active at bac-01.")


# Alarms


def test_an_acknowledgement_is_a_message_and_the_answer_names_alarms_that_stay(bench: DeskBench) -> None:
    bench.table.dispute()
    (alarm,) = bench.table.verifier.active()
    bench.request("ack-alarm", args={"alarm": alarm.alarm})
    bench.commit()
    entries = bench.commit()
    message = msgspec.convert(entries[0][2], AlarmMessage)
    assert (message.alarm, message.state, message.by, message.id) == (
        alarm.alarm,
        "acknowledged",
        "A. Smith",
        f"{GATEWAY}-8",
    )
    assert bench.answers == [Answer(True, "1 acknowledged. These stay active until their cause is gone: discrepancy.")]


@pytest.mark.parametrize(
    ("active", "reported", "messages"),
    [
        (None, "decision", [("fault_decision", "raised")]),
        ("decision", "none", [("fault_decision", "cleared")]),
        ("card", "decision", [("fault_card", "cleared"), ("fault_decision", "raised")]),
        ("decision", "decision", []),
        ("journal_full", "none", []),
        (None, "none", []),
    ],
)
def test_fault_alarms_follow_the_fault_that_the_shoe_reports(
    bench: DeskBench, active: str | None, reported: str, messages: list[tuple[str, str]]
) -> None:
    if active:
        bench.table.follow(event(1, "fault", fault=active, detail=0))
    bench.table.fault = reported
    bench.own.match_fault(bench.table, Moment(0.0, TIME))
    entries = bench.commit()
    assert [(message["name"], message["state"]) for _, topic, message in entries if topic == "alarm"] == messages
    assert [number for number, _, _ in entries] == [7, None][: len(messages)]


# Time


def test_a_command_without_an_answer_is_withdrawn_and_the_answer_says_whether_it_was_sent(bench: DeskBench) -> None:
    bench.table.serve()
    bench.request("lock", now_s=0.0)
    bench.send("unlock", now_s=0.0)
    assert bench.commands_sent(0.1) == [(1, "lock", {})]
    bench.desk.expire(Moment(9.9, TIME))
    bench.commit()
    assert bench.answers == []
    bench.desk.expire(Moment(10.0, TIME))
    bench.commit()
    first, second = bench.answers
    assert first.say.startswith("Lock was sent, but the shoe has not answered. ")
    assert second.say.startswith("Unlock was not sent: the shoe does not answer. ")
    assert bench.commands_sent(20.0) == []


def test_the_desk_refuses_more_than_64_requests_at_once(bench: DeskBench) -> None:
    for _ in range(65):
        bench.request("lock")
    (answer,) = bench.answers
    assert "Too many requests are in progress at this gateway." in answer.say
    assert len(bench.own.waiting) == 64


@pytest.mark.parametrize(
    ("verb", "more"),
    [
        ("irregularity", {"args": {"case": "bad_order", "facts": {"reconstructible": False}}}),
        ("burn-card", {}),
        ("export-coup", {"clause": "13.2"}),
        ("open-shoe", {}),
        ("close-shoe", {}),
        ("clear-fault", {"args": {"fault": "card"}}),
    ],
)
def test_what_is_asked_about_one_coup_is_not_done_to_the_next(
    bench: DeskBench, verb: str, more: dict[str, Any]
) -> None:
    """A line that was cut brings the log of a whole coup before the shoe can get the command."""
    bench.table.serve()
    bench.table.open()
    bench.table.follow(*cards(2, "9S 2H"))
    bench.send(verb, **more)
    bench.table.follow(*cards(4, "TD 3C", SLOTS[2:]), result(6, "player", 9, 5, natural=True))
    bench.table.follow(event(7, "button", shoe_no=1, coup_no=1, button="confirm"), *cards(8, "4S", coup_no=2))
    bench.desk.withdraw_outdated(bench.table, Moment(1.0, TIME))
    assert bench.commands_sent(1.1) == []
    bench.commit(1.1)
    assert "was not sent: another coup is on the table now" in bench.answers[-1].say


def test_a_role_that_was_enough_for_another_act_is_not_enough_when_the_table_has_changed(bench: DeskBench) -> None:
    log = Log("star-baccarat")
    log.deal("9S 2H")
    log.irregularity("bad_order", "RECON_WITHDRAW", reconstructible=True)  # 12.1.1: no wager is left
    bench.table.verifier, bench.granted = log.verifier, Granted("dealer")
    bench.table.serve()
    bench.request("this-no-bet", clause="12.1.1")
    log.card("TD", "player_2")
    log.card("3C", "banker_2")
    log.result()
    log.confirm()
    log.deal("9S 2H")  # of a coup with nothing in its log: 7.5 is a supervisor's
    bench.commit()
    bench.commit()
    assert "the table has changed since this was asked" in bench.answers[-1].say
    assert bench.commands_sent(0.2) == []


def _report(**more: Any) -> dict[str, Any]:
    return {"clause": "12.1.2", "args": {"case": "bad_order", "facts": {"reconstructible": False}, **more}}


def test_a_misdeal_may_be_reported_until_the_first_card_of_the_next_coup_and_never_voids_that(bench: DeskBench) -> None:
    """A-45: Confirm begins no coup, and the next coup begins with its first card."""
    log = Log("star-baccarat")
    bench.table.verifier = log.verifier
    bench.table.serve()
    log.deal()
    log.result()
    bench.send("irregularity", **_report(coup="1/1"))
    log.confirm()
    bench.desk.withdraw_outdated(bench.table, Moment(0.0, TIME))
    assert len(bench.commands_sent(0.2)) == 1, "still in time"
    bench.send("irregularity", **_report(coup="1/1"))
    log.deal("4S")
    bench.desk.withdraw_outdated(bench.table, Moment(0.0, TIME))
    bench.commit()
    assert "another coup is on the table now" in bench.answers[-1].say
    bench.send("irregularity", **_report(coup="1/1"))
    assert "it was for coup 1/1, and coup 1/2 has begun" in bench.answers[-1].say
    assert bench.commands_sent(0.2) == []
    bench.send("irregularity", **_report(coup="1/2"))
    assert len(bench.commands_sent(0.4)) == 1
