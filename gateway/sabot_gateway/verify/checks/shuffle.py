"""Shuffle: the gateway's own test whether the first cards of a shoe can have been shuffled."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.findings import NONE, Finding, Findings
from sabot_gateway.verify.state import ShoeState

PATTERNS: Final = """\
Each row has the chance that a well shuffled shoe of eight decks shows this pattern. One of them is found in less than
one such shoe in 100,000:

| pattern | among | chance at most |
|---|---|---|
| 8 cards that follow each other in rank, up or down | 52 | 45 * 2 / 13**7 = 1.5e-6 |
| 8 cards of one rank in a row | 52 | 45 / 13**7 = 7.2e-7 |
| 13 cards of one suit in a row | 52 | 40 / 4**12 = 2.4e-6 |
| 12 cards of one rank | 26 | 2.0e-6 |
| 19 cards of one suit | 26 | 1.7e-6 |
| 6 cards that came before, in the same order | 104 | 99 * 98 / 2 / 52**6 = 2.5e-7 |
"""
RUN, ROW_OF_RANK, ROW_OF_SUIT, ROWS_AMONG = 8, 8, 13, 52
MANY_OF_RANK, MANY_OF_SUIT, MANY_AMONG = 12, 19, 26
REPEATED, REPEATED_AMONG = 6, 104
_RANKS = "A23456789TJQK"
_STEPS = {a + b: (_RANKS.index(b) - _RANKS.index(a)) % 13 for a in _RANKS for b in _RANKS}
_UP, _DOWN = 1, 12


class Pattern:
    """Looks for a pattern, card by card."""

    def __init__(self) -> None:
        self._cards: list[str] = []
        self._up = self._down = self._of_rank = self._of_suit = 1  # how many in a row, the last card included
        self._seen: set[tuple[str, ...]] = set()

    def add(self, card: str) -> str:
        """Add one of the first cards; return the pattern that it completes, or nothing."""
        cards, count = self._cards, len(self._cards)
        if count >= REPEATED_AMONG:
            return ""
        cards.append(card)
        found = self._in_a_row(cards[-2], card) if 0 < count < ROWS_AMONG else ""
        if not found and count + 1 == MANY_AMONG:
            found = self._many()
        return found or (self._repeated() if count + 1 >= REPEATED else "")

    def _in_a_row(self, before: str, card: str) -> str:
        step = _STEPS[before[0] + card[0]]
        self._up = self._up + 1 if step == _UP else 1
        self._down = self._down + 1 if step == _DOWN else 1
        self._of_rank = self._of_rank + 1 if step == 0 else 1
        self._of_suit = self._of_suit + 1 if before[1] == card[1] else 1
        if self._up >= RUN or self._down >= RUN:
            return f"{RUN} cards in order of rank"
        if self._of_rank >= ROW_OF_RANK:
            return f"{ROW_OF_RANK} cards of one rank in a row"
        return f"{ROW_OF_SUIT} cards of one suit in a row" if self._of_suit >= ROW_OF_SUIT else ""

    def _many(self) -> str:
        for at, most, name in ((0, MANY_OF_RANK, "rank"), (1, MANY_OF_SUIT, "suit")):
            ((_, count),) = Counter(card[at] for card in self._cards).most_common(1)
            if count >= most:
                return f"{count} of {MANY_AMONG} cards are of one {name}"
        return ""

    def _repeated(self) -> str:
        last = tuple(self._cards[-REPEATED:])
        if last in self._seen:
            return f"{REPEATED} cards repeated in the same order"
        self._seen.add(last)
        return ""


@dataclass
class ShuffleCheck:
    """The gateway's test and the shoe's own; one alarm for each shoe."""

    state: ShoeState
    reported: bool = False
    _pattern: Pattern = field(default_factory=Pattern)

    def shoe_opened(self, event: Event) -> Findings:
        """Start again with new cards."""
        self.reported, self._pattern = False, Pattern()
        return NONE

    def card(self, event: Event) -> Findings:
        """Test the first cards as they come; a card that was put back is not new."""
        if (
            self.reported
            or not self.state.whole
            or self.state.phase == "checking"
            or event.data["flags"].get("returned")
        ):
            return NONE
        pattern = self._pattern.add(event.data["card"])
        return self._report("", pattern) if pattern else NONE

    def ordered_set(self, event: Event) -> Findings:
        """The shoe's own test has found a pattern."""
        says = f"{event.data['pattern'].replace('_', ' ')} in the first {event.data['cards']} cards"
        return NONE if self.reported else self._report(says, "")

    def _report(self, shoe_says: str, cards_say: str) -> Findings:
        self.reported = True
        fact = "The first cards of this shoe look unshuffled. Do not begin a coup. Call a supervisor: check the cards."
        return (Finding(fact, shoe_says, cards_say, name="ordered_set"),)
