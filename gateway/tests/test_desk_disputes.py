"""Disputed coups: how they are decided, and how the shoe that waits for the decision goes on."""

import msgspec
import pytest
from desk_bench import GATEWAY, TIME, VOID, DeskBench
from sabot_protocol.topics import AlarmMessage, CoupMessage
from sabot_service.messages import Answer
from shoe_events import cards, event, result


@pytest.fixture
def bench() -> DeskBench:
    return DeskBench()


@pytest.mark.parametrize("verdict", ["confirmed", "void"])
def test_a_decision_is_a_new_message_that_corrects_the_disputed_one(bench: DeskBench, verdict: str) -> None:
    bench.table.dispute()
    (disputed,) = bench.table.verifier.disputed()
    bench.request("decide", args={"coup": disputed.id, "verdict": verdict})
    bench.commit()
    entries = bench.commit()
    coup = msgspec.convert(entries[0][2], CoupMessage)
    assert (entries[0][:2], coup.status, coup.corrects) == ((8, "coup"), verdict, disputed.id)
    assert (coup.by, coup.clause, coup.winner) == ("A. Smith", "12.13", "player" if verdict == "confirmed" else None)
    assert (coup.decided, coup.attempt) == (TIME, f"{GATEWAY}-7")
    settled = [topic for _, topic, _ in entries].count("confirmed")
    assert settled == (verdict == "confirmed")
    number, _, message = entries[1 + settled]
    alarm = msgspec.convert(message, AlarmMessage)
    assert (number, alarm.name, alarm.state, alarm.by) == (None, "discrepancy", "cleared", "A. Smith")
    assert entries[-1][1] == "outcome"
    assert bench.table.verifier.disputed() == []
    assert bench.answers == [Answer(True, f"Coup 1/1 is {verdict}. Press Confirm at the shoe to go on.")]


def test_the_second_decision_of_a_coup_is_refused_with_the_name_of_the_first_person(bench: DeskBench) -> None:
    bench.table.serve()
    bench.table.dispute()
    for by in ("A. Smith", "B. Jones"):
        bench.send("decide", by=by, args={"coup": "1/1", "verdict": "void"})
    first, second = bench.answers
    assert first.ok
    assert second == Answer(
        False,
        f"Decide refused: coup 1/1 is no longer disputed: A. Smith decided at {TIME} that it is void under 12.13",
    )
    assert bench.commands_sent(0.1) == []


def test_void_is_refused_for_another_coup_than_the_one_on_the_table(bench: DeskBench) -> None:
    bench.table.serve()
    bench.table.dispute()
    bench.table.follow(event(7, "button", shoe_no=1, coup_no=1, button="confirm"), *cards(8, "9S 2H", coup_no=2))
    (disputed,) = bench.table.verifier.disputed()
    for named in ("1/1", "1", disputed.id, "2/2"):
        say = bench.answer_to("void", args={"coup": named, **VOID})
        assert say.startswith(f"Void refused: coup 1/2 is on the table, not {named}. If {named} is disputed, run ")
    assert bench.commands_sent(0.1) == []
    assert bench.table.verifier.disputed() == [disputed]
    for named in ("1/2", "2"):
        bench.send("void", args={"coup": named, **VOID})
    assert [kind for _, kind, _ in bench.commands_sent(0.2)] == ["void_coup"]


@pytest.mark.parametrize("sent", [False, True])
def test_a_void_is_withdrawn_when_another_coup_is_on_the_table(bench: DeskBench, sent: bool) -> None:
    bench.table.serve()
    bench.table.open()
    bench.table.follow(*cards(2, "9S 2H TD 3C"), result(6, "player", 9, 5, natural=True))
    bench.request("void", args=VOID)
    bench.commit()
    if sent:
        bench.commit()
        assert len(bench.commands_sent(0.1)) == 1
    bench.shoe_logs("button", shoe_no=1, coup_no=1, button="confirm")
    bench.commit()
    (answer,) = bench.answers
    assert not answer.ok
    was = "was sent, but the shoe has not answered, and another coup" if sent else "was not sent: another coup"
    assert answer.say.startswith(f"Void {was} is on the table now. ")
    assert bench.commands_sent(20.0) == []


def test_a_named_coup_is_refused_when_the_coup_on_the_table_is_not_known(bench: DeskBench) -> None:
    bench.table.serve()
    assert "the coup on the table is not known. Leave --coup out." in bench.answer_to("void", args={"coup": "1/1"})


