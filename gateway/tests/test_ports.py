"""Ports: real ptys, real sockets, a real RFC 2217 host."""

import errno
import os
import selectors
import socket
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import pytest
import serial
from sabot_gateway.shoe import ports
from sabot_gateway.shoe.ports import Backoff, Line, Opening, Port, PortError
from serial import rfc2217
from support.patience import PATIENCE_S

BAUD = 115_200
ALL_BYTES = bytes(range(256))  # 0xff is escaped by telnet, 0x11 and 0x13 by modems, 0x03 and 0x0d by terminals


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


class Pty:
    """A local port; the test has the shoe's end."""

    def __init__(self, stack: ExitStack) -> None:
        self.line, self._slave = os.openpty()
        tty.setraw(self._slave)
        self.name = os.ttyname(self._slave)
        stack.callback(self.unplug)

    def unplug(self) -> None:
        with suppress(OSError):
            os.close(self.line)
            os.close(self._slave)


class Host:
    """A TCP server with one connection at a time."""

    def __init__(self, stack: ExitStack, scheme: str = "socket") -> None:
        self._server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.url = f"{scheme}://127.0.0.1:{self._server.getsockname()[1]}"
        self._stack = stack

    def accept(self) -> socket.socket:
        return self._stack.enter_context(self._server.accept()[0])


class NoModemLines(serial.Serial):  # type: ignore[misc]
    """A pty as a serial server may have it."""

    cts = dsr = ri = cd = False

    def _update_dtr_state(self) -> None:
        pass

    def _update_rts_state(self) -> None:
        pass


class SerialHost(Host):
    """A serial server: pyserial's side of RFC 2217, in front of a pty."""

    def __init__(self, stack: ExitStack, pty: Pty) -> None:
        super().__init__(stack, "rfc2217")
        self.serial = stack.enter_context(NoModemLines(pty.name, 9600, timeout=0.05))
        self.connection: socket.socket | None = None
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._serve, self._forward)]
        self._manager: rfc2217.PortManager | None = None
        self._ends = threading.Event()
        for thread in self._threads:
            thread.start()
        stack.callback(self._end)

    def write(self, data: bytes) -> None:
        """What the port manager has for the client."""
        assert self.connection is not None
        self.connection.sendall(data)

    def _serve(self) -> None:
        with suppress(OSError):
            self.connection = self.accept()
            self._manager = rfc2217.PortManager(self.serial, self)
            while data := self.connection.recv(4096):
                self.serial.write(b"".join(self._manager.filter(data)))

    def _forward(self) -> None:
        while not self._ends.is_set():
            data = self.serial.read(4096)
            if data and self._manager is not None:
                with suppress(OSError):
                    self.write(b"".join(self._manager.escape(data)))

    def hang_up(self) -> None:
        assert self.connection is not None
        self.connection.shutdown(socket.SHUT_RDWR)

    def _end(self) -> None:
        self._ends.set()
        if self.connection is not None:
            with suppress(OSError):
                self.hang_up()
        self._server.close()
        self._threads[1].join()


def opened(url: str, stack: ExitStack) -> Port:
    port = Port.open(url, BAUD)
    stack.callback(port.close)
    return port


def read(port: Port, count: int) -> bytes:
    """So many bytes, as the loop reads them; less when the port is gone."""
    data, give_up_s = b"", time.monotonic() + PATIENCE_S
    with selectors.DefaultSelector() as selector:
        selector.register(port, selectors.EVENT_READ)
        while len(data) < count:
            assert time.monotonic() < give_up_s, data
            if selector.select(0.1):
                more = port.read()
                if more == b"":
                    break
                data += more or b""
    return data


def refused(url: str, baud: int = BAUD) -> str:
    with pytest.raises(PortError) as error:
        Port.open(url, baud)
    return str(error.value)


def until(answer: Callable[[], Port | PortError | None]) -> Port | PortError:
    give_up_s = time.monotonic() + PATIENCE_S
    while (found := answer()) is None:
        assert time.monotonic() < give_up_s
        threading.Event().wait(0.01)
    return found


# Bytes.


def test_a_local_port_carries_every_byte_both_ways(stack: ExitStack) -> None:
    pty = Pty(stack)
    port = opened(pty.name, stack)
    os.write(pty.line, ALL_BYTES)
    assert read(port, 256) == ALL_BYTES
    assert port.write(ALL_BYTES) == 256
    assert os.read(pty.line, 1000) == ALL_BYTES


