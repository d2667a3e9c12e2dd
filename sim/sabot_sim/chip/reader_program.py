"""The reader program (firmware/bench/reader.py) on the emulated chip: start it, read its counters, time a read."""

from pathlib import Path

from sabot_sim.chip.chip import Chip
from sabot_sim.chip.emulators import new_chip
from sabot_sim.optics.signals import Edge
from sabot_sim.rigs.build import firmware_image


def booted_reader(uf2: Path) -> Chip:
    """Return a chip on which the reader program is running."""
    chip = new_chip(uf2, firmware_image())
    chip.run_until(lambda: chip.text == "ready\n")
    return chip


def counters(chip: Chip) -> dict[str, int]:
    """Return the counters of the reader program."""
    chip.send(b"s")
    words = chip.answer().split()
    return {name: int(value) for name, value in zip(words[::2], words[1::2], strict=True)}


def cycles_for(chip: Chip, edges: list[Edge]) -> int:
    """Return the cycles in which the CPU is awake, from the first of these edges until the reader program answers."""
    chip.run_to(chip.pins(edges))
    before = chip.busy_cycles
    chip.answer()
    return chip.busy_cycles - before
