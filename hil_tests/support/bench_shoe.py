"""A shoe on a rig, as tests have it: power, reset, pins, buttons, line and clock, and a gateway's link at its line."""

import select
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from sabot_gateway.shoe.parse import Event, Parser
from sabot_gateway.shoe.session import frame_bytes
from sabot_protocol.cardcode import set_words
from sabot_sim.optics.signals import Edge, card_edges, cutting_card_edges
from sabot_sim.rigs.rig import Rig
from sabot_tools.bench.chip_table import BUTTONS, PRESS_US, SPEED
from sabot_tools.stand.minimal_gateway import GATEWAY, MinimalGateway

GAP_US: Final = 150_000  # between two things that a dealer does
COUNTED: Final = ("reject", "fault", "damaged")  # events that say that something went wrong
_NAP_S: Final = 0.02
_PATIENCE_S: Final = 30.0
_COUNTERS: Final = ("crc_errors", "refused", "sample_overruns")
_TIMED: Final = ("repeated", "strays")  # on the unix bench real time decides how often something is said again


@dataclass
class Shoe:
    """`expected` is what the counters may show at the end; nothing, unless a test says so."""

    rig: Rig
    gateway: MinimalGateway = field(default_factory=MinimalGateway)
    expected: Counter[str] = field(default_factory=Counter)
    hellos: list[dict[str, Any]] = field(default_factory=list)
    levels: int = 0
    t_us: int = 0
    _parser: Parser = field(default_factory=Parser)

    # Power

    def power_on(self) -> None:
        """Plug in, and wait until the gateway has its log and it has a profile."""
        self.hellos.clear()
        self.rig.power_on()
        self.until(self._caught_up, "the shoe is up, and the gateway has its log")

    def power_off(self) -> None:
        """Unplug."""
        self.rig.power_off()

    def reset(self) -> None:
        """Pull the reset pin, and wait likewise."""
        self.hellos.clear()
        self.rig.reset()
        self.until(self._caught_up, "the shoe is up again, and the gateway has its log")

    def _caught_up(self) -> bool:
        known = bool(self.hellos) and self.hellos[-1]["next_event_no"] <= len(self.gateway.events) + 1
        return known and (any(self.hellos[-1]["profile_hash"]) or bool(self.of("profile_set"))) and self.rig.quiet()

    # Time

    def turn(self) -> None:
        """Everything a bit: the gateway hears what the shoe says, and answers."""
        filenos = self.rig.filenos()
        if filenos:
            select.select(filenos, [], [], _NAP_S)
        self.rig.turn()
        data = self.rig.receive()
        self.hellos += [frame.body for frame in self._parser.feed(data) if frame.type == "hello"]
        self.rig.send(self.gateway.exchange(data, self.rig.line_s()))

    def until(self, done: Callable[[], bool], what: str) -> None:
        """Turn until it is so."""
        give_up_s = self.rig.line_s() + _PATIENCE_S
        while not done():
            assert self.rig.line_s() < give_up_s, (
                f"{what}: never; {self.gateway.link.problem}; {self.gateway.events[-5:]}"
            )
            self.turn()

    def settle(self) -> None:
        """The gateway has everything that the shoe has to say."""
        self.until(self.rig.quiet, "the shoe is quiet")

    # Pins

    def play(self, edges: Iterable[Edge]) -> None:
        """Move the inputs at these times from now, besides those that are held; let it settle."""
        start_us = self.t_us
        later = [(start_us + t_us, pins | self.levels) for t_us, pins in edges]
        self.t_us = later[-1][0] + GAP_US
        self.rig.play(later, self.t_us)
        self.settle()

    def card(self, name: str, card_set: int = 1) -> list[Event]:
        """Pull a card; `CUT` is the cutting card, `blank` one without a code: the events that came of it."""
        word = "" if name == "blank" else name if name == "CUT" else set_words(card_set)[name]
        return self._noting(cutting_card_edges(SPEED) if name == "CUT" else card_edges(word, SPEED))

    def press(self, button: str) -> list[Event]:
        """Press a button and let it go."""
        return self._noting([(0, BUTTONS[button]), (PRESS_US, 0)])

    def hold(self, level: int, *, on: bool) -> list[Event]:
        """Key or lid."""
        self.levels = self.levels | level if on else self.levels & ~level
        return self._noting([(0, 0), (PRESS_US, 0)])

    def _noting(self, edges: list[Edge]) -> list[Event]:
        before = len(self.gateway.events)
        self.play(edges)
        return self.gateway.events[before:]

    def of(self, *kinds: str) -> list[Event]:
        """Events of these kinds."""
        return self.gateway.of(*kinds)

    @property
    def outputs(self) -> int:
        """Lock and lamps."""
        return self.rig.outputs or 0

    # The end

    def counted(self) -> Counter[str]:
        """What was lost, damaged, refused or rejected so far."""
        self.hellos.clear()
        line = self.gateway.link.line_counters()
        self.rig.send(frame_bytes("who", {"gateway": GATEWAY, "nonce": bytes(8)}, 0, 0.0))
        self.until(lambda: bool(self.hellos), "the shoe tells its counters")
        found = Counter({name: value for name, value in line.items() if name not in _TIMED})
        found.update({f"shoe_{name}": self.hellos[-1][name] for name in _COUNTERS})
        found.update(event.kind for event in self.of(*COUNTED))
        return +found
