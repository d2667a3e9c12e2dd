"""The dealer: reads lock and lamps, draws a card or presses a button. The dealer knows no rules; the shoe does."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sabot_sim.optics import signals
from sabot_sim.optics.profiles import PROFILES

# Inputs besides the sensors, and outputs: bits as in firmware/sabot/panel.py.
BUTTON_CONFIRM = 1 << 7
BUTTON_NEW_SHOE = 1 << 8
LOCK = 1
LAMPS_RESULT = 2 | 4 | 8
_LAMP_TO_BUTTON = 3  # Player, Banker and Tie are in the same order
LAMP_FAULT = 64
LAMP_WAITING = 256

_PRESS_US = 80_000
_CLEAR_US = 2_000  # the shoe takes the path for clear after this
_GAP_US = (150_000, 400_000)  # between two cards
_PAUSE_US = (2_000_000, 5_000_000)  # to pay bets, before the dealer confirms
LOOK_AGAIN_US = 250_000
HANDS = replace(PROFILES["normal"], speed_m_s=(0.3, 2.0))


class DealerStopsError(RuntimeError):
    """The shoe is in a state from which this dealer cannot continue."""


@dataclass
class Dealer:
    """A dealer with seeded hands; call `next_edges` whenever the last action is done."""

    deck: Callable[[], list[str]]
    card_set: int
    rng: random.Random
    drawn: list[str] = field(default_factory=list)
    coups_seen: int = 0
    enters_result: bool = False  # the rulebook wants the result before Confirm
    _stack: list[str] = field(default_factory=list)
    _entered: bool = False  # the result of the coup on the table

    def next_edges(self, outputs: int) -> list[signals.Edge]:
        """Return what the dealer does now, as edges timed from now."""
        if outputs & LAMP_FAULT:
            raise DealerStopsError("the shoe shows a fault: a supervisor must clear it")
        if outputs & LAMP_WAITING:
            return [(LOOK_AGAIN_US, 0)]
        if not outputs & LOCK:
            return self._draw()
        if outputs & LAMPS_RESULT:
            self._entered = self.enters_result and not self._entered
            if self._entered:  # as its lamp shows it
                return self._press((outputs & LAMPS_RESULT) << _LAMP_TO_BUTTON, self.rng.randint(*_PAUSE_US))
            self.coups_seen += 1
            return self._press(BUTTON_CONFIRM, self.rng.randint(*_PAUSE_US))
        return self._press_new_shoe()

    def _draw(self) -> list[signals.Edge]:
        if not self._stack:
            raise DealerStopsError("the exit is open for another card and the shoe is empty")
        card = self._stack.pop(0)
        self.drawn.append(card)
        return self.after_a_pause(signals.pull(HANDS, self.rng, card, self.card_set))

    def after_a_pause(self, edges: list[signals.Edge]) -> list[signals.Edge]:
        """Return the edges of a card after the pause between two cards, with the path clear after it."""
        gap_us = self.rng.randint(*_GAP_US)
        return [(gap_us + t_us, level) for t_us, level in [*edges, (edges[-1][0] + _CLEAR_US, 0)]]

    def _press_new_shoe(self) -> list[signals.Edge]:
        """Put in new cards, unless those just put in were not used yet (the shoe may still wait for its profile)."""
        if not self._stack or self.drawn:
            self._stack, self.drawn = self.deck(), []
        return self._press(BUTTON_NEW_SHOE, LOOK_AGAIN_US)

    @staticmethod
    def _press(button: int, after_us: int) -> list[signals.Edge]:
        return [(after_us, button), (after_us + _PRESS_US, 0)]
