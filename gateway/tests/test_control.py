"""The control socket: real connections, one line each way."""

import json
import os
import pwd
import selectors
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from sabot_gateway.operator.control import MOST_CALLERS, Answer, Caller, Control, ControlError
from sabot_gateway.operator.requests import Asked, Confirm, Status, TableRequest

ASK = b'{"verb": "confirm", "table": "bac-01", "by": "A. Smith", "clause": "12.13"}\n'


class Desk:
    """Answers what it is asked, once told to."""

    def __init__(self, path: Path) -> None:
        self.selector = selectors.DefaultSelector()
        self.control = Control(path, self.selector)
        self.path, self.asked = path, list[tuple[Caller, Asked]]()
        self.broken = False

    def turn(self, now_s: float = 0.0) -> None:
        for key, _ in self.selector.select(0):
            if isinstance(key.data, Caller):
                self.serve(key.data)
            else:
                self.control.accept(now_s)

    def serve(self, caller: Caller) -> None:
        self.control.serve(caller, lambda request: self._take(caller, request))

    def _take(self, caller: Caller, request: Asked) -> None:
        if self.broken:
            raise RuntimeError("an error of our own")
        self.asked.append((caller, request))

    def call(self, line: bytes = b"", now_s: float = 0.0) -> socket.socket:
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(5)
        sock.connect(str(self.path))
        self.turn(now_s)
        if line:
            sock.sendall(line)
            self.turn(now_s)
        return sock


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    it = Desk(tmp_path / "c.sock")
    yield it
    it.control.close()


def heard(sock: socket.socket) -> dict[str, object]:
    with sock.makefile("rb") as lines:
        answer: dict[str, object] = json.loads(lines.readline())
    return answer


def test_a_line_asks_and_a_line_answers(desk: Desk) -> None:
    sock = desk.call()
    sock.sendall(ASK[:20])
    desk.turn()
    assert desk.asked == []
    sock.sendall(ASK[20:])
    desk.turn()
    ((caller, request),) = desk.asked
    assert request == TableRequest("confirm", "bac-01", "A. Smith", "12.13", Confirm())
    assert caller.user == pwd.getpwuid(os.getuid()).pw_name
    desk.control.answer(caller, Answer(True, "Done."))
    assert heard(sock) == {"ok": True, "say": "Done."}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"hello\n", "not a request: JSON is malformed"),
        (b'{"table": "bac-01"}\n', "missing required field `verb`"),
        (b'{"verb": "void", "who": "me"}\n', "unknown field `who`"),
        (b'{"verb": "\xff"}\n', "not a request"),
        (b"x" * 4096, "more than 4096 bytes without an end of line"),
        (ASK + ASK, "one request a connection"),
        (b'{"verb": "void", "args": ' + b"[" * 3000 + b"\n", "nested too deeply"),
    ],
)
def test_what_is_no_request_is_answered_in_words(desk: Desk, line: bytes, why: str) -> None:
    sock = desk.call()
    sock.sendall(line)
    desk.turn()
    answer = heard(sock)
    assert answer["ok"] is False
    assert why in str(answer["say"])
    assert desk.asked == []


def test_one_who_hangs_up_is_forgotten_and_may_still_be_answered(desk: Desk) -> None:
    sock = desk.call()
    sock.sendall(ASK)
    desk.turn()
    sock.close()
    desk.turn()
    desk.control.answer(desk.asked[0][0], Answer(True, "Done."))
    assert len(desk.selector.get_map()) == 1


def test_one_who_ends_his_side_after_the_request_is_answered(desk: Desk) -> None:
    sock = desk.call(ASK)
    sock.shutdown(socket.SHUT_WR)
    desk.turn()
    desk.control.answer(desk.asked[0][0], Answer(True, "Done."))
    assert heard(sock) == {"ok": True, "say": "Done."}


def test_an_error_of_our_own_is_an_answer(desk: Desk) -> None:
    desk.broken = True
    answer = heard(desk.call(ASK))
    assert "the gateway met an error of its own" in str(answer["say"])
    desk.broken = False
    desk.call(ASK)
    assert len(desk.asked) == 1


# A crowd


def test_one_who_asks_nothing_is_dropped_after_five_seconds(desk: Desk) -> None:
    silent, half, asks = desk.call(), desk.call(ASK[:20]), desk.call(ASK)
    desk.control.expire(5.0)
    assert len(desk.selector.get_map()) == 3
    desk.control.expire(5.1)
    assert len(desk.selector.get_map()) == 1
    assert (silent.recv(1), half.recv(1)) == (b"", b"")
    desk.control.answer(desk.asked[0][0], Answer(True, "Done."))
    assert heard(asks)["ok"] is True


def test_a_crowd_that_asks_nothing_makes_room_the_oldest_first(desk: Desk) -> None:
    waits = desk.call(ASK)
    crowd = [desk.call(ASK[: number % 30]) for number in range(MOST_CALLERS - 1)]
    last = desk.call(b'{"verb": "status"}\n')
    assert isinstance(desk.asked[-1][1], Status)
    desk.control.answer(desk.asked[-1][0], Answer(True, ""))
    assert heard(last)["ok"] is True
    assert crowd[0].recv(1) == b""
    crowd[1].sendall(ASK[1:])
    desk.turn()
    assert len(desk.asked) == 3
    desk.control.answer(desk.asked[0][0], Answer(True, "Done."))
    assert heard(waits)["ok"] is True


def test_a_crowd_of_which_all_wait_turns_the_next_away_with_a_sentence(desk: Desk) -> None:
    crowd = [desk.call(ASK) for _ in range(MOST_CALLERS)]
    assert "too many ask this gateway at once" in str(heard(desk.call())["say"])
    assert len(crowd) == len(desk.asked)


LONG = Answer(True, "x" * 2_000_000)


def test_one_who_does_not_take_his_answer_holds_up_nobody_and_is_dropped(desk: Desk) -> None:
    slow = desk.call(ASK)
    desk.control.answer(desk.asked[0][0], LONG)
    assert len(desk.selector.get_map()) == 2  # it is sent on when the socket takes more
    desk.turn()
    desk.control.expire(5.0)
    assert len(desk.selector.get_map()) == 2
    desk.control.expire(5.1)
    assert len(desk.selector.get_map()) == 1
    slow.close()


def test_one_who_takes_a_long_answer_slowly_gets_all_of_it(desk: Desk) -> None:
    sock = desk.call(ASK)
    desk.control.answer(desk.asked[0][0], LONG)
    taken = bytearray()
    while part := sock.recv(65536):
        taken += part
        desk.turn()
    assert json.loads(taken) == {"ok": True, "say": LONG.say}
    assert len(desk.selector.get_map()) == 1


def test_only_owner_and_group_may_ask(desk: Desk) -> None:
    assert stat.S_IMODE(desk.path.stat().st_mode) == 0o660


def test_the_socket_of_a_dead_daemon_is_taken_over_and_that_of_a_living_one_is_not(desk: Desk, tmp_path: Path) -> None:
    with pytest.raises(ControlError, match="another gateway answers there"):
        Control(desk.path, selectors.DefaultSelector())
    left = tmp_path / "left.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(left))
    Control(left, selectors.DefaultSelector()).close()
    assert not left.exists()


def test_a_path_that_cannot_be_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "c.sock", tmp_path / ("x" * 200)):
        with pytest.raises(ControlError, match="give `control` in the config a path of its own"):
            Control(path, selectors.DefaultSelector())
