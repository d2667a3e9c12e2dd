"""The MQTT topics and the payload of each."""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

ROOT = "sabot/v1"
KEEPALIVE_S: Final = 3  # of a gateway: the broker publishes its will when it hangs for one and a half of this
BEAT_S, SILENT_S = 1.0, 3.0  # a gateway sends a beat so often; one that sent beats and has sent none for so long hangs

TopicName = Literal[
    "status",
    "shoe",
    "cards",
    "coup",
    "confirmed",
    "alarm",
    "alarms",
    "incident",
    "open",
    "health",
    "attempt",
    "outcome",
    "history",
    "hand",
]
RETAINED: dict[TopicName, bool] = {
    "status": True,
    "shoe": True,
    "cards": False,
    "coup": False,
    "confirmed": False,
    "alarm": False,
    "alarms": True,
    "incident": False,
    "open": True,
    "health": False,
    "attempt": False,
    "outcome": False,
    "history": True,
    "hand": True,
}

_RETAINED_NAMES = frozenset(str(name) for name, retained in RETAINED.items() if retained)
JACKPOT = "jackpot/"  # begins a table's topics of increments and recorded wins; the jackpot's id follows

CoupKind = Literal["live", "no_bet", "void_hand", "free_hand", "dummy", "void"]
WAGERED: Final[frozenset[CoupKind]] = frozenset({"live", "free_hand"})  # kinds of coup in which people may wager
UNWAGERED: Final[frozenset[CoupKind]] = frozenset({"no_bet", "void_hand", "dummy"})
CoupStatus = Literal["verified", "disputed", "confirmed", "void"]
Winner = Literal["player", "banker", "tie"]
Severity = Literal["info", "warning", "critical"]
AlarmState = Literal["raised", "acknowledged", "cleared"]
DriverName = Literal["sabot", "angel-eye"]
Unknown = Literal["shoe", "coup", "lock", "error"]
Time = Annotated[str, Meta(description="gateway clock, ISO 8601, UTC", extra_json_schema={"format": "date-time"})]
ShoeTime = Annotated[
    int | UnsetType, Meta(description="milliseconds since the shoe was switched on; absent if the shoe has no clock")
]
# Where a message stands in a ledger: set when it is published, absent in the ledger itself.
GatewayId = Annotated[str | UnsetType, Meta(description="id of the gateway whose ledger has this message")]
EntryNumber = Annotated[int | UnsetType, Meta(description="number of its entry in that ledger")]
AfterEntry = Annotated[
    int | UnsetType, Meta(description="number of the entry published before it, of any table; 0 for the first")
]
EntryHash = Annotated[
    str | UnsetType,
    Meta(description="hash of its entry in the chain of that ledger, hex: `sabot ledger show` has it too"),
]
CoupFlag = Annotated[str, Meta(pattern=r"\A[a-z_]{1,32}\Z")]
Card = Annotated[str, Meta(description="rank A 2 … 9 T J Q K, then suit S H D C: 8H")]


class Message(msgspec.Struct, kw_only=True, frozen=True):
    """Fields of every message from the ledger; a consumer drops a message whose `id` it has seen."""

    gateway: GatewayId = UNSET
    entry: EntryNumber = UNSET
    after: AfterEntry = UNSET
    id: Annotated[str, Meta(description="id of this message; the same if it is delivered again")]
    unit: Annotated[str, Meta(description="unit id of the shoe's controller")]
    event_no: Annotated[int, Meta(description="event in the shoe's log that caused this message")]
    table: str
    shoe: Annotated[int, Meta(description="shoe number, per unit")]
    coup: Annotated[int, Meta(description="coup number, per shoe; 0 before the first coup")]
    time: Time
    rulebook: Annotated[str, Meta(description="hash of the rulebook in force")]


class CardMessage(Message, frozen=True):
    """A card that left the shoe."""

    slot: str
    card: Card
    speed_mm_s: Annotated[int | UnsetType, Meta(description="absent if the shoe does not report it")] = UNSET
    margin: Annotated[float | UnsetType, Meta(description="absent if the shoe does not report it")] = UNSET
    shoe_time_ms: ShoeTime = UNSET
    notes: Annotated[list[str], Meta(description="any of keyed, face_up, exposed, returned, surplus, kept")] = []


