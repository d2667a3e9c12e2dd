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
from sabot_gateway.operator.requests import ParsedRequest, TableRequest, parse
from sabot_gateway.operator.verbs.coup import Confirm
from sabot_gateway.operator.verbs.gateway import Status
from sabot_service.control import MOST_CALLERS, Caller, Control
from sabot_service.daemons import GATEWAY
from sabot_service.messages import Answer, ControlError
from support.patience import PATIENCE_S

REQUEST = b'{"verb": "confirm", "table": "bac-01", "by": "A. Smith", "clause": "12.13"}\n'


class Server:
    """A control socket whose requests are collected; the test answers them."""

    def __init__(self, path: Path) -> None:
        self.selector = selectors.DefaultSelector()
        self.control = Control(path, self.selector, GATEWAY, parse)
        self.path, self.requests = path, list[tuple[Caller, ParsedRequest]]()
        self.broken = False

    def turn(self, now_s: float = 0.0) -> None:
        for key, _ in self.selector.select(0):
            if isinstance(key.data, Caller):
                self.serve(key.data)
            else:
                self.control.accept(now_s)

    def serve(self, caller: Caller) -> None:
        self.control.serve(caller, lambda request: self._take(caller, request))

    def _take(self, caller: Caller, request: ParsedRequest) -> None:
        if self.broken:
            raise RuntimeError("an internal error")
        self.requests.append((caller, request))

    def call(self, line: bytes = b"", now_s: float = 0.0) -> socket.socket:
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(PATIENCE_S)
        sock.connect(str(self.path))
        self.turn(now_s)
        if line:
            sock.sendall(line)
            self.turn(now_s)
        return sock


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path / "c.sock")
    yield made
    made.control.close()


def answer_at(sock: socket.socket) -> dict[str, object]:
    """Read the line that the server sends."""
    with sock.makefile("rb") as lines:
        answer: dict[str, object] = json.loads(lines.readline())
    return answer


def test_one_line_is_the_request_and_one_line_the_answer(server: Server) -> None:
    sock = server.call()
    sock.sendall(REQUEST[:20])
    server.turn()
    assert server.requests == []
    sock.sendall(REQUEST[20:])
    server.turn()
    ((caller, request),) = server.requests
    assert request == TableRequest("confirm", "bac-01", "A. Smith", "12.13", Confirm())
    assert caller.user == pwd.getpwuid(os.getuid()).pw_name
    server.control.answer(caller, Answer(True, "Done."))
    assert answer_at(sock) == {"ok": True, "say": "Done."}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"hello\n", "Bad request: JSON is malformed"),
        (b'{"table": "bac-01"}\n', "missing required field `verb`"),
        (b'{"verb": "void", "who": "me"}\n', "unknown field `who`"),
        (b'{"verb": "\xff"}\n', "Bad request"),
        (b"x" * 4096, "more than 4096 bytes without an end of line"),
        (REQUEST + REQUEST, "one line per connection"),
        (b'{"verb": "void", "args": ' + b"[" * 3000 + b"\n", "nested too deeply"),
    ],
)
def test_a_bad_request_is_answered_with_the_reason(server: Server, line: bytes, why: str) -> None:
    sock = server.call()
    sock.sendall(line)
    server.turn()
    answer = answer_at(sock)
    assert answer["ok"] is False
    assert why in str(answer["say"])
    assert server.requests == []


def test_answering_a_caller_that_has_closed_does_nothing(server: Server) -> None:
    sock = server.call()
    sock.sendall(REQUEST)
    server.turn()
    sock.close()
    server.turn()
    server.control.answer(server.requests[0][0], Answer(True, "Done."))
    assert len(server.selector.get_map()) == 1


def test_a_caller_that_shuts_down_its_side_after_the_request_is_answered(server: Server) -> None:
    sock = server.call(REQUEST)
    sock.shutdown(socket.SHUT_WR)
    server.turn()
    server.control.answer(server.requests[0][0], Answer(True, "Done."))
    assert answer_at(sock) == {"ok": True, "say": "Done."}


