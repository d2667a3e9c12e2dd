"""A gateway that is held: for which reasons, what ends them, and the status of every table meanwhile."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from floor import Floor, Line
from sabot_gateway.hold import Hold, Reason
from sabot_gateway.ledger import Ledger, LedgerError
from sabot_gateway.operator.requests import TableRequest
from sabot_gateway.operator.verbs.coup import Confirm
from sabot_gateway.operator.verbs.gateway import Status
from sabot_gateway.publish.stage import PublishStage
from sabot_gateway.shoe.link import ShoeLink
from sabot_service.control import Caller
from sabot_service.messages import Answer
from shoe_events import frames_in
from stand_in import StandIn
from structlog.testing import capture_logs

TABLES = ("bac-01", "bac-02")
TIME = "2026-01-01T00:00:00.000Z"


def test_a_hold_ends_when_the_last_of_its_reasons_has_gone() -> None:
    hold, broken = Hold(), {0, 1}

    def retry(number: int) -> None:
        if number in broken:
            raise LedgerError("broken")

    for number in (0, 1):
        assert hold.begin(Reason(f"r{number}", f"Reason {number}.", TIME, partial(retry, number)), 10.0)
    assert not hold.begin(Reason("r0", "Reason 0 again.", TIME, lambda: None), 10.0)
    assert hold.problem == "Reason 0. Reason 1."
    assert not hold.due(10.9)
    assert hold.due(11.0)
    broken.remove(0)
    hold.retry(11.0)
    assert (bool(hold), hold.problem, hold.due(11.9)) == (True, "Reason 1.", False)
    broken.remove(1)
    hold.retry(12.0)
    assert not hold
    assert [reason.name for reason in hold.take_ended()] == ["r0", "r1"]


def test_a_hold_for_a_person_tries_nothing_until_it_is_released() -> None:
    hold = Hold()
    hold.begin(Reason("behind", "The ledger is behind.", TIME), 10.0)
    hold.begin(Reason("entries", "The disk is full.", TIME, lambda: None), 10.0)
    assert not hold.due(1e6)
    assert [one["waits_for_person"] for one in hold.reasons()] == [True, False]
    assert not hold.release("no such")
    assert hold.release("behind")
    assert hold.due(1e6)


# The daemon


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    with ExitStack() as stack:
        yield Floor(stack, tmp_path, *TABLES)


def held_status(problem: str) -> dict[str, Any]:
    return {"state": "offline", "problem": problem}


def online(floor: Floor, name: str) -> dict[str, Any]:
    return {"state": "online", "unit": floor.lines[name].unit, "authenticated": False}


def test_a_ledger_that_cannot_be_written_is_a_problem_of_every_table_until_it_can(floor: Floor) -> None:
    floor.greet()
    floor.break_ledger()
    floor.lines["bac-01"].coup(1)
    floor.step(3)
    problem = floor.retained("status")["problem"]
    assert "the ledger refused 5 entries" in problem
    assert floor.retained("status")["state"] == "online"
    for name in TABLES:
        assert floor.status(name) == held_status(problem)
    assert [table["problem"] for table in floor.app._requests.status(floor.app._at())["tables"]] == [problem, problem]
    floor.mend_ledger()
    floor.step(3, pass_s=1.1)
    assert floor.retained("status") == {"state": "online"}
    for name in TABLES:
        assert floor.status(name) == online(floor, name)
        assert floor.alarms(name) == ["ledger_not_writable"]


def test_a_table_whose_shoe_goes_during_a_hold_has_it_in_its_status_afterwards(floor: Floor) -> None:
    floor.greet()
    floor.break_ledger()
    floor.lines["bac-01"].coup(1)
    floor.step(3)
    floor.app._lines.lose(floor.app._tables["bac-02"], floor.app._at())
    assert floor.status("bac-02") == floor.status("bac-01")
    floor.mend_ledger()
    floor.step(1, pass_s=1.1)
    assert "is gone; the gateway opens the port again as soon as it can" in floor.status("bac-02")["problem"]


def answer_who(floor: Floor, line: Line) -> None:
    for frame in frames_in(line.read()):
        if frame.type == "who":
            line.hello(frame.body["nonce"])


def test_a_ledger_that_cannot_be_read_when_a_shoe_is_greeted_holds_the_gateway_and_loses_nothing(floor: Floor) -> None:
    """Events that came in front of the HELLO in one read are stored all the same."""
    floor.greet("bac-01")
    line = floor.lines["bac-01"]
    link = floor.app._tables["bac-01"].link
    assert isinstance(link, ShoeLink)
    link.handshake._asked = bytes(range(8))
    with line.in_one_write():
        line.coup(1)
        line.hello(bytes(range(8)))
    with floor.unreadable():
        floor.step(3)
        assert "the ledger cannot be read: interrupted" in floor.status("bac-02")["problem"]
    floor.step(3, pass_s=1.1)
    assert floor.events("bac-01") == [1, 2, 3, 4, 5]

    def served() -> bool:
        answer_who(floor, line)
        line.write(line.shoe.say("alive"))
        return floor.status("bac-01") == online(floor, "bac-01")

    floor.until(served)
    line.coup(2)
    floor.step(3)
    assert floor.events("bac-01") == list(range(1, 11))


def test_a_ledger_that_stays_unreadable_is_one_line_in_the_log_and_one_problem(floor: Floor) -> None:
    with floor.unreadable(), capture_logs() as logs:

        def held() -> bool:
            answer_who(floor, floor.lines["bac-01"])
            return "problem" in floor.retained("status")

        floor.until(held)
        before = floor.app.retained_topics()
        floor.step(20, pass_s=0.7)
        assert floor.app.retained_topics() == before
    assert [entry["log_level"] for entry in logs if entry["log_level"] == "error"] == ["error"]


def test_a_hold_at_the_start_waits_for_a_person_and_is_in_every_status(floor: Floor) -> None:
    floor.app.hold("behind", "The ledger is behind a head that it once published.")
    floor.app.begin()
    floor.step(5, pass_s=1.0)
    for topic in ("status", "bac-01/status", "bac-02/status"):
        assert floor.retained(topic)["problem"] == "The ledger is behind a head that it once published."
    assert all(table.line.port is None for table in floor.app._tables.values())
    assert floor.app._requests.status(floor.app._at())["hold"][0]["name"] == "behind"
    assert floor.app.release("behind")
    assert "no shoe has answered at this table since the gateway started" in floor.status("bac-01")["problem"]
    assert floor.retained("status") == {"state": "online"}
    floor.greet()
    assert floor.alarms("bac-01") == []


def test_the_control_socket_answers_status_during_a_hold(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[Answer] = []
    monkeypatch.setattr(floor.app._control, "answer", lambda caller, answer: answers.append(answer))
    floor.app.hold("behind", "The ledger is behind.")
    for request in (Status(), TableRequest("confirm", "bac-01", "A. Smith", "", Confirm())):
        floor.app._requests.take(Caller.__new__(Caller), request, floor.app._at())
    assert [answer.ok for answer in answers] == [True, False]
    assert msgspec.json.decode(answers[0].data)["ledger"]["problem"] == "The ledger is behind."
    assert "The ledger is behind." in answers[1].say


# Errors of our own


def fail(*_: object, **_more: object) -> None:
    raise ZeroDivisionError("a fault of ours")


def test_an_error_over_what_one_port_brought_costs_that_table_its_connection_and_nobody_else(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    floor.greet()
    table = floor.app._tables["bac-01"]
    monkeypatch.setattr(table, "link", StandIn(table.link, receive=fail))
    with capture_logs() as logs:
        for number in range(1, 9):
            floor.lines["bac-01"].write(b"\0")
            floor.lines["bac-02"].coup(number)
            floor.step(2, pass_s=1.0)
    assert floor.events("bac-02") == list(range(1, 41))
    assert "internal error in the gateway (ZeroDivisionError: a fault of ours)" in floor.status("bac-01")["problem"]
    assert floor.alarms("bac-01") == ["gateway_error"]
    assert floor.status("bac-02") == online(floor, "bac-02")
    assert 1 <= sum("exc_info" in entry for entry in logs) <= 8
    monkeypatch.undo()
    floor.greet("bac-01")


def test_an_error_in_a_stage_of_all_tables_is_tried_again_and_in_every_status(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    floor.greet()
    monkeypatch.setattr(PublishStage, "step", fail)
    floor.step(2)
    assert "ZeroDivisionError" in floor.status("bac-02")["problem"]
    monkeypatch.undo()
    floor.step(3, pass_s=1.1)
    assert floor.status("bac-02") == online(floor, "bac-02")
    assert floor.alarms("bac-02") == ["gateway_error"]


@pytest.mark.parametrize("stage", ["acknowledge", "tick"])
def test_an_error_after_a_commit_stores_nothing_twice(
    floor: Floor, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    floor.greet()
    with monkeypatch.context() as broken:
        broken.setattr(ShoeLink, stage, fail)
        floor.lines["bac-01"].coup(1)
        floor.step(3, pass_s=0.3)
    floor.step(3, pass_s=1.1)
    assert floor.events("bac-01") == [1, 2, 3, 4, 5]
    floor.greet("bac-01")


def test_an_error_that_stays_does_not_fill_the_log_and_goes_when_it_goes(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    floor.greet()
    with monkeypatch.context() as broken, capture_logs() as logs:
        broken.setattr(PublishStage, "step", fail)
        floor.step(200, pass_s=0.5)
    assert sum(entry["log_level"] == "error" for entry in logs) <= 30
    floor.lines["bac-01"].coup(1)
    floor.step(3, pass_s=1.1)
    assert floor.events("bac-01") == [1, 2, 3, 4, 5]


def test_what_does_not_let_go_at_the_end_does_not_keep_the_rest(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    floor.greet()
    monkeypatch.setattr(floor.app._publish.mqtt, "close", fail)
    monkeypatch.setattr(floor.app._control, "close", fail)
    floor.goodbye()
    Ledger(floor.ledger_path).close()  # nobody holds it


def test_the_reader_of_a_ledger_names_its_trouble(floor: Floor, tmp_path: Path) -> None:
    floor.greet()
    floor.lines["bac-01"].coup(1)
    floor.step(3)
    ledger = floor.app._ledger
    reads: list[Callable[[], object]] = [
        lambda: ledger.since(0, 10),
        lambda: ledger.this_shoe("bac-01"),
        lambda: ledger.active_alarms("bac-01"),
        lambda: ledger.disputed("bac-01"),
        lambda: ledger.cursor("mqtt"),
        lambda: ledger.durable_event_no("u"),
        lambda: ledger.day_of_play(3),
        lambda: ledger.count(),
        lambda: ledger.newest(),
        lambda: list(ledger.entries()),
        lambda: list(ledger.latest()),
        lambda: list(ledger.rows("shoes")),
        lambda: ledger.verify_chain(),
        lambda: ledger.verify_structure(),
        lambda: ledger.derived_difference(),
        lambda: ledger.pruned(),
    ]
    with floor.unreadable():
        for read in reads:
            with pytest.raises(LedgerError, match="the ledger cannot be read: interrupted"):
                read()
    for read in reads:
        read()
