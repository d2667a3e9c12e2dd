"""The inputs of one recording: everything a script does becomes edges, one after the other."""

import random
from collections.abc import Sequence
from typing import Final

from sabot_protocol.fields import Button
from sabot_protocol.recording import Act, Edge

from sabot_sim.optics import signals
from sabot_sim.optics.mishaps import LID

KEY: Final = 1 << 9
BUTTONS: Final = {name: 1 << 3 + number for name, number in Button.encmapping.items()}

CLEAR_US: Final = 2_000  # the shoe takes the path for clear after this
LOOK_US: Final = 250_000
_START_US: Final = 1_000_000
_PRESS_US: Final = 80_000
_TURN_US: Final = 60_000  # the shoe accepts a new position of key or lid after this


class Inputs:
    """A clock and the inputs of the shoe; `records` grows in time order."""

    def __init__(self, seed: int, pause_factor: float = 1.0) -> None:
        self.rng = random.Random(seed)
        self.pause_factor = pause_factor  # multiplies every pause of this dealer
        self.records: list[Edge | Act] = []
        self.t_us, self._held = _START_US, 0  # held: inputs that stay on, such as key and lid

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.t_us += int(seconds * 1e6)
        self.set_levels(0)

    def think(self, low_s: float, high_s: float) -> None:
        """Pause as long as a person does."""
        self.t_us += int(self.rng.uniform(low_s, high_s) * self.pause_factor * 1e6)

    def set_levels(self, levels: int, after_us: int = 0) -> None:
        """Add an edge: these inputs, and those that are held."""
        self.t_us += after_us
        self.records.append(Edge(self.t_us, levels ^ self._held))

    def show(self, edges: Sequence[signals.Edge]) -> None:
        """Play these edges from now on."""
        start_us = self.t_us
        for t_us, levels in edges:
            self.t_us = start_us + t_us
            self.set_levels(levels)

    def move(self, edges: Sequence[signals.Edge], stay_us: int = CLEAR_US) -> None:
        """Play these edges, then clear the path after `stay_us`."""
        self.show(edges)
        self.set_levels(0, stay_us)
        self.set_levels(0, CLEAR_US)

    def press(self, *buttons: str) -> None:
        """Press a button, or several at the same moment."""
        self.set_levels(sum(BUTTONS[name] for name in buttons), LOOK_US)
        self.set_levels(0, _PRESS_US)
        self.set_levels(0, _PRESS_US)

    def bounce(self, button: str) -> None:
        """Press a button with a worn contact, which closes and opens a few times first."""
        for _ in range(self.rng.randint(3, 8)):
            self.set_levels(BUTTONS[button], self.rng.randint(300, 3_000))
            self.set_levels(0, self.rng.randint(300, 3_000))
        self.press(button)

    def key(self) -> None:
        """Turn the supervisor's key and turn it back."""
        self.turn_key()
        self.turn_key()

    def turn_key(self) -> None:
        """Turn the supervisor's key, or turn it back."""
        self._toggle(KEY)

    def lid(self) -> None:
        """Open the lid, or shut it again."""
        self._toggle(LID)

    def stick(self, sensor: int) -> None:
        """Make a sensor show a card that is not there, or clean it again."""
        self._toggle(sensor)

    def _toggle(self, pin: int) -> None:
        self._held ^= pin
        self.set_levels(0, LOOK_US)
        self.set_levels(0, _TURN_US)
