"""A dealer to whom something happens now and then, in an order by a seed; then he stands still until it is settled."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from sabot_protocol import authority
from sabot_protocol.command_acts import ACTS

from sabot_sim.dealing.dealer import LAMP_FAULT, LAMP_WAITING, LAMPS_RESULT, LOCK, LOOK_AGAIN_US
from sabot_sim.dealing.patient_dealer import PatientDealer
from sabot_sim.dealing.trouble_order import Trouble, TroubleOrder
from sabot_sim.optics import signals
from sabot_sim.stack import CUT

__all__ = ["TROUBLES", "Trouble", "TroubledDealer", "possible"]


@dataclass
class TroubledDealer(PatientDealer):
    """A PatientDealer with troubles of these names, each before one comes again; `release` lets him go on."""

    troubles: Sequence[str] = ()
    first: int = 0  # coups before anything goes wrong
    happened: list[Trouble] = field(default_factory=list)  # the caller takes them
    held: bool = False
    _between_coups: bool = False  # Confirm was the last act

    def __post_init__(self) -> None:
        """Choose the first trouble and when it comes."""
        self._order = TroubleOrder(self.troubles, self.rng, self.first)

    def release(self) -> None:
        """Go on dealing: people have settled what happened."""
        self.held = False
        self._unread = None

    def next_edges(self, outputs: int) -> list[signals.Edge]:
        """Return what is done now, as edges timed from now."""
        if self.held or outputs & (LAMP_FAULT | LAMP_WAITING):
            return [(LOOK_AGAIN_US, 0)]
        name = self._order.due(self.coups_seen)
        if name and TROUBLES[name].now(self, outputs):
            return self._provoke(name, outputs)
        before = self.coups_seen
        edges = super().next_edges(outputs)
        self._between_coups = self.coups_seen > before
        return edges

    def _provoke(self, name: str, outputs: int) -> list[signals.Edge]:
        kind = TROUBLES[name]
        edges = kind.provoke(self, outputs)
        self.notes.clear()
        self.happened.append(Trouble(name, self._unread))
        self.held, self._between_coups = kind.holds, False
        self._order.choose(self.coups_seen)
        return edges

    def card_due(self, outputs: int) -> bool:
        """Return True if the exit is open and the next card is not the cutting card."""
        return not outputs & LOCK and bool(self._stack) and self._stack[0] != CUT

    def coup_complete(self, outputs: int) -> bool:
        """Return True if a result waits for Confirm, and another card is there."""
        return bool(outputs & LOCK and outputs & LAMPS_RESULT and self._stack) and self._stack[0] != CUT

    def first_card_due(self, outputs: int) -> bool:
        """Return True if the next card begins a coup, as far as the dealer remembers, and the cutting card is in."""
        return self.card_due(outputs) and self._between_coups and CUT in self._stack

    def _misread(self, _outputs: int) -> list[signals.Edge]:
        self._unread = self._stack.pop(0)
        return self._pull("missing_mark", self._unread)

    def _foreign(self, _outputs: int) -> list[signals.Edge]:
        return self._pull("foreign", self._stack[0])

    def _cut_first(self, _outputs: int) -> list[signals.Edge]:
        self._stack.remove(CUT)
        self._stack.insert(0, CUT)
        return self._draw()


@dataclass(frozen=True)
class Kind:
    """A kind of trouble: what happens, in words; when; what the dealer does; whether people must settle it."""

    say: str
    now: Callable[[TroubledDealer, int], bool]
    provoke: Callable[[TroubledDealer, int], list[signals.Edge]]
    holds: bool = True


_CARD, _COMPLETE, _FIRST = TroubledDealer.card_due, TroubledDealer.coup_complete, TroubledDealer.first_card_due
TROUBLES: Final = {
    "face_up": Kind("a card comes out face up, and the shoe cannot read it", _CARD, TroubledDealer._not_read),
    "misread": Kind("a mark of a card is worn off, and the shoe cannot read it", _CARD, TroubledDealer._misread),
    "pushed_back": Kind("a card is half drawn and pushed back", _CARD, TroubledDealer._pushed_back),
    "foreign": Kind("a card of another set comes out", _CARD, TroubledDealer._foreign),
    "lid": Kind("the lid is opened and shut", _CARD, TroubledDealer._lid_opened),
    "surplus": Kind("a card too many is drawn", _COMPLETE, TroubledDealer._surplus),
    "wrong_button": Kind("the dealer presses the button of another result", _COMPLETE, TroubledDealer._wrong_button),
    "cut_first": Kind("the cutting card comes first: last coup", _FIRST, TroubledDealer._cut_first, holds=False),
}
_NO_RULE: Final = ("wrong_button",)  # needs a clause by which people decide


def possible(book: str) -> tuple[str, ...]:
    """Return the troubles that people can settle by this rulebook."""
    decides = people_decide(book)
    return tuple(name for name in TROUBLES if decides or name not in _NO_RULE)


def people_decide(book: str) -> bool:
    """Return True if the book has a rule by which people decide a disputed coup."""
    return not authority.load(book).act[ACTS["decide"]].silent
