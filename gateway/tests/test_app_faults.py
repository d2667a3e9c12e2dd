"""Faults that hold a shoe's exit, through the daemon's loop: in HELLO, in the log, and on every surface."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sabot_protocol.topics import CoupMessage
from sabot_service.messages import Request
from shoe_events import Shoe, cards, event, result
from test_app import ALARMS, Bench, retained, status


class Benches:
    """Daemons on one ledger, one after the other."""

    def __init__(self, work_dir: Path) -> None:
        self._work_dir, self._last = work_dir, list[Bench]()

    def __call__(self) -> Bench:
        self.close()
        self._last = [Bench(self._work_dir)]
        return self._last[0]

    def close(self) -> None:
        for bench in self._last:
            bench.app.close()
            os.close(bench.line)
        self._last = []


@pytest.fixture
def benches(tmp_path: Path) -> Iterator[Benches]:
    made = Benches(tmp_path)
    yield made
    made.close()


def active(bench: Bench) -> list[tuple[str, str]]:
    return [(alarm["name"], alarm["state"]) for alarm in retained(bench.app, ALARMS)["alarms"]]


def ask(bench: Bench, verb: str, **args: str) -> dict[str, Any]:
    """Ask at the socket; the answer."""
    with closing(socket.socket(socket.AF_UNIX)) as sock:
        request(sock, bench, verb, **args)
        answer: dict[str, Any] = json.loads(sock.recv(65536))
    return answer


def request(sock: socket.socket, bench: Bench, verb: str, **args: str) -> None:
    """Ask at the socket, and let the daemon take it."""
    sock.connect(str(bench.ledger_path.with_name("control.sock")))
    asked = Request(verb, "bac-01", "A. Smith", "12.13", dict(args))
    sock.sendall(msgspec.json.encode(asked) + b"\n")
    for _ in range(4):
        bench.app.step(0.01)


def test_a_command_does_not_wait_for_the_next_visit_at_a_quiet_table(benches: Benches) -> None:
    bench = benches()
    bench.greet(next_event_no=1)
    time_set = {"command_id": 1, "command": "set_time", "outcome": "done", "data": {"utc_s": 1, "utc_ms": 0}}
    bench.send(bench.shoe.event(1, "command_done", **time_set))
    bench.listen(0.3)
    with closing(socket.socket(socket.AF_UNIX)) as sock:
        request(sock, bench, "lock")
        assert "command" in [name for name, _ in bench.send(b"")]


def test_a_fault_in_hello_that_no_alarm_shows_is_raised_and_one_that_is_over_is_cleared(
    benches: Benches,
) -> None:
    bench = benches()
    bench.greet(next_event_no=1, fault="card")
    assert active(bench) == [("fault_card", "raised")]
    assert (status(bench.app)["fault"], "clear-fault card" in status(bench.app)["next_step"]) == ("card", True)
    assert ask(bench, "ack-alarm")["say"].startswith("1 acknowledged. These stay active until")
    assert active(bench) == [("fault_card", "acknowledged")]
    again = benches()
    again.greet(next_event_no=1, fault="card")
    assert active(again) == [("fault_card", "acknowledged")]
    free = benches()
    free.greet(next_event_no=1)
    assert active(free) == []
    assert "fault" not in status(free.app)


def test_the_fault_of_hello_is_compared_when_the_log_before_it_has_come(benches: Benches) -> None:
    bench = benches()
    bench.greet(next_event_no=3, fault="card")
    assert "alarms" not in retained(bench.app, ALARMS) or active(bench) == []
    bench.send(bench.shoe.event(1, "fault", fault="lid", detail=0))
    assert active(bench) == [("fault_lid", "raised")]
    assert status(bench.app)["fault"] == "card"
    bench.send(bench.shoe.event(2, "fault_cleared", fault="lid", by="key"))
    assert active(bench) == [("fault_card", "raised")]


def test_a_full_journal_is_no_fault_of_hello_and_its_alarm_stays(benches: Benches) -> None:
    bench = benches()
    bench.greet(next_event_no=2)
    bench.send(bench.shoe.event(1, "fault", fault="journal_full", detail=0))
    assert active(bench) == [("fault_journal_full", "raised")]
    assert "fault" not in status(bench.app)


def test_a_lost_part_of_the_log_disputes_a_coup_and_its_decision_has_why_the_exit_is_locked(
    benches: Benches,
) -> None:
    bench = benches()
    bench.greet(next_event_no=10, oldest_event_no=3, fault="composition")
    dealt = [*cards(3, "TD 3C", slots=("player_2", "banker_2")), result(5, "player", 9, 5)]
    bench.send(*map(bench.shoe.logged, dealt))
    bench.send(*map(bench.shoe.logged, (event(number, "key", on=number % 2) for number in range(6, 10))))
    (disputed,) = bench.app._tables["bac-01"].verifier.disputed()
    assert isinstance(disputed, CoupMessage)
    assert [name for name, _ in active(bench)] == ["log_lost", "discrepancy", "fault_composition"]
    answer = ask(bench, "decide", coup=disputed.id, verdict="void")
    assert answer["ok"] is True
    assert answer["say"].startswith("Coup 1/1 is void. The shoe locks its exit (fault composition): count the cards")
    ask(bench, "ack-alarm")
    assert active(bench) == [("fault_composition", "acknowledged")]
    bench.send(bench.shoe.event(10, "fault_cleared", fault="composition", by="key"))
    assert active(bench) == []
    assert "fault" not in status(bench.app)


def test_another_shoe_at_the_table_has_faults_of_its_own(benches: Benches) -> None:
    bench = benches()
    bench.greet(next_event_no=1, fault="journal")
    other = benches()
    other.shoe = Shoe()
    other.greet(next_event_no=1, unit=bytes.fromhex("5ab0000000000002"))
    assert active(other) == []
