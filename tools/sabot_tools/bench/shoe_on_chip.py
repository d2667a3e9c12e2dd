"""Measures the whole shoe on the emulated chip: heap, cycles per card, the longest turn of its loop."""

from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from sabot_protocol.cardcode import CARD_UM, SENSORS_UM, set_words
from sabot_sim.chip.chip import CYCLE_NS
from sabot_sim.chip.emulators import new_chip
from sabot_sim.optics.signals import card_edges
from sabot_sim.rigs.build import firmware_image
from sabot_sim.rigs.vm import firmware_dir

from sabot_tools.bench.chip_table import ChipTable
from sabot_tools.stand.minimal_gateway import MinimalGateway

_CARDS: Final = ("2C", "9S", "2H", "KD", "5C")  # one to burn, and a coup
_SPEED: Final = 1000  # mm/s
_RING, _EDGES = 256, 24  # records in the DMA ring, and records of one card
_HEAP: Final = (
    b"import gc, machine\n"
    b"uart = machine.UART(0, 115200, tx=machine.Pin(0), rx=machine.Pin(1))\n"
    b"uart.write('%d\\n' % (gc.mem_alloc() + gc.mem_free()))\n"
)


@dataclass(frozen=True)
class Measured:
    """`awake` and `passing` are cycles of a card at 1 m/s; `ring_us` is the time until the ring is full at 3 m/s."""

    heap_used: int
    heap_free: int
    awake: float
    passing: int
    round_us: int
    ring_us: int


def _cycles_for(table: ChipTable, card: str) -> int:
    """Return the cycles awake from the first edge of a card until its event arrives."""
    chip, before = table.chip, len(table.gateway.of("card"))
    chip.run_to(chip.pins(card_edges(set_words(1)[card], _SPEED)))
    start = chip.busy_cycles
    table.run_until(lambda: len(table.gateway.of("card")) > before)
    return chip.busy_cycles - start


def measure(uf2: Path) -> Measured:
    """Open a shoe, deal one coup and close it; the health event then has heap and turns."""
    bare = new_chip(uf2, {"main.py": _HEAP})
    heap = int(bare.answer())
    table = ChipTable(new_chip(uf2, firmware_image(firmware_dir() / "main.py")), MinimalGateway())
    table.start()
    table.press("new_shoe")
    awake = [_cycles_for(table, card) for card in _CARDS]
    table.run_until(lambda: bool(table.gateway.of("coup")))
    table.command("close_shoe")
    table.run_until(lambda: bool(table.gateway.of("health")))
    health = table.gateway.of("health")[0].data
    out_um = SENSORS_UM["exit"] + CARD_UM
    free = health["heap_free_bytes"]
    ring_us = _RING * out_um // (_EDGES * 3)  # 3 m/s is 3 um/us
    return Measured(heap - free, free, median(awake), out_um * 1000 // CYCLE_NS, health["round_most_us"], ring_us)
