"""A gateway's link at the USB port of the emulated chip, and one at its UART: one shoe, one of them at a time."""

import random
import time
from pathlib import Path
from typing import Any

import pytest
import serial
from sabot_sim.chip.rp2040 import in_fork
from sabot_sim.chip.uf2 import HOW_TO_GET_UF2, find_uf2
from sabot_sim.chip.usb import UsbChip
from sabot_sim.rigs.build import shoe_image
from sabot_tools.bench.chip_table import LOCK, ChipTable
from sabot_tools.stand.minimal_gateway import MinimalGateway
from test_1_board import KEY, SLOWER, START_S, flash, pico, put

UF2 = find_uf2()
pytestmark = pytest.mark.skipif(UF2 is None, reason=HOW_TO_GET_UF2)
LOST_US = 5_500_000  # of silence, until a gateway counts as gone


class UsbTable(ChipTable):
    """The gateway is at the chip's USB."""

    chip: UsbChip

    def __init__(self, chip: UsbChip, gateway: MinimalGateway) -> None:
        super().__init__(chip, gateway)
        self._taken = len(chip.usb_received)

    def received(self) -> bytes:
        """Of USB."""
        data = bytes(self.chip.usb_received[self._taken :])
        self._taken += len(data)
        return data

    def send(self, data: bytes) -> None:
        """On USB."""
        self.chip.usb_send(data)


@pytest.fixture(scope="module")
def chip() -> UsbChip:
    """A shoe that has just sent its first byte on its UART; USB is idle. Tests run forks of it."""
    assert UF2 is not None
    chip = UsbChip(UF2, shoe_image())
    chip.run_until(lambda: bool(chip.received), most_us=10_000_000)
    assert chip.usb_received == b""
    return chip


def sound(table: ChipTable) -> None:
    """Nothing was lost on the way."""
    assert table.chip.backlog_drops == 0
    assert not any(table.gateway.link.line_counters().values())


@pytest.mark.chip_full
def test_a_gateway_at_usb_receives_hello_and_a_card(chip: UsbChip) -> None:
    def act() -> dict[str, Any]:
        table = UsbTable(chip, MinimalGateway())
        table.start()
        (tested,) = table.gateway.of("self_test")
        assert all(tested.data["passed"].values())
        table.do(("press", "new_shoe"))
        data = table.do(("card", "2C")).data
        assert not table.outputs & LOCK
        sound(table)
        return data

    assert in_fork(act)["card"] == "2C"


@pytest.mark.chip_full
def test_one_gateway_at_a_time(chip: UsbChip) -> None:
    """The second one receives BUSY, and is served when the first has been silent."""

    def act() -> None:
        usb, uart = UsbTable(chip, MinimalGateway()), ChipTable(chip, MinimalGateway(rng=random.Random(2)))
        usb.start()
        for _ in range(400):
            usb.step()
            uart.step()
        assert "served" in (uart.gateway.link.problem or "")
        assert not uart.gateway.events
        chip.host(opened=False, reads=False)  # the plug of the first is out
        uart.run_until(lambda: bool(uart.gateway.of("self_test")), LOST_US)
        chip.host()
        usb.gateway.restart()  # and in again
        for _ in range(400):
            usb.step()
            uart.step()
        assert "served" in (usb.gateway.link.problem or "")

    in_fork(act)


def served(port: str, gateway: MinimalGateway, starts: int) -> list[str]:
    """Be a gateway at this port until the shoe has logged this many starts; return the kinds of their events."""
    end_s = time.monotonic() + START_S
    with serial.Serial(port, timeout=0.01, exclusive=True) as line:
        while len(gateway.of("self_test")) < starts:
            assert time.monotonic() < end_s, gateway.link.problem
            line.write(gateway.exchange(line.read(4096), time.monotonic() / SLOWER))
    return [event.kind for event in gateway.of("boot", "self_test")]


@pytest.mark.chip_full
def test_a_shoe_that_serves_usb_is_flashed_over_the_same_port(tmp_path: Path) -> None:
    """Ctrl-C in a frame does not stop it, `sabot flash` does, and afterwards it serves again."""
    folder, key = tmp_path / "board", tmp_path / "key.bin"
    put(folder, shoe_image())
    key.write_bytes(KEY)
    with pico(folder) as port:
        with serial.Serial(port, exclusive=True) as line:
            line.write(b"\x03" * 130 + b"\0")  # while it starts
        assert served(port, MinimalGateway(), 1) == ["boot", "self_test"]
        flashed = flash(port, "--key", str(key))
        assert flashed.stderr.startswith(f"sabot flash: {port}: 1 files written, 0 removed; the shoe restarts\n")
        gateway = MinimalGateway(KEY)
        assert served(port, gateway, 2) == ["boot", "self_test", "boot", "self_test"]
        assert gateway.link.authenticated
