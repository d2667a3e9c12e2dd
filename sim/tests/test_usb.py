"""The two wires of the RP2040 board on the emulated chip: a host at its USB, a line at its UART."""

from collections.abc import Callable

import pytest
from sabot_sim.chip.uf2 import HOW_TO_GET_UF2, find_uf2
from sabot_sim.chip.usb import UsbChip
from sabot_sim.rigs.build import firmware_image

UF2 = find_uf2()
pytestmark = pytest.mark.skipif(UF2 is None, reason=HOW_TO_GET_UF2)
PULL_UP = 8  # of a pad
QUICK = 20  # quarters of a millisecond; MicroPython itself would wait for half a second

# Sends back what comes on a wire, under a locked heap. After a `#` it talks on USB as fast as it can, and reports on
# the UART how many bytes were taken and how many quarters of a millisecond that took, until something else comes.
ECHO = """
import micropython, time
from sabot.boards.rp2 import Board
from sabot.reading.sampler import Sampler

TALK = b"0123456789abcdef"
REPORT = bytearray(2)

def talk(board):
    start_us = time.ticks_us()
    REPORT[0] = board.send(TALK, 16, 1)
    REPORT[1] = min(time.ticks_diff(time.ticks_us(), start_us) // 250, 255)
    board.send(REPORT, 2)

def main():
    sampler = Sampler()
    board = Board(sampler)
    board.send(b"ready\\n", 6)
    micropython.heap_lock()
    talks = False
    while True:
        board.wait(0 if talks else 100)
        while sampler.get():
            pass
        if board.rx_size:
            talks = board.rx[0] == 35
            if not talks:
                board.send(board.rx, board.rx_size, board.rx_port)
        if talks:
            talk(board)
"""
TALK = b"0123456789abcdef"


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> UsbChip:
    assert UF2 is not None
    program = tmp_path_factory.mktemp("program") / "program.py"
    program.write_text(ECHO)
    chip = UsbChip(UF2, firmware_image(program))
    chip.run_until(lambda: chip.text == "ready\n")
    return chip


def echoed(chip: UsbChip, send: Callable[[bytes], None], data: bytes) -> tuple[bytes, bytes]:
    """Return what comes back on USB and on the UART for bytes sent on one of them."""
    usb, uart = len(chip.usb_received), len(chip.received)
    send(data)
    chip.run_until(lambda: len(chip.usb_received) - usb + len(chip.received) - uart >= len(data))
    return bytes(chip.usb_received[usb:]), bytes(byte for _, byte in chip.received[uart:])


def test_bytes_come_back_on_the_wire_they_came_on(started: UsbChip) -> None:
    assert started.usb_received == b""
    every = bytes(range(ord("#"))) + bytes(range(ord("$"), 100))  # Ctrl-C, Ctrl-D, CR and LF among them, and no `#`
    assert echoed(started, started.usb_send, every) == (every, b"")
    assert echoed(started, started.send, every) == (b"", every)
    stops = b"\x03" * 120 + b"\0"  # as many as a frame may have, and the end of one
    assert echoed(started, started.usb_send, stops) == (stops, b"")
    assert started.backlog_drops == started.uart.lost == 0
    assert started.mcu.gpio[1].pad_value & PULL_UP, "an unconnected UART would receive noise"


def talked(chip: UsbChip, most_us: int) -> list[tuple[int, int]]:
    """Bytes taken and time of each call while the program talks on USB."""
    before = len(chip.received)
    chip.send(b"#")
    chip.run_for(most_us)
    chip.send(b".")
    chip.run_until(lambda: chip.received[-1][1] == ord("."))
    reports = bytes(byte for _, byte in chip.received[before:-1])
    return list(zip(reports[::2], reports[1::2], strict=True))


def test_a_host_that_does_not_read_delays_nothing_and_loses_nothing(started: UsbChip) -> None:
    before = len(started.usb_received)
    started.host(reads=False)
    calls = talked(started, 80_000)
    assert calls[0][0] == 16
    assert calls[-1][0] == 0, "the buffer was never full"
    assert all(quarters < QUICK for _, quarters in calls)
    started.host()
    expected = b"".join(TALK[:taken] for taken, _ in calls)
    started.run_until(lambda: len(started.usb_received) - before >= len(expected))
    assert started.usb_received[before:] == expected


def test_a_port_that_nobody_has_opened_delays_nothing(started: UsbChip) -> None:
    started.host(opened=False, reads=False)
    calls = talked(started, 80_000)
    assert {taken for taken, _ in calls} == {16}
    assert len(calls) > 20
    assert all(quarters < QUICK for _, quarters in calls)
    started.host()
    started.run_for(20_000)
    every = bytes(range(1, 50))
    usb, uart = echoed(started, started.usb_send, every)
    assert usb.endswith(every)
    assert uart == b""


def test_only_a_run_of_ctrl_c_that_no_frame_has_ends_the_program(started: UsbChip) -> None:
    long = b"\x03" * 199
    before = len(started.usb_received)
    started.usb_send(long + b"a")
    started.run_for(50_000)
    assert b"KeyboardInterrupt" not in started.usb_received
    assert echoed(started, started.send, b"still there")[1] == b"still there"
    started.usb_send(b"\x03" * 258)
    started.run_until(lambda: b"KeyboardInterrupt" in started.usb_received[before:])
