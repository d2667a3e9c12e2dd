"""Burn: the burn mode sets how many cards are burnt, and when."""

from dataclasses import dataclass

from sabot_protocol.rulebooks import Rulebook

from sabot_gateway import rules
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.findings import NONE, Finding, Findings
from sabot_gateway.verify.state import ShoeState

_TEN_OR_COURT = 10  # so many more after a ten or a court card (NZ 7.7, 4.1A)


@dataclass
class BurnCheck:
    """The burn of this shoe, and single cards burnt later (Crown 7.2.2(b))."""

    state: ShoeState
    book: Rulebook
    mode: str = ""
    _first: str = ""
    _burnt: int = 0
    _due: bool = False  # the burn of a new shoe is not complete
    _commanded: int = 0  # single cards that a supervisor ordered

    def shoe_opened(self, event: Event) -> Findings:
        """A new shoe begins with its burn, unless its mode is none."""
        self.mode = event.data["burn"]
        self._begin(self.mode != "none")
        return NONE

    def _begin(self, due: bool) -> None:
        self._first, self._burnt, self._due, self._commanded = "", 0, due, 0

    def irregularity(self, event: Event) -> Findings:
        """Crown 10.1.1: the shoe begins again, with a burn; at once if no card is dealt."""
        if event.data["code"] == "RESTART_SHOE" and self.state.restarts_at_once() and not self._due:
            self._restart()
        return NONE

    def _restart(self) -> None:
        self.mode = "one" if self.mode == "none" else self.mode
        self._begin(True)

    def handed_over(self, event: Event) -> Findings:
        """The burn was done at the shoe that the coup left."""
        self._due = False
        return NONE

    def command_done(self, event: Event) -> Findings:
        """A supervisor orders one card burnt, or the first coup again with a burn."""
        if event.data["command"] == "burn_card" and self.state.burn_restarts():
            self._restart()
        elif event.data["command"] == "burn_card":
            self._commanded += 1
        return NONE

    def card(self, event: Event) -> Findings:
        """Find a card that is burnt without an order, or dealt before the burn is complete."""
        data, state = event.data, self.state
        if data["slot"] != "burn" and not self._due:
            return NONE
        if data["slot"] == "unused" or data["flags"].get("surplus") or state.phase in ("unknown", "closed", "checking"):
            return NONE
        if data["slot"] != "burn":
            return self._dealt(event) if state.whole else NONE
        if self._due:
            self._first = self._first or data["card"]
            self._burnt += 1
            return NONE
        if self._commanded:
            self._commanded -= 1
            return NONE
        if not state.whole:
            return NONE
        fact, clause = "A card was burnt without an order.", self.book.switch["mid_shoe_burn"].clause
        return (Finding(fact, f"{data['card']} burnt", "a card of the next coup was due", clause),)

    def _dealt(self, event: Event) -> Findings:
        self._due = False
        fact = "The first coup began before the burn was complete."
        says = f"{event.data['card']} as {event.data['slot']}"
        return (Finding(fact, says, f"{self._burnt} of {self._required()} cards burnt", self.book.shoe.burn.clause),)

    def burn(self, event: Event) -> Findings:
        """Compare the cards burnt with the mode."""
        data, due = event.data, self._due
        self._due = False
        if not self.state.whole or not due:
            return NONE
        required = 0 if data["missed"] else self._required()
        if data["cards"] == self._burnt and (data["missed"] or self._burnt == required):
            return NONE
        fact = "The wrong number of cards was burnt."
        says = f"{data['cards']} cards, {self.mode.replace('_', ' ')}"
        return (Finding(fact, says, f"{self._burnt} burnt, {required} required", self.book.shoe.burn.clause),)

    def _required(self) -> int:
        if self.mode != "face_up":
            return 1
        return 1 + (rules.points([self._first]) or _TEN_OR_COURT) if self._first else 1
