"""The table with an emulated Angel Eye: converter with several clients, serial line, power, segments cut anywhere."""

import os
import random
import selectors
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import serial
from sabot_protocol.angel_eye import build
from sabot_protocol.angel_eye.decoder import Decoder
from sabot_protocol.angel_eye.messages import Message
from sabot_protocol.angel_eye.repeats import RepeatFilter
from sabot_sim import stack
from sabot_sim.angel_eye.settings import Settings
from sabot_tools.stand.angel_eye_ports import AngelEyePort, ConverterPort, SerialLine
from sabot_tools.stand.angel_eye_table import AngelEyePlan, LiveAngelEye
from sabot_tools.stand.local_site import LocalSite, SitePlan
from sabot_tools.stand.shoe_port import ShoePortError
from support.patience import PATIENCE_S

FLAT_OUT = 1e6
QUICK = AngelEyePlan(Settings(boot_s=0.01))


class Listener:
    """Hears a table, by a socket or a serial port, as a gateway does."""

    def __init__(self, read: Callable[[], bytes]) -> None:
        self._read, self._decoder, self._repeats = read, Decoder(), RepeatFilter()
        self.messages: list[Message] = []

    def listen(self) -> None:
        now_s = time.monotonic()
        heard = self._decoder.feed(self._read(), now_s)
        self.messages += [message for message in heard if not self._repeats.is_repeat(message, now_s)]

    def raw(self) -> list[bytes]:
        return [message.raw for message in self.messages]


def over_tcp(port: str) -> tuple[socket.socket, Listener]:
    host, _, number = port.removeprefix("socket://").partition(":")
    connected = socket.create_connection((host, int(number)), PATIENCE_S)
    connected.setblocking(False)

    def read() -> bytes:
        try:
            return connected.recv(4096)
        except BlockingIOError:
            return b""

    return connected, Listener(read)


@pytest.fixture
def selector() -> Iterator[selectors.BaseSelector]:
    with selectors.DefaultSelector() as made:
        yield made


def live(port: AngelEyePort, plan: AngelEyePlan = QUICK) -> LiveAngelEye:
    rng = random.Random(5)
    return LiveAngelEye(port, lambda: stack.shuffled(8, rng), rng, FLAT_OUT, plan)


def run(table: LiveAngelEye, listeners: list[Listener], done: Callable[[], bool]) -> None:
    give_up_s = time.monotonic() + PATIENCE_S
    while not done():
        assert time.monotonic() < give_up_s
        table.step(time.monotonic())
        for listener in listeners:
            listener.listen()


def settle(table: LiveAngelEye, listeners: list[Listener]) -> None:
    """Let the dealer stand still until everybody has heard everything."""
    give_up_s = time.monotonic() + PATIENCE_S
    while table.under_way() or any(listener.raw()[-1:] != table.truth.received()[-1:] for listener in listeners):
        assert time.monotonic() < give_up_s
        table.wait(time.monotonic())
        for listener in listeners:
            listener.listen()


def test_four_clients_hear_the_same_and_a_fifth_is_refused(selector: selectors.BaseSelector) -> None:
    port = ConverterPort(selector, "127.0.0.1", 0, random.Random(1))
    table = live(port)
    table.step(time.monotonic())
    assert table.shoe.phase == "off"  # nobody listens yet
    connected, listeners = map(list, zip(*(over_tcp(port.port) for _ in range(4)), strict=True))
    while port.clients < 4:
        port.read()
    fifth, _ = over_tcp(port.port)
    run(table, listeners, lambda: table.dealer.coups_seen >= 5)
    settle(table, listeners)
    for listener in listeners:
        assert listener.raw() == table.truth.received()
    assert fifth.recv(1) == b""
    assert "one more client tried to connect and was refused: 4 are connected" in port.news
    connected[0].close()
    run(table, listeners[1:], lambda: port.clients == 3)
    table.close()


def test_a_command_is_answered_to_every_client(selector: selectors.BaseSelector) -> None:
    port = ConverterPort(selector, "127.0.0.1", 0, random.Random(1))
    table = live(port)
    (first, heard), (_, other) = over_tcp(port.port), over_tcp(port.port)
    run(table, [heard, other], lambda: table.shoe.ready() and port.clients == 2)
    first.sendall(build.command("LK", "02", with_stx=True))
    run(table, [heard, other], lambda: all(any(m.t == "ACK" for m in one.messages) for one in (heard, other)))
    assert table.shoe.host_locked
    table.close()


