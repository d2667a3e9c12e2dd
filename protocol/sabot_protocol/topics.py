"""The MQTT topics, in one table, and the payload each of them carries."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

ROOT = "sabot/v1"

TopicName = Literal["status", "shoe", "cards", "coup", "confirmed", "alarm", "alarms", "health"]
RETAINED: dict[TopicName, bool] = {
    "status": True,
    "shoe": True,
    "cards": False,
    "coup": False,
    "confirmed": False,
    "alarm": False,
    "alarms": True,
    "health": False,
}

CoupKind = Literal["live", "no_bet", "void_hand", "free_hand", "dummy", "void"]
CoupStatus = Literal["verified", "disputed", "confirmed", "void"]
Winner = Literal["player", "banker", "tie"]
Severity = Literal["info", "warning", "critical"]
AlarmState = Literal["raised", "acknowledged", "cleared"]
Time = Annotated[
    str, Meta(description="of the gateway's clock, ISO 8601, UTC", extra_json_schema={"format": "date-time"})
]
ShoeTime = Annotated[int, Meta(description="of the shoe's clock, since it was switched on")]
Card = Annotated[str, Meta(description="rank A 2 … 9 T J Q K and suit S H D C, as in 8H")]


class Message(msgspec.Struct, kw_only=True, frozen=True):
    """What every message from the ledger carries; a consumer that has seen an `id` drops it."""

    id: Annotated[str, Meta(description="of this message, for ever; the same when it is delivered again")]
    unit: Annotated[str, Meta(description="the shoe's controller")]
    event_no: Annotated[int, Meta(description="of the event in the shoe's log that this follows from")]
    table: str
    shoe: Annotated[int, Meta(description="the how many-th shoe this unit has dealt")]
    coup: Annotated[int, Meta(description="the how many-th coup of this shoe, 0 before the first")]
    time: Time
    rulebook: Annotated[str, Meta(description="the hash of the book that was in force")]


class CardMessage(Message, frozen=True):
    """A card that left the shoe."""

    slot: str
    card: Card
    speed_mm_s: int
    margin: float
    shoe_time_ms: ShoeTime
    notes: Annotated[list[str], Meta(description="keyed, face_up, exposed, returned, surplus")] = []


class Result(Message, frozen=True):
    """The result of a coup, with the cards it follows from; a later one that `corrects` it takes its place."""

    kind: CoupKind
    status: CoupStatus
    winner: Annotated[Winner | None, Meta(description="of a void coup there is none")]
    player: list[Card]
    banker: list[Card]
    player_points: int
    banker_points: int
    player_pair: bool
    banker_pair: bool
    natural: bool
    last_coup: bool
    shoe_time_ms: ShoeTime
    corrects: Annotated[str, Meta(description="id of the message whose coup a supervisor confirmed or voided")] = ""
    by: Annotated[str, Meta(description="who decided: a person, or people at the shoe; empty where nobody had to")] = ""
    clause: Annotated[str, Meta(description="under which clause")] = ""
    decided: Annotated[str, Meta(description="when: `time` of the request at the gateway, or of the event")] = ""
    attempt: Annotated[str, Meta(description="id of the ledger's entry with that request, and the account")] = ""
    began: Annotated[str, Meta(description="table/unit/shoe/coup where it began, if it came from another shoe")] = ""


class CoupMessage(Result, frozen=True):
    """The result of a coup before anybody confirmed it; a later one that `corrects` it takes its place."""


class ConfirmedMessage(Result, kw_only=True, frozen=True):
    """A result that the dealer or a supervisor has confirmed, the only one to settle by; or that such a one is void."""

    status: Annotated[
        Literal["confirmed", "void"], Meta(description="void: only where it corrects one that was confirmed")
    ]
    coup_id: Annotated[str, Meta(description="id of the message on `coup` whose result this is")]
    corrects: Annotated[
        str, Meta(description="id of the message on `confirmed` that this one takes the place of; empty for the first")
    ] = ""


class ShoeMessage(Message, frozen=True):
    """The shoe at this table was opened or closed."""

    state: Literal["open", "closed"]
    decks: int
    card_set: int
    burn: str


class AlarmMessage(Message, frozen=True):
    """Something a person must look at, in plain English; said again when it is acknowledged and when it is over."""

    name: str
    say: Annotated[str, Meta(description="what happened, and the next step")]
    clause: str
    shoe_says: str
    cards_say: str
    alarm: Annotated[str, Meta(description="the id of the message that raised it")]
    severity: Severity
    state: AlarmState
    by: Annotated[str, Meta(description="who acknowledged or cleared it: a person, or what ended it")] = ""


class AlarmsMessage(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """The alarms of a table that are not over, oldest first, as last said; of many the most severe and newest."""

    table: str
    time: Time
    alarms: list[AlarmMessage]
    more: Annotated[int, Meta(description="how many more are active and not listed here")] = 0


class HealthMessage(Message, frozen=True):
    """What one sensor of the shoe has seen, when a shoe is closed."""

    sensor: Literal["entry", "a", "b", "exit"]
    reads: int
    rejects: int
    spikes: int
    margin_mean: float
    margin_worst: float
    speed_mean_mm_s: int
    speed_least_mm_s: int
    speed_most_mm_s: int


class StatusMessage(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """Whether the table's shoe is talking, or (`sabot/v1/<site>/status`, also the will) the gateway is."""

    state: Literal["online", "offline"]
    time: Time
    unit: Annotated[str | None, Meta(description="the shoe that is served")] = None
    authenticated: Annotated[bool | None, Meta(description="every frame of that shoe proves who sent it")] = None
    problem: Annotated[
        str | None, Meta(description="why no shoe is served, or what is wrong with its log or its line, in words")
    ] = None
    fault: Annotated[str | None, Meta(description="the fault for which the shoe holds its exit")] = None
    next_step: Annotated[str | None, Meta(description="what a person does about that fault")] = None


class LedgerMessage(msgspec.Struct, kw_only=True, frozen=True):
    """The head of a gateway's ledger: whoever keeps it can show later that nothing was cut off or rewritten."""

    gateway: Annotated[str, Meta(description="id of the gateway that writes this ledger")]
    entry: Annotated[int, Meta(description="number of the newest entry, 0 for an empty ledger")]
    hash: Annotated[str, Meta(description="hash of that entry, hex")]
    time: Annotated[str, Meta(description="of that entry, ISO 8601, UTC; empty for an empty ledger")]
    signature: Annotated[str, Meta(description="HMAC-SHA256 by the ledger's own key, hex")] = ""


def table_topic(site: str, table: str, name: TopicName) -> str:
    """The full topic of one table."""
    return f"{ROOT}/{site}/{table}/{name}"


def gateway_status_topic(site: str) -> str:
    """Where the gateway itself says that it is there; its last will says that it is not."""
    return f"{ROOT}/{site}/status"


def ledger_topic(site: str) -> str:
    """Where the head of the gateway's ledger stands, retained."""
    return f"{ROOT}/{site}/ledger"
