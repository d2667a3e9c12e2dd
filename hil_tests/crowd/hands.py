"""Hands: a careless dealer at one shoe; what really left the shoe is known here, whatever shoe and gateway say."""

import random
from collections.abc import Sequence
from typing import Any, Final

from edges.hands import JERKED, UNREAD, Answer, Hands, Line
from sabot_protocol import rulebooks
from sabot_protocol.cards import DECK
from sabot_protocol.fields import Slot

from crowd.site import BOOKS, JACKPOTS

_LUCK: Final = 0.1  # of the moments before a coup: it is one that wins the jackpot
_FIRST_CARD: Final = Slot.encmapping["player_1"]
_NEXT_CUT: Final = 20


class Luck:
    """Which table is dealt a hand that wins its jackpot: then its neighbours are too, so that wins wait together."""

    def __init__(self, rng: random.Random) -> None:
        self._rng, self._due = rng, set[str]()

    def comes(self, table: str) -> bool:
        """Return True if the coup that begins at a table is to win."""
        if BOOKS[table] in JACKPOTS and self._rng.random() < _LUCK:
            self._due |= {name for name, book in BOOKS.items() if book == BOOKS[table]}
        lucky = table in self._due
        self._due.discard(table)
        return lucky


class TrueHands(Hands):
    """The dealer of one shoe: a line is what hands do, or a command that people must ask for."""

    def __init__(self, rng: random.Random, table: str, decks: int, luck: Luck) -> None:
        super().__init__(rng, BOOKS[table])
        self._table, self._decks, self._luck = table, decks, luck
        self.unread_out: list[str] = []  # cards that left the shoe, were not read, and are not keyed in yet

    def _open(self) -> Line:
        """Put in the table's decks, in random order."""
        rng = self._rng
        stock = rng.sample(list(DECK) * self._decks, 52 * self._decks)
        stock.insert(rng.randrange(_NEXT_CUT, len(stock) // 2), "cut")
        self._stock = stock
        burn = rng.choice(self._burns) if rng.random() < 0.5 else None
        return {"command": "open_shoe", **({"burn": burn} if burn else {})}

    def next(self, answer: Answer) -> Line:
        """Return the next line, and note what it lets out of the shoe."""
        if answer["due"] == _FIRST_CARD and self._luck.comes(self._table):
            self._lay(self._rng.choice(list(JACKPOTS[BOOKS[self._table]].hands.values())))
        line = super().next(answer)
        if line.get("unreadable") in UNREAD and self._unread is not None:
            self.unread_out.append(self._unread)
        if line.get("unreadable") == JERKED:
            self.unread_out.append(line["unreadable"])
        return line

    def _lay(self, hand: Sequence[str]) -> None:
        """Let the next coup have these cards, if they are still in the shoe."""
        stock = self._stock
        for place, card in enumerate(hand, 1):
            rest = stock[: len(stock) - place + 1]
            if card in rest:
                other = rest.index(card)
                stock[other], stock[-place] = stock[-place], stock[other]


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
