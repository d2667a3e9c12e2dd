"""A seeded plan of kills, carried out on a local site, and the check of the result."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any

from sabot_sim.stack import CUT

from support.brokers import Site
from support.oracle import COMPARED, coup
from support.site_watcher import SiteWatcher

_MOST_STEPS = 1500  # a gateway may die before it has begun, or after many coups
_MOST_AWAY = 200


@dataclass(frozen=True)
class Round:
    """One round: steps before, what is killed in which order, steps between kills, steps down, order of restarts."""

    peace: int
    victims: tuple[str, ...]
    between: int
    away: int
    back: tuple[str, ...]

    def __str__(self) -> str:
        """Return the round as a line of text."""
        killed, back = " ".join(self.victims), " ".join(self.back)
        return f"{self.peace} steps, kill {killed} ({self.between} between), {self.away} away, start {back}"


def plan(seed: int, rounds: int, tables: list[str]) -> list[Round]:
    """Return the rounds; the same seed gives the same rounds."""
    rng = random.Random(seed)
    return [_round(rng, tables) for _ in range(rounds)]


def _round(rng: random.Random, tables: list[str]) -> Round:
    """Return one, two or all of gateway, broker and a shoe."""
    there = ["gateway", "broker", rng.choice(tables)]
    victims = rng.sample(there, rng.choice((1, 1, 2, 3)))
    back = rng.sample(victims, len(victims))
    return Round(_some(rng, _MOST_STEPS), tuple(victims), rng.randint(0, 3), _some(rng, _MOST_AWAY), tuple(back))


def _some(rng: random.Random, most: int) -> int:
    """Return a number of steps of any size, often large."""
    return rng.choice((int(most ** rng.random()), rng.randint(1, most)))


@dataclass
class Killer:
    """Kills and starts processes; `stacks` are the cards of each table's shoes, `cuts` its number of power cuts."""

    watcher: SiteWatcher
    site: Site
    kind: str  # of broker
    stacks: dict[str, list[list[str]]] = field(default_factory=dict)
    cuts: dict[str, int] = field(default_factory=dict)
    gateway_kills: int = 0

    def __post_init__(self) -> None:
        """Keep every stack that a dealer takes."""
        stand = self.watcher.site
        self._kill: dict[str, Callable[[], object]] = {"gateway": stand.kill_gateway, "broker": self.site.kill}
        port = stand.broker.port
        self._start: dict[str, Callable[[], object]] = {
            "gateway": stand.start_gateway,
            "broker": lambda: self.site.start(self.kind, port=port),
        }
        for name, table in stand.tables.items():
            self.stacks[name], self.cuts[name] = [], 0
            table.dealer.deck = partial(self._remember, name, table.dealer.deck)
            self._kill[name] = partial(self._pull_plug, name)
            self._start[name] = partial(stand.power_on, name)

    def _remember(self, name: str, deck: Callable[[], list[str]]) -> list[str]:
        stack = deck()
        self.stacks[name].append([card for card in stack if card != CUT])
        return stack

    def _pull_plug(self, name: str) -> None:
        """Return True unless the cutting card is being drawn: if the shoe misses it, the dealer never ends."""
        self.watcher.run_until(lambda watcher: watcher.site.tables[name].dealer.drawn[-1:] != [CUT])
        self.cuts[name] += 1
        self.watcher.site.power_off(name)

    def carry_out(self, round_: Round) -> None:
        """Kill and start again."""
        self._steps(round_.peace)
        for name in round_.victims:
            self._kill[name]()
            self.gateway_kills += name == "gateway"
            self._steps(round_.between)
        self._steps(round_.away)
        for name in round_.back:
            self._start[name]()

    def _steps(self, count: int) -> None:
        for _ in range(count):
            self.watcher.step()

    def finish(self, more_coups: int) -> None:
        """Deal without kills, then switch every shoe off and wait until the subscriber has the rest."""
        names = list(self.stacks)
        goal = {name: len(self.watcher.messages("coup", name)) + more_coups for name in names}
        self.watcher.run_until(lambda watcher: all(len(watcher.messages("coup", name)) >= goal[name] for name in names))
        for name in names:
            self._pull_plug(name)
        self.watcher.run_until_received()


def misplayed(watcher: SiteWatcher, table: str, stacks: list[list[str]], cuts: int) -> list[Any]:
    """Return coups that contradict the printed rules, and shoes whose cards differ by more than one per power cut."""
    found: list[Any] = []
    lost = 0
    for stack, (cards, coups) in zip(stacks, _shoes(watcher, table), strict=False):
        lost += _left_out(stack, cards, found)
        stock = cards[1:]  # without the burnt one
        for message in coups:
            played = coup(stock)
            if any(message[key] != played[key] for key in COMPARED):
                found.append((message, played))
    if lost > cuts:
        found.append(f"{lost} cards were drawn and not read, but the power went {cuts} times")
    return found


def _shoes(watcher: SiteWatcher, table: str) -> list[tuple[list[str], list[dict[str, Any]]]]:
    """Return cards and coups of each shoe as the subscriber received them."""
    coups: dict[int, list[dict[str, Any]]] = {}
    for message in watcher.messages("coup", table):
        coups.setdefault(message["shoe"], []).append(message)
    cards = groupby(watcher.messages("cards", table), key=lambda message: message["shoe"])
    return [([message["card"] for message in group], coups.get(shoe, [])) for shoe, group in cards]


def _left_out(stack: list[str], cards: list[str], found: list[Any]) -> int:
    """Return how many cards of the stack were not read; a card that was never in it counts as a finding."""
    rest = iter(stack)
    passed = 0
    for card in cards:
        for drawn in rest:
            if drawn == card:
                break
            passed += 1
        else:
            found.append(f"{card} was read and not drawn, or out of order")
    return passed
