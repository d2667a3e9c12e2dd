"""Outgoing: ledger entries as MQTT messages, and the window of those that the broker has not acknowledged."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from sabot_protocol.place import Place, with_place
from sabot_protocol.topics import JACKPOT, is_published

from sabot_gateway.ledger import Stored

WINDOW = 400  # messages
MOST_CARDS = 64  # in one message: a whole shoe that is counted out would make one of 200 kB
_SPAN = 10_000  # entries
_WITH_HASH = ("coup", "confirmed")  # topics whose messages have the hash of their entry


@dataclass(frozen=True)
class Outgoing:
    """One MQTT message, and the first and the last of the ledger entries in it."""

    first_seq: int
    last_seq: int
    table: str
    topic: str  # below that of the table
    payload: bytes


def outgoing(entries: Iterable[Stored], gateway: str, after: int) -> list[Outgoing]:
    """Return the entries to be published as messages, each with its place in the ledger; `after` was the last before.

    Each table's are in order: cards with nothing else of their table between share a message.
    """
    groups: list[list[Stored]] = []
    afters: dict[int, int] = {}  # by entry: the one published before it
    cards: dict[str, list[Stored]] = {}  # by table: those that its next card joins
    for entry in entries:
        if not is_published(entry.topic, entry.table):
            continue  # the gateway's own
        afters[entry.seq], after = after, entry.seq
        joined = cards.get(entry.table) if entry.topic == "cards" else None
        if joined is not None and len(joined) < MOST_CARDS:
            joined.append(entry)
            continue
        groups.append([entry])
        cards.pop(entry.table, None)
        if entry.topic == "cards":
            cards[entry.table] = groups[-1]
    return [_message(group, gateway, afters) for group in groups]


def placed(entry: Stored, gateway: str, after: int) -> bytes:
    """Return the payload of an entry with its place; that of a jackpot names the gateway itself."""
    own = "" if entry.topic.startswith(JACKPOT) else gateway
    digest = entry.hash.hex() if entry.topic in _WITH_HASH else ""
    return with_place(bytes(entry.payload), Place(own, entry.seq, after, digest))


def _message(group: list[Stored], gateway: str, afters: dict[int, int]) -> Outgoing:
    first = group[0]
    payloads = [placed(entry, gateway, afters[entry.seq]) for entry in group]
    payload = b"[%b]" % b",".join(payloads) if first.topic == "cards" else payloads[0]
    return Outgoing(first.seq, group[-1].seq, first.table, first.topic, payload)


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