def test_an_internal_error_is_an_answer(server: Server) -> None:
    server.broken = True
    answer = answer_at(server.call(REQUEST))
    assert "Internal error in the gateway. Read its log" in str(answer["say"])
    server.broken = False
    server.call(REQUEST)
    assert len(server.requests) == 1


# Many callers


def test_a_caller_without_a_request_is_dropped_after_five_seconds(server: Server) -> None:
    silent, half, complete = server.call(), server.call(REQUEST[:20]), server.call(REQUEST)
    server.control.expire(5.0)
    assert len(server.selector.get_map()) == 3
    server.control.expire(5.1)
    assert len(server.selector.get_map()) == 1
    assert (silent.recv(1), half.recv(1)) == (b"", b"")
    server.control.answer(server.requests[0][0], Answer(True, "Done."))
    assert answer_at(complete)["ok"] is True


def test_idle_callers_are_dropped_oldest_first_when_there_are_too_many(server: Server) -> None:
    waits = server.call(REQUEST)
    crowd = [server.call(REQUEST[: number % 30]) for number in range(MOST_CALLERS - 1)]
    last = server.call(b'{"verb": "status"}\n')
    assert isinstance(server.requests[-1][1], Status)
    server.control.answer(server.requests[-1][0], Answer(True, ""))
    assert answer_at(last)["ok"] is True
    assert crowd[0].recv(1) == b""
    crowd[1].sendall(REQUEST[1:])
    server.turn()
    assert len(server.requests) == 3
    server.control.answer(server.requests[0][0], Answer(True, "Done."))
    assert answer_at(waits)["ok"] is True


def test_a_caller_is_refused_when_all_others_wait_for_an_answer(server: Server) -> None:
    crowd = [server.call(REQUEST) for _ in range(MOST_CALLERS)]
    assert "Too many callers at this gateway. Try again" in str(answer_at(server.call())["say"])
    assert len(crowd) == len(server.requests)


LONG = Answer(True, "x" * 2_000_000)


def test_a_caller_that_does_not_read_its_answer_blocks_nobody_and_is_dropped(server: Server) -> None:
    slow = server.call(REQUEST)
    server.control.answer(server.requests[0][0], LONG)
    assert len(server.selector.get_map()) == 2  # the rest is sent when the socket takes more
    server.turn()
    server.control.expire(5.0)
    assert len(server.selector.get_map()) == 2
    server.control.expire(5.1)
    assert len(server.selector.get_map()) == 1
    slow.close()


def test_a_caller_that_reads_a_long_answer_slowly_gets_all_of_it(server: Server) -> None:
    sock = server.call(REQUEST)
    server.control.answer(server.requests[0][0], LONG)
    taken = bytearray()
    while part := sock.recv(65536):
        taken += part
        server.turn()
    assert json.loads(taken) == {"ok": True, "say": LONG.say}
    assert len(server.selector.get_map()) == 1


def test_only_owner_and_group_can_use_the_socket(server: Server) -> None:
    assert stat.S_IMODE(server.path.stat().st_mode) == 0o660


def test_the_socket_of_a_dead_daemon_is_replaced_and_that_of_a_running_one_is_not(
    server: Server, tmp_path: Path
) -> None:
    with pytest.raises(ControlError, match="another gateway uses this socket"):
        Control(server.path, selectors.DefaultSelector(), GATEWAY, parse)
    left = tmp_path / "left.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(left))
    Control(left, selectors.DefaultSelector(), GATEWAY, parse).close()
    assert not left.exists()


def test_a_path_that_cannot_be_bound_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "c.sock", tmp_path / ("x" * 200)):
        with pytest.raises(ControlError, match="set `control` in the config to a path in a directory"):
            Control(path, selectors.DefaultSelector(), GATEWAY, parse)
