"""A simulated shoe: the firmware on the MicroPython VM, a dealer who pulls its cards, and a port for a gateway."""

import contextlib
import os
import random
import selectors
import subprocess
import sys
import time
from dataclasses import dataclass

from sabot_protocol import rulebooks
from sabot_sim import stack
from sabot_sim.dealing.patient_dealer import PatientDealer
from sabot_sim.dealing.table import SimTable
from sabot_sim.rigs.slot_shoe import SlotShoe
from sabot_sim.rigs.vm import Spawn, VmShoe

from sabot_tools.stand.children import Children
from sabot_tools.stand.shoe_monitor import ShoeMonitor
from sabot_tools.stand.shoe_port import ShoePort
from sabot_tools.stand.shoe_state import StateDir
from sabot_tools.text.coups import Painter

_MISHAP_SHARE = 0.03
_LONGEST_SLEEP_S = 0.05
_LINE_BYTES = 4096
_SETTLE_S = 1.0  # at the end: time for the firmware to process what was played


@dataclass(frozen=True)
class ShoePlan:
    """What to deal, and how."""

    name: str  # of the table
    rulebook: str
    decks: int
    card_set: int
    speed: float
    seed: int
    mishaps: bool
    patience_s: float
    coups: int | None  # None: until stopped
    rest_s: float = 0.0  # between two shoes


class SimulatedShoe:
    """One shoe, its dealer and its port; step() does what is due."""

    def __init__(self, plan: ShoePlan, state: StateDir, port: ShoePort, selector: selectors.BaseSelector) -> None:
        self.plan, self._state, self._port, self._selector = plan, state, port, selector
        self._children = Children(state.path)
        colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        self.monitor = ShoeMonitor(plan.name, port.port, plan.rulebook, state.table, Painter(colour))
        self._bench = _new_bench(state, self._spawn)
        self._line = os.open(self._bench.port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self._dealer = self._new_dealer()
        self._table = SimTable(self._bench, self._dealer, plan.speed)
        self._from_shoe = b""  # not yet passed to the gateway
        self._saved_no = state.table.shown_no
        for source in (self._bench, self._line):
            selector.register(source, selectors.EVENT_READ)

    def _spawn(self, args: list[str], *, pass_fds: tuple[int, ...], env: dict[str, str]) -> subprocess.Popen[bytes]:
        return self._children.start("firmware", args, pass_fds=(*pass_fds, self._state.lock), env=env)

    def _new_dealer(self) -> PatientDealer:
        plan, table = self.plan, self._state.table
        dealer = PatientDealer(
            self._new_cards,
            plan.card_set,
            random.Random(f"{plan.seed}-{table.shoes}-hands"),
            patience_us=int(plan.patience_s * plan.speed * 1e6),
            rest_us=int(plan.rest_s * plan.speed * 1e6),
            mishap_share=_MISHAP_SHARE if plan.mishaps else 0.0,
            enters_result=bool(rulebooks.load(plan.rulebook).switch["result_before_confirm"].value),
        )
        dealer.take_up(table.stack, table.drawn)
        return dealer

    def _new_cards(self) -> list[str]:
        table = self._state.table
        table.shoes += 1
        return stack.shuffled(self.plan.decks, random.Random(f"{self.plan.seed}-{table.shoes}"))

    def step(self) -> None:
        """Deal what is due, carry bytes both ways, wait for more; the caller prints coups between two steps."""
        if isinstance(self._bench, SlotShoe) and self._bench.restarts():
            self._restart(self._bench)
        self._children.check()
        self._pass_to_gateway()
        now_s = time.monotonic()
        dealing = self.monitor.profile_known and not self.monitor.enough(self.plan.coups)
        wait_s = self._deal(now_s) if dealing else _LONGEST_SLEEP_S
        self._bench.settled()  # takes the firmware's answers, also while nothing waits for them
        self._selector.select(min(wait_s, _LONGEST_SLEEP_S))
        self._carry()
        self.monitor.tick(time.monotonic())

    def _restart(self, bench: SlotShoe) -> None:
        """Start the firmware again, which has ended for that; a card that is half drawn goes back."""
        assert bench.process is not None
        self._children.release(bench.process)
        if self._table.under_way():
            self._dealer.put_back()
        self._selector.unregister(bench)
        self._table.power_cycle()
        self._selector.register(bench, selectors.EVENT_READ)
        self.monitor.notes.append(f"the shoe has restarted from slot {bench.slot()[:1] or 'a'}")

    def _deal(self, now_s: float) -> float:
        before = len(self._dealer.drawn)
        wait_s = self._table.step(now_s)
        if len(self._dealer.drawn) != before:
            self._save()
        return wait_s

    def _save(self) -> None:
        self._state.table.stack, self._state.table.drawn = self._dealer.cards()
        self._state.save()
        self._saved_no = self._state.table.shown_no

    def _pass_to_gateway(self) -> None:
        """Save what the monitor has shown before the gateway can acknowledge it: the shoe does not send that again."""
        if self._saved_no != self._state.table.shown_no:
            self._save()
        self._port.write(self._from_shoe)
        self._from_shoe = b""

    def _carry(self) -> None:
        """Carry bytes between the firmware and the gateway, and let the monitor follow."""
        from_shoe = _read(self._line)
        self.monitor.from_shoe(from_shoe)
        self._from_shoe += from_shoe
        from_gateway = self._port.read()
        self.monitor.from_gateway(from_gateway, time.monotonic())
        with contextlib.suppress(BlockingIOError):  # a line that is full loses the rest, as a UART does
            os.write(self._line, from_gateway)

    def take_notes(self) -> list[str]:
        """Return the notes for stderr since the last call."""
        sources = (self._port.news, self._dealer.notes, self.monitor.notes)
        taken = [note for notes in sources for note in notes]
        for notes in sources:
            notes.clear()
        return taken

    def close(self) -> None:
        """Switch off: a card that is half drawn goes back, everything else stays as it was logged."""
        if self._table.under_way():
            self._dealer.put_back()
        else:
            self._settle()
        self._save()
        self._children.stop()
        for source in (self._bench, self._line):
            self._selector.unregister(source)
        os.close(self._line)
        self._bench.close()

    def _settle(self) -> None:
        give_up_s = time.monotonic() + _SETTLE_S
        while not self._bench.settled() and time.monotonic() < give_up_s:
            self._selector.select(_LONGEST_SLEEP_S)
            self._carry()
            self._pass_to_gateway()


def _new_bench(state: StateDir, spawn: Spawn) -> VmShoe:
    return (
        SlotShoe(state.table.unit, state.path, spawn)
        if state.takes_firmware
        else VmShoe(state.table.unit, state.path, spawn)
    )


def _read(line: int) -> bytes:
    with contextlib.suppress(OSError):
        return os.read(line, _LINE_BYTES)
    return b""
