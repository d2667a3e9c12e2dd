"""A simulated table: plays the dealer's actions on a shoe at a pace, and notes when each coup's last card was out."""

from collections import deque
from dataclasses import dataclass, field

from sabot_sim.dealing.dealer import LAMPS_RESULT, Dealer
from sabot_sim.optics.signals import Edge
from sabot_sim.rigs.vm import VmShoe

_WAIT_FOR_SHOE_S = 0.05
_MOST_COUPS = 1000  # that no caller has taken


@dataclass
class SimTable:
    """`step(now_s)` does what is due; the dealer works `speed` times as fast as a person."""

    bench: VmShoe
    dealer: Dealer
    speed: float
    _last_edges_s: deque[float] = field(default_factory=lambda: deque(maxlen=_MOST_COUPS))  # of coups with a result
    _plan: list[Edge] = field(default_factory=list)  # (absolute stimulus time, levels)
    _t_us: int = 0
    _start_s: float | None = None
    _now_s: float = 0.0
    _played_s: float = 0.0
    _shows_result: bool = False

    @property
    def port(self) -> str:
        """Return the shoe's serial line."""
        return self.bench.port

    def runs(self) -> bool:
        """Return True if the shoe is on."""
        return self.bench.process is not None

    def step(self, now_s: float) -> float:
        """Play what is due; return the seconds until more is due, unless the shoe answers before."""
        if self._start_s is None:
            self._start_s = now_s
            self.bench.play([(0, 0)])  # the shoe answers with its outputs
        self._now_s = now_s
        self._look()
        elapsed_us = int((now_s - self._start_s) * 1e6 * self.speed)
        due = [edge for edge in self._plan if edge[0] <= elapsed_us]
        if due:
            self._play(due, now_s)
        if not self._plan:
            return _WAIT_FOR_SHOE_S
        return max(0.0, (self._plan[0][0] - elapsed_us) / 1e6 / self.speed)

    def wait(self, now_s: float) -> float:
        """Let the dealer stand still until the next step; return the seconds until the next call."""
        if self._start_s is not None:
            self._start_s += now_s - self._now_s
        self._now_s = now_s
        self.bench.settled()  # takes the firmware's answers
        return _WAIT_FOR_SHOE_S

    def under_way(self) -> bool:
        """Return True while a part of the dealer's last action is still to be played."""
        return bool(self._plan)

    def power_cycle(self) -> None:
        """Switch the shoe off and on at once; the dealer continues from the lamps."""
        self.bench.power_off()
        self.bench.power_on()
        self._plan.clear()
        self.bench.play([(0, 0)])

    def _look(self) -> None:
        """Plan the dealer's next action once the last is done; a new result came from the last edge played."""
        if self._plan or not self.bench.settled():
            return
        if self.bench.outputs is None:  # it starts
            return
        before, self._shows_result = self._shows_result, bool(self.bench.outputs & LAMPS_RESULT)
        if self._shows_result and not before:
            self._last_edges_s.append(self._played_s)
        edges = self.dealer.next_edges(self.bench.outputs)
        self._plan = [(self._t_us + t_us, levels) for t_us, levels in edges]

    def coup_received(self) -> float:
        """Return when the last edge of the next coup was played; call once for each coup received."""
        if not self._last_edges_s:
            self._look()  # the lamps were lit before the frame was sent
        return self._last_edges_s.popleft() if self._last_edges_s else self._played_s

    def coup_voided(self) -> None:
        """Forget results that nobody received: a coup that people void has a result or none."""
        self._last_edges_s.clear()

    def last_played(self) -> float:
        """Return when the last edge was played."""
        return self._played_s

    def _play(self, due: list[Edge], now_s: float) -> None:
        self._plan = self._plan[len(due) :]
        self._played_s = now_s
        records = []
        for t_us, levels in due:
            records.append((t_us - self._t_us, levels))
            self._t_us = t_us
        self.bench.play(records)
