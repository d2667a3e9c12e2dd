"""Both emulators of the chip do the same, to the cycle: UART, PIO, DMA, flash, timers, watchdog and resets."""

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sabot_protocol.cardcode import set_words
from sabot_sim.chip import emulators
from sabot_sim.chip.chip import FLASH_BYTES, Chip
from sabot_sim.chip.emulators import JS, PY, Emulator, chosen, new_chip
from sabot_sim.chip.node_chip import NodeChip
from sabot_sim.chip.node_process import SCRIPTS
from sabot_sim.chip.rp2040 import in_fork
from sabot_sim.chip.uf2 import HOW_TO_GET_UF2, find_uf2
from sabot_sim.optics.signals import card_edges
from sabot_sim.rigs.build import firmware_image
from sabot_sim.rigs.rig import BenchError
from test_chip import BOOTS, SAMPLES

UF2 = find_uf2()
WITHOUT_JS = chosen().reason if chosen().name != JS else ""
pytestmark = [
    pytest.mark.skipif(UF2 is None, reason=HOW_TO_GET_UF2),
    pytest.mark.skipif(bool(WITHOUT_JS), reason=f"rp2040js is not used, because {WITHOUT_JS}"),
]

# Writes and erases flash, sets timers, feeds a watchdog and lets it bite.
PARTS = """
import machine, rp2, time
from machine import Pin, Timer, UART

def main():
    uart = UART(0, 115200)
    flash = rp2.Flash()
    blocks = flash.ioctl(4, 0)
    page = bytes(range(256)) * 16
    before = bytearray(16)
    flash.readblocks(blocks - 3, before)
    flash.writeblocks(blocks - 3, page)
    flash.writeblocks(blocks - 3, bytes(64), 512)
    found = bytearray(4096)
    flash.readblocks(blocks - 3, found)
    uart.write("cause %d before %s sum %d\\n" % (machine.reset_cause(), before.hex(), sum(found)))
    ticks = []
    timer = Timer(period=3, callback=lambda timer: ticks.append(time.ticks_us()))
    pin = Pin(13, Pin.OUT)
    edges = []
    Pin(2, Pin.IN).irq(lambda pin: edges.append(time.ticks_us()), Pin.IRQ_RISING | Pin.IRQ_FALLING)
    for i in range(10):
        pin.toggle()
        time.sleep_us(700)
        time.sleep_ms(2)
    timer.deinit()
    uart.write("%s %s %s\\n" % (ticks, edges, uart.read()))
    watchdog = machine.WDT(timeout=50)
    for i in range(4):
        time.sleep_ms(40)
        watchdog.feed()
    uart.write("now it bites\\n")
    while True:
        machine.idle()
"""

Both = Callable[[str], tuple[Chip, Chip]]


@pytest.fixture
def both(tmp_path: Path) -> Both:
    """Makes a chip with this program in either emulator."""

    def make(source: str) -> tuple[Chip, Chip]:
        assert UF2 is not None
        program = tmp_path / "program.py"
        program.write_text(source)
        files = firmware_image(program)
        return new_chip(UF2, files), new_chip(UF2, files, emulator=Emulator(PY, ""))

    return make


def alike(one: Chip, other: Chip) -> None:
    """Everything that leaves a chip, with its time, and its flash are the same."""
    assert one.text
    assert one.received == other.received
    assert one.changes == other.changes
    assert one.now_ns // 1000 == other.now_ns // 1000
    assert (one.lost, one.backlog_drops) == (other.lost, other.backlog_drops) == (0, 0)
    assert one.read_flash(0, FLASH_BYTES) == other.read_flash(0, FLASH_BYTES)


def test_flash_timers_pin_interrupts_and_the_watchdog(both: Both) -> None:
    for chip in (chips := both(PARTS)):
        chip.run_until(lambda chip=chip: chip.text.count("\n") == 1)  # type: ignore[misc]
        chip.pins([(1_000 * i, i & 1) for i in range(1, 20)])
        chip.send(b"bytes that wait")
        chip.run_for(700_000)
    alike(*chips)
    lines = chips[0].text.splitlines()
    assert [line for line in lines if line.startswith("cause")][1].startswith("cause 3 before 00010203")
    assert "bytes that wait" in lines[1]


def test_resets_power_cycles_and_the_line(both: Both) -> None:
    for chip in (chips := both(BOOTS)):
        chip.answer()
        chip.send(b"one line\n")
        chip.run_for(50_000)
        chip.send(b"reset\n")
        chip.run_for(400_000)
        chip.reset()
        chip.run_for(300_000)
        assert chip.text.count("boot") == 3
        chip.power_cycle()
        chip.answer()
        chip.send(bytes(range(32, 127)) * 3 + b"\n")
        chip.run_for(100_000)
    alike(*chips)


