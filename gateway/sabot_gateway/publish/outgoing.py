"""Outgoing: ledger entries as MQTT messages, and the window of those that the broker has not acknowledged."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from sabot_protocol.place import Place, with_place
from sabot_protocol.topics import JACKPOT, is_published

from sabot_gateway.ledger import Stored

WINDOW = 400  # messages
MOST_CARDS = 64  # in one message: a whole shoe that is counted out would make one of 200 kB
_SPAN = 10_000  # entries
_CARDS = "cards"
_WITH_HASH = ("coup", "confirmed")  # topics whose messages have the hash of their entry


class Outgoing(NamedTuple):
    """One MQTT message, and the first and the last of the ledger entries in it."""

    first_seq: int
    last_seq: int
    table: str
    topic: str  # below that of the table
    payload: bytes


class _Cards:
    """Cards of a table that share a message."""

    def __init__(self, first_seq: int, table: str) -> None:
        self.first_seq, self.last_seq, self.table = first_seq, first_seq, table
        self.payloads: list[bytes] = []

    def message(self) -> Outgoing:
        return Outgoing(self.first_seq, self.last_seq, self.table, _CARDS, b"[%b]" % b",".join(self.payloads))


def outgoing(entries: Iterable[Stored], gateway: str, after: int) -> list[Outgoing]:
    """Return the entries to be published as messages, each with its place in the ledger; `after` was the last before.

    Each table's are in order: cards with nothing else of their table between share a message.
    """
    found: list[Outgoing | _Cards] = []
    open_cards: dict[str, _Cards] = {}  # by table: those that its next card joins
    for entry in entries:
        table, topic, seq = entry.table, entry.topic, entry.seq
        if not is_published(topic, table):
            continue  # the gateway's own
        payload, after = placed(entry, gateway, after), seq
        if topic != _CARDS:
            open_cards.pop(table, None)
            found.append(Outgoing(seq, seq, table, topic, payload))
            continue
        cards = open_cards.get(table)
        if cards is None or len(cards.payloads) >= MOST_CARDS:
            cards = open_cards[table] = _Cards(seq, table)
            found.append(cards)
        cards.payloads.append(payload)
        cards.last_seq = seq
    return [one.message() if isinstance(one, _Cards) else one for one in found]


def placed(entry: Stored, gateway: str, after: int) -> bytes:
    """Return the payload of an entry with its place; that of a jackpot names the gateway itself."""
    topic = entry.topic
    own = "" if topic.startswith(JACKPOT) else gateway
    digest = entry.hash.hex() if topic in _WITH_HASH else ""
    return with_place(bytes(entry.payload), Place(own, entry.seq, after, digest))


@dataclass
class Window:
    """Messages that the broker has not acknowledged, and so how far a cursor may move."""

    read_to: int  # the last entry that has been read, and sent if it had a topic
    waiting: dict[int, int] = field(default_factory=dict)  # message id: the first entry it covers, in rising order

    def room(self) -> int:
        """Return how many more may be under way: none while one entry holds the cursor too far back."""
        return min(WINDOW - len(self.waiting), self.done() + _SPAN - self.read_to)

    def done(self) -> int:
        """Return the last entry that needs never be sent again."""
        return next(iter(self.waiting.values()), self.read_to + 1) - 1
