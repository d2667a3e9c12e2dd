"""A board at a USB port: real mpremote and the real rig talk to real MicroPython on an emulated Pico.

The emulator is thirty times slower than a Pico while it works, so the gateway's clock goes as slowly.
"""

import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sabot_protocol.cardcode import set_words
from sabot_sim.chip.uf2 import HOW_TO_GET_UF2, find_uf2
from sabot_sim.optics.signals import card_edges
from sabot_sim.rigs import build
from sabot_sim.rigs.board import BoardRig
from sabot_sim.rigs.rig import Rig
from sabot_tools.bench.chip_table import BUTTONS, LOCK, PRESS_US, SPEED
from sabot_tools.stand.minimal_gateway import MinimalGateway

pytestmark = pytest.mark.skipif(find_uf2() is None, reason=HOW_TO_GET_UF2)

SLOWER = 40
START_S = 300.0
KEY = bytes(range(32))
UNIT = "e660583883724a32"


@contextmanager
def pico(*folder: Path) -> Iterator[str]:
    """The port of a board with the files of this folder, or of one as new."""
    args = [sys.executable, "-m", "sabot_sim.chip.usb", *map(str, folder)]
    child = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdin is not None
    assert child.stdout is not None
    with child:
        yield child.stdout.readline().strip()
        child.stdin.close()


def flash(*args: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "sabot_tools", "flash", *args], capture_output=True, text=True, check=False
    )


def put(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


@pytest.mark.chip_full
def test_what_differs_is_named_and_only_that_is_written(tmp_path: Path) -> None:
    image = build.shoe_image()
    count = len(image)
    del image["main.py"]
    image["a/sabot/__init__.mpy"] += b"\0"
    put(tmp_path, image | {"old.mpy": b"M", "notes.txt": b"of an installer"})
    with pico(tmp_path) as port:
        checked = flash(port, "--check")
        assert checked.stdout == "different a/sabot/__init__.mpy\nmissing main.py\nsurplus old.mpy\n"
        assert (checked.returncode, checked.stderr) == (1, f"sabot flash: {port}: 3 of {count} files differ\n")
        flashed = flash(port)
        assert flashed.stderr.splitlines() == [
            f"sabot flash: {port}: 2 files written, 1 removed; the shoe restarts",
            f"sabot flash: {port}: all {count} files are as built, image {image['a/image.bin'].hex()}",
        ]
        assert flashed.returncode == 0


@pytest.mark.chip_full
def test_the_error_of_a_full_filesystem_names_the_remedy(tmp_path: Path) -> None:
    put(tmp_path, {"video.bin": bytes(4096 * 300)})
    with pico(tmp_path) as port:
        ran = flash(port)
        assert ran.returncode == 1
        full = "the board's filesystem is full; flash with --erase, which removes everything on it"
        assert ran.stderr == f"sabot flash: {port}: {full}\n"


class Table:
    """A rig, and a gateway's link at its line."""

    def __init__(self, rig: Rig, gateway: MinimalGateway) -> None:
        self.rig, self.gateway, self._t_us = rig, gateway, 0

    def until(self, condition: Callable[[], bool]) -> None:
        """Let shoe and gateway work."""
        end_s = time.monotonic() + START_S
        while not condition():
            assert time.monotonic() < end_s, [event.kind for event in self.gateway.events]
            self.rig.turn()
            self.rig.send(self.gateway.exchange(self.rig.receive(), self.rig.line_s() / SLOWER))
            select.select(self.rig.filenos(), [], [], 0.01)

    def play(self, edges: list[tuple[int, int]]) -> None:
        """Move the inputs, and wait until the shoe is quiet."""
        start_us, end_us = self._t_us + 40_000, self._t_us + edges[-1][0] + 200_000
        self.rig.play([(start_us + t_us, levels) for t_us, levels in edges], end_us)
        self._t_us = end_us
        self.until(self.rig.quiet)


@pytest.mark.chip_full
def test_a_new_board_is_flashed_and_then_deals_through_the_rig(tmp_path: Path) -> None:
    key = tmp_path / "key.bin"
    key.write_bytes(KEY)
    with pico() as port:
        flashed = flash(port, "--bench", "--key", str(key))
        assert flashed.returncode == 0, flashed.stderr
        assert "flash is reserved for the journal, which is empty" in flashed.stderr
        rig = BoardRig(port, KEY, START_S)
        table = Table(rig, MinimalGateway(KEY))
        rig.power_on()
        table.until(lambda: bool(table.gateway.of("profile_set")) and rig.quiet())
        (tested,) = table.gateway.of("self_test")
        assert tested.data["passed"] == {"image": True, "journal": True, "flash": True, "sensors": True}
        assert tested.data["image_hash"] == build.shoe_image(bench=True)["image.bin"]
        assert rig.unit == UNIT

        table.play([(0, BUTTONS["new_shoe"]), (PRESS_US, 0)])
        table.play(list(card_edges(set_words(1)["9H"], SPEED)))
        table.until(lambda: bool(table.gateway.of("card")))
        assert [event.data["card"] for event in table.gateway.of("card")] == ["9H"]
        assert rig.outputs is not None
        assert not rig.outputs & LOCK

        before = len(table.gateway.events)
        rig.reset()
        table.gateway.restart()
        table.until(lambda: len(table.gateway.events) >= before + 2)
        assert table.gateway.of("boot")[-1].data == {"boot_count": 2, "cause": "power"}
        rig.close()

        again = flash(port, "--key", str(key))
        assert again.returncode == 0, again.stderr
        assert "the journal's part" not in again.stderr
