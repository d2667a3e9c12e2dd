"""A shoe on a rig for tests: power, reset, pins, buttons, line and clock, and a gateway's link at its line."""

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

GAP_US: Final = 150_000  # between two actions of a dealer
COUNTED: Final = ("reject", "fault", "damaged")  # events that report a problem
_NAP_S: Final = 0.02
_PATIENCE_S: Final = 30.0
_COUNTERS: Final = ("crc_errors", "refused", "sample_overruns")
_TIMED: Final = ("repeated", "strays")  # depend on real time on the unix bench


@dataclass
class Shoe:
    """`expected` is what the counters must show at the end of the test; empty by default."""

    rig: Rig
    gateway: MinimalGateway = field(default_factory=MinimalGateway)
    expected: Counter[str] = field(default_factory=Counter)
    hellos: list[dict[str, Any]] = field(default_factory=list)
    levels: int = 0
    t_us: int = 0
    _parser: Parser = field(default_factory=Parser)

    # Power

    def power_on(self) -> None:
        """Switch on, and wait until the gateway has its log and the shoe has a profile."""
        self.hellos.clear()
        self.rig.power_on()
        self.until(self._caught_up, "the shoe is up, and the gateway has its log")

    def power_off(self) -> None:
        """Switch off."""
        self.rig.power_off()

    def reset(self) -> None:
        """Pull the reset pin, and wait as in power_on."""
        self.hellos.clear()
        self.rig.reset()
        self.until(self._caught_up, "the shoe is up again, and the gateway has its log")

    def _caught_up(self) -> bool:
        known = bool(self.hellos) and self.hellos[-1]["next_event_no"] <= len(self.gateway.events) + 1
        return known and (any(self.hellos[-1]["profile_hash"]) or bool(self.of("profile_set"))) and self.rig.quiet()

    # Time

    def turn(self) -> None:
        """Let the rig work, and carry bytes between shoe and gateway."""
        filenos = self.rig.filenos()
        if filenos:
            select.select(filenos, [], [], _NAP_S)
        self.rig.turn()
        data = self.rig.receive()
        self.hellos += [frame.body for frame in self._parser.feed(data) if frame.type == "hello"]
        self.rig.send(self.gateway.exchange(data, self.rig.line_s()))

    def until(self, done: Callable[[], bool], what: str) -> None:
        """Call turn() until the condition holds."""
        give_up_s = self.rig.line_s() + _PATIENCE_S
        while not done():
            assert self.rig.line_s() < give_up_s, (
                f"{what}: never; {self.gateway.link.problem}; {self.gateway.events[-5:]}"
            )
            self.turn()

    def settle(self) -> None:
        """Wait until the gateway has everything that the shoe sends."""
        self.until(self.rig.quiet, "the shoe is quiet")

    # Pins

    def play(self, edges: Iterable[Edge]) -> None:
        """Play these edges from now on, besides held inputs, and wait until the shoe is quiet."""
        start_us = self.t_us
        later = [(start_us + t_us, pins | self.levels) for t_us, pins in edges]
        self.t_us = later[-1][0] + GAP_US
        self.rig.play(later, self.t_us)
        self.settle()

    def card(self, name: str, card_set: int = 1) -> list[Event]:
        """Draw a card (`CUT`: the cutting card, `blank`: no code) and return the new events."""
        word = "" if name == "blank" else name if name == "CUT" else set_words(card_set)[name]
        return self._noting(cutting_card_edges(SPEED) if name == "CUT" else card_edges(word, SPEED))

    def press(self, button: str) -> list[Event]:
        """Press and release a button, and return the new events."""
        return self._noting([(0, BUTTONS[button]), (PRESS_US, 0)])

    def hold(self, level: int, *, on: bool) -> list[Event]:
        """Turn the key or open the lid, or back, and return the new events."""
        self.levels = self.levels | level if on else self.levels & ~level
        return self._noting([(0, 0), (PRESS_US, 0)])

    def _noting(self, edges: list[Edge]) -> list[Event]:
        before = len(self.gateway.events)
        self.play(edges)
        return self.gateway.events[before:]

    def of(self, *kinds: str) -> list[Event]:
        """Return the events of these kinds."""
        return self.gateway.of(*kinds)

    @property
    def outputs(self) -> int:
        """Lock and lamps."""
        return self.rig.outputs or 0

    # The end

    def counted(self) -> Counter[str]:
        """Return counters of what was lost, damaged, refused or rejected so far."""
        self.hellos.clear()
        line = self.gateway.link.line_counters()
        self.rig.send(frame_bytes("who", {"gateway": GATEWAY, "nonce": bytes(8)}, 0, 0.0))
        self.until(lambda: bool(self.hellos), "the shoe sends its counters")
        found = Counter({name: value for name, value in line.items() if name not in _TIMED})
        found.update({f"shoe_{name}": self.hellos[-1][name] for name in _COUNTERS})
        found.update(event.kind for event in self.of(*COUNTED))
        return +found
