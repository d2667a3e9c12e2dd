"""A table with an emulated Angel Eye behind a port, on this machine's clock."""

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sabot_sim.angel_eye.dealer import AngelEyeDealer, Mishap, Pace
from sabot_sim.angel_eye.mishaps import MISHAPS
from sabot_sim.angel_eye.settings import Settings
from sabot_sim.angel_eye.shoe import AngelEyeShoe
from sabot_sim.angel_eye.table import AngelEyeTable
from sabot_sim.angel_eye.troubled_dealer import TroubledAngelEyeDealer
from sabot_sim.angel_eye.truth import Truth

from sabot_tools.stand.angel_eye_ports import AngelEyePort

_FLAT_OUT_SPEED: Final = 10_000.0  # from here on no time passes on the line
_FLAT_OUT: Final = Pace((0.002, 0.002), (0.002, 0.002))  # what is on the way to a gateway stays small
_MOST_WAITING: Final = 2048  # bytes for the slowest client; then a dealer who deals flat out waits
_REST_S: Final = 0.005  # until the rest of a segment is sent
_MOST_COUPS: Final = 1000  # that no caller has taken
_LONGEST_WAIT_S: Final = 0.05


@dataclass(frozen=True)
class AngelEyePlan:
    """How shoe, people and gateway behave; times in seconds of this machine's clock."""

    settings: Settings = field(default_factory=Settings)
    mishap_share: float = 0.0
    mishaps: tuple[str, ...] = tuple(MISHAPS)
    patience_s: float = 1.0  # until a supervisor clears an error at the shoe; 0: never
    first_trouble: int = 0  # coups before the first
    gateway: str = ""  # lines of TOML for the gateway's config of each table, such as `commands = true`

    def chosen_mishaps(self) -> dict[str, Mishap]:
        """Return the mishaps that can happen, by name."""
        return {name: MISHAPS[name] for name in self.mishaps}


class LiveAngelEye:
    """One table: `step(now_s)` deals what is due and carries bytes; the dealer works `speed` times as fast.

    The dealer begins when the first client is connected, and goes on whether one is or not. With `troubles` a
    TroubledAngelEyeDealer deals, and nobody clears an error at the shoe.
    """

    def __init__(
        self,
        bench: AngelEyePort,
        deck: Callable[[], list[str]],
        rng: random.Random,
        speed: float = 1.0,
        plan: AngelEyePlan | None = None,
        troubles: Sequence[str] = (),
    ) -> None:
        plan = plan or AngelEyePlan()
        self.bench = bench
        self._flat_out = speed >= _FLAT_OUT_SPEED
        self._speed = 1.0 if self._flat_out else speed
        boot_s = plan.settings.boot_s * self._speed  # a gateway knows two starts apart by their time
        settings = replace(plan.settings, boot_s=boot_s, flat_out=plan.settings.flat_out or self._flat_out)
        self.shoe = AngelEyeShoe(settings, rng)
        pace = _FLAT_OUT if self._flat_out else Pace()
        self.dealer: AngelEyeDealer = (
            TroubledAngelEyeDealer(self.shoe, deck, rng, pace, troubles=troubles, first=plan.first_trouble)
            if troubles
            else AngelEyeDealer(
                self.shoe, deck, rng, pace, plan.patience_s * self._speed, plan.mishap_share, plan.chosen_mishaps()
            )
        )
        self._table = AngelEyeTable(self.shoe, self.dealer)
        self._start_s: float | None = None  # when the first client was there
        self._now_s = self._acted_s = 0.0
        self._results_s: deque[float] = deque(maxlen=_MOST_COUPS)
        self._link_cuts = 0
        self.stand_s = 0.0  # after a result the dealer stands still until go_on(), but not longer
        self._stands_until_s = 0.0

    @property
    def port(self) -> str:
        """Return the port, as in the gateway's config."""
        return self.bench.port

    @property
    def truth(self) -> Truth:
        """Return what was sent and dealt."""
        return self.shoe.truth

    def runs(self) -> bool:
        """Return True: clients come and go also while the shoe is off."""
        return True

    def step(self, now_s: float) -> float:
        """Do what is due; return the seconds until more is due."""
        if self._start_s is None and self.bench.clients:
            self._start_s = now_s
            self.dealer.begin(0.0)
        behind = self._flat_out and self.bench.waiting() > _MOST_WAITING
        stands = behind or now_s < self._stands_until_s
        return self._carry(now_s, self._table.wait if stands else self._deal)

    def go_on(self) -> None:
        """End the standing still after a result."""
        self._stands_until_s = 0.0

    def wait(self, now_s: float) -> float:
        """Let the dealer stand still, and carry bytes; return the seconds until the next call."""
        return self._carry(now_s, self._table.wait)

    def _carry(self, now_s: float, act: Callable[[float], bytes]) -> float:
        self._now_s = now_s
        from_host = self.bench.read()
        if self._start_s is None:
            return _LONGEST_WAIT_S
        at_s = self._at(now_s)
        self.shoe.receive(from_host, at_s)
        self.bench.write(act(at_s))
        if self.bench.waiting():
            return _REST_S
        return min(_LONGEST_WAIT_S, max(0.0, (self._table.next_s() - at_s) / self._speed))

    def _at(self, now_s: float) -> float:
        """Return the time at the table."""
        return (now_s - (self._start_s or 0.0)) * self._speed

    def _deal(self, at_s: float) -> bytes:
        """Let the dealer act; note when a result was given, and unplug the converter if he did."""
        dealer = self.dealer
        coups, sent = dealer.coups_seen, self.truth.frames
        data = self._table.step(at_s)
        if self.truth.frames > sent:
            self._acted_s = self._now_s
        if dealer.coups_seen > coups:
            self._results_s.append(self._now_s)
            self._stands_until_s = self._now_s + self.stand_s
        if dealer.link_cuts > self._link_cuts:
            self._link_cuts = dealer.link_cuts
            self.bench.unplug()
        return data

    def under_way(self) -> bool:
        """Return True while something is still to be sent."""
        return self.shoe.next_s() is not None or bool(self.bench.waiting())

    def coup_received(self) -> float:
        """Return when the result of the next coup was given; call once for each coup received."""
        return self._results_s.popleft() if self._results_s else self._acted_s

    def coup_voided(self) -> None:
        """Forget results that nobody received: a coup that people void has a result or none."""
        self._results_s.clear()

    def last_played(self) -> float:
        """Return when the shoe last had something to report."""
        return self._acted_s

    def power_off(self, now_s: float) -> None:
        """Switch the shoe off; its converter stays on, and sends what was out."""
        self.bench.write(self.shoe.output(self._at(now_s)))
        self.shoe.power_off()

    def power_on(self, now_s: float) -> None:
        """Switch the shoe on again with the cards that are in."""
        self.shoe.power_on(self._at(now_s))

    def close(self) -> None:
        """Close the port."""
        self.bench.close()
