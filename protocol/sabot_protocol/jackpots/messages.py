"""Messages about jackpots: increments and records of a table, meters, wins and faults of the floor service."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from sabot_protocol.jackpots.parameters import Part
from sabot_protocol.topics import CoupKind, Message, Time

Amount = Annotated[int, Meta(description="minor units of the currency")]
WinState = Literal["recognised", "pending", "paid", "invalid", "cancelled"]


class IncrementMessage(Message, kw_only=True, frozen=True, omit_defaults=True):
    """A contribution of a table to a jackpot, or its reversal; `count` and `total` show whether one is missing."""

    gateway: Annotated[str, Meta(description="id of the gateway whose ledger counts")]
    jackpot: str
    parameters: Annotated[str, Meta(description="digest of the jackpot's parameters that gave the amount")]
    currency: str
    amount: Annotated[int, Meta(description="minor units; negative in a reversal")]
    count: Annotated[int, Meta(description="number of messages of this table for this jackpot, with this one")]
    total: Annotated[int, Meta(description="sum of their amounts")]
    coup_id: Annotated[str, Meta(description="id of the message on `confirmed` that this follows from")]
    kind: CoupKind
    began: Annotated[str, Meta(description="table/unit/shoe/coup where the coup began, if it moved")] = ""
    operator: Annotated[int, Meta(description="the operator's part of the amount")] = 0
    stakes: Annotated[dict[str, list[int]], Meta(description="stakes by wager, if recorded")] = msgspec.field(
        default_factory=dict
    )
    carry: Annotated[str, Meta(description="exact fraction of a minor unit not yet contributed, such as 1/3")] = "0"
    trigger: Annotated[str, Meta(description="outcome of the trigger that the cards gave; empty if none")] = ""
    reverses: Annotated[str, Meta(description="id of the increment that this one takes back")] = ""
    signature: Annotated[str, Meta(description="HMAC-SHA256 with the site's jackpot key, hex; empty without one")] = ""


class RecordedMessage(Message, kw_only=True, frozen=True, omit_defaults=True):
    """A dealer has recorded a winning hand; the order of the entries in a ledger is the order of its wins."""

    gateway: str
    jackpot: str
    coup_id: Annotated[str, Meta(description="id of the message on `confirmed` with the winning hand")]
    outcome: Annotated[str, Meta(description="outcome of the trigger")]
    at: Time
    by: str
    stakes: Annotated[dict[str, list[int]], Meta(description="stakes by wager, one for each winner")] = msgspec.field(
        default_factory=dict
    )
    first: Annotated[int, Meta(description="entry of the first record in the ledger, if this repeats it; else 0")] = 0
    signature: str = ""


class Meters(msgspec.Struct, kw_only=True, frozen=True):
    """The meters: base + in = display + wins + overflow + reserve."""

    base: Annotated[int, Meta(description="all that the operator put in beside increments")]
    in_: Annotated[int, Meta(description="sum of all increments and adjustments")] = msgspec.field(name="in")
    display: Amount
    hits: Annotated[int, Meta(description="number of wins paid")]
    wins: Annotated[int, Meta(description="sum of all prizes paid")]
    overflow: Amount
    reserve: Amount


class MeterMessage(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """The meters of a jackpot; retained."""

    jackpot: str
    title: str
    time: Time
    entry: Annotated[int, Meta(description="number of the newest entry of the jackpot's log")]
    hash: Annotated[str, Meta(description="hash of that entry, hex")]
    parameters: Annotated[str, Meta(description="digest of the parameters in force")]
    version: int
    currency: str
    meters: Meters
    balanced: bool
    tables: Annotated[list[str], Meta(description="tables of the jackpot")] = []
    not_offered: Annotated[dict[str, str], Meta(description="tables where the jackpot is not offered, and why")] = {}
    waiting: Annotated[str, Meta(description="digest of parameters that wait until the jackpot is won")] = ""
    commitment: Annotated[str, Meta(description="SHA-256 of the secret of the next random draw, hex")] = ""
    problem: str = ""


class Win(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """One win, from the recognised hand to its end."""

    win: Annotated[str, Meta(description="id of the coup, or of the draw")]
    table: str
    shoe: int = 0
    coup: int = 0
    outcome: str
    percent: Annotated[Part, Meta(description="of the rounded value; a text such as 12.5 if it has decimals")]
    state: WinState
    at: Annotated[str, Meta(description="time for settlement: when the dealer recorded it; empty before")] = ""
    value: Annotated[int, Meta(description="display at settlement, before rounding")] = 0
    rounded: Annotated[int, Meta(description="value rounded up to the smallest payable amount")] = 0
    prize: Amount = 0
    shares: Annotated[list[int], Meta(description="prize for each qualifying wager, in the order recorded")] = []
    stakes: list[int] = []
    seat: str = ""
    by: Annotated[str, Meta(description="who confirmed it, or deemed it invalid")] = ""
    role: str = ""
    notified: str = ""
    closed: Annotated[str, Meta(description="time at which it was paid, or deemed invalid")] = ""
    reason: str = ""
    undecided: Annotated[list[str], Meta(description="wins that it may come before or after: a person decides")] = []
    due: Annotated[
        int | UnsetType,
        Meta(description="prize that was due, in minor units, if another was paid; 0: the coup is void"),
    ] = UNSET
    settled: Annotated[
        int | UnsetType,
        Meta(description="prize that the winner has since a difference was settled, if it is not the one paid"),
    ] = UNSET
    recorder: Annotated[str, Meta(description="who recorded it")] = ""


class PendingMessage(msgspec.Struct, kw_only=True, frozen=True):
    """Wins that wait for the dealer's record or for confirmation, in the order of recording; retained."""

    jackpot: str
    time: Time
    wins: list[Win]
    more: Annotated[int, Meta(description="number of wins not listed here")] = 0


class WinMessage(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """A win was recorded, paid, deemed invalid or cancelled."""

    id: str
    jackpot: str
    title: str
    time: Time
    currency: str
    win: Win
    display: Annotated[int, Meta(description="the meter after this")]


class FaultMessage(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """Something about a jackpot that a person must look at, or its end."""

    id: str
    jackpot: str
    time: Time
    table: str = ""
    name: Annotated[str, Meta(description="mismatch, unbalanced, refused, missed, withdrawn, restored …")]
    say: Annotated[str, Meta(description="what happened, and the next step")]
    clause: str = ""
    active: bool = True
