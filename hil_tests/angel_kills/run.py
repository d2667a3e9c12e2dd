"""One run: the lines play, gateway and broker are killed by a seeded plan, and everything must arrive at the end."""

import random
import selectors
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from sabot_gateway.ledger import Reader
from sabot_protocol.topics import ROOT
from sabot_tools.bench.angel_load import SETTINGS, AngelPlan, listening, player_command, port_url
from sabot_tools.bench.angel_player import Played
from sabot_tools.bench.gateway_load import table_name
from sabot_tools.stand import broker
from sabot_tools.stand.children import Children
from sabot_tools.stand.local_site import daemon_command
from sabot_tools.stand.subscriber import Subscriber

from angel_kills import judge
from angel_kills.judge import Counts, Judged
from angel_kills.truth import COMMITTED_WITHIN_S

SITE: Final = "kills"
_TICK_S: Final = 0.02
_LOOK_EVERY_S: Final = 0.5
_PATIENCE_S: Final = 120.0
_WATCHED: Final = ("coup", "confirmed")


class Round(NamedTuple):
    """Seconds of play, who is killed, and seconds until they are started again."""

    peace_s: float
    victims: tuple[str, ...]
    away_s: float


class StalledError(RuntimeError):
    """Something did not arrive in time; the message names it."""


@dataclass
class Outcome:
    """How a run has ended."""

    findings: list[str]
    counts: Counts
    kills: Counter[str]
    settled_s: float  # from the end of the play until everything had arrived


def rounds(seed: int, count: int, seconds: float) -> list[Round]:
    """Return the rounds of a play of so many seconds: every third kills the broker, too, or alone."""
    rng = random.Random(seed)
    each_s = seconds / (count + 1)
    victims = [("gateway",), ("gateway",), ("broker", "gateway"), ("gateway",), ("gateway",), ("broker",)]
    return [
        Round(rng.uniform(0.3, 0.7) * each_s, victims[number % len(victims)], rng.uniform(0.02, 0.2) * each_s)
        for number in range(count)
    ]


@dataclass
class Run:
    """One site in one directory."""

    stack: ExitStack
    work_dir: Path
    plan: AngelPlan
    say: Callable[[str], None]
    within_s: float = COMMITTED_WITHIN_S
    kills: Counter[str] = field(default_factory=Counter)
    kills_s: list[float] = field(default_factory=list)  # of the gateway
    received: dict[str, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Start broker, subscribers, lines and gateway."""
        self.ledger, self._report = self.work_dir / "ledger.db", self.work_dir / "played.bin"
        self._children = Children(self.work_dir)
        self._selector = self.stack.enter_context(selectors.DefaultSelector())
        self._listeners = listening(self.stack, self.plan.tables)
        self.stack.callback(self._children.stop)
        self._broker = broker.start(self._children, self.work_dir, 0)
        self._subscribers = [self._subscriber(topic) for topic in _WATCHED]
        self._until(lambda: all(one.ready for one in self._subscribers), "the broker")
        self._write_config()
        descriptors = [one.fileno() for one in self._listeners]
        self.load = self.plan.load(descriptors, self._report)
        self._start("gateway")
        self._children.start("player", player_command(self.load), pass_fds=tuple(descriptors))

    def _subscriber(self, topic: str) -> Subscriber:
        name, topics = f"watch-{topic}", f"{ROOT}/{SITE}/+/{topic}"
        return Subscriber(self._broker, name, topics, self._take, self._selector, lasting=True)

    def _take(self, topic: str, payload: bytes) -> None:
        *_, table, name = topic.split("/")
        self.received.setdefault(table, set()).add(f"{name} {msgspec.json.decode(payload)['id']}")

    def _write_config(self) -> None:
        head = f'site = "{SITE}"\nledger = "{self.ledger}"\nbroker = "{self._broker}"\n'
        tables = (
            f'\n[[table]]\nname = "{table_name(number)}"\nport = "{port_url(one)}"\n{SETTINGS}'
            for number, one in enumerate(self._listeners)
        )
        (self.work_dir / "gateway.toml").write_text(head + "".join(tables))

    def _start(self, name: str) -> None:
        if name == "broker":
            broker.start(self._children, self.work_dir, self._broker.port)
        else:
            self._children.start("gateway", daemon_command(self.work_dir / "gateway.toml"))

    def _kill(self, name: str) -> None:
        if name == "gateway":
            self.kills_s.append(time.monotonic())
        self._children.kill(name)
        self.kills[name] += 1

    def play(self, plan: list[Round]) -> Outcome:
        """Play to the end with these rounds of kills, wait until everything has arrived, and judge it."""
        table = table_name(self.plan.tables - 1)
        self._until(lambda: bool(self.received.get(table)), "the first coup")
        for round_ in plan:
            self.say(f"{round_.peace_s:.2f} s, kill {' '.join(round_.victims)}, {round_.away_s:.2f} s away")
            self._pass(round_.peace_s)
            for name in round_.victims:
                self._kill(name)
            self._pass(round_.away_s)
            for name in round_.victims:
                self._start(name)
        self._until(self._report.exists, "the end of the play")
        end_s = time.monotonic()
        self._until(self._settled(), "the rest of the messages")
        settled_s = time.monotonic() - end_s
        self._children.kill("player")
        self._children.kill("gateway")
        played = msgspec.msgpack.decode(self._report.read_bytes(), type=Played)
        counts = Counts()
        judged = Judged(self.ledger, self.load, played, self.kills_s, self.received, self.within_s)
        found = judge.findings(judged, counts)
        return Outcome(found, counts, self.kills, settled_s)

    def _settled(self) -> Callable[[], bool]:
        """Return what is True once the ledger stays as it is and every message of it has arrived."""
        states = self._ledger_states()
        before: set[str] | None = None

        def done() -> bool:
            nonlocal before
            stored = next(states)
            if stored is None:
                return False
            still, before = stored == before, stored
            return still and stored <= set().union(*self.received.values())

        return done

    def _ledger_states(self) -> Iterator[set[str] | None]:
        """Yield the ids that must arrive, now and then; None between."""
        look_s = 0.0
        while True:
            if time.monotonic() < look_s:
                yield None
                continue
            with closing(Reader(self.ledger)) as ledger:
                entries = ledger.entries("WHERE topic IN ('coup', 'confirmed')")
                found = {f"{entry.topic} {msgspec.json.decode(entry.payload)['id']}" for entry in entries}
            look_s = time.monotonic() + _LOOK_EVERY_S
            yield found

    def _pass(self, seconds: float) -> None:
        until_s = time.monotonic() + seconds
        while time.monotonic() < until_s:
            self._tick()

    def _until(self, done: Callable[[], bool], what: str) -> None:
        give_up_s = time.monotonic() + self.plan.seconds + _PATIENCE_S
        while not done():
            self._tick()
            if time.monotonic() > give_up_s:
                raise StalledError(f"waited in vain for {what}; the logs are in {self.work_dir}")

    def _tick(self) -> None:
        self._children.check()
        self._selector.select(_TICK_S)
        for subscriber in self._subscribers:
            subscriber.step(time.monotonic())
