"""Outgoing: ledger entries as MQTT messages, and the window of those that the broker has not acknowledged."""

from dataclasses import dataclass, field

from sabot_protocol.topics import JACKPOT, RETAINED

from sabot_gateway.ledger import Stored

WINDOW = 400  # messages
_SPAN = 10_000  # entries


@dataclass(frozen=True)
class Outgoing:
    """One MQTT message and the first of the ledger entries it covers."""

    first_seq: int
    table: str
    topic: str  # below that of the table
    payload: bytes


def outgoing(entries: list[Stored]) -> list[Outgoing]:
    """Return entries as messages, each table's in order: cards with nothing else of their table between share one."""
    groups: list[list[Stored]] = []
    cards: dict[str, list[Stored]] = {}  # by table: those that its next card joins
    for entry in entries:
        if entry.topic not in RETAINED and not entry.topic.startswith(JACKPOT):
            continue  # the gateway's own
        if entry.topic == "cards" and entry.table in cards:
            cards[entry.table].append(entry)
            continue
        groups.append([entry])
        cards.pop(entry.table, None)
        if entry.topic == "cards":
            cards[entry.table] = groups[-1]
    return [_message(group) for group in groups]


def _message(group: list[Stored]) -> Outgoing:
    first = group[0]
    cards = first.topic == "cards"
    payload = b"[%b]" % b",".join(bytes(card.payload) for card in group) if cards else first.payload
    return Outgoing(first.seq, first.table, first.topic, payload)


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
