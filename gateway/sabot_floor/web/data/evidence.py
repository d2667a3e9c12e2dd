"""Evidence: the shape of everything that a page shows about one coup; also its JSON download."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from sabot_protocol.table_of_play import Side
from sabot_protocol.topics import CoupStatus

from sabot_floor.reports.contents import CoupReport
from sabot_floor.reports.rows import GapRow, WinRow
from sabot_floor.web.data.cells import Cell

EventKind = Literal["card", "coup", "confirmed", "alarm", "request", "answer", "incident", "step"]


class Place(msgspec.Struct, frozen=True):
    """An entry in the ledger of a gateway; entry 0: not known."""

    gateway: str = ""
    entry: int = 0


class EvidenceCard(msgspec.Struct, kw_only=True, frozen=True):
    """A card of the coup; `side` is empty for a card in no hand."""

    side: Side | Literal[""]
    slot: str
    card: str
    points: int
    time: Annotated[str, Meta(description="empty if the store has no entry of its own for this card")] = ""
    notes: list[str] = []
    place: Place = Place()


class Event(msgspec.Struct, kw_only=True, frozen=True):
    """Something that happened to the coup; the place of an incident is that of its newest state."""

    time: str
    kind: EventKind
    text: Annotated[str, Meta(description="as the message has it")]
    by: str = ""
    role: str = ""
    clause: str = ""
    place: Place = Place()
    id: str = ""
    name: Annotated[str, Meta(description="slot of a card, name of an alarm, incident or step, verb of a request")] = ""
    asks: Annotated[str, Meta(description="who asks, if another person approves")] = ""
    card: str = ""
    notes: Annotated[list[str], Meta(description="of a card, or flags of a coup of an Angel Eye")] = []
    args: Annotated[dict[str, str], Meta(description="of a request, without those that are not given")] = {}


class Confirmation(msgspec.Struct, kw_only=True, frozen=True):
    """A message on `confirmed`: the result may be settled, or was taken back."""

    time: str
    status: str
    by: str
    role: str
    clause: str
    coup_id: str
    corrects: str
    place: Place


class Contribution(msgspec.Struct, kw_only=True, frozen=True):
    """What the coup contributed to a jackpot; a reversal is negative."""

    jackpot: str
    time: str
    amount: Annotated[int, Meta(description="minor units")]
    currency: str
    coup_id: str
    reverses: str
    trigger: str
    counted: Annotated[str, Meta(description="time at which the floor service counted it; empty if it did not")]
    not_counted: Annotated[str, Meta(description="why it did not")] = ""


class Book(msgspec.Struct, kw_only=True, frozen=True):
    """The rulebook in force; `id` and `title` are empty if this software has none of this hash."""

    hash: str
    id: str = ""
    title: str = ""


class LedgerHash(msgspec.Struct, frozen=True):
    """The hash of an entry in the chain of its ledger, as its message named it."""

    entry: int
    hash: str


class LedgerHead(msgspec.Struct, kw_only=True, frozen=True):
    """The first kept head of a ledger that covers all entries of the coup: a line of the file for --heads."""

    gateway: str
    entry: int
    hash: str
    time: str
    signature: str = ""


class Ledger(msgspec.Struct, kw_only=True, frozen=True):
    """Where the coup stands in the ledger of one gateway."""

    gateway: str
    first: int
    last: int
    entries: list[int]
    hashes: Annotated[list[LedgerHash], Meta(description="of messages on `coup` and `confirmed`, as far as they came")]
    head: Annotated[LedgerHead | None, Meta(description="null: no head that covers them has come yet")]


class Evidence(msgspec.Struct, kw_only=True, frozen=True):
    """Everything about one coup."""

    id: Annotated[str, Meta(description="id of the newest message about the coup")]
    table: str
    unit: str
    shoe: int
    coup: int
    state: Annotated[CoupStatus, Meta(description="of the coup now: that of its newest confirmation, if it has one")]
    report: CoupReport
    rulebook: Book
    cards: list[EvidenceCard]
    cells: list[Cell]
    events: list[Event]
    confirmed: list[Confirmation]
    contributions: list[Contribution]
    wins: list[WinRow]
    digits: Annotated[dict[str, int], Meta(description="of each currency: how many digits stand after the point")] = {}
    ledgers: list[Ledger]
    verify: Annotated[list[str], Meta(description="commands with which anybody can check this")]


class Other(msgspec.Struct, frozen=True):
    """One of several coups that an address may mean."""

    unit: str
    id: str
    time: str


class Missing(msgspec.Struct, kw_only=True, frozen=True):
    """Why there is no such coup here, and which entries of the ledgers the store does not have."""

    say: str
    gaps: list[GapRow] = []
    others: list[Other] = []
