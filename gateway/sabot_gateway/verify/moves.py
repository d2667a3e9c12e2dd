"""Moves: coups in progress that left one shoe of this gateway for another (Rapid 11.8.15), and where each goes on."""

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

from sabot_protocol.fields import NO_CARD

from sabot_gateway.parse import Event

_MOST = 100  # kept, the newest
Cards = tuple[tuple[str, str], ...]  # slots and cards
PLACE = ("decks", "cards_out", "coups_left", "awaiting")  # of a shoe, as the next one must know them


def laid(cards: dict[str, str]) -> Cards:
    """The cards on the table, by slot."""
    return tuple(sorted((slot, card) for slot, card in cards.items() if card != NO_CARD))


@dataclass
class Moved:
    """A coup as it left, and what was known of its shoe."""

    table: str
    event: Event
    time: str
    out: Counter[str]  # cards of its shoe that are out, by card
    doubtful: bool  # it was in doubt already
    taken_by: str = ""  # the table where it goes on

    @property
    def coup_no(self) -> int:
        """Its number, which it keeps."""
        number: int = self.event.data["coup_no"]
        return number

    @property
    def kind(self) -> str:
        """Its kind, which it keeps too."""
        return str(self.event.data["kind"])

    @property
    def cards(self) -> Cards:
        """On the table."""
        return laid(self.event.data["cards"])

    @property
    def began(self) -> str:
        """Table, unit, shoe and coup where it began."""
        return f"{self.table}/{self.event.unit}/{self.event.data['shoe_no']}/{self.coup_no}"

    def place(self) -> dict[str, Any]:
        """Where in its shoe it stands."""
        return {name: self.event.data[name] for name in PLACE}


@dataclass
class Moves:
    """Shared by the tables of a gateway; after a restart each table's log brings back its own part, in any order."""

    _left: deque[Moved] = field(default_factory=lambda: deque(maxlen=_MOST))
    _unknown: deque[tuple[int, Cards, str, str]] = field(default_factory=lambda: deque(maxlen=_MOST))

    def left(self, moved: Moved) -> None:
        """A coup has left; where its arrival was read before, it is taken."""
        for coup_no, cards, table, time in self._unknown:
            if (coup_no, cards) == (moved.coup_no, moved.cards) and moved.time <= time:
                moved.taken_by = table
        for one in [one for one in self._left if one.event[:2] == moved.event[:2]]:  # its log is read again
            moved.taken_by = one.taken_by
            self._left.remove(one)
        self._left.append(moved)

    def find(self, coup_no: int, cards: Cards) -> Moved | None:
        """The last coup that left with this number and these cards."""
        return next((one for one in reversed(self._left) if (one.coup_no, one.cards) == (coup_no, cards)), None)

    def arrived(self, event: Event, table: str, time: str) -> Moved | None:
        """A coup has come to this table: what is known of it."""
        coup_no, cards = event.data["coup_no"], laid(event.data["cards"])
        found = self.find(coup_no, cards)
        if found is None or found.taken_by not in ("", table):
            self._unknown.append((coup_no, cards, table, time))
            return None
        found.taken_by = table
        return found
