"""Composition: how often each card has come out; n decks have n of each, and the shoe's own counts must agree."""

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

from sabot_protocol import irregularities
from sabot_protocol.cards import DECK
from sabot_protocol.rulebooks import Rulebook

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.findings import NONE, Finding, Findings
from sabot_gateway.verify.state import ShoeState

_HALF = len(DECK) // 2
_MOST_TOLD = 15  # four bits a card
_MOST_SURPLUS = 12  # that may go back
_FOREIGN = "missing_or_foreign_card"


@dataclass
class CompositionCheck:
    """Burnt, unused and surplus cards count; a card that was put back does not count twice."""

    state: ShoeState
    book: Rulebook
    continuous: bool  # cards come again: the decks say nothing (The Star 4.11, NZ 7.8, Crown 3.1.2)
    out: Counter[str] = field(default_factory=Counter)
    over: str = ""  # the card that was one too many, until the next
    _surplus: deque[str] = field(default_factory=lambda: deque(maxlen=_MOST_SURPLUS))
    _differences: dict[str, int] = field(default_factory=dict)
    _elsewhere: Counter[str] = field(default_factory=Counter)  # out of the shoe that these cards were in before
    _out_elsewhere: int = 0  # how many, as that shoe told

    def shoe_opened(self, event: Event) -> Findings:
        """New cards."""
        self._start()
        return NONE

    def _start(self) -> None:
        self.out.clear()
        self._surplus.clear()
        self._differences.clear()
        self._elsewhere.clear()
        self._out_elsewhere = 0
        self.over = ""

    def came_with(self, out: Counter[str]) -> None:
        """Count cards that were dealt from the shoe that the coup left."""
        self._elsewhere = Counter(out)

    def all_out(self) -> Counter[str]:
        """Every card that is known to be out of these decks, wherever it was dealt."""
        return self.out + self._elsewhere

    def handed_over(self, event: Event) -> Findings:
        """The cards of a coup that came from another shoe are counted there."""
        if event.data["import"]:
            self._out_elsewhere = event.data["cards_out"] - self.out.total()
        return NONE

    def card(self, event: Event) -> Findings:
        """One more of this card; `over` where the decks cannot have it."""
        data = event.data
        card = data["card"]
        self.out[card] += 1
        if data["flags"].get("surplus"):
            self._surplus.append(card)
        too_many = self.state.decks and not self.continuous and self.state.phase != "checking"
        self.over = card if too_many and self.out[card] > self.state.decks else ""
        if too_many and not self.over and self.out[card] + self._elsewhere[card] > self.state.decks:
            return self._over_elsewhere(card)
        return NONE

    def _over_elsewhere(self, card: str) -> Findings:
        """A card too many that this shoe cannot know of, for the others came from another one."""
        advice = irregularities.advise(self.book.id, _FOREIGN, {})
        says = f"{card} came more often than {self.state.decks} decks have it"
        return (Finding(advice.say, "", f"{says}, with those of the shoe before", advice.clause, name=_FOREIGN),)

    def button(self, event: Event) -> Findings:
        """After Confirm no card goes back."""
        if event.data["button"] == "confirm":
            self._surplus.clear()
        return NONE

    def command_done(self, event: Event) -> Findings:
        """A card was put back, or a check of the decks begins."""
        command, data = event.data["command"], event.data["data"]
        if command == "confirm":
            self._surplus.clear()
        elif command == "card_returned" and self._surplus:
            self.out[self._surplus.pop()] -= 1
        elif command == "burn_card" and self.state.phase == "dealing":
            self._take_back()
        elif command == "deck_check" and data["on"]:
            self._start()
        return NONE

    def _take_back(self) -> None:
        """The cards of the first coup are in the shoe again (Crown 10.1.1)."""
        for dealt in self.state.dealt.values():
            self.out.subtract(card for _, card in dealt)

    def composition(self, event: Event) -> Findings:
        """The shoe's count of every card of this half."""
        if not self.state.whole:
            return NONE
        said = [count for byte in event.data["counts"] for count in (byte & 15, byte >> 4)]
        first = _HALF * event.data["half"]
        counted = {card: 0 if self.continuous else min(_MOST_TOLD, self.out[card]) for card in DECK[first:][:_HALF]}
        wrong = [(card, count) for (card, mine), count in zip(counted.items(), said, strict=True) if mine != count]
        if not wrong:
            return NONE
        fact = "The shoe's count of the cards that are out is not what its log gives."
        says = ", ".join(f"{card} {count} times" for card, count in wrong)
        return (Finding(fact, says, ", ".join(f"{card} {counted[card]} times" for card, _ in wrong)),)

    def checkpoint(self, event: Event) -> Findings:
        """How many cards are out, and of how many decks."""
        data, state = event.data, self.state
        if not state.whole or not data["coup_no"] or state.phase == "closed":
            return NONE
        out = self.out.total() + self._out_elsewhere
        if (data["cards_out"], data["decks"]) == (out, state.decks):
            return NONE
        fact = "The shoe counts other cards than its log has."
        says = f"{data['cards_out']} cards of {data['decks']} decks"
        return (Finding(fact, says, f"{out} cards of {state.decks} decks"),)

    def deck_check(self, event: Event) -> Findings:
        """A difference that the shoe has found; judged when the check is over."""
        self._differences[event.data["card"]] = event.data["seen"]
        return NONE

    def checked(self, event: Event) -> Findings:
        """The decks' check is over: what is missing or surplus, as the shoe says and as its log gives."""
        told, seen = dict(self._differences), event.data["cards"]
        self._differences.clear()
        if told:
            fact = f"The decks are not complete: {len(told)} cards differ. Do not use this set."
            yield Finding(fact, _counts(told), "", self._clause(), name="decks_differ")
        wrong = {card: count for card, count in told.items() if count != self.out[card]}
        if self.state.whole and (wrong or seen != self.out.total()):
            fact = "The shoe's check of the decks is not what its log gives."
            mine = {card: self.out[card] for card in wrong}
            says, counted = f"{seen} cards {_counts(wrong)}", f"{self.out.total()} cards {_counts(mine)}"
            yield Finding(fact, says.strip(), counted.strip(), self._clause())

    def _clause(self) -> str:
        return self.book.switch["foreign_card_rule"].clause


def _counts(cards: dict[str, Any]) -> str:
    return ", ".join(f"{card} came {count} times" for card, count in cards.items())
