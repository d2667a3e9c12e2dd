"""One run: every part starts, the shoes play while parts are killed, and everything must have arrived at the end."""

import selectors
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from floor_kills import judge, projected
from floor_kills.jackpots import expected
from floor_kills.parts import SITE, Parts, Size
from floor_kills.plan import Round
from floor_kills.watcher import Watcher

Scene = Literal["kills", "broker-away", "floor-away"]
_TICK_S: Final = 0.02
_REPORT_EVERY_S: Final = 5.0
_LOOK_EVERY_S: Final = 0.3
_START_WITHIN_S: Final = 120.0
_GO_ON_WITHIN_S: Final = 60.0
_MOST_FAULTS: Final = 5  # that are shown
_QUIET_S: Final = 3.0  # the meters stay as they are for so long at the end: nothing is counted twice


class StalledError(RuntimeError):
    """Nothing moved for too long; the message has the state of the run."""


@dataclass
class Outcome:
    """How a run has ended."""

    findings: list[str]
    played_s: float
    settled_s: float  # from the end of the play until the meters were complete
    kills: dict[str, int]
    resends: int
    meters: dict[str, dict[str, int]] = field(default_factory=dict)


class Run:
    """One floor in one directory."""

    def __init__(
        self, stack: ExitStack, work_dir: Path, size: Size, *, say: Callable[[str], None], patience_s: float
    ) -> None:
        self.parts = Parts(stack, work_dir, size)
        self._say, self._patience_s = say, patience_s
        self._selector = stack.enter_context(selectors.DefaultSelector())
        self._expected = expected(self.parts.tables)
        self._report_s = self._start_s = time.monotonic()
        self._moved = (0, 0)
        self._moved_s = self._start_s
        self.parts.start("broker")
        self.watcher = Watcher(self.parts.broker, SITE, self._selector)

    def play(self, scene: Scene, rounds: Iterable[Round]) -> Outcome:
        """Play a scene to its end, with these rounds of kills, and judge it."""
        self._open()
        away = {"kills": [], "broker-away": ["broker"], "floor-away": self.parts.size.workers}[scene]
        for name in away:
            self.parts.kill(name)
        self.parts.start_shoes()
        start_s = time.monotonic()
        for round_ in rounds:
            self._carry_out(round_)
        self._until(lambda: self.parts.played().done)
        played_s = time.monotonic()
        for name in self.parts.size.victims:
            self.parts.start(name)
        self._until(self._complete)
        self._until(self._projected)
        settled_s = time.monotonic()
        self._pass(_QUIET_S)
        meters = {name: message["meters"] for name, message in self.watcher.meters.items()}
        found = judge.findings(self.parts, self.watcher)
        resends = self.parts.played().resends
        return Outcome(found, played_s - start_s, settled_s - played_s, dict(self.parts.kills), resends, meters)

    def _open(self) -> None:
        """Start floor and gateway, and wait until every jackpot has published its first meter."""
        for name in self.parts.size.victims:
            self.parts.start(name)
        give_up_s = time.monotonic() + _START_WITHIN_S
        while len(self.watcher.meters) < len(self._expected):
            self._tick()
            if time.monotonic() > give_up_s:
                raise StalledError(f"no meter after {_START_WITHIN_S:.0f} s; the logs are in {self.parts.work_dir}")

    def _carry_out(self, round_: Round) -> None:
        """Kill and start again; unless the round is early, after shoes and meters have gone on."""
        before, give_up_s = self._position(), time.monotonic() + _GO_ON_WITHIN_S
        while not (round_.early or self.parts.played().done) and time.monotonic() < give_up_s:
            self._tick()
            if all(now > then for now, then in zip(self._position(), before, strict=True)):
                break
        self._say(str(round_))
        self.parts.ask_gateway()
        self._pass(round_.peace_s)
        for name in round_.victims:
            self.parts.kill(name)
            self._pass(round_.between_s)
        self._pass(round_.away_s)
        for name in round_.back:
            self.parts.start(name)

    def _complete(self) -> bool:
        return all(self.watcher.amount(one.jackpot.id) >= one.meters["in"] for one in self._expected)

    def _projected(self) -> bool:
        """Return True if the projection has everything; looks now and then."""
        self._pass(_LOOK_EVERY_S)
        return projected.complete(self.parts)

    def _position(self) -> tuple[int, int]:
        """Return how far the shoes and the meters are."""
        return self.parts.played().acknowledged, sum(self.watcher.amount(one.jackpot.id) for one in self._expected)

    def _pass(self, seconds: float) -> None:
        until_s = time.monotonic() + seconds
        while time.monotonic() < until_s:
            self._tick()

    def _until(self, done: Callable[[], bool]) -> None:
        """Wait; StalledError if neither the shoes nor the meters move for too long."""
        self._moved_s = time.monotonic()
        while not done():
            self._tick()
            if self._position() != self._moved:
                self._moved, self._moved_s = self._position(), time.monotonic()
            elif time.monotonic() - self._moved_s > self._patience_s:
                says = "".join(f"\n{fault['say']}" for fault in [*self.watcher.faults.values()][:_MOST_FAULTS])
                raise StalledError(
                    f"nothing moved for {self._patience_s:.0f} s: {self._progress()}; the logs are in "
                    f"{self.parts.work_dir}{says}"
                )

    def _tick(self) -> None:
        self.parts.children.check()
        self.watcher.step(_TICK_S)
        if time.monotonic() >= self._report_s:
            self._report_s = time.monotonic() + _REPORT_EVERY_S
            self._say(self._progress())

    def _progress(self) -> str:
        played = self.parts.played()
        counted = ", ".join(
            f"{one.jackpot.id} {self.watcher.amount(one.jackpot.id) // one.jackpot.increment} of {one.coups} coups"
            for one in self._expected
        )
        faults = f", {len(self.watcher.faults)} faults" if self.watcher.faults else ""
        return (
            f"{time.monotonic() - self._start_s:6.1f} s: played {100 * played.acknowledged / played.total:5.1f} %, "
            f"counted {counted}; {self.parts.kills.total()} kills{faults}"
        )
