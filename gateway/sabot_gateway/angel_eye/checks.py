"""Checks of an Angel Eye's coups: what the tracker found, and what only the gateway can know."""

from dataclasses import dataclass
from typing import Any

from sabot_protocol.irregularities import Advice
from sabot_protocol.rulebooks import Rulebook

from sabot_gateway import rules
from sabot_gateway.angel_eye import words
from sabot_gateway.angel_eye.coup import MISMATCHES, TrackedCoup
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.checks.composition import CompositionCheck
from sabot_gateway.verify.checks.coups import cards_say
from sabot_gateway.verify.checks.cutting_card import CuttingCardCheck
from sabot_gateway.verify.checks.numbering import draw_clause
from sabot_gateway.verify.deciders import Who
from sabot_gateway.verify.dispatch import Checks
from sabot_gateway.verify.findings import NONE, Finding, Findings
from sabot_gateway.verify.moves import Moves
from sabot_gateway.verify.state import NO_COUP, ShoeState

_TEN_OR_COURT = 10  # cards to burn after a ten or a court card


class AngelEyeChecks(Checks):
    """The checks of one Angel Eye: those of our own shoe that need no log, and `tracked`."""

    def __init__(
        self, table: str, state: ShoeState, book: Rulebook, profile: dict[str, Any], moves: Moves, who: Who
    ) -> None:
        super().__init__(table, state, book, profile, moves, who)
        by_first_card = bool(profile["burn_modes"].get("face_up"))
        self.tracked = TrackedCheck(table, state, book, self.composition, self.cutting_card, by_first_card)


@dataclass
class TrackedCheck:
    """Each coup as the tracker closed it, and its cards as they come."""

    table: str
    state: ShoeState
    book: Rulebook
    composition: CompositionCheck
    cutting: CuttingCardCheck
    by_first_card: bool  # the book permits a burn whose first card gives the number of cards
    _burn_first: str = ""  # the card that gives the number of cards to burn
    _foreign: int = 0  # the coup with a card that these decks cannot have

    def shoe_opened(self, event: Event) -> Findings:
        """No card is burnt yet, and none is too many."""
        self._burn_first, self._foreign = "", 0
        return NONE

    def coup(self, event: Event) -> Findings:
        """Find a coup that is not complete, or whose result the cards do not give; what has its alarm gets no other."""
        coup: TrackedCoup = event.data["coup"]
        if coup.number == self._foreign and coup.status == "complete":
            advice = words.foreign(self.book.id, stands=False)
            says, cards_say = words.shoe_says(coup), "a card that is not of these decks"
            return (Finding(words.foreign_inside(advice), says, cards_say, advice.clause, coup.number),)
        known = coup.number in self.state.doubtful and MISMATCHES.isdisjoint(coup.flags)
        if coup.status == "complete" or (coup.status == "disputed" and known):
            return NONE
        dealt = self.state.dealt.get(coup.number, [])
        cards = [card for _, card in dealt]
        clause = draw_clause(self.book, cards) if coup.status == "disputed" else ""
        says = words.shoe_says(coup)
        return (Finding(words.reasons(coup), says, _own_result(coup, dealt), clause, coup.number),)

    def conflict(self, event: Event) -> Findings:
        """Find two cards for one place."""
        data = event.data
        fact = words.conflict(data["slot"])
        return (Finding(fact, f"{data['card']}", f"{data['held']}", "", data["coup_no"]),)

    def again(self, event: Event) -> Findings:
        """Find a card that was sent again without a known meaning while a coup is open."""
        data = event.data
        fact = words.again(data["target"], data["position"])
        return (Finding(fact, data["card"] or "", "", "", data["coup_no"]),)

    def card(self, event: Event) -> Findings:
        """Find a card that came more often than the decks have it; and say what a coup after the last can mean."""
        if self.composition.over:
            in_coup = event.data["slot"] not in NO_COUP
            self._foreign = event.data["coup_no"] if in_coup else self._foreign
            advice = words.foreign(self.book.id, stands=not in_coup and self.state.none_to_void())
            text = words.too_often(self.table, self.composition.over, self.state.decks, advice)
            name = "missing_or_foreign_card"
            yield Finding(text["say"], "", text["cards_say"], text["clause"], name=name)
        for finding in self.cutting.card(event):
            yield finding._replace(fact=f"{finding.fact} {words.after_last(self.table)}")

    def error(self, event: Event) -> Findings:
        """Note the coup in progress when the shoe found a card that is not of its card set."""
        if event.data["error"] == words.CARD_CODE and not self.state.none_to_void():
            self._foreign = self.state.next_coup_no()
        return NONE

    def book_says(self, error: str, *, last_coup: bool) -> Advice | None:
        """Return what the book has for an error of the shoe now: a card in excess, or one of another card set."""
        state = self.state
        if error == words.CARD_CODE:
            return words.foreign(self.book.id, stands=state.none_to_void())
        if error != words.OVERDRAW:
            return None
        cards = len(state.dealt.get(state.coup_no, ())) if state.phase in ("dealing", "complete") else 0
        complete = state.due(state.coup_no) is None
        return words.overdraw(self.book.id, cards, complete=complete, last_coup=last_coup)

    def burn_first(self, event: Event) -> Findings:
        """Note the card that gives the number of cards to burn."""
        self._burn_first = event.data["card"]
        return NONE

    def burn(self, event: Event) -> Findings:
        """Find a number of cards to burn that is not that of the first card, where the book permits such a burn."""
        first, count = self._burn_first, event.data["cards"]
        if not self.by_first_card or not first or count is None:
            return NONE
        required = rules.points([first]) or _TEN_OR_COURT
        if count == required:
            return NONE
        fact = words.burn_count(count, required)
        return (Finding(fact, f"{count} cards", f"{required} cards", self.book.shoe.burn.clause),)


def _own_result(coup: TrackedCoup, dealt: list[tuple[str, str]]) -> str:
    """Return the result of the cards, or the cards as far as they were seen."""
    if coup.status != "disputed":
        return " ".join(f"{slot} {card}" for slot, card in dealt)
    try:
        return cards_say(dealt, rules.play([card for _, card in dealt]))
    except rules.NotACoupError as error:
        return str(error)
