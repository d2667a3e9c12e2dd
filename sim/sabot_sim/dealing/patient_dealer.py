"""A dealer who waits when the shoe locks its exit, a supervisor with a key, and seeded mishaps."""

from collections.abc import Callable
from dataclasses import dataclass, field

from sabot_sim.dealing.dealer import HANDS, LAMP_FAULT, LAMP_WAITING, LAMPS_RESULT, LOCK, LOOK_AGAIN_US, Dealer
from sabot_sim.optics import signals
from sabot_sim.optics.mishaps import LID, MISHAPS
from sabot_sim.optics.scene import seen, set_up
from sabot_sim.stack import CUT

KEY = 1 << 9
_BUTTONS = {2: 1 << 4, 4: 1 << 5, 8: 1 << 6}  # Player, Banker, Tie: by the lamp of that result
_TURN_US = 100_000  # the shoe accepts a new position of key or lid after this
_OPEN_US = 2_000_000
_STILL_IN = ("short_pull", "pushed_back_midway")


@dataclass
class PatientDealer(Dealer):
    """A Dealer who waits at a fault; after `patience_us` the supervisor turns the key at the shoe.

    `mishap_share` of the actions go wrong. `notes` lists what people did that the shoe cannot know.
    """

    patience_us: int = 0  # 0: the supervisor never comes
    rest_us: int = 0  # between two shoes
    mishap_share: float = 0.0
    notes: list[str] = field(default_factory=list)
    _waited_us: int = 0
    _rested_us: int = 0
    _empty_after: int = -1  # cards drawn when it was noted that there are no more
    _unread: str | None = None  # a card on the table that the shoe could not read
    _last_drawn: str | None = None

    def next_edges(self, outputs: int) -> list[signals.Edge]:
        """Return what is done now, as edges timed from now."""
        self._last_drawn = None
        if outputs & (LAMP_FAULT | LAMP_WAITING):
            return self._wait(outputs)
        self._waited_us = 0
        self._settle_unread()
        if not outputs & LOCK and not self._stack:
            self._note_empty()
            return [(LOOK_AGAIN_US, 0)]
        mishap = self._mishap(outputs)
        return mishap(outputs) if mishap else super().next_edges(outputs)

    def take_up(self, stack: list[str], drawn: list[str]) -> None:
        """Continue with a shoe in which these cards are left, and from which `drawn` came."""
        self._stack, self.drawn = list(stack), list(drawn)

    def cards(self) -> tuple[list[str], list[str]]:
        """Return the cards left in the shoe, and those drawn."""
        return self._stack, self.drawn

    def put_back(self) -> None:
        """Put the half-drawn card back into the shoe: the power was cut before it was out."""
        if self._last_drawn is not None:
            self._stack.insert(0, self._last_drawn)
            self.drawn.pop()
            self._last_drawn = None

    def _press_new_shoe(self) -> list[signals.Edge]:
        """Rest after a shoe that was dealt from, then put in new cards."""
        if self.drawn and self._rested_us < self.rest_us:
            self._rested_us += LOOK_AGAIN_US
            return [(LOOK_AGAIN_US, 0)]
        self._rested_us = 0
        return super()._press_new_shoe()

    # The supervisor

    def _settle_unread(self) -> None:
        """Note that the exit is open again after an unread card: it was keyed in or cleared at the gateway."""
        if self._unread is not None:
            self.notes.append(f"{self._unread} was handled at the gateway")
            self._unread = None

    def _note_empty(self) -> None:
        if len(self.drawn) != self._empty_after:
            self.notes.append("the shoe is empty and its exit is open: void the coup, or close the shoe")
            self._empty_after = len(self.drawn)

    def _wait(self, outputs: int) -> list[signals.Edge]:
        self._waited_us += LOOK_AGAIN_US
        if not self.patience_us or self._waited_us < self.patience_us:
            return [(LOOK_AGAIN_US, 0)]
        self._waited_us = 0
        self.notes.append("nothing was done at the gateway: the supervisor turns the key at the shoe")
        if self._unread is not None and outputs & LAMP_FAULT:
            self._stack.insert(0, self._unread)
            self.notes.append(f"{self._unread} is drawn through the exit once more")
            self._unread = None
        return _held(KEY, _TURN_US)

    # Mishaps

    def _mishap(self, outputs: int) -> Callable[[int], list[signals.Edge]] | None:
        """Return the mishap that happens now, or None."""
        if self.rng.random() >= self.mishap_share:
            return None
        if not outputs & LOCK and self._stack[0] != CUT:
            return self.rng.choice((self._pushed_back, self._not_read, self._lid_opened))
        if outputs & LOCK and outputs & LAMPS_RESULT and self._stack and self._stack[0] != CUT:
            return self.rng.choice((self._surplus, self._wrong_button))
        return None

    def _pushed_back(self, _outputs: int) -> list[signals.Edge]:
        name = self.rng.choice(_STILL_IN)
        self.notes.append("mishap: a card is half drawn and pushed back into the shoe")
        return self._pull(name, self._stack[0])

    def _not_read(self, _outputs: int) -> list[signals.Edge]:
        self._unread = self._stack.pop(0)
        self.notes.append(f"mishap: {self._unread} comes out face up and cannot be read; key it in at the gateway")
        return self._pull("blank", self._unread)

    def _pull(self, mishap: str, card: str) -> list[signals.Edge]:
        scene = set_up(HANDS, self.rng, self.card_set, card)
        MISHAPS[mishap].befall(scene)
        return self.after_a_pause(signals.edges_of(seen(scene)))

    def _lid_opened(self, _outputs: int) -> list[signals.Edge]:
        self.notes.append("mishap: the lid is opened and shut")
        return _held(LID, _OPEN_US)

    def _surplus(self, _outputs: int) -> list[signals.Edge]:
        self.notes.append("mishap: a surplus card is drawn")
        return self._draw()

    def _wrong_button(self, outputs: int) -> list[signals.Edge]:
        self.notes.append("mishap: the dealer presses the wrong result button")
        wrong = [button for lamp, button in _BUTTONS.items() if not outputs & lamp]
        return self._press(self.rng.choice(wrong), LOOK_AGAIN_US)

    def _draw(self) -> list[signals.Edge]:
        self._last_drawn = self._stack[0]
        return super()._draw()


def _held(pin: int, for_us: int) -> list[signals.Edge]:
    """Return the edges of an input that is on for this long, and off again."""
    on_us, off_us = LOOK_AGAIN_US, LOOK_AGAIN_US + for_us + _TURN_US
    return [(on_us, pin), (on_us + _TURN_US, pin), (off_us, 0), (off_us + _TURN_US, 0)]
