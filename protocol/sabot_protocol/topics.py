"""The MQTT topics, in one table, and the payload each of them carries."""

from typing import Literal

import msgspec

ROOT = "sabot/v1"

TopicName = Literal["status", "shoe", "cards", "coup", "alarm", "alarms", "health"]
RETAINED: dict[TopicName, bool] = {
    "status": True,
    "shoe": True,
    "cards": False,
    "coup": False,
    "alarm": False,
    "alarms": True,
    "health": False,
}

CoupKind = Literal["live", "no_bet", "void_hand", "free_hand", "dummy", "void"]
CoupStatus = Literal["verified", "disputed", "confirmed", "void"]
Winner = Literal["player", "banker", "tie"]
Severity = Literal["info", "warning", "critical"]
AlarmState = Literal["raised", "acknowledged", "cleared"]


class Message(msgspec.Struct, kw_only=True, frozen=True):
    """What every message from the ledger carries; a consumer that has seen an `id` drops it."""

    id: str
    unit: str
    event_no: int
    table: str
    shoe: int
    coup: int
    time: str  # of the gateway's clock, ISO 8601, UTC
    rulebook: str


class CardMessage(Message, frozen=True):
    """A card that left the shoe."""

    slot: str
    card: str
    speed_mm_s: int
    margin: float
    shoe_time_ms: int
    notes: list[str] = []  # keyed, face_up, exposed, returned, surplus


class CoupMessage(Message, frozen=True):
    """The result of a coup, with the cards it follows from; a later one that `corrects` it takes its place."""

    kind: CoupKind
    status: CoupStatus
    winner: Winner | None  # of a void coup there is none
    player: list[str]
    banker: list[str]
    player_points: int
    banker_points: int
    player_pair: bool
    banker_pair: bool
    natural: bool
    last_coup: bool
    shoe_time_ms: int
    corrects: str = ""  # the id of the message whose coup a supervisor has confirmed or voided
    by: str = ""  # who did
    clause: str = ""  # under which clause


class ShoeMessage(Message, frozen=True):
    """The shoe at this table was opened or closed."""

    state: Literal["open", "closed"]
    decks: int
    card_set: int
    burn: str


class AlarmMessage(Message, frozen=True):
    """Something a person must look at, in plain English; said again when it is acknowledged and when it is over."""

    name: str
    say: str  # what happened, and the next step
    clause: str
    shoe_says: str
    cards_say: str
    alarm: str  # the `id` of the message that raised it
    severity: Severity
    state: AlarmState
    by: str = ""  # who acknowledged or cleared it: a person, or what ended it


class AlarmsMessage(msgspec.Struct, kw_only=True, frozen=True):
    """The alarms of a table that are not over, oldest first, as last said."""

    table: str
    time: str
    alarms: list[AlarmMessage]


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
    time: str
    unit: str | None = None  # the shoe that is served
    authenticated: bool | None = None  # of a shoe that is served: every frame proves who sent it
    problem: str | None = None  # why no shoe is served, in words


def table_topic(site: str, table: str, name: TopicName) -> str:
    """The full topic of one table."""
    return f"{ROOT}/{site}/{table}/{name}"


def gateway_status_topic(site: str) -> str:
    """Where the gateway itself says that it is there; its last will says that it is not."""
    return f"{ROOT}/{site}/status"
