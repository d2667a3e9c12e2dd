"""The pace of the emulated chip's PIO; rp2040py steps PIO with the instructions of the CPU."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from rp2040py.simulator import Simulator

from sabot_sim.chip.chip import CYCLE_NS

_FP_PER_NS: Final = 256 // CYCLE_NS  # rp2040py counts PIO time in 1/256 of a cycle
_NEVER_FP: Final = 1 << 62


class Pacer:
    """Steps PIO at its exact times; rp2040py skips steps while the CPU sleeps, and delays some while it works.

    For programs that do not stall: a machine that waits for a pin is checked again when a register is written.
    """

    def __init__(self, simulator: Simulator, skip: bool) -> None:
        self._simulator = simulator
        self._skip = skip  # skip rounds in which PIO only counts
        self._core: Any = simulator.rp2040.core
        self._clock: Any = simulator.clock
        self._pios: tuple[Any, ...] = tuple(simulator.rp2040.pio)
        self._alarm = self._clock.create_alarm(self._due)
        peripherals: dict[int, Any] = simulator.rp2040.peripherals
        for address, peripheral in list(peripherals.items()):
            if any(peripheral is pio for pio in self._pios):
                peripherals[address] = _PacedPio(peripheral, self)

    def now_fp(self) -> int:
        """Simulated time as PIO counts it."""
        nanos: float = self._clock.nanos
        return round(nanos * _FP_PER_NS)

    def _first(self) -> Any:
        """Return the PIO whose next step comes first."""
        one, other = self._pios
        return one if one.next_due_fp <= other.next_due_fp else other

    def schedule(self) -> None:
        """Set the alarm for the next step."""
        due_fp = self._first().next_due_fp
        if due_fp < _NEVER_FP:
            self._alarm.schedule(max(0.0, due_fp / _FP_PER_NS - self._clock.nanos))

    def _due(self) -> None:
        pio = self._first()
        pio.cycle_fp = self.now_fp()
        pio.advance(0)
        if self._core.waiting:
            self._simulator.stopped = True
        else:
            self.schedule()

    def sleep(self) -> None:
        """Step without an alarm, which is faster, while the CPU sleeps and the simulation is not stopped."""
        if not self._core.waiting or self._first().next_due_fp >= _NEVER_FP:
            return
        self._alarm.cancel()
        clock, core, simulator = self._clock, self._core, self._simulator
        rounds = _Rounds(self._pios) if self._skip else None
        while core.waiting and not simulator.stopped:
            pio = self._first()
            due_fp = pio.next_due_fp
            due_ns = due_fp / _FP_PER_NS - clock.nanos
            alarm_ns = clock.nanos_to_next_alarm
            if alarm_ns <= due_ns:
                clock.tick(alarm_ns)
                if self._first().next_due_fp >= _NEVER_FP:  # a reset has stopped it
                    return
                rounds = _Rounds(self._pios) if self._skip else None
                continue
            clock.tick(due_ns)
            pio.cycle_fp = due_fp
            pio.advance(0)
            if rounds and rounds.machine and rounds.machine.pc == rounds.head:
                rounds.skip(clock.nanos_to_next_alarm)
        self.schedule()


class _Rounds:
    """Skips rounds of a state machine that only polls and counts: each like the last, with a register one lower.

    Correct for a loop in which the counted register decides nothing before it is 0.
    """

    def __init__(self, pios: Iterable[Any]) -> None:
        enabled = [machine for pio in pios for machine in pio.machines if machine.enabled]
        self.machine: Any = enabled[0] if enabled else None
        self.head = enabled[0].wrap_bottom if len(enabled) == 1 else -1
        self._last: tuple[int, ...] = ()

    def skip(self, most_ns: float) -> None:
        """Skip rounds at the head of the loop, while no alarm is due for `most_ns`."""
        machine = self.machine
        fixed = (machine.x, machine.output_shift_reg, machine.input_shift_count, machine.output_shift_count)
        state = (*fixed, machine.rx_fifo.item_count, machine.y, machine.input_shift_reg, machine.next_due_fp)
        last, self._last = self._last, state
        if not last or last[:5] != state[:5] or last[5] - state[5] != 1 or last[6] - state[6] != 1:
            return
        round_fp = state[7] - last[7]
        rounds = min(int(most_ns * _FP_PER_NS) // round_fp - 2, machine.input_shift_reg)
        if rounds > 0:
            machine.y -= rounds
            machine.input_shift_reg -= rounds
            machine.next_due_fp += rounds * round_fp
            machine.pio.recompute_due()


class _PacedPio:
    """A PIO on the bus: enabled and disabled by the firmware, stepped only by the pacer."""

    def __init__(self, pio: Any, pacer: Pacer) -> None:
        self._pio, self._pacer = pio, pacer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pio, name)

    def write_uint32(self, offset: int, value: int) -> None:
        """Write a register."""
        self._paced(partial(self._pio.write_uint32, offset, value))

    def write_uint32_atomic(self, offset: int, value: int, atomic_type: int) -> None:
        """Set, clear or toggle bits of a register."""
        self._paced(partial(self._pio.write_uint32_atomic, offset, value, atomic_type))

    def _paced(self, write: Callable[[], None]) -> None:
        self._pio.cycle_fp = self._pacer.now_fp()
        write()
        self._pio.stopped = True  # for rp2040py's own loop, which would step it too
        self._pacer.schedule()
