"""Cutting card: it makes one coup the last of the shoe, by the book; the shoe reports that, and none follows."""

from dataclasses import dataclass

from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.rulebooks.model import HouseSwitch

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.findings import NONE, Finding, Findings
from sabot_gateway.verify.state import ShoeState


@dataclass
class CuttingCardCheck:
    """The last coup of this shoe."""

    state: ShoeState
    book: Rulebook
    last: int | None = None  # its number, once it is known
    _clause: str = ""  # that made it the last

    def shoe_opened(self, event: Event) -> Findings:
        """No cutting card yet."""
        self.last = None
        return NONE

    def cutting_card(self, event: Event) -> Findings:
        """In mid-coup the next coup is the last; before the first card this one or the next, by the book."""
        if self.state.phase in ("closed", "checking"):
            return NONE
        rule, number = self.book.shoe.cut_first_card_is_last_coup, event.data["coup_no"]
        this = bool(event.data["before_first_card"]) and rule.value
        first = bool(event.data["before_first_card"])
        self._ends(number if this else number + 1, rule.clause if first else self._after().clause)
        return NONE

    def handed_over(self, event: Event) -> Findings:
        """The cutting card may have come at the shoe that the coup left."""
        if event.data["import"] and event.data["coups_left"]:
            self._ends(event.data["coup_no"] + event.data["coups_left"] - 1, self._after().clause)
        return NONE

    def irregularity(self, event: Event) -> Findings:
        """Cards that were not cut or shuffled: this coup is the last."""
        if event.data["code"] == "FINISH_RESHUFFLE":
            self._ends(max(event.data["coup_no"], 1), "")
        return NONE

    def _ends(self, coup_no: int, clause: str) -> None:
        if self.last is None or coup_no < self.last:
            self.last, self._clause = coup_no, clause

    def _after(self) -> HouseSwitch:
        return self.book.switch["post_cut_dummy_coups"]

    def coup(self, event: Event) -> Findings:
        """Compare the flag `last_coup`."""
        data = event.data
        number, reported = data["coup_no"], bool(data["flags"]["last_coup"])
        if self.last is None and not self.state.whole:
            self.last = number if reported else None  # the cutting card may be in what is missing
            return NONE
        is_last = self.last is not None and number >= self.last
        if reported != is_last:
            text = {True: "the last coup", False: "not the last coup"}
            clause = self._clause or self._after().clause
            fact = "The shoe and the cutting card do not agree on the last coup."
            return (Finding(fact, text[reported], text[is_last], clause, number),)
        return NONE

    def card(self, event: Event) -> Findings:
        """Find the first card of a coup that must not be dealt."""
        if self.last is None:
            return NONE
        data = event.data
        if data["coup_no"] <= self.last or data["slot"] != "player_1":
            return NONE
        allowed = self._after()
        if allowed.value or self.state.phase in ("closed", "checking"):
            return NONE
        fact = "A coup began after the last coup of the shoe."
        clause = self._clause or allowed.clause
        says = f"coup {data['coup_no']} is dealt"
        return (Finding(fact, says, f"coup {self.last} was the last", clause, data["coup_no"]),)
