"""The emulated chip: real MicroPython on an RP2040, edges on its pins, bytes on its UART, all in simulated time.

`Chip` is what every emulator can do; emulators.py chooses one.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sabot_sim.chip.filesystem import FILESYSTEM, filesystem
from sabot_sim.chip.uf2 import blocks
from sabot_sim.optics.signals import Edge
from sabot_sim.rigs.rig import BenchError

BAUD: Final = 115_200
CYCLE_NS: Final = 8  # 125 MHz
FLASH_BYTES: Final = 2 << 20
UNIQUE_ID: Final = bytes.fromhex("e660583883724a32")

# The wiring of the bench: which GPIO each input of the shoe is on, by its bit; buttons and key close to ground.
INPUT_GPIOS: Final = tuple(range(2, 13))
ACTIVE_LOW_INPUTS: Final = 0b011_1111_0000
OUTPUT_GPIOS: Final = tuple(range(13, 23))
DECODED_GPIO: Final = 28

HANG: Final = bytes.fromhex("30bffde7")  # wfi; b back to it
HANG_AT: Final = 0x20040F00  # the stack of the second core, which is unused

PINS, BYTE = 0, 1  # kinds of acts
Act = tuple[int, int, int]  # time in ns, kind, levels of the inputs or byte on the line

_FLASH_START: Final = 0x10000000


@dataclass(frozen=True)
class Change:
    """A change of an output."""

    t_ns: int
    gpio: int
    level: bool


def flash_image(uf2: Path, files: Mapping[str, bytes]) -> bytes:
    """Return the flash of a board with this MicroPython and these files."""
    flash = bytearray(b"\xff" * FLASH_BYTES)
    for address, content in blocks(uf2.read_bytes()):
        at = address - _FLASH_START
        flash[at : at + len(content)] = content
    flash[FILESYSTEM] = filesystem(files)
    return bytes(flash)


class Chip(ABC):
    """One RP2040 with its flash; time passes only in run_to and run_until, and is the same on every machine.

    One class because power, pins, line and time are those of one chip, whatever emulates it.
    """

    def __init__(self) -> None:
        self._switched_on()

    def _switched_on(self) -> None:
        """Forget what an earlier life has sent and shown."""
        self.received: list[tuple[int, int]] = []
        self.changes: list[Change] = []
        self._sent = bytearray()
        self._line_free_ns = 0

    @abstractmethod
    def reset(self) -> None:
        """Pull the RUN pin low for a moment."""

    @abstractmethod
    def power_cycle(self) -> None:
        """Switch off and on: only flash is kept, and time starts at 0."""

    @abstractmethod
    def hang(self) -> None:
        """Let the CPU run an endless loop that does nothing, as a program that hangs."""

    @property
    @abstractmethod
    def now_ns(self) -> int:
        """Simulated time."""

    @property
    @abstractmethod
    def busy_cycles(self) -> int:
        """Cycles since the last reset in which the CPU was not asleep."""

    @property
    @abstractmethod
    def backlog_drops(self) -> int:
        """PIO steps that the emulator has skipped: unless 0, reads cannot be trusted."""

    @property
    @abstractmethod
    def lost(self) -> int:
        """Bytes that came while the UART's FIFO was full."""

    @property
    @abstractmethod
    def cpu_s(self) -> float:
        """CPU time that the process of the emulator has used."""

    @abstractmethod
    def read_flash(self, start: int, size: int) -> bytes:
        """Return a part of flash."""

    @abstractmethod
    def write_flash(self, start: int, data: bytes) -> None:
        """Replace a part of flash, from outside."""

    @abstractmethod
    def drive(self, pins: int) -> None:
        """Set the shoe's inputs now."""

    @abstractmethod
    def _queue(self, acts: Iterable[Act]) -> None:
        """Have these acts, in order of time, happen at their times."""

    @abstractmethod
    def run_to(self, t_ns: int) -> None:
        """Let time pass until `t_ns`."""

    @property
    def now_cycles(self) -> int:
        """Simulated time in cycles of the system clock."""
        return self.now_ns // CYCLE_NS

    @property
    def text(self) -> str:
        """Everything that the firmware has sent."""
        return self._sent.decode(errors="replace")

    def _received(self, t_ns: int, byte: int) -> None:
        self.received.append((t_ns, byte))
        self._sent.append(byte)

    def pins(self, edges: Iterable[Edge], after_us: int = 1000) -> int:
        """Play edges on the inputs; return the simulated time of their time 0, which is `after_us` from now."""
        start_ns = self.now_ns + after_us * 1000
        self._queue((start_ns + t_us * 1000, PINS, pins) for t_us, pins in edges)
        return start_ns

    def send(self, data: bytes) -> None:
        """Send bytes on the serial line, after those that are still on it."""
        byte_ns = 10 * 1_000_000_000 // BAUD
        start_ns = max(self.now_ns, self._line_free_ns)
        self._line_free_ns = start_ns + len(data) * byte_ns
        self._queue((start_ns + (i + 1) * byte_ns, BYTE, byte) for i, byte in enumerate(data))

    def run_for(self, us: int) -> None:
        """Let this much time pass."""
        self.run_to(self.now_ns + us * 1000)

    def run_until(self, condition: Callable[[], bool], most_us: int = 2_000_000, step_us: int = 1000) -> None:
        """Let time pass until the condition holds, checked after every step; BenchError after `most_us`."""
        end_ns = self.now_ns + most_us * 1000
        while not condition():
            if self.now_ns >= end_ns:
                raise BenchError(f"the chip is not there after {most_us} us; its last output: {self.text[-500:]!r}")
            self.run_for(step_us)

    def answer(self, most_us: int = 2_000_000) -> str:
        """Return the next whole line that the firmware sends after this call."""
        before = self.text.count("\n")
        self.run_until(lambda: self.text.count("\n") > before, most_us)
        return self.text.splitlines()[before]
