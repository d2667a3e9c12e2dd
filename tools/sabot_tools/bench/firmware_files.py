"""What the figures of the firmware are measured on: its compiled modules, and the image of the emulated chip."""

import sys
from pathlib import Path

from sabot_sim.chip.uf2 import HOW_TO_GET_UF2, find_uf2
from sabot_sim.rigs import build


def mpy_bytes(modules: dict[str, Path]) -> int:
    """Return the size of these modules, by name on the board, as .mpy files for the chip."""
    return sum(len(build.mpy(name, path)) for name, path in modules.items())


def chip_image() -> Path | None:
    """Return the UF2 for the emulated chip; without one, explain on stderr how to get it."""
    uf2 = find_uf2()
    if uf2 is None:
        print(f"sabot bench: {HOW_TO_GET_UF2}", file=sys.stderr)
    return uf2
