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
from sabot_gateway.control import Answer, Caller, Control, ControlError, Request

ASK = b'{"verb": "confirm", "table": "bac-01", "by": "A. Smith", "clause": "12.13"}\n'


class Desk:
    """Answers what it is asked, once told to."""

    def __init__(self, path: Path) -> None:
        self.selector = selectors.DefaultSelector()
        self.control = Control(path, self.selector)
        self.path, self.asked = path, list[tuple[Caller, Request]]()

    def turn(self, now_s: float = 0.0) -> None:
        for key, _ in self.selector.select(0):
            if isinstance(key.data, Caller):
                request = self.control.read(key.data)
                if request is not None:
                    self.asked.append((key.data, request))
            else:
                self.control.accept(now_s)

    def call(self) -> socket.socket:
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(5)
        sock.connect(str(self.path))
        self.turn()
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
    assert request == Request("confirm", "bac-01", "A. Smith", "12.13")
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


def test_one_who_asks_nothing_is_dropped_after_a_while_and_a_crowd_is_turned_away(desk: Desk) -> None:
    crowd = [desk.call() for _ in range(17)]
    assert crowd[16].recv(1) == b""
    desk.control.expire(30.0)
    assert len(desk.selector.get_map()) == 17
    desk.control.expire(30.1)
    assert len(desk.selector.get_map()) == 1
    assert crowd[0].recv(1) == b""


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
