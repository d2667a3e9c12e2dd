"""firmware: flash and heap of the whole shoe against their budgets, and its work per card and per turn of the loop."""

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sabot_sim.rigs import build
from sabot_sim.rigs.vm import HEAP, firmware_dir, micropython

from sabot_tools.bench import shoe_on_chip
from sabot_tools.bench.figure import Figure, at_least
from sabot_tools.bench.firmware_files import chip_image, mpy_bytes

FLASH_BYTES: Final = 65536
HEAP_BYTES: Final = 98304


def figures() -> Iterator[Figure]:
    """Measure on the MicroPython VM and, where there is an image for it, on the emulated chip."""
    size = mpy_bytes({"program.py": firmware_dir() / "main.py", **build.modules()})
    what = f"{size} bytes of .mpy for armv6m, of {FLASH_BYTES}"
    yield at_least("firmware.flash_budget_over_mpy", FLASH_BYTES / size, 1, what)
    used, total = heap(firmware_dir(), micropython(), HEAP)
    what = f"{used / 2048:.1f} KiB, as a 32-bit board counts, of 96, modules compiled there included"
    yield at_least("firmware.heap_over_used", total / used, 1, what)
    uf2 = chip_image()
    if uf2 is not None:
        yield from _on_chip(uf2)


def heap(firmware_dir: Path, vm: str, heap_size: str) -> tuple[int, int]:
    """Return the bytes of heap that a shoe uses after its start on the VM, and all there are."""
    code = (
        f"import sys, gc; sys.path.append({str(firmware_dir)!r}); gc.threshold(8192)\n"
        "import main\n"
        "class Board(main.boards.Board):\n"
        "    def __init__(self, sampler):\n"
        "        self.sampler, self.unit, self._state_dir = sampler, bytes(8), sys.argv[1]\n"
        "        self.rx, self.rx_size = bytearray(256), 0\n"
        "shoe = main.Main(Board(main.Sampler()))\n"
        "gc.collect(); print(gc.mem_alloc(), gc.mem_alloc() + gc.mem_free())\n"
    )
    with tempfile.TemporaryDirectory() as state:
        script = Path(state) / "heap.py"
        script.write_text(code)
        ran = subprocess.run([vm, "-X", heap_size, str(script), state], capture_output=True, text=True, check=True)
    used, total = map(int, ran.stdout.split())
    return used, total


def _on_chip(uf2: Path) -> Iterator[Figure]:
    shoe = shoe_on_chip.measure(uf2)
    what = f"{shoe.heap_used / 1024:.1f} KiB in use by the whole shoe, of 96; {shoe.heap_free / 1024:.0f} KiB are free"
    yield at_least("firmware.chip_heap_over_used", HEAP_BYTES / shoe.heap_used, 1, what)
    what = f"{shoe.awake:,.0f} cycles awake per card at 1 m/s, from its first edge to its event, of {shoe.passing:,}"
    yield at_least("firmware.chip_cycles_a_card", shoe.passing / shoe.awake, 1, what)
    what = f"longest turn {shoe.round_us:,} us; at 3 m/s the ring of samples is full after {shoe.ring_us:,}"
    yield at_least("firmware.chip_round", shoe.ring_us / shoe.round_us, 2, what)
