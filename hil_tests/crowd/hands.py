"""Hands: a careless dealer at one shoe; what really left the shoe is known here, whatever shoe and gateway say."""

import random
from typing import Any, Final

from edges.hands import JERKED, UNREAD, Answer, Hands, Line
from sabot_protocol import rulebooks
from sabot_protocol.cards import DECK

from crowd.site import JACKPOTS

_RUNS: Final = 6  # winning hands of a jackpot in a shoe
_NEXT_CUT: Final = 20


class TrueHands(Hands):
    """The dealer of one shoe: a line is what hands do, or a command that people must ask for."""

    def __init__(self, rng: random.Random, book: str, decks: int) -> None:
        super().__init__(rng, book)
        self._book, self._decks = book, decks
        self.unread_out: list[str] = []  # cards that left the shoe, were not read, and are not keyed in yet

    def _open(self) -> Line:
        """Put in the table's decks, in random order, with hands that win the jackpot where the book has one."""
        rng = self._rng
        stock = rng.sample(list(DECK) * self._decks, 52 * self._decks)
        for _ in range(_RUNS if self._book in JACKPOTS else 0):
            hand = rng.choice(list(JACKPOTS[self._book].hands.values()))
            at = rng.randrange(len(stock) // 2, len(stock) - 4)
            for place, card in enumerate(hand):
                other = stock.index(card)
                stock[other], stock[at + place] = stock[at + place], stock[other]
        stock.insert(rng.randrange(_NEXT_CUT, len(stock) // 2), "cut")
        self._stock = stock
        burn = rng.choice(self._burns) if rng.random() < 0.5 else None
        return {"command": "open_shoe", **({"burn": burn} if burn else {})}

    def next(self, answer: Answer) -> Line:
        """Return the next line, and note what it lets out of the shoe."""
        line = super().next(answer)
        if line.get("unreadable") in UNREAD and self._unread is not None:
            self.unread_out.append(self._unread)
        if line.get("unreadable") == JERKED:
            self.unread_out.append(line["unreadable"])
        return line


def decks_of(book: str) -> int:
    """Return the decks that a table of this book has without an option."""
    return int(rulebooks.load(book).profile(None, 1)["decks"])


def shown(answer: Any, states: tuple[str, ...], faults: dict[int, str], results: list[Line]) -> Answer:
    """Return the state of the shoe as hands see it at its lamps, and the results since the last time."""
    fault = faults[answer.fault] if answer.fault else None
    return {
        "fault": fault,
        "due": answer.due,
        "locked": answer.locked,
        "state": states[answer.state],
        "events": results,
    }
