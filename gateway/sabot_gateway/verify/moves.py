"""Moves: coups in progress that left one shoe of this gateway for another (Rapid 11.8.15)."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sabot_protocol.fields import NO_CARD, Slot

from sabot_gateway.shoe.parse import Event

_MOST = 8  # kept of each table, the newest
Cards = tuple[tuple[str, str], ...]  # slots and cards
LEFT = "handed_over"  # the alarm that is active while a coup that left has not come to a table here
POSITION = ("decks", "cards_out", "coups_left", "awaiting")  # in the shoe; the other shoe must know it


def on_table(cards: dict[str, str]) -> Cards:
    """Return the cards on the table, by slot."""
    return tuple(sorted((slot, card) for slot, card in cards.items() if card != NO_CARD))


def as_arguments(cards: Cards) -> str:
    """Return the cards as a person types them, in the order drawn."""
    return " ".join(f"{slot}={card}" for slot, card in sorted(cards, key=lambda one: Slot.encmapping[one[0]]))


def import_command(coup_no: int, cards: Cards = (), table: str = "TABLE") -> str:
    """Return what a person types at the table where this coup continues; without cards, how they are written."""
    return f"`sabot table {table} import-coup {coup_no} {as_arguments(cards) or 'SLOT=CARD …'} --by NAME --clause N`"


@dataclass
class Moved:
    """A coup as it left, and what is known of its shoe."""

    table: str
    event: Event
    time: str
    out: Counter[str]  # how often each card of its shoe is out
    doubtful: bool  # it had a discrepancy
    taken_by: str = ""  # the table where it continues

    @property
    def coup_no(self) -> int:
        """The number, which stays the same."""
        number: int = self.event.data["coup_no"]
        return number

    @property
    def kind(self) -> str:
        """The kind, which stays the same."""
        return str(self.event.data["kind"])

    @property
    def cards(self) -> Cards:
        """The cards on the table."""
        return on_table(self.event.data["cards"])

    @property
    def began(self) -> str:
        """Table, unit, shoe and coup where the coup began."""
        return f"{self.table}/{self.event.unit}/{self.event.data['shoe_no']}/{self.coup_no}"

    @property
    def alarm(self) -> str:
        """The id of its alarm."""
        return f"{self.event.unit}-{self.event.event_no}-{LEFT}"

    @property
    def numbered(self) -> tuple[str, int]:
        """Unit and number of the event."""
        return self.event.unit, self.event.event_no

    def position(self) -> dict[str, Any]:
        """Return its position in the shoe."""
        return {name: self.event.data[name] for name in POSITION}


class Arrival(NamedTuple):
    """A coup that came to a table."""

    coup_no: int
    cards: Cards
    time: str


def _newest() -> deque[Any]:
    return deque(maxlen=_MOST)


def _newest_of_each() -> dict[str, deque[Any]]:
    """Return the newest of each table, none at first."""
    return defaultdict(_newest)


@dataclass
class Moves:
    """Shared by the tables of a gateway. After a restart each table's log restores its own part, in any order."""

    _left: dict[str, deque[Moved]] = field(default_factory=_newest_of_each)
    _unknown: dict[str, deque[Arrival]] = field(default_factory=_newest_of_each)

    active_alarms: dict[str, Callable[[], set[str]]] = field(
        default_factory=dict
    )  # by table: ids of its active alarms about coups that left

    def left(self, moved: Moved) -> None:
        """Add a coup that left; its arrival may be known already."""
        for table, arrivals in self._unknown.items():
            for one in arrivals:
                if (one.coup_no, one.cards) == (moved.coup_no, moved.cards) and moved.time <= one.time:
                    moved.taken_by = table
        left = self._left[moved.table]
        for before in [before for before in left if before.numbered == moved.numbered]:  # the log is read again
            moved.taken_by = before.taken_by
            left.remove(before)
        left.append(moved)

    def find(self, coup_no: int, cards: Cards) -> Moved | None:
        """Return the last coup that left with this number and these cards, or None."""
        found = [one for left in self._left.values() for one in left if (one.coup_no, one.cards) == (coup_no, cards)]
        return max(found, key=lambda one: one.time, default=None)

    def last(self, table: str) -> Moved | None:
        """Return the coup that left this table last, or None."""
        return self._left[table][-1] if self._left[table] else None

    def recall(self, moved: Moved) -> None:
        """Add a coup that left before a restart, unless it is known."""
        if all(before.numbered != moved.numbered for before in self._left[moved.table]):
            self.left(moved)

    def taken(self, table: str) -> dict[str, str]:
        """Return the tables where coups of this table continue, by the ids of their alarms."""
        return {one.alarm: one.taken_by for one in self._left[table] if one.taken_by}

    def with_other_cards(self, coup_no: int, cards: Cards) -> Moved | None:
        """Return the last coup of this number that left with other cards and has come to no table, or None."""
        left = [one for of_table in self._left.values() for one in of_table]
        found = [one for one in left if one.coup_no == coup_no and one.cards != cards and self._waits(one)]
        return max(found, key=lambda one: one.time, default=None)

    def _waits(self, moved: Moved) -> bool:
        active_alarms = self.active_alarms.get(moved.table)
        return not moved.taken_by and (active_alarms is None or moved.alarm in active_alarms())

    def arrived(self, event: Event, table: str, time: str) -> Moved | None:
        """Note that a coup came to this table; return the coup that left, or None if it is not known."""
        coup_no, cards = event.data["coup_no"], on_table(event.data["cards"])
        found = self.find(coup_no, cards)
        if found is None or found.taken_by not in ("", table):
            self._unknown[table].append(Arrival(coup_no, cards, time))
            return None
        found.taken_by = table
        return found
