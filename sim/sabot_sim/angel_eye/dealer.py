"""A dealer at an Angel Eye: deals whole shoes by what the shoe shows, with seeded mishaps, and a supervisor."""

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from sabot_sim.angel_eye.shoe import OVERDRAW, AngelEyeShoe
from sabot_sim.stack import CUT

Act = Callable[["AngelEyeDealer", float], None]
LOOK_AGAIN_S: Final = 0.25
_MOST_NOTES: Final = 1000
_KEEP_SHARE: Final = 0.5  # of overdrawn cards


@dataclass(frozen=True)
class Pace:
    """Seconds between two cards, and to pay bets after a result: least and most."""

    card_s: tuple[float, float] = (0.3, 0.9)
    pause_s: tuple[float, float] = (2.0, 5.0)


FLAT_OUT: Final = Pace((0.0, 0.0), (0.0, 0.0))


@dataclass(frozen=True)
class Mishap:
    """What goes wrong, in words; when it can; what people do."""

    say: str
    now: Callable[["AngelEyeDealer"], bool]
    act: Act


@dataclass
class AngelEyeDealer:
    """Call `act` whenever the last pause is over; it returns the seconds until the next act.

    At an error he waits; after `patience_s` a supervisor clears it at the shoe. `notes` lists what people did.
    """

    shoe: AngelEyeShoe
    deck: Callable[[], list[str]]
    rng: random.Random
    pace: Pace = field(default_factory=Pace)
    patience_s: float = 0.0  # 0: the supervisor never comes
    mishap_share: float = 0.0  # of acts
    mishaps: dict[str, Mishap] = field(default_factory=dict)
    drawn: list[str] = field(default_factory=list)  # from this shoe, the cutting card too
    link_cuts: int = 0  # how often the converter was unplugged
    notes: deque[str] = field(default_factory=lambda: deque(maxlen=_MOST_NOTES))  # the newest
    stack: list[str] = field(default_factory=list)
    ending: bool = False  # the cutting card is out
    script: deque[Act] = field(default_factory=deque)  # acts that follow a mishap
    _waits_since_s: float | None = None
    _coups_left: int = 0  # that may begin after it

    @property
    def coups_seen(self) -> int:
        """Return how many coups have a result."""
        return self.shoe.truth.results

    def begin(self, now_s: float) -> None:
        """Put in new cards and switch the shoe on."""
        self.stack, self.drawn = self.deck(), []
        self.ending = False
        self.shoe.power_off()
        self.shoe.power_on(now_s, new_cards=True)

    def act(self, now_s: float) -> float:
        """Do what is next; return the seconds until the next act."""
        shoe = self.shoe
        shoe.advance(now_s)
        if not shoe.ready():
            return LOOK_AGAIN_S
        if shoe.error is not None:
            return self._wait(now_s)
        self._waits_since_s = None
        if self.script:
            self.script.popleft()(self, now_s)
        elif shoe.locked():
            return LOOK_AGAIN_S
        elif mishap := self._mishap():
            self.notes.append(f"mishap {self._where()}: {mishap.say}")
            mishap.act(self, now_s)
        else:
            return self._play(now_s)
        return self._between_cards()

    def _play(self, now_s: float) -> float:
        """Draw a card, press the result button or change the cards, as the shoe shows."""
        match self.shoe.phase:
            case "complete":
                self.press_result(now_s)
                return self.rng.uniform(*self.pace.pause_s)
            case "over":
                due_s = self.shoe.next_s()
                return max(0.0, due_s - now_s) if due_s is not None else LOOK_AGAIN_S
            case "stand_by" if self._shoe_is_over():
                self.begin(now_s)
                return LOOK_AGAIN_S
            case _:
                self._draw(now_s)
                return self._between_cards()

    def _between_cards(self) -> float:
        return self.rng.uniform(*self.pace.card_s)

    def press_result(self, now_s: float, *, reported: str | None = None) -> None:
        """Press the result button; `reported` is a result that the shoe gives wrongly."""
        self.shoe.press_result(now_s, reported=reported)

    def _shoe_is_over(self) -> bool:
        """Return True if no coup begins with these cards: one begins after the cutting card."""
        return not self.stack or (self.ending and not self._coups_left)

    def _draw(self, now_s: float) -> None:
        """Draw the next card; if there is none in mid-coup, end the coup."""
        if not self.stack:
            self.notes.append("the shoe is empty in mid-coup: the coup is ended without a result")
            self.shoe.force_end(now_s)
            return
        if self.ending and self.shoe.phase == "stand_by":
            self._coups_left -= 1
        self.draw(now_s)

    def draw(self, now_s: float, *, read_as: str | None = None) -> str:
        """Draw the next card of the stack and return it; `read_as` is what a shoe that misreads reports."""
        card = self.stack.pop(0)
        self.drawn.append(card)
        if card == CUT:
            self.ending, self._coups_left = True, 1
        self.shoe.pull(card, now_s, read_as=read_as)
        return card

    # The supervisor

    def _wait(self, now_s: float) -> float:
        """Wait for the host to clear the error; after a while the supervisor does it at the shoe."""
        self._waits_since_s = now_s if self._waits_since_s is None else self._waits_since_s
        if self.patience_s and now_s - self._waits_since_s >= self.patience_s:
            self._waits_since_s = None
            self._settle(now_s)
        return LOOK_AGAIN_S

    def _settle(self, now_s: float) -> None:
        """Clear the error at the shoe; keep or discard an overdrawn card."""
        if self.shoe.error != OVERDRAW:
            self.notes.append("nothing was done at the gateway: the supervisor clears the error at the shoe")
            self.shoe.clear(now_s)
            return
        keep = self.may_keep() and self.rng.random() < _KEEP_SHARE
        which = "keeps the overdrawn card for the next coup" if keep else "discards the overdrawn card"
        self.notes.append(f"nothing was done at the gateway: the supervisor {which}")
        self.shoe.clear(now_s, keep=keep)

    def may_keep(self) -> bool:
        """Return True if another coup follows with these cards, no card is kept for it, and the line can show it.

        A card equal to the first of the open coup looks like that one sent again.
        """
        coup = self.shoe.coup
        is_first = coup is not None and coup.player[:1] == [self.shoe.overdrawn]
        return self.shoe.kept is None and not self.ending and not is_first

    # Mishaps

    def _mishap(self) -> Mishap | None:
        """Return the mishap that happens now, or None."""
        if not self.mishaps or self.rng.random() >= self.mishap_share:
            return None
        possible = [mishap for mishap in self.mishaps.values() if mishap.now(self)]
        return self.rng.choice(possible) if possible else None

    def _where(self) -> str:
        """Return the coup in or before which something happens now, for people."""
        truth = self.shoe.truth
        if self.shoe.phase in ("coup", "complete"):
            return f"in coup {truth.shoes}/{truth.begun}"
        return f"before coup {truth.shoes}/{truth.begun + 1}"

    def card_due(self) -> bool:
        """Return True if the next card is one of a coup that has begun, and not the cutting card."""
        return self.shoe.phase == "coup" and self._card_there()

    def complete(self) -> bool:
        """Return True if the coup is complete, its result was not given, and another card is there."""
        return self.shoe.phase == "complete" and self._card_there()

    def between(self) -> bool:
        """Return True if a coup can begin, and not with the cutting card."""
        return self.shoe.phase == "stand_by" and self._card_there() and not self._shoe_is_over()

    def _card_there(self) -> bool:
        return bool(self.stack) and self.stack[0] != CUT
