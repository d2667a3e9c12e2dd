"""The line capture of a table: what it holds, its bounds, and that it harms neither its table nor the others."""

import os
import selectors
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from floor import Floor
from sabot_gateway.operator.requests import parse
from sabot_gateway.shoe.capture import Capture
from sabot_protocol import recording
from sabot_protocol.recording import Line
from sabot_service.control import MOST_CALLERS, MOST_UNSENT_BYTES, Caller, Control
from sabot_service.daemons import GATEWAY
from sabot_service.messages import Request, RequestError
from shoe_events import frames_in

FRAME, OTHER = b"\x05abcd\0", b"\x03ef\0"


def lines(data: bytes) -> list[Line]:
    """The pieces of the line in a whole recording."""
    return [record for record in recording.read(recording.Reader(), [data]) if isinstance(record, Line)]


def captured(capture: Capture, *carried: tuple[str, bytes, float], end_s: float) -> list[Line]:
    return lines(capture.start() + b"".join(capture.add(*one) for one in carried) + capture.finish(end_s))


def test_both_directions_with_their_times() -> None:
    capture = Capture({"table": "bac-01"}, 60, 1000, now_s=100.0)
    found = captured(capture, ("shoe", FRAME, 100.25), ("gateway", OTHER, 100.5), ("shoe", FRAME, 100.5), end_s=101.0)
    assert found == [(250_000, "shoe", FRAME), (500_000, "gateway", OTHER), (500_000, "shoe", FRAME)]


def test_a_frame_that_comes_in_pieces_is_one_and_a_frame_under_way_at_either_end_is_left_out() -> None:
    capture = Capture({}, 60, 1000, now_s=0.0, midway=["shoe"])
    carried = [("shoe", b"bcd\0" + FRAME + FRAME[:2], 0.1), ("gateway", OTHER, 0.2), ("shoe", FRAME[2:], 0.3)]
    found = captured(capture, *carried, ("shoe", FRAME[:3], 0.9), end_s=1.0)
    assert found == [(100_000, "shoe", FRAME), (200_000, "gateway", OTHER), (300_000, "shoe", FRAME)]


def test_an_angel_eye_has_no_delimiter_so_every_piece_is_kept_with_its_time() -> None:
    capture = Capture({}, 60, 1000, now_s=0.0, midway=["shoe"], starts=b"\x02\x05\x06\x15")
    card = b"\x051D\x81\xb8\x034F"
    carried = [("shoe", b"\xb8\x034F", 0.1), ("shoe", b"4F" + card[:5], 0.2), ("gateway", b"\x02OPLK02\x031B", 0.25)]
    found = captured(capture, *carried, ("shoe", card[5:], 0.3), end_s=0.3)
    assert found == [
        (200_000, "shoe", card[:5]),
        (250_000, "gateway", b"\x02OPLK02\x031B"),
        (300_000, "shoe", card[5:]),
    ]


def test_half_a_frame_that_nobody_has_finished_for_a_second_is_shown() -> None:
    found = captured(Capture({}, 60, 1000, now_s=0.0), ("shoe", FRAME[:3], 1.0), end_s=2.0)
    assert found == [(2_000_000, "shoe", FRAME[:3])]


def test_noise_without_a_delimiter_is_kept_and_not_held() -> None:
    capture = Capture({}, 60, 1 << 20, now_s=0.0)
    noise = [("shoe", b"\x55" * 1000, 0.001 * number) for number in range(100)]
    found = captured(capture, *noise, end_s=0.1)
    assert 100_000 - recording.MAX_LINE_BYTES <= sum(len(one.data) for one in found) <= 100_000


def test_it_is_over_after_its_seconds_or_its_bytes() -> None:
    capture = Capture({}, 60, 20, now_s=0.0)
    capture.start()
    capture.add("shoe", FRAME * 3, 1.0)
    assert not capture.over(59.9)
    assert capture.over(60.0)
    capture.add("shoe", FRAME, 2.0)
    assert capture.over(2.0)
    assert capture.line_bytes == 18


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ({"seconds": 0}, "seconds"),
        ({"seconds": 3601}, "seconds"),
        ({"bytes": 0}, "bytes"),
        ({"bytes": (1 << 26) + 1}, "bytes"),
        ({"out": "/etc/passwd"}, "capture has no argument 'out'"),
    ],
)
def test_a_request_out_of_bounds_is_refused_with_the_reason(args: dict[str, Any], why: str) -> None:
    with pytest.raises(RequestError, match=why):
        parse(msgspec.json.encode(Request("capture", "bac-01", args=args)))


def test_a_capture_has_no_person_and_a_table() -> None:
    for request in (Request("capture"), Request("capture", "bac-01", by="A. Smith"), Request("capture", "../x")):
        with pytest.raises(RequestError):
            parse(msgspec.json.encode(request))


# At the daemon