def test_a_socket_carries_every_byte_both_ways(stack: ExitStack) -> None:
    host = Host(stack)
    port = opened(host.url, stack)
    shoe = host.accept()
    shoe.sendall(ALL_BYTES)
    assert read(port, 256) == ALL_BYTES
    assert port.write(ALL_BYTES) == 256
    assert shoe.recv(1000) == ALL_BYTES


def test_an_rfc_2217_host_carries_every_byte_both_ways_and_gets_the_baud_rate(stack: ExitStack) -> None:
    pty = Pty(stack)
    host = SerialHost(stack, pty)
    port = opened(host.url, stack)
    assert host.serial.baudrate == BAUD
    os.write(pty.line, ALL_BYTES)
    assert read(port, 256) == ALL_BYTES
    assert port.write(ALL_BYTES) == 256
    came = b""
    while len(came) < 256:
        came += os.read(pty.line, 1000)
    assert came == ALL_BYTES


def test_nothing_there_is_not_the_end(stack: ExitStack) -> None:
    pty, host, behind = Pty(stack), Host(stack), Pty(stack)
    for url in (pty.name, host.url, SerialHost(stack, behind).url):
        assert opened(url, stack).read() is None


def test_a_port_that_takes_no_more_takes_nothing_and_does_not_wait(stack: ExitStack) -> None:
    pty, host = Pty(stack), Host(stack)
    for url in (pty.name, host.url):
        port = opened(url, stack)
        taken = [port.write(bytes(65_536))]
        while taken[-1]:
            taken.append(port.write(bytes(65_536)))
        assert taken[0]
        assert taken[-1] == 0


# Gone.


def test_an_adapter_that_is_pulled_out_is_gone(stack: ExitStack) -> None:
    pty = Pty(stack)
    port = opened(pty.name, stack)
    pty.unplug()
    assert port.read() == b""
    assert port.write(b"who") is None


def test_a_host_that_hangs_up_is_gone(stack: ExitStack) -> None:
    host = Host(stack)
    port = opened(host.url, stack)
    host.accept().close()
    assert read(port, 1) == b""


def test_an_rfc_2217_host_that_hangs_up_is_gone_and_leaves_no_thread(stack: ExitStack) -> None:
    host = SerialHost(stack, Pty(stack))
    port = Port.open(host.url, BAUD)
    host.hang_up()
    assert read(port, 1) == b""
    mine = [thread for thread in threading.enumerate() if host.url in thread.name]
    port.close()
    for thread in mine:
        thread.join(PATIENCE_S)
    assert not any(thread.is_alive() for thread in mine)


def test_an_rfc_2217_port_that_is_closed_leaves_no_thread(stack: ExitStack) -> None:
    host = SerialHost(stack, Pty(stack))
    port = Port.open(host.url, BAUD)
    mine = [thread for thread in threading.enumerate() if host.url in thread.name]
    assert len(mine) == 3
    port.close()
    for thread in mine:
        thread.join(PATIENCE_S)
    assert not any(thread.is_alive() for thread in mine)


def test_a_flood_from_an_rfc_2217_host_that_nobody_reads_ends_the_port(stack: ExitStack) -> None:
    host = SerialHost(stack, Pty(stack))
    port = opened(host.url, stack)
    hands_on = next(thread for thread in threading.enumerate() if thread.name == f"_from_host {host.url}")
    with suppress(OSError):
        host.write(bytes(1 << 19))
    hands_on.join(PATIENCE_S)
    assert not hands_on.is_alive()
    assert 0 < len(read(port, 1 << 19)) < 1 << 19


# Words.


def test_a_port_that_is_not_there(tmp_path: Path) -> None:
    message = refused(f"{tmp_path}/ttyACM0")
    assert message.startswith(f"port {tmp_path}/ttyACM0 is not there: plug the adapter in, or correct `port`")


def test_a_port_that_another_program_has_is_busy_until_that_gives_it_back(stack: ExitStack) -> None:
    pty = Pty(stack)
    first = Port.open(pty.name, BAUD)
    assert "is busy: another program has it; end that program" in refused(pty.name)
    first.close()
    opened(pty.name, stack)