# The fault that a dispute caused


@pytest.mark.parametrize(
    ("verdict", "command", "data"),
    [("confirmed", "confirm", {}), ("void", "void_coup", {"reason": "discrepancy", "then": "go_on"})],
)
def test_a_decision_ends_the_fault_that_the_dispute_caused(
    bench: DeskBench, verdict: str, command: str, data: dict[str, str]
) -> None:
    bench.table.serve()
    bench.table.dispute()
    bench.table.fault = "decision"
    bench.request("decide", args={"coup": "1/1", "verdict": verdict})
    bench.commit()
    assert bench.commands_sent(0.1) == []
    coup = ["coup", "confirmed"] if verdict == "confirmed" else ["coup"]
    assert [topic for _, topic, _ in bench.commit()] == [*coup, "alarm", "sent"]
    assert bench.commands_sent(0.2) == [(1, command, data)]
    bench.shoe_logs("command_done", command_id=1, command=command, outcome="done", data=data)
    bench.commit()
    assert bench.answers == [Answer(True, f"Coup 1/1 is {verdict}. The shoe goes on.")]


def test_the_shoes_void_of_a_coup_that_was_decided_here_is_not_reported_again(bench: DeskBench) -> None:
    bench.table.serve()
    bench.table.dispute()
    bench.table.fault = "decision"
    bench.send("decide", args={"coup": "1/1", "verdict": "void"})
    bench.commands_sent(0.1)
    data = {"reason": "discrepancy", "then": "go_on"}
    bench.shoe_logs("command_done", command_id=1, command="void_coup", outcome="done", data=data)
    bench.shoe_logs("coup_void", shoe_no=1, coup_no=1, cards=4, **data)
    assert bench.coups() == []


@pytest.mark.parametrize("fault", ["decision", "card", "journal"])
def test_a_decision_that_cannot_end_the_fault_stands_and_names_the_next_step(bench: DeskBench, fault: str) -> None:
    bench.table.dispute()
    bench.table.fault = fault
    say = bench.answer_to("decide", args={"coup": "1/1", "verdict": "void"})
    assert say.startswith("Coup 1/1 is void. ")
    assert f"The shoe locks its exit (fault {fault}): " in say
    assert bench.table.verifier.disputed() == []


def test_a_decision_whose_command_the_shoe_refuses_stands_and_the_answer_has_both(bench: DeskBench) -> None:
    bench.table.serve()
    bench.table.dispute()
    bench.table.fault = "decision"
    bench.send("decide", args={"coup": "1/1", "verdict": "confirmed"})
    bench.commands_sent(0.1)
    bench.shoe_logs("command_refused", command_id=1, command="confirm", outcome="not_now")
    bench.commit()
    (answer,) = bench.answers
    assert answer.ok
    assert answer.say.startswith("Coup 1/1 is confirmed. Confirm refused: no complete coup waits for Confirm. ")
    assert "(fault decision)" in answer.say


# Confirm is the dealer's (P-51); a disputed coup is a supervisor's (P-43)

_DECIDE = "decide it with `sabot table bac-01 decide --coup 1/1 --verdict confirmed|void --by NAME --clause N`."


@pytest.mark.parametrize("fault", ["none", "decision"])
def test_a_request_to_confirm_decides_no_disputed_coup(bench: DeskBench, fault: str) -> None:
    bench.table.serve()
    bench.table.dispute()
    bench.table.fault = fault
    assert bench.answer_to("confirm", clause="") == f"Confirm refused: coup 1/1 is disputed: {_DECIDE}"
    assert bench.commands_sent(0.1) == []
    assert len(bench.table.verifier.disputed()) == 1


def test_nor_does_one_about_the_dealers_entry(bench: DeskBench) -> None:
    bench.table.serve()
    bench.table.open()
    bench.table.follow(*cards(2, "9S 2H TD 3C"), result(6, "player", 9, 5, natural=True))
    bench.table.follow(event(7, "button", shoe_no=1, coup_no=1, button="banker"))
    assert bench.answer_to("confirm") == f"Confirm refused: coup 1/1 is disputed: {_DECIDE}"


def test_after_the_decision_the_shoe_can_be_confirmed_by_request(bench: DeskBench) -> None:
    bench.table.serve()
    bench.table.dispute()
    bench.send("decide", args={"coup": "1/1", "verdict": "confirmed"})
    bench.send("confirm")
    assert [kind for _, kind, _ in bench.commands_sent(0.1)] == ["confirm"]