def test_a_shoe_that_is_switched_off_is_silent_and_starts_again_with_its_hand(selector: selectors.BaseSelector) -> None:
    port = ConverterPort(selector, "127.0.0.1", 0, random.Random(1))
    table = live(port)
    _, listener = over_tcp(port.port)
    run(table, [listener], lambda: table.dealer.coups_seen >= 2 and table.shoe.coup is not None)
    settle(table, [listener])
    table.power_off(time.monotonic())
    before = listener.raw()
    for _ in range(20):
        table.step(time.monotonic())
    assert listener.raw() == before
    table.power_on(time.monotonic())
    run(table, [listener], lambda: table.dealer.coups_seen >= 4)
    settle(table, [listener])
    assert [message.t for message in listener.messages].count("S") == 2
    assert "restart_inside" in table.truth.coups[2].flags
    assert listener.raw() == table.truth.received()
    table.close()


class Wire:
    """A port in memory."""

    port, clients = "wire", 1

    def __init__(self) -> None:
        self.news: list[str] = []
        self.out = b""

    def read(self) -> bytes:
        return b""

    def write(self, data: bytes) -> None:
        self.out += data

    def waiting(self) -> int:
        return 0

    def unplug(self) -> None:
        pass

    def close(self) -> None:
        pass


def test_what_was_out_before_the_power_went_is_sent() -> None:
    rng, wire = random.Random(5), Wire()
    table = LiveAngelEye(wire, lambda: stack.shuffled(8, rng), rng, 1.0)
    now_s = 0.0
    while not table.shoe.coup:
        table.step(now_s)
        now_s += 0.1
    table.power_off(now_s + 1.0)
    assert table.truth.sent[-1].good == 3
    assert wire.out.endswith(table.truth.sent[-1].frame)


def test_the_converter_is_unplugged_and_the_dealer_goes_on(selector: selectors.BaseSelector) -> None:
    port = ConverterPort(selector, "127.0.0.1", 0, random.Random(1))
    table = live(port, AngelEyePlan(Settings(boot_s=0.01), mishap_share=0.2, mishaps=("link_cut",)))
    connected, listener = over_tcp(port.port)
    run(table, [], lambda: port.clients == 0 and table.dealer.link_cuts > 0)
    run(table, [], lambda: table.dealer.coups_seen >= 3)
    connected.setblocking(True)
    while connected.recv(4096):
        pass
    assert listener.raw() == []
    table.close()


def test_a_serial_line_is_opened_by_its_link_and_lost_bytes_stay_lost(tmp_path: Path) -> None:
    link = tmp_path / "shoe"
    port = SerialLine(link)
    table = live(port)
    table.step(time.monotonic())
    assert table.shoe.phase == "off"
    with serial.Serial(str(link), 4800, timeout=0) as opened:
        listener = Listener(lambda: opened.read(4096))
        run(table, [listener], lambda: table.dealer.coups_seen >= 3)
        settle(table, [listener])
        assert listener.raw() == table.truth.received()
    assert port.clients == 0
    table.close()
    assert not link.is_symlink()


def test_a_serial_line_knows_what_its_program_has_not_read() -> None:
    port = SerialLine()
    port.write(b"lost")
    assert port.waiting() == 0
    with serial.Serial(port.port, 4800, timeout=0) as opened:
        port.write(b"waits")
        assert port.waiting() == 5
        assert opened.read(2) == b"wa"
        assert port.waiting() == 3
        assert opened.read(3) == b"its"
        assert port.waiting() == 0
        port.write(b"unread")
    assert port.waiting() == 0  # the program has gone
    port.close()


def test_a_pty_that_cannot_have_its_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    open_before = os.listdir("/proc/self/fd")
    with pytest.raises(ShoePortError, match="a file of this name exists; choose another"):
        SerialLine(tmp_path / "there")
    with pytest.raises(ShoePortError, match="No such file or directory; choose a path"):
        SerialLine(tmp_path / "no" / "where")
    assert len(os.listdir("/proc/self/fd")) == len(open_before)


def test_a_site_has_shoes_of_either_kind(tmp_path: Path) -> None:
    plan = SitePlan(tmp_path, tables=2, kinds=("sabot", "angel-eye"))
    assert [plan.kind_of(number) for number in range(2)] == ["sabot", "angel-eye"]
    assert SitePlan(tmp_path, kind="angel-eye").kind_of(0) == "angel-eye"
    site = LocalSite(SitePlan(tmp_path, kind="angel-eye", angel_eye=AngelEyePlan(gateway="commands = true\n")))
    site.broker = "mqtt://127.0.0.1:1"  # type: ignore[assignment]
    site.tables["bac-01"] = site._new_table(0, "bac-01")
    config = site.gateway_config()
    assert 'driver = "angel-eye"\nshoe = { dealing = "face_up" }\ncommands = true\n' in config
    assert f'port = "{site.tables["bac-01"].port}"' in config
    assert "card_set" not in config
    site.close()