def test_nobody_receives_what_comes_before_the_uart_is_enabled(both: Both) -> None:
    for chip in (chips := both(BOOTS)):
        chip.send(b"early")
        chip.answer()
        chip.send(b"one line\n")
        chip.run_for(50_000)
        assert chip.text.splitlines()[1:] == ["one line"]
    alike(*chips)


def test_edges_through_pio_and_dma(both: Both) -> None:
    for chip in (chips := both(SAMPLES)):
        chip.answer()
        chip.pins(card_edges(set_words(1)["8H"], 3_000))
        chip.run_for(80_000)
        chip.pins([(37 * i, i * 7 & 15) for i in range(1, 90)])
        chip.run_for(20_000)
        chip.send(b"?")
        chip.run_for(300_000)
    alike(*chips)
    assert chips[0].busy_cycles == chips[1].busy_cycles
    assert "overruns 0" in chips[0].text


# The process


@pytest.fixture
def chip() -> Iterator[NodeChip]:
    assert UF2 is not None
    made = new_chip(UF2, {"main.py": b"import machine\nmachine.UART(0, 115200).write('up\\n')\n"})
    assert isinstance(made, NodeChip)
    yield made
    made.process.close()


def test_a_fork_changes_nothing_in_the_chip_of_its_parent(chip: NodeChip) -> None:
    chip.answer()
    before, flash = chip.now_ns, chip.read_flash(0, 4096)

    def further() -> int:
        chip.run_for(1_000)
        return chip.now_ns

    def act() -> tuple[int, int]:
        chip.write_flash(0, bytes(4096))
        chip.power_cycle()
        chip.run_for(1_000)
        return chip.now_ns, in_fork(further)

    assert in_fork(act) == (1_000_000, 2_000_000)
    chip.run_for(5)
    assert chip.now_ns - before in range(5_000, 5_100), "one instruction late at most"
    assert chip.read_flash(0, 4096) == flash


def test_a_fork_that_dies_in_a_request_leaves_the_chip_usable(chip: NodeChip) -> None:
    def act() -> None:
        chip.process._write(b'{"id":"lost","do":"run","to":3000000}\n')
        raise BenchError("stopped")

    with pytest.raises(BenchError, match="stopped"):
        in_fork(act)
    assert chip.now_ns == 0
    assert chip.answer() == "up"


def test_a_process_that_ends_is_an_error_that_names_its_log(chip: NodeChip) -> None:
    os.kill(chip.process._process.pid, signal.SIGKILL)
    with pytest.raises(BenchError, match=r"has ended .*, status -9; its log is \S+, and empty") as raised:
        chip.run_for(1_000)
    log_of(raised).unlink()


def log_of(raised: pytest.ExceptionInfo[BenchError]) -> Path:
    """The file that an error names."""
    found = re.search(r"its log is ([^\s,:]+)", str(raised.value))
    assert found
    return Path(found[1])


def test_a_request_that_fails_is_an_error_that_names_its_log(chip: NodeChip) -> None:
    with pytest.raises(BenchError, match=r"could not back: .*; its log is ") as raised:
        chip.back()
    log = log_of(raised)
    assert "main.mjs" in log.read_text()
    log.unlink()


# The choice


def test_the_other_emulator_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SABOT_CHIP", PY)
    assert str(chosen()) == "rp2040py 0.3.6, because SABOT_CHIP=rp2040py"
    monkeypatch.setenv("SABOT_CHIP", "qemu")
    with pytest.raises(BenchError, match=r"SABOT_CHIP=qemu: expected rp2040js or rp2040py"):
        chosen()


def test_without_node_or_package_the_reason_is_given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SABOT_CHIP", raising=False)
    monkeypatch.setattr(emulators, "folder", lambda: tmp_path)
    assert "rp2040js 1.4.1 is not installed (make image)" in str(chosen())
    monkeypatch.setenv("PATH", str(tmp_path))
    assert str(chosen()) == "rp2040py 0.3.6, because there is no node on the path"
    monkeypatch.setenv("SABOT_CHIP", JS)
    with pytest.raises(BenchError, match=r"SABOT_CHIP=rp2040js, but there is no node"):
        chosen()


def test_the_package_is_pinned_with_its_hash_and_no_address() -> None:
    lock = json.loads((SCRIPTS / "package-lock.json").read_text())
    (package,) = [entry for name, entry in lock["packages"].items() if name]
    assert package["version"] == emulators.pinned()
    assert package["integrity"].startswith("sha512-")
    assert "resolved" not in package