class Result(Message, frozen=True):
    """The result of a coup and its cards; a later message that `corrects` it replaces it."""

    kind: CoupKind
    status: CoupStatus
    winner: Annotated[Winner | None, Meta(description="null for a void coup")]
    player: list[Card]
    banker: list[Card]
    player_points: int
    banker_points: int
    player_pair: bool
    banker_pair: bool
    natural: bool
    last_coup: bool
    shoe_time_ms: ShoeTime = UNSET
    corrects: Annotated[
        str, Meta(description="id of the message that this one replaces, by a supervisor's decision")
    ] = ""
    by: Annotated[
        str, Meta(description="who decided: a person, or people at the shoe; empty if no decision was needed")
    ] = ""
    clause: Annotated[str, Meta(description="clause of the decision")] = ""
    decided: Annotated[
        str, Meta(description="time of the decision: of the request at the gateway, or of the event")
    ] = ""
    attempt: Annotated[str, Meta(description="id of the ledger entry with that request and the account")] = ""
    began: Annotated[
        str, Meta(description="table/unit/shoe/coup where the coup began, if it came from another shoe")
    ] = ""
    flags: Annotated[
        list[CoupFlag] | UnsetType,
        Meta(description="what happened in a coup of an Angel Eye, by its tracker's names; absent if nothing did"),
    ] = UNSET
    hash: EntryHash = UNSET


class CoupMessage(Result, frozen=True):
    """The result of a coup, not yet confirmed; a later message that `corrects` it replaces it."""


class ConfirmedMessage(Result, kw_only=True, frozen=True):
    """A result confirmed by the dealer or a supervisor; settle only by these. Or the voiding of a confirmed result."""

    status: Annotated[Literal["confirmed", "void"], Meta(description="void only in a correction of a confirmed result")]
    coup_id: Annotated[str, Meta(description="id of the message on `coup` with this result")]
    corrects: Annotated[
        str, Meta(description="id of the message on `confirmed` that this one replaces; empty for the first")
    ] = ""


class ShoeMessage(Message, frozen=True):
    """The shoe at this table was opened or closed."""

    state: Literal["open", "closed"]
    decks: int
    card_set: int
    burn: str


class AlarmMessage(Message, frozen=True):
    """Something a person must look at; published again when it is acknowledged and when it is cleared."""

    name: str
    say: Annotated[str, Meta(description="what happened, and the next step")]
    clause: str
    shoe_says: str
    cards_say: str
    alarm: Annotated[str, Meta(description="id of the message that raised the alarm")]
    severity: Severity
    state: AlarmState
    by: Annotated[
        str,
        Meta(
            description="who acknowledged or cleared it: a person, or the cause; while it is raised: the person whose "
            "act it is about, who cannot acknowledge it"
        ),
    ] = ""