def test_a_file_or_a_directory_is_no_serial_port(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "file is no serial port; correct `port`" in refused(str(tmp_path / "file"))
    assert "is a directory, not a serial port" in refused(str(tmp_path))


def test_a_host_where_nothing_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
    for scheme in ("socket", "rfc2217"):
        message = refused(f"{scheme}://127.0.0.1:{number}")
        assert message.startswith(f"port {scheme}://127.0.0.1:{number} is refused: the host is there")


def test_a_host_that_is_not_known() -> None:
    assert "names a host that is not known" in refused("socket://shoe.invalid:4000")


def test_a_host_that_does_not_speak_rfc_2217(stack: ExitStack) -> None:
    host = Host(stack, "rfc2217")
    assert "does not seem to support RFC2217" in refused(f"{host.url}?timeout=0.2")


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM])
def test_a_port_that_is_not_allowed_names_the_group(number: int) -> None:
    assert "sudo usermod -aG dialout USER" in ports.reason(OSError(number, "no"))


@pytest.mark.parametrize(
    "url",
    ["", "loop://", "socket://host", "socket://:4000", "rfc2217://host:port", "socket://host:70000", "http://h:1"],
)
def test_what_is_no_port_is_refused_before_it_is_tried(url: str) -> None:
    assert ports.url_problem(url) is not None
    assert "; write a device" in refused(url)


def test_a_baud_rate_that_makes_no_sense(stack: ExitStack) -> None:
    assert "check the cable, `port` and `baud`" in refused(Pty(stack).name, -1)


# Opening, and opening again.


def test_a_host_that_takes_its_time_does_not_hold_up_the_loop(stack: ExitStack) -> None:
    host = Host(stack, "rfc2217")
    opening = Opening(host.url, BAUD)  # nobody negotiates: seconds, and then an error
    assert opening.poll() is None
    host.accept().close()
    assert isinstance(until(opening.poll), PortError)


def test_a_device_is_open_at_once(stack: ExitStack) -> None:
    port = Opening(Pty(stack).name, BAUD).poll()
    assert isinstance(port, Port)
    port.close()


def test_a_port_that_comes_after_nobody_waits_is_closed(stack: ExitStack) -> None:
    host = SerialHost(stack, Pty(stack))
    Opening(host.url, BAUD).abandon()
    for thread in [thread for thread in threading.enumerate() if host.url in thread.name]:
        thread.join(PATIENCE_S)
    until(lambda: None if any(host.url in thread.name for thread in threading.enumerate()) else PortError())
    assert host.connection is not None
    assert host.connection.fileno() == -1 or host.connection.recv(4096) == b""


def test_an_adapter_is_found_again_each_second(stack: ExitStack, tmp_path: Path) -> None:
    path = tmp_path / "by-id"
    line = Line(str(path), BAUD)
    stack.callback(line.close)
    for now_s in (0.0, 1.0, 2.0):
        assert isinstance(line.open(now_s), PortError)
        assert line.open(now_s + 0.9) is None
    for now_s in (3.0, 10.0):
        pty = Pty(stack)
        path.unlink(missing_ok=True)
        path.symlink_to(pty.name)
        port = line.open(now_s)
        assert isinstance(port, Port)
        assert line.open(now_s + 1) is None
        pty.unplug()
        assert port.read() == b""
        line.lose(now_s + 2)
        assert line.open(now_s + 2.9) is None


def test_a_host_is_tried_less_and_less_often(stack: ExitStack) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
    line, now_s, waits = Line(f"socket://127.0.0.1:{number}", BAUD), 0.0, []
    for _ in range(7):
        assert isinstance(until(partial(line.open, now_s)), PortError)
        waits.append(next(wait for wait in range(1, 60) if line._backoff.due(now_s + wait)))
        now_s += waits[-1]
    assert waits == [1, 2, 4, 8, 16, 30, 30]


def test_a_host_that_was_up_for_a_while_is_tried_soon() -> None:
    backoff = Backoff(1.0, 30.0)
    for now_s in (0.0, 1.0, 3.0):
        assert backoff.due(now_s)
        backoff.down(now_s)
    assert not backoff.due(6.9)
    backoff.up(7.0)
    backoff.down(16.9)  # not for long enough
    assert not backoff.due(24.8)
    backoff.up(25.0)
    backoff.down(35.0)
    assert backoff.due(36.0)


def test_a_closed_line_gives_its_port_back(stack: ExitStack) -> None:
    pty = Pty(stack)
    line = Line(pty.name, BAUD)
    assert isinstance(line.open(0.0), Port)
    line.close()
    opened(pty.name, stack)


def test_the_ports_of_this_pc_are_devices() -> None:
    assert all(Path(port).is_absolute() for port in ports.found())
