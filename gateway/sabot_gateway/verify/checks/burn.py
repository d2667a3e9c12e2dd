"""Burning: as many cards are burnt as the mode asks for, and only when it is time."""

from dataclasses import dataclass

from sabot_protocol.rulebooks import Rulebook

from sabot_gateway import rules
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.findings import NONE, Finding, Findings
from sabot_gateway.verify.state import ShoeState

_COURT = 10  # a ten or a picture burns ten more (NZ 7.7, 4.1A)


@dataclass
class BurnCheck:
    """The burn of this shoe, and single cards burnt later (Crown 7.2.2(b))."""

    state: ShoeState
    book: Rulebook
    mode: str = ""
    _first: str = ""
    _burnt: int = 0
    _due: bool = False  # the burn of a new shoe is not over
    _ordered: int = 0  # single cards that a supervisor asked for

    def shoe_opened(self, event: Event) -> Findings:
        """The burn comes first, unless none is asked for."""
        self.mode = event.data["burn"]
        self._begin(self.mode != "none")
        return NONE

    def _begin(self, due: bool) -> None:
        self._first, self._burnt, self._due, self._ordered = "", 0, due, 0

    def irregularity(self, event: Event) -> Findings:
        """Crown 10.1.1 begins the shoe again, with a burn: at once where no card is dealt."""
        if event.data["code"] == "RESTART_SHOE" and self.state.phase == "between" and not self._due:
            self._again()
        return NONE

    def _again(self) -> None:
        self.mode = "one" if self.mode == "none" else self.mode
        self._begin(True)

    def handed_over(self, event: Event) -> Findings:
        """Cards that come from another shoe were burnt there."""
        self._due = False
        return NONE

    def command_done(self, event: Event) -> Findings:
        """One card is to be burnt; or the burn, and the first coup again."""
        if event.data["command"] == "burn_card" and self.state.phase == "dealing":
            self._again()
        elif event.data["command"] == "burn_card":
            self._ordered += 1
        return NONE

    def card(self, event: Event) -> Findings:
        """Burnt, though it was not asked for; or dealt, though the burn is not over."""
        data, state = event.data, self.state
        if data["slot"] == "unused" or data["flags"].get("surplus") or state.phase in ("unknown", "closed", "checking"):
            return NONE
        if data["slot"] != "burn":
            return self._dealt(event) if self._due and state.whole else NONE
        if self._due:
            self._first = self._first or data["card"]
            self._burnt += 1
            return NONE
        if self._ordered:
            self._ordered -= 1
            return NONE
        if not state.whole:
            return NONE
        fact, clause = "A card was burnt that nobody asked for.", self.book.switch["mid_shoe_burn"].clause
        return (Finding(fact, f"{data['card']} burnt", "a card of the next coup", clause),)

    def _dealt(self, event: Event) -> Findings:
        self._due = False
        fact = "The first coup began before the burn was over."
        says = f"{event.data['card']} as {event.data['slot']}"
        return (Finding(fact, says, f"{self._burnt} of {self._wanted()} cards burnt", self.book.shoe.burn.clause),)

    def burn(self, event: Event) -> Findings:
        """So many cards, by the mode."""
        data, due = event.data, self._due
        self._due = False
        if not self.state.whole or not due:
            return NONE
        wanted = 0 if data["missed"] else self._wanted()
        if data["cards"] == self._burnt and (data["missed"] or self._burnt == wanted):
            return NONE
        fact = "Another number of cards was burnt than the burn asks for."
        says = f"{data['cards']} cards, {self.mode.replace('_', ' ')}"
        return (Finding(fact, says, f"{self._burnt} burnt, {wanted} asked for", self.book.shoe.burn.clause),)

    def _wanted(self) -> int:
        if self.mode != "face_up":
            return 1
        return 1 + (rules.points([self._first]) or _COURT) if self._first else 1
