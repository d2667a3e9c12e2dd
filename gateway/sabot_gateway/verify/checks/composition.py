"""Composition: n decks have n of each card, and the shoe's own counts match its log."""

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

from sabot_protocol import irregularities
from sabot_protocol.cards import DECK
from sabot_protocol.rulebooks import Rulebook

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.alarms.shoe_texts import CASES
from sabot_gateway.verify.findings import NONE, Finding, Findings
from sabot_gateway.verify.state import DECK_CARDS, ShoeState

_HALF = len(DECK) // 2
_MOST_OF_A_COUP = 6
_MOST_LISTED = 8  # cards in a text
_MOST_COUNTED = 15  # the shoe reports four bits a card
_MOST_SURPLUS = 12  # surplus cards that may go back
_FOREIGN = "missing_or_foreign_card"
_DECK = 52


@dataclass
class CompositionCheck:
    """Cards that are out: burnt, unused and surplus cards count; a card that was put back counts once."""

    state: ShoeState
    book: Rulebook
    continuous: bool  # cards come again, so the decks set no limit (The Star 4.11, NZ 7.8, Crown 3.1.2)
    out: Counter[str] = field(default_factory=Counter)
    over: str = ""  # the last card, if the decks cannot have it
    _surplus: deque[str] = field(default_factory=lambda: deque(maxlen=_MOST_SURPLUS))
    _differences: dict[str, int] = field(default_factory=dict)
    _elsewhere: Counter[str] = field(default_factory=Counter)  # dealt from the shoe that the coup left
    _out_elsewhere: int = 0  # how many, as that shoe counted
    _cut: bool = False  # the cutting card has come; a second one is at the very back (New Zealand 3.4(b))

    def shoe_opened(self, event: Event) -> Findings:
        """Count from zero."""
        self._start()
        return NONE

    def _start(self) -> None:
        self.out.clear()
        self._surplus.clear()
        self._differences.clear()
        self._elsewhere.clear()
        self._out_elsewhere = 0
        self._cut = False
        self.over = ""

    def came_with(self, out: Counter[str]) -> None:
        """Count cards that were dealt from the shoe that the coup left."""
        self._elsewhere = Counter(out)

    def all_out(self) -> Counter[str]:
        """Return every card that is known to be out of these decks, wherever it was dealt."""
        return self.out + self._elsewhere

    def handed_over(self, event: Event) -> Findings:
        """Take over the count of the shoe that the coup left."""
        if event.data["import"]:
            self._out_elsewhere = event.data["cards_out"] - self.out.total()
        return NONE

    def card(self, event: Event) -> Findings:
        """Count the card; `over` if the decks cannot have it."""
        data, state = event.data, self.state
        card = data["card"]
        count = self.out[card] = self.out.get(card, 0) + 1
        if data["flags"].get("surplus"):
            self._surplus.append(card)
        self.over = ""
        decks = state.decks
        if not decks or self.continuous or state.phase == "checking":
            return NONE
        if count > decks:
            self.over = card
        elif self._elsewhere and count + self._elsewhere[card] > decks:
            return self._over_elsewhere(card)
        return NONE

    def _over_elsewhere(self, card: str) -> Findings:
        """A card too many that this shoe cannot know: the others came from another shoe."""
        advice = irregularities.advise(self.book.id, _FOREIGN, {})
        say = f"{CASES[_FOREIGN]} {advice.say}"
        cards = f"{card} came more often than {self.state.decks} decks allow, with the cards of the shoe before"
        return (Finding(say, "", cards, advice.clause, name=_FOREIGN),)

    def cutting_card(self, event: Event) -> Findings:
        """Find a cutting card that was not put as deep as the book has it: at least so far from the end, or exactly."""
        first, self._cut = not self._cut, True
        state, rule = self.state, self.book.switch["cut_depth_cards"]
        if not first or not state.whole or not state.decks or self.continuous:
            return NONE
        depths = sorted(map(int, str(rule.value).split()))
        behind = state.decks * _DECK - self.out.total() - self._out_elsewhere
        if behind >= depths[-1] or behind in depths:
            return NONE
        exact = "".join(f", or exactly {depth}" for depth in depths[:-1])
        wanted = f"at least {depths[-1]} cards{exact}"
        advice = irregularities.advise(self.book.id, "cut_missed", {})
        fact = f"The cutting card came {behind} cards from the end of the shoe; the rulebook has {wanted}. {advice.say}"
        return (Finding(fact, f"{behind} cards", wanted, rule.clause, name="cut_depth"),)

    def button(self, event: Event) -> Findings:
        """After Confirm no card goes back."""
        if event.data["button"] == "confirm":
            self._surplus.clear()
        return NONE

    def command_done(self, event: Event) -> Findings:
        """Take cards back that are in the shoe again; a check of the decks counts from zero."""
        command, data = event.data["command"], event.data["data"]
        if command == "confirm":
            self._surplus.clear()
        elif command == "card_returned" and self._surplus:
            self.out[self._surplus.pop()] -= 1
        elif command == "burn_card" and self.state.burn_restarts():
            self._take_back()
        elif command == "deck_check" and data["on"]:
            self._start()
        return NONE

    def _take_back(self) -> None:
        """The cards of the first coup are in the shoe again (Crown 10.1.1)."""
        for dealt in self.state.dealt.values():
            self.out.subtract(card for _, card in dealt)

    def composition(self, event: Event) -> Findings:
        """Compare the shoe's count of each card of one half of the deck."""
        if not self.state.whole:
            return NONE
        reported = [count for byte in event.data["counts"] for count in (byte & 15, byte >> 4)]
        first = _HALF * event.data["half"]
        counted = {card: 0 if self.continuous else min(_MOST_COUNTED, self.out[card]) for card in DECK[first:][:_HALF]}
        wrong = [(card, count) for (card, mine), count in zip(counted.items(), reported, strict=True) if mine != count]
        if not wrong:
            return NONE
        fact = "The shoe's count of each card does not match its log."
        says = ", ".join(f"{card} {count} times" for card, count in wrong)
        return (Finding(fact, says, ", ".join(f"{card} {counted[card]} times" for card, _ in wrong)),)

    def checkpoint(self, event: Event) -> Findings:
        """Compare how many cards are out, and of how many decks."""
        data, state = event.data, self.state
        if not state.whole or not data["coup_no"] or state.phase == "closed":
            return NONE
        out = self.out.total() + self._out_elsewhere
        if (data["cards_out"], data["decks"]) == (out, state.decks):
            return NONE
        fact = "The shoe's total of cards does not match its log."
        says = f"{data['cards_out']} cards of {data['decks']} decks"
        return (Finding(fact, says, f"{out} cards of {state.decks} decks"),)

    def deck_check(self, event: Event) -> Findings:
        """Note a difference that the shoe has found, until the check is over."""
        self._differences[event.data["card"]] = event.data["seen"]
        return NONE

    def left_for_a_coup(self) -> int:
        """Return how many cards the log shows in the shoe if they are enough for any coup; 0 if not, or unknown."""
        state = self.state
        if not state.whole or not state.decks or self.continuous:
            return 0
        left = DECK_CARDS * state.decks - self.all_out().total()
        return left if left > _MOST_OF_A_COUP else 0

    def coup_void(self, event: Event) -> Findings:
        """Find a coup that is void for too few cards while the log shows enough for one."""
        if event.data["reason"] != "short_shoe":
            return NONE
        left = self.left_for_a_coup()
        if not left:
            return NONE
        fact = f"The coup is void for too few cards, and by its log the shoe has {left} left. Have the cards counted."
        return (Finding(fact, "too few cards", f"{left} cards are left", self._clause(), name="cards_left"),)

    def checked(self, event: Event) -> Findings:
        """The check of the decks is over: compare the shoe's differences with its log."""
        reported, seen = dict(self._differences), event.data["cards"]
        self._differences.clear()
        if reported:
            yield Finding(_differ(len(reported), seen), _counts(reported), "", self._clause(), name="decks_differ")
        wrong = {card: count for card, count in reported.items() if count != self.out[card]}
        if self.state.whole and (wrong or seen != self.out.total()):
            fact = "The shoe's check of the decks does not match its log."
            mine = {card: self.out[card] for card in wrong}
            says, counted = f"{seen} cards {_counts(wrong)}", f"{self.out.total()} cards {_counts(mine)}"
            yield Finding(fact, says.strip(), counted.strip(), self._clause())

    def _clause(self) -> str:
        return self.book.switch["foreign_card_rule"].clause


def _differ(kinds: int, seen: int) -> str:
    """Return what a check of the decks has found; one without a card was no check."""
    if not seen:
        return "No card was fed in the check of the decks, so nothing is checked. Begin it again and feed every card."
    return f"The decks are not complete: {kinds} cards differ. Do not use these cards. Call a supervisor."


def _counts(cards: dict[str, Any]) -> str:
    """Return how often cards came, and how many more there are than a person reads."""
    listed = [f"{card} came {count} times" for card, count in cards.items()]
    more = [f"and {len(listed) - _MOST_LISTED} others"] if len(listed) > _MOST_LISTED else []
    return ", ".join([*listed[:_MOST_LISTED], *more])
