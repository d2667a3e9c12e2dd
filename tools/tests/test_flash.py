"""sabot flash without a board: the files it would write, and its errors."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import forked_sabot
import pytest
import serial
from sabot_sim.rigs import build
from sabot_sim.rigs.vm import firmware_dir, micropython
from sabot_tools.actions.flash import _check_micropython, write_order
from sabot_tools.stand.board import BoardError, System

PICO = "Raspberry Pi Pico with RP2040"


def flash(*args: str) -> "subprocess.CompletedProcess[str]":
    return forked_sabot.sabot("flash", *args)


@pytest.fixture
def port() -> Iterator[tuple[int, str]]:
    """A pty: the end that a board would have, and the name of the other."""
    master, slave = os.openpty()
    yield master, os.ttyname(slave)
    os.close(master)
    os.close(slave)


@pytest.mark.parametrize(("bench", "slot"), [(False, "a"), (True, ".")])
def test_image_bin_is_the_hash_that_the_board_computes(tmp_path: Path, bench: bool, slot: str) -> None:
    image = build.shoe_image(bench=bench)
    for name, data in image.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    found = subprocess.run(
        [micropython(), "-c", f"from sabot.storage import image\nprint(image.digest({str(tmp_path / slot)!r}).hex())"],
        env={**os.environ, "MICROPYPATH": f"{firmware_dir()}:.frozen"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == image[str(PurePosixPath(slot) / "image.bin")].hex()


def test_the_image_of_a_shoe_has_no_files_of_the_bench() -> None:
    shoe, bench = build.shoe_image(), build.shoe_image(bench=True)
    slot = {name.removeprefix("a/"): data for name, data in shoe.items() if name.startswith("a/")}
    assert shoe.keys() - {f"a/{name}" for name in slot} == {"main.py", "slots.mpy", "slot"}
    assert bench.keys() - slot.keys() == {
        "sabot/boards/stream.mpy",
        "sabot/boards/stimulus.mpy",
        "main.py",
        "slots.mpy",
    }
    assert shoe["main.py"].startswith(b"import micropython\nmicropython.kbd_intr(-1)\n")
    assert {name for name in slot if slot[name] != bench[name]} == {"image.bin"}
    assert not any("loader" in name or "bench" in name for name in bench)


def test_a_board_with_the_program_in_its_root_keeps_it_until_the_slot_is_complete() -> None:
    """The files are written in this order: the hash, the slot, then what chooses it; the old program goes last."""
    wanted = build.shoe_image()
    order = write_order(dict.fromkeys(wanted, "missing"), wanted)
    assert order[0] == "a/image.bin"
    assert order[-3:] == ["slot", "slots.mpy", "main.py"]


@pytest.mark.parametrize(
    ("version", "mpy"),
    [((1, 24, 1), 0x1306), ((1, 25, 0), 0x1305), ((1, 25, 0), 0x1307)],
)
def test_a_micropython_that_cannot_run_it_is_refused(version: tuple[int, ...], mpy: int) -> None:
    with pytest.raises(BoardError, match=r"has MicroPython 1\.\d+\.\d .*; install MicroPython 1\.25 or newer: hold"):
        _check_micropython("PORT", System("rp2", version, PICO, mpy), {"a.mpy": b"M\x06\x00\x1f"})


def test_another_kind_of_board_is_refused() -> None:
    with pytest.raises(BoardError, match=r"ESP32 has MicroPython 1\.25\.0 \(\.mpy 0x2b06\), which cannot"):
        _check_micropython("PORT", System("esp32", (1, 25, 0), "ESP32", 0x2B06), {"a.mpy": b"M\x06\x00\x1f"})


def test_native_code_needs_its_own_core() -> None:
    native = {"a.mpy": b"M\x06\x00\x1f", "b.mpy": b"M\x06\x13\x1f"}
    _check_micropython("PORT", System("rp2", (1, 29, 0), PICO, 0x1306), native)
    with pytest.raises(BoardError, match="cannot run this firmware"):
        _check_micropython("PORT", System("rp2", (1, 29, 0), "Raspberry Pi Pico 2 with RP2350", 0x1F06), native)


def test_a_port_that_does_not_exist() -> None:
    ran = flash("/dev/ttyNOWHERE")
    assert ran.returncode == 1
    assert ran.stderr.startswith("sabot flash: /dev/ttyNOWHERE: no such port; ")


def test_a_port_in_use(port: tuple[int, str]) -> None:
    with serial.Serial(port[1], exclusive=True):
        ran = flash(port[1])
    assert ran.returncode == 1
    assert ran.stderr == f"sabot flash: {port[1]}: the port is in use; stop the gateway or terminal that has it open\n"


def test_no_micropython_at_the_port(port: tuple[int, str]) -> None:
    ran = flash(port[1])
    assert ran.returncode == 1
    assert ran.stderr.startswith(
        f"sabot flash: {port[1]}: MicroPython does not answer (could not enter raw repl); if the"
    )
    assert ran.stdout == ""


def test_a_device_that_sends_without_a_pause(port: tuple[int, str]) -> None:
    talker = subprocess.Popen(["yes"], stdout=port[0])
    try:
        ran = flash(port[1])
    finally:
        talker.kill()
        talker.wait()
    assert ran.returncode == 1
    assert ran.stderr == (
        f"sabot flash: {port[1]}: the device sends without a pause and is not MicroPython; choose another port\n"
    )


def test_a_key_of_another_size_is_refused_before_the_board_is_touched(tmp_path: Path) -> None:
    key = tmp_path / "key.bin"
    key.write_bytes(b"half a key")
    ran = flash("/dev/ttyNOWHERE", "--key", str(key))
    assert ran.returncode == 1
    assert "key.bin has 10 bytes, a key has 32" in ran.stderr


def test_check_and_erase_exclude_each_other() -> None:
    ran = flash("/dev/ttyNOWHERE", "--check", "--erase")
    assert ran.returncode == 2
    assert "--check writes nothing" in ran.stderr
