"""The whole shoe on the emulated chip, measured: heap, cycles a card, the longest turn of its loop."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from sabot_gateway.link import ShoeLink
from sabot_gateway.parse import Event
from sabot_protocol import rulebooks
from sabot_protocol.cardcode import CARD_UM, SENSORS_UM, set_words
from sabot_sim.bench import BenchError, firmware_dir
from sabot_sim.chip import Chip, firmware_image
from sabot_sim.chip_pio import CYCLE_NS
from sabot_sim.optics import card_edges

_CARDS: Final = ("2C", "9S", "2H", "KD", "5C")  # one to burn, and a coup
_NEW_SHOE: Final = 1 << 8
_PRESS_US: Final = 60_000
_STEP_US: Final = 4_000
_RING, _EDGES = 256, 24  # records that DMA has room for, and what a card makes of them
_HEAP: Final = (
    b"import gc, machine\n"
    b"uart = machine.UART(0, 115200, tx=machine.Pin(0), rx=machine.Pin(1))\n"
    b"uart.write('%d\\n' % (gc.mem_alloc() + gc.mem_free()))\n"
)


@dataclass(frozen=True)
class Measured:
    """`awake` and `passing` are cycles of a card at 1 m/s; `ring_us` how long the ring lasts at 3 m/s."""

    heap_used: int
    heap_free: int
    awake: float
    passing: int
    round_us: int
    ring_us: int


class _Shoe:
    """A chip that runs main.py, and a gateway's link at its UART."""

    def __init__(self, uf2: Path) -> None:
        self.chip = Chip(uf2, firmware_image(firmware_dir() / "main.py"))
        self.events: list[Event] = []
        self.link = ShoeLink(rulebooks.load("star-baccarat").profile(8, 1, {}), lambda unit: len(self.events))
        self.link.opened()
        self._heard = 0

    def until(self, kind: str, count: int = 1) -> dict[str, Any]:
        """Let time pass until so many events of a kind have come: the last."""
        return self._run(lambda: [event.data for event in self.events if event.kind == kind][count - 1 :])

    def _run(self, found: Callable[[], list[dict[str, Any]]], most_us: int = 5_000_000) -> dict[str, Any]:
        end_ns = self.chip.now_ns + most_us * 1000
        while not found():
            if self.chip.now_ns > end_ns:
                raise BenchError(f"the shoe did not get there in {most_us} us: {self.link.problem}")
            self._step()
        return found()[0]

    def _step(self) -> None:
        self.chip.run_for(_STEP_US)
        data = bytes(byte for _, byte in self.chip.received[self._heard :])
        self._heard += len(data)
        now_s = self.chip.now_ns / 1e9
        self.link.tick(now_s)
        new = self.link.receive(data, now_s)
        self.events += new
        if new:
            self.link.acknowledge(new[-1].event_no, now_s)
        out = self.link.output()
        self.link.written(len(out))
        self.chip.send(out)

    def cycles_for(self, card: str, count: int) -> int:
        """Cycles awake from the first edge of a card until its event has come, the so-manieth."""
        self.chip.run_to(self.chip.pins(card_edges(set_words(1)[card], 1000)))
        before = self.chip.busy_cycles
        self.until("card", count)
        return self.chip.busy_cycles - before


def measure(uf2: Path) -> Measured:
    """A shoe is opened, one coup is dealt, and it is closed: then it tells its health."""
    bare = Chip(uf2, {"main.py": _HEAP})
    heap = int(bare.answer())
    shoe = _Shoe(uf2)
    shoe.until("profile_set")
    shoe.chip.pins([(0, _NEW_SHOE), (_PRESS_US, 0)])
    shoe.until("shoe_opened")
    awake = [shoe.cycles_for(card, count) for count, card in enumerate(_CARDS, 1)]
    shoe.until("coup")
    shoe.link.command("close_shoe")
    health = shoe.until("health")
    out_um = SENSORS_UM["exit"] + CARD_UM
    free = health["heap_free_bytes"]
    ring_us = _RING * out_um // (_EDGES * 3)  # 3 m/s is 3 um/us
    return Measured(heap - free, free, median(awake), out_um * 1000 // CYCLE_NS, health["round_most_us"], ring_us)