class Client:
    """Somebody at the control socket who takes what he is sent."""

    def __init__(self, floor: Floor, table: str = "bac-01", **args: Any) -> None:
        self.sock, self._floor, self.taken = socket.socket(socket.AF_UNIX), floor, b""
        self.sock.connect(str(floor.ledger_path.with_name("control.sock")))
        self.sock.setblocking(False)
        self.sock.sendall(msgspec.json.encode(Request("capture", table, args=args)) + b"\n")
        self.ended = False

    def take(self) -> bytes:
        try:
            while piece := self.sock.recv(1 << 16):
                self.taken += piece
            self.ended = True
        except BlockingIOError:
            pass
        except ConnectionError:
            self.ended = True
        return self.taken

    def answered(self) -> dict[str, Any]:
        self._floor.until(lambda: b"\n" in self.take())
        answer: dict[str, Any] = msgspec.json.decode(self.taken.partition(b"\n")[0])
        return answer

    def recording(self) -> list[Line]:
        """What came, up to the end."""

        def ended() -> bool:
            self.take()
            return self.ended

        self._floor.until(ended, pass_s=0.5)  # up to the seconds asked for
        return lines(self.taken.partition(b"\n")[2])


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    with ExitStack() as stack:
        yield Floor(stack, tmp_path, "bac-01", "bac-02")


def test_the_daemon_streams_what_was_on_the_line(floor: Floor) -> None:
    client = Client(floor, seconds=20)
    assert client.answered()["ok"]
    floor.greet()
    floor.lines["bac-01"].coup(1)
    floor.until(lambda: len(floor.events("bac-01")) == 5)
    found = client.recording()
    shoe, gateway = (b"".join(one.data for one in found if one.sender == sender) for sender in ("shoe", "gateway"))
    assert [frame.body["event_no"] for frame in frames_in(shoe) if frame.type == "event"] == [1, 2, 3, 4, 5]
    assert {frame.type for frame in frames_in(shoe)} == {"hello", "alive", "event"}
    assert {"welcome", "ack"} <= {frame.type for frame in frames_in(gateway)}
    assert max(frame.body["event_no"] for frame in frames_in(gateway) if frame.type == "ack") == 5


def test_one_capture_a_table_and_another_when_its_client_has_gone(floor: Floor) -> None:
    floor.greet()
    first, other = Client(floor), Client(floor, "bac-02")
    assert first.answered()["ok"]
    assert other.answered()["ok"]
    second = Client(floor)
    refused = second.answered()
    assert not refused["ok"]
    assert "one capture a table at a time" in refused["say"]
    first.sock.close()
    floor.step(5)
    assert Client(floor).answered()["ok"]


def test_an_unknown_table(floor: Floor) -> None:
    answer = Client(floor, "bac-09").answered()
    assert (answer["ok"], answer["say"]) == (
        False,
        "there is no table 'bac-09' here; `sabot gateway status` lists them",
    )


def test_a_client_that_takes_nothing_is_dropped_and_the_table_goes_on(floor: Floor) -> None:
    floor.greet()
    client = Client(floor, seconds=3600, bytes=1 << 26)
    floor.until(lambda: floor.app._captures.running)
    line = floor.lines["bac-01"]
    noise, most = os.urandom(4000).replace(b"\0", b"\1") + b"\0", [0]

    def dropped() -> bool:
        most.extend(len(caller.unsent) for _, caller in floor.app._captures.running.values())
        with suppress(BlockingIOError):  # the kernel hands on what a pty holds when it has time
            os.write(line.end, noise)
        return not floor.app._captures.running

    floor.until(dropped)
    assert MOST_UNSENT_BYTES // 2 < max(most) <= MOST_UNSENT_BYTES
    line.write(b"\0")
    line.coup(1)
    floor.until(lambda: len(floor.events("bac-01")) == 5)
    client.sock.close()


def test_a_table_that_leaves_the_config_and_a_daemon_that_stops_end_it_properly(floor: Floor) -> None:
    floor.greet()
    first, second = Client(floor), Client(floor, "bac-02")
    assert first.answered()["ok"]
    assert second.answered()["ok"]
    floor.until(lambda: all(capture.line_bytes for capture, _ in floor.app._captures.running.values()))
    floor.reload(floor.with_tables("bac-02"))
    assert first.recording()
    floor.goodbye()
    second.take()
    assert second.ended
    assert lines(second.taken.partition(b"\n")[2])


def test_captures_make_room_for_people(tmp_path: Path) -> None:
    selector = selectors.DefaultSelector()
    control = Control(tmp_path / "c.sock", selector, GATEWAY, parse)
    asked: list[Caller] = []

    def call() -> socket.socket:
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(str(control.path))
        control.accept(0.0)
        sock.sendall(b'{"verb": "capture", "table": "bac-01"}\n')
        for key, _ in selector.select(0):
            if isinstance(key.data, Caller):
                control.serve(key.data, lambda _, caller=key.data: asked.append(caller))  # type: ignore[misc]
        return sock

    socks = [call() for _ in range(MOST_CALLERS)]
    assert all(control.stream(caller, b"x") for caller in asked)
    socks.append(call())
    assert len(asked) == MOST_CALLERS + 1
    assert [control.serves(caller) for caller in asked] == [False] + [True] * MOST_CALLERS
    control.close()
    for sock in socks:
        sock.close()


def test_an_error_in_a_capture_costs_the_capture_and_nothing_else(floor: Floor) -> None:
    floor.greet()
    client = Client(floor)
    assert client.answered()["ok"]
    capture = floor.app._captures.running["bac-01"][0]
    capture._since_s = 1e9  # a time before the start, which no recording can hold
    floor.lines["bac-01"].coup(1)
    floor.until(lambda: len(floor.events("bac-01")) == 5)
    assert floor.status("bac-01")["state"] == "online"
    assert not floor.app._captures.running
    assert floor.alarms("bac-01") == []
