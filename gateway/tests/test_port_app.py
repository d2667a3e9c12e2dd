"""The daemon over every kind of port: plugged in and out, hosts that come and go, lines with different problems."""

import os
import select
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sabot_gateway.app import App
from sabot_gateway.config import Config, Table
from sabot_gateway.shoe.line_watch import SILENT, UNREADABLE
from shoe_events import UNIT, Shoe, frames_in
from support.patience import PATIENCE_S
from test_ports import Pty, SerialHost


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


class Answers:
    """A shoe at the far end of a line: answers WHO, and says that it is alive."""

    def __init__(self, read: Callable[[], bytes], write: Callable[[bytes], object]) -> None:
        self._read, self._write, self._shoe = read, write, Shoe()

    def turn(self) -> None:
        try:
            frames = frames_in(self._read())
        except BlockingIOError:
            return
        for frame in frames:
            if frame.type == "who":
                self._write(self._shoe.hello(frame.body["nonce"]) + self._shoe.say("alive"))


class Daemon:
    """Tables and their ports; time is the test's."""

    def __init__(self, work_dir: Path, **ports: str) -> None:
        tables = tuple(Table(name, port, "star-baccarat") for name, port in ports.items())
        self.now_s = 1000.0
        config = Config("test", str(work_dir / "ledger.db"), "mqtt://127.0.0.1:9", tables)
        self.app = App(config, monotonic=lambda: self.now_s)

    def status(self, table: str) -> dict[str, Any]:
        message: dict[str, Any] = msgspec.json.decode(
            self.app._publish.publisher.retained._states.get(f"sabot/v1/test/{table}/status", b"{}")
        )
        return message

    def until(self, done: Callable[[], object]) -> None:
        give_up_s = time.monotonic() + PATIENCE_S
        while not done():
            self.app.step(0.02)
            self.now_s += 0.02
            assert time.monotonic() < give_up_s, self.app._publish.publisher.retained._states

    def online(self, table: str) -> bool:
        return self.status(table).get("state") == "online"

    def serve(self, table: str, shoe: Answers) -> None:
        """Until the shoe is served."""

        def served() -> bool:
            shoe.turn()
            return self.online(table)

        self.until(served)


def on_pty(line: int) -> Answers:
    os.set_blocking(line, False)
    return Answers(lambda: os.read(line, 65_536), lambda data: os.write(line, data))


def test_a_shoe_that_is_plugged_out_and_in_is_served_again(tmp_path: Path, stack: ExitStack) -> None:
    link_path = tmp_path / "usb-Sabot"
    daemon = Daemon(tmp_path, table=str(link_path))
    daemon.until(lambda: "is not there" in daemon.status("table").get("problem", ""))
    for _ in range(2):
        pty = Pty(stack)
        link_path.symlink_to(pty.name)
        shoe = on_pty(pty.line)
        daemon.serve("table", shoe)
        assert daemon.status("table")["unit"] == UNIT
        link_path.unlink()
        pty.unplug()
        daemon.until(lambda: not daemon.online("table"))


def test_a_shoe_behind_a_serial_server_is_served_on_rfc_2217(tmp_path: Path, stack: ExitStack) -> None:
    pty = Pty(stack)
    daemon, shoe = Daemon(tmp_path, table=SerialHost(stack, pty).url), on_pty(pty.line)
    daemon.serve("table", shoe)
    assert daemon.status("table")["unit"] == UNIT


def test_a_shoe_on_a_socket_is_served_and_again_after_the_host_hung_up(tmp_path: Path, stack: ExitStack) -> None:
    server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    daemon = Daemon(tmp_path, table=f"socket://127.0.0.1:{server.getsockname()[1]}")
    for _ in range(2):
        daemon.until(lambda: select.select([server], [], [], 0)[0])
        line = stack.enter_context(server.accept()[0])
        line.setblocking(False)
        daemon.serve("table", Answers(partial(line.recv, 65_536), line.sendall))
        line.close()
        daemon.until(lambda: not daemon.online("table"))
        assert "is gone; the gateway opens the port again as soon as it can" in daemon.status("table")["problem"]


def test_a_host_that_does_not_answer_does_not_hold_up_the_other_tables(tmp_path: Path, stack: ExitStack) -> None:
    mute = stack.enter_context(socket.create_server(("127.0.0.1", 0)))  # takes connections and never negotiates
    pty = Pty(stack)
    daemon = Daemon(tmp_path, mute=f"rfc2217://127.0.0.1:{mute.getsockname()[1]}", table=pty.name)
    shoe = on_pty(pty.line)
    daemon.serve("table", shoe)
    assert daemon.status("mute") == {}  # still on its way


def test_a_wrong_baud_rate_and_a_silent_line_are_different_problems(tmp_path: Path, stack: ExitStack) -> None:
    noisy, silent = Pty(stack), Pty(stack)
    daemon = Daemon(tmp_path, noisy=noisy.name, silent=silent.name)

    def noise() -> bool:
        daemon.now_s += 0.1
        os.write(noisy.line, b"\x55\xaa\xff\x00")
        return daemon.status("silent").get("problem") == SILENT

    daemon.until(noise)
    daemon.until(lambda: daemon.status("noisy"))
    assert daemon.status("noisy")["problem"] == UNREADABLE
