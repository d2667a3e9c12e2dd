"""Kinds: a coup has the kind that was announced before its first card, and that the book asks for."""

from dataclasses import dataclass, field

from sabot_protocol.rulebooks import Rulebook

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.checks.cutting_card import CuttingCardCheck
from sabot_gateway.verify.findings import NONE, Finding, Findings
from sabot_gateway.verify.state import ShoeState

_FREE = "free_hand"  # wagers are allowed (New Zealand 8.3)


@dataclass
class KindCheck:
    """The kinds announced, and the coups that must be without wagers."""

    state: ShoeState
    book: Rulebook
    cutting: CuttingCardCheck
    _announced: dict[int, str] = field(default_factory=dict)
    _no_bet: dict[int, str] = field(default_factory=dict)  # coups that must be without wagers, and why
    _by_person: bool = False  # the next irregularity was reported by a person, who may correct the shoe

    def ordered(self, number: int) -> str:
        """Return the case after which a rule has this coup dealt without wagers; empty if none has."""
        return self._no_bet.get(number, "")

    def shoe_opened(self, event: Event) -> Findings:
        """Start with nothing announced."""
        self._announced.clear()
        self._no_bet.clear()
        return NONE

    def coup_kind(self, event: Event) -> Findings:
        """Note the announcement."""
        self._announced[event.data["coup_no"]] = event.data["kind"]
        return NONE

    def handed_over(self, event: Event) -> Findings:
        """A coup keeps its kind at the other shoe."""
        if event.data["import"]:
            self._announced[event.data["coup_no"]] = event.data["kind"]
        return NONE

    def irregularity(self, event: Event) -> Findings:
        """Note a coup that must be without wagers: this one, or the one that a surplus card begins."""
        data = event.data
        number, code = data["coup_no"], data["code"]
        by_person, self._by_person = self._by_person, False
        following = self.state.next_of_case(data["case"], number)
        if code == "NEXT_LIVE" and by_person:
            self._no_bet.pop(following, None)
        elif code == "THIS_NO_BET":
            self._no_bet[number] = data["case"]
        elif code == "NEXT_NO_BET" and self.state.dealt.get(following):
            self._no_bet[following] = data["case"]
        elif code == "NOT_USED" and any(self.state.surplus[-1:]):
            self._no_bet.pop(following, None)
        return NONE

    def command_done(self, event: Event) -> Findings:
        """After a card is put back, or another command, the announcement decides; a free hand has wagers."""
        command = event.data["command"]
        self._by_person = command == "irregularity"
        if command == "card_returned" or (command == "no_bet" and event.data["data"]["kind"] != _FREE):
            waited_for = self.state.waited_for() if command == "card_returned" else 0
            self._no_bet.pop(waited_for or self.state.coup_no + 1, None)
        elif command == "this_no_bet":
            return self._this_no_bet(self.state.next_coup_no())
        return NONE

    def _this_no_bet(self, number: int) -> Findings:
        """The coup in progress must end without wagers; the book needs a clause for that."""
        self._no_bet[number] = "a supervisor's command"
        clause = self.book.switch["this_no_bet"]
        if clause.value:
            return NONE
        fact = "A coup in progress became one without wagers. The rulebook has no clause for that."
        return (Finding(fact, f"coup {number} continues without wagers", "its wagers stand", clause.clause, number),)

    def coup_void(self, event: Event) -> Findings:
        """Forget the void coup."""
        self._forget(event.data["coup_no"])
        return NONE

    def coup(self, event: Event) -> Findings:
        """Compare the kind of the coup with its announcement and the book."""
        number, kind = event.data["coup_no"], event.data["kind"]
        announced = self._announced.get(number, "live" if self.state.whole else kind)
        case, after_last = self._no_bet.get(number), self._after_last(number)
        if self._announced or self._no_bet:
            self._forget(number)
        if kind == announced and not (case or after_last):
            return NONE
        clause = self.book.shoe.unwagered.clause
        if kind != announced:
            return (Finding("The coup is not of the kind that was announced.", kind, announced, clause, number),)
        if self.state.whole and (kind == "live" or (kind == _FREE and case)):
            why = case.replace("_", " ") if case else "after the last coup"
            fact = "A coup was dealt with wagers. By the rulebook it has none."
            return (Finding(fact, kind, f"{self.book.shoe.unwagered.kind}: {why}", clause, number),)
        return NONE

    def _after_last(self, number: int) -> bool:
        last = self.cutting.last
        return last is not None and number > last

    def _forget(self, number: int) -> None:
        for kept in (self._announced, self._no_bet):
            for old in [coup_no for coup_no in kept if coup_no <= number]:
                del kept[old]
