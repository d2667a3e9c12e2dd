"""chip: how fast rp2040js runs the firmware, against rp2040py."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sabot_tools.bench.figure import Figure, at_least
from sabot_tools.bench.firmware_files import chip_image

if TYPE_CHECKING:
    from sabot_sim.chip.emulators import Emulator

_FROM_US, _TO_US = 100_000, 400_000  # of the start, in which the CPU never sleeps
_CYCLES_AN_INSTRUCTION: Final = 1.56  # counted in this part of the start


def figures() -> Iterator[Figure]:
    """Let both emulators start the same shoe, and compare their CPU time."""
    from sabot_sim.chip.emulators import JS, PY, Emulator, chosen

    uf2, fast = chip_image(), chosen()
    if fast.name != JS:
        print(f"sabot bench: no figure of {JS}: {fast.reason}", file=sys.stderr)
    elif uf2 is not None:
        js, py = (_instructions_a_second(uf2, emulator) / 1e6 for emulator in (fast, Emulator(PY, "")))
        what = f"{js:.0f} million instructions a second of CPU time in {fast}, {py:.1f} in {PY}"
        yield at_least("chip.rp2040js_over_rp2040py", js / py, 4, what)


def _instructions_a_second(uf2: Path, emulator: "Emulator") -> float:
    from sabot_sim.chip.emulators import new_chip
    from sabot_sim.chip.rp2040 import shoe_files

    chip = new_chip(uf2, shoe_files(), emulator=emulator)
    chip.run_for(_FROM_US)
    cycles, cpu_s = chip.busy_cycles, chip.cpu_s
    chip.run_for(_TO_US - _FROM_US)
    return (chip.busy_cycles - cycles) / _CYCLES_AN_INSTRUCTION / (chip.cpu_s - cpu_s)
