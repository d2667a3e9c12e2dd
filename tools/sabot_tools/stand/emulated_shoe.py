"""An emulated Angel Eye for `sabot shoe`: the table behind its port, coups and notes as text."""

import os
import random
import selectors
import sys
import time
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, Literal

from sabot_gateway import rules
from sabot_protocol.inputs.plain_text import printable
from sabot_protocol.topics import CoupMessage
from sabot_sim import stack
from sabot_sim.angel_eye.truth import DealtCoup

from sabot_tools.stand.angel_eye_ports import AngelEyePort
from sabot_tools.stand.angel_eye_table import AngelEyePlan, LiveAngelEye
from sabot_tools.text.coups import Painter

_NATURAL: Final = 8
_WINNERS: Final[dict[str, Literal["player", "banker", "tie"]]] = {"player": "player", "banker": "banker", "tie": "tie"}
_LONGEST_SLEEP_S: Final = 0.05


@dataclass(frozen=True)
class EmulationPlan:
    """What to deal, and how."""

    name: str  # of the table
    rulebook: str
    decks: int
    speed: float
    seed: int
    coups: int | None  # None: until stopped
    angel_eye: AngelEyePlan = field(default_factory=AngelEyePlan)


class EmulatedShoe:
    """One table and its port; step() does what is due, `coups` collects the lines to print."""

    def __init__(self, plan: EmulationPlan, port: AngelEyePort, selector: selectors.BaseSelector) -> None:
        self.plan, self.port, self._selector = plan, port, selector
        rng = random.Random(plan.seed)
        self.table = LiveAngelEye(port, lambda: stack.shuffled(plan.decks, rng), rng, plan.speed, plan.angel_eye)
        self._painter = Painter(sys.stdout.isatty() and "NO_COLOR" not in os.environ)
        self.coups: list[str] = []
        self._printed = self._answered = 0
        self._shoe = 0

    def step(self) -> None:
        """Deal what is due, carry bytes both ways, wait for more."""
        now_s = time.monotonic()
        wait_s = self.table.wait(now_s) if self._enough() else self.table.step(now_s)
        truth = self.table.truth
        new, self._printed = truth.results - self._printed, truth.results
        self.coups += map(self._line, islice(truth.coups, max(0, len(truth.coups) - new), None))
        self._selector.select(min(wait_s, _LONGEST_SLEEP_S))

    def _enough(self) -> bool:
        return self.plan.coups is not None and self._printed >= self.plan.coups

    def done(self) -> bool:
        """Return True if enough coups were printed and everything is sent."""
        return self._enough() and not self.table.under_way()

    def take_notes(self) -> list[str]:
        """Return the notes for stderr since the last call."""
        truth, news, notes = self.table.truth, self.port.news, self.table.dealer.notes
        found = [*news, *notes]
        news.clear()
        notes.clear()
        while truth.answers:
            command, nak = truth.answers.popleft()
            found.append(f"command {printable(command)}: {'ACK' if nak is None else f'NAK {nak:02X}'}")
        if truth.shoes != self._shoe:
            self._shoe = truth.shoes
            found.append(f"shoe {truth.shoes}: new cards are in, {self.plan.decks} decks")
        return found

    def _line(self, coup: DealtCoup) -> str:
        """Return a coup as a line, as a gateway with the same count of shoes and coups publishes it."""
        winner = _WINNERS.get(coup.result or "")
        sound = winner is not None and "result_mismatch" not in coup.flags
        message = CoupMessage(
            id="",
            unit="",
            event_no=0,
            table=self.plan.name,
            shoe=coup.shoe,
            coup=coup.number,
            time="",
            rulebook=self.plan.rulebook,
            kind="live",
            status="verified" if sound else "disputed",
            winner=winner,
            player=coup.player,
            banker=coup.banker,
            player_points=rules.points(coup.player),
            banker_points=rules.points(coup.banker),
            natural=winner is not None
            and max(rules.points(coup.player[:2]), rules.points(coup.banker[:2])) >= _NATURAL,
            last_coup=False,
            player_pair=coup.player_pair,
            banker_pair=coup.banker_pair,
        )
        return self._painter.line(message, None)