class AlarmsMessage(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """The active alarms of a table, oldest first; if there are too many, the most severe and newest."""

    table: str
    time: Time
    alarms: list[AlarmMessage]
    more: Annotated[int, Meta(description="number of active alarms not listed here")] = 0


class Step(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """One thing that somebody must do to settle an incident."""

    name: str
    say: Annotated[str, Meta(description="what a person must do")]
    clause: str = ""
    act: Annotated[str, Meta(description="act of the rulebook's authority data; empty if it has none")] = ""
    role: Annotated[str, Meta(description="lowest role that may do it; empty if the rulebook names none")] = ""
    to: Annotated[list[str], Meta(description="who must be notified")] = []
    due: Annotated[str, Meta(description="when, as `due` of a report in the rulebook; empty for no limit")] = ""
    until: Annotated[str, Meta(description="the time by which it must be done, where it is known")] = ""
    done: Annotated[str, Meta(description="time at which it was done; empty while it is open")] = ""
    by: Annotated[str, Meta(description="who did it: a person, or the event that proves it")] = ""
    by_role: str = ""
    note: str = ""
    attempt: Annotated[str, Meta(description="id of the ledger entry with the request")] = ""
    late: Annotated[bool, Meta(description="done, or still open, after its time")] = False


class IncidentMessage(Message, kw_only=True, frozen=True, omit_defaults=True):
    """The whole state of something that people must settle; the newest message of an incident replaces the others."""

    incident: Annotated[str, Meta(description="id of the message that opened it")]
    kind: str
    state: Literal["open", "closed"]
    say: Annotated[str, Meta(description="what happened")]
    clause: str
    opened: Time
    by: Annotated[str, Meta(description="who opened it; empty if an event of the shoe did")] = ""
    alarm: Annotated[str, Meta(description="id of the alarm that opened it")] = ""
    coup_id: Annotated[str, Meta(description="id of the message on `coup` that it is about")] = ""
    facts: Annotated[dict[str, str | int | bool], Meta(description="what a person recorded with it")] = {}
    steps: list[Step] = []


class OpenMessage(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """The open incidents of a table, oldest first; if there are too many, the newest."""

    table: str
    time: Time
    incidents: list[IncidentMessage]
    more: Annotated[int, Meta(description="number of open incidents not listed here")] = 0


class HealthMessage(Message, frozen=True):
    """Statistics of one sensor over a shoe, published when the shoe is closed."""

    sensor: Literal["entry", "a", "b", "exit"]
    reads: int
    rejects: int
    spikes: int
    margin_mean: float
    margin_worst: float
    speed_mean_mm_s: int
    speed_least_mm_s: int
    speed_most_mm_s: int


class TableSetup(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """What a table offers, as its gateway's config and the rulebook have it."""

    game: Annotated[str, Meta(description="id of the game in the rulebook")]
    options: Annotated[dict[str, str], Meta(description="the value of every option of the rulebook")] = {}
    wagers: Annotated[list[str], Meta(description="ids of the wagers offered, as in the rulebook")] = []
    decks: int
    shoe: Annotated[
        dict[str, str], Meta(description="how the table deals: dealing, shuffler, style, as far as set")
    ] = {}


class StatusMessage(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """Whether the table's shoe is connected, or (`sabot/v1/<site>/status`, also the last will) the gateway."""

    state: Literal["online", "offline"]
    time: Time
    unit: Annotated[str | None, Meta(description="unit id of the shoe in service")] = None
    authenticated: Annotated[bool | None, Meta(description="true if every frame of that shoe has a MAC")] = None
    problem: Annotated[
        str | None, Meta(description="why no shoe is in service, or what is wrong with its log or its line")
    ] = None
    fault: Annotated[str | None, Meta(description="fault that locks the shoe's exit")] = None
    next_step: Annotated[str | None, Meta(description="what a person must do about that fault")] = None
    driver: Annotated[DriverName, Meta(description="protocol of the shoe; missing for Sabot's own")] = "sabot"
    commands: Annotated[bool, Meta(description="false if the gateway sends no commands to the shoe")] = True
    unknown: Annotated[
        list[Unknown],
        Meta(
            description="what is not known of an Angel Eye now. shoe: coups or a change of cards may be missing; coup: "
            "whether a coup is on the table, or its first cards; lock, error: not reported since it was connected"
        ),
    ] = []
    rulebook: Annotated[
        str | None, Meta(description="id of the table's rulebook; missing if no gateway serves it any more")
    ] = None
    gateway: Annotated[
        str | None, Meta(description="name of the gateway that serves the table, if the site has several")
    ] = None
    setup: Annotated[TableSetup | None, Meta(description="what the table offers; only of a table that is served")] = (
        None
    )
    ledger: Annotated[
        str | None, Meta(description="of a gateway that is online: the id that its ledger's entries name as `gateway`")
    ] = None
    tables: Annotated[
        list[str], Meta(description="of a gateway that is online: the tables that it serves, and no other speaks for")
    ] = []


class BeatMessage(msgspec.Struct, kw_only=True, frozen=True):
    """The gateway's loop goes round, also while the gateway is held."""

    time: Time
    gateway: Annotated[str, Meta(description="id of the gateway; empty from older versions")] = ""
    entry: Annotated[int, Meta(description="number of the newest entry in its ledger", ge=0)] = 0
    signature: Annotated[str, Meta(description="HMAC-SHA256 with the jackpot key, hex; empty without one")] = ""


class LedgerMessage(msgspec.Struct, kw_only=True, frozen=True):
    """The head of a gateway's ledger. Keep it: it proves later that nothing was removed or rewritten."""

    gateway: Annotated[str, Meta(description="id of the gateway that writes this ledger")]
    entry: Annotated[int, Meta(description="number of the newest entry, 0 for an empty ledger")]
    hash: Annotated[str, Meta(description="hash of that entry, hex")]
    time: Annotated[str, Meta(description="time of that entry, ISO 8601, UTC; empty for an empty ledger")]
    signature: Annotated[str, Meta(description="HMAC-SHA256 with the ledger's key, hex")] = ""


def table_topic(site: str, table: str, name: TopicName) -> str:
    """Return the full topic of a table."""
    return f"{ROOT}/{site}/{table}/{name}"


def is_published(topic: str, table: str) -> bool:
    """Return True if an entry of a ledger with this topic and table is published; one without a table is not."""
    return bool(table) and (topic in RETAINED or topic.startswith(JACKPOT))


def is_retained(topic: str) -> bool:
    """Return True if messages on this topic of a table are retained."""
    return topic in _RETAINED_NAMES


def entry_topic(site: str, table: str, topic: str) -> str:
    """Return the full topic of an entry of a ledger."""
    return f"{ROOT}/{site}/{table}/{topic}"


def gateway_status_topic(site: str, gateway: str = "") -> str:
    """Return the topic of a gateway's own status and last will; `gateway` is its name, if the site has several."""
    return f"{ROOT}/{site}/{_of_gateway(gateway)}status"


def _of_gateway(gateway: str) -> str:
    return f"gateway/{gateway}/" if gateway else ""


def ledger_topic(site: str, gateway: str = "") -> str:
    """Return the retained topic of the head of a gateway's ledger; `gateway` is its name, if the site has several."""
    return f"{ROOT}/{site}/{_of_gateway(gateway)}ledger"


def beat_topic(site: str, gateway: str = "") -> str:
    """Return the topic of a gateway's beats; `gateway` is its name, if the site has several."""
    return f"{ROOT}/{site}/{_of_gateway(gateway)}beat"


def increment_name(jackpot: str) -> str:
    """Return the topic of increments below that of the table, as a ledger has it."""
    return f"{JACKPOT}{jackpot}"


def recorded_name(jackpot: str) -> str:
    """Return the topic of recorded wins below that of the table, as a ledger has it."""
    return f"{JACKPOT}{jackpot}/recorded"


def increment_topic(site: str, table: str, jackpot: str) -> str:
    """Return the topic of a table's increments to a jackpot."""
    return entry_topic(site, table, increment_name(jackpot))


def recorded_topic(site: str, table: str, jackpot: str) -> str:
    """Return the topic of the wins that dealers record at a table."""
    return entry_topic(site, table, recorded_name(jackpot))


def command_topic(site: str, table: str) -> str:
    """Return the topic of the commands of the floor service to a table."""
    return f"{ROOT}/{site}/{table}/cmd"


def reply_topic(site: str, table: str) -> str:
    """Return the topic of a gateway's replies to commands."""
    return f"{ROOT}/{site}/{table}/cmd/reply"


JackpotTopic = Literal["meter", "pending", "win", "fault"]
JACKPOT_RETAINED: dict[JackpotTopic, bool] = {"meter": True, "pending": True, "win": False, "fault": False}


def log_head_topic(site: str, log: str) -> str:
    """Return the retained topic of the head of a log of the floor's store; `#` for all of them."""
    return f"{ROOT}/{site}/jackpot/heads/{log}"


def jackpot_topic(site: str, jackpot: str, name: JackpotTopic) -> str:
    """Return a topic of the floor service about a jackpot."""
    return f"{ROOT}/{site}/jackpot/{jackpot}/{name}"
