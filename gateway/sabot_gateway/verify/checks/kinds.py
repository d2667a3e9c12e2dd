"""Kinds: a coup is of the kind that was announced before its first card, and that the book asks for."""

from dataclasses import dataclass, field

from sabot_protocol.rulebooks import Rulebook

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.checks.cutting_card import CuttingCardCheck
from sabot_gateway.verify.findings import NONE, Finding, Findings
from sabot_gateway.verify.state import ShoeState


@dataclass
class KindCheck:
    """What was announced of this shoe's coups, and what must be without wagers."""

    state: ShoeState
    book: Rulebook
    cutting: CuttingCardCheck
    _announced: dict[int, str] = field(default_factory=dict)
    _without: dict[int, str] = field(default_factory=dict)  # coups without wagers by the book, and the case
    _reported: bool = False  # the next irregularity is a person's word, who may correct the shoe's

    def shoe_opened(self, event: Event) -> Findings:
        """Nothing is announced."""
        self._announced.clear()
        self._without.clear()
        return NONE

    def coup_kind(self, event: Event) -> Findings:
        """The shoe announces."""
        self._announced[event.data["coup_no"]] = event.data["kind"]
        return NONE

    def handed_over(self, event: Event) -> Findings:
        """A coup keeps its kind at the next shoe."""
        if event.data["import"]:
            self._announced[event.data["coup_no"]] = event.data["kind"]
        return NONE

    def irregularity(self, event: Event) -> Findings:
        """This coup, or the next that has begun with a card too many."""
        data = event.data
        number, code = data["coup_no"], data["code"]
        reported, self._reported = self._reported, False
        if code == "NEXT_LIVE" and reported:
            self._without.pop(number + 1, None)
        elif code == "THIS_NO_BET":
            self._without[number] = data["case"]
        elif code == "NEXT_NO_BET" and self.state.dealt.get(number + 1):
            self._without[number + 1] = data["case"]
        elif code == "NOT_USED" and any(self.state.surplus[-1:]):
            self._without.pop(number + 1, None)
        return NONE

    def command_done(self, event: Event) -> Findings:
        """A card that was put back, or another word of the supervisor, leaves the kind to the announcement."""
        self._reported = event.data["command"] == "irregularity"
        if event.data["command"] in ("card_returned", "no_bet"):
            self._without.pop(self.state.coup_no + 1, None)
        elif event.data["command"] == "this_no_bet":
            return self._this_without(self.state.next_coup_no())
        return NONE

    def _this_without(self, number: int) -> Findings:
        """The coup in progress must end as one without wagers, where the book has a clause for that."""
        self._without[number] = "a supervisor's word"
        clause = self.book.switch["this_no_bet"]
        if clause.value:
            return NONE
        fact = "A coup in progress became one without wagers, and the book has no clause for that."
        return (Finding(fact, f"coup {number} goes on without wagers", "its wagers stand", clause.clause, number),)

    def coup_void(self, event: Event) -> Findings:
        """What was announced of it is over."""
        self._forget(event.data["coup_no"])
        return NONE

    def coup(self, event: Event) -> Findings:
        """What the coup was, beside what it had to be."""
        number, kind = event.data["coup_no"], event.data["kind"]
        announced = self._announced.get(number, "live" if self.state.whole else kind)
        case, after_last = self._without.get(number), self._after_last(number)
        self._forget(number)
        clause = self.book.shoe.unwagered.clause
        if kind != announced:
            return (Finding("The coup is of another kind than was announced.", kind, announced, clause, number),)
        if kind == "live" and self.state.whole and (case or after_last):
            why = case.replace("_", " ") if case else "after the last coup"
            fact = "A coup with wagers was dealt where the book has one without."
            return (Finding(fact, "live", f"{self.book.shoe.unwagered.kind}: {why}", clause, number),)
        return NONE

    def _after_last(self, number: int) -> bool:
        last = self.cutting.last
        return last is not None and number > last

    def _forget(self, number: int) -> None:
        for kept in (self._announced, self._without):
            for old in [coup_no for coup_no in kept if coup_no <= number]:
                del kept[old]
