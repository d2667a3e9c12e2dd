"""THE definition of every message between shoe and gateway; its hash is the protocol version in HELLO.

Numbers are little-endian and stay below 2**30, so that a 32-bit MicroPython holds them without allocating.
An EVENT carries an event number that never repeats for a unit; ACK n means "durable up to and including n".
"""

import json
from functools import cache
from hashlib import sha256
from typing import Any, Final

from construct import (
    Bytes,
    Construct,
    FlagsEnum,
    FormatField,
    Int8ul,
    Int16ul,
    Int32ul,
    Mapping,
    Renamed,
    Struct,
    Switch,
    Terminated,
    Validator,
    this,
)

from sabot_protocol.cards import INDEX

HASH_BYTES: Final = 8
UNIT_BYTES: Final = 8


class AtMost(Validator):  # type: ignore[misc]
    """A whole number that is refused above its bound, both ways."""

    def __init__(self, subcon: Construct, most: int) -> None:
        super().__init__(subcon)
        self.most = most

    def _validate(self, obj: int, context: Any, path: str) -> bool:
        return obj <= self.most


Hash = Bytes(HASH_BYTES)
Unit = Bytes(UNIT_BYTES)
Card = Mapping(Int8ul, INDEX)
Slot = Mapping(
    Int8ul,
    {"burn": 0, "player_1": 1, "banker_1": 2, "player_2": 3, "banker_2": 4, "player_3": 5, "banker_3": 6},
)
Winner = Mapping(Int8ul, {"player": 1, "banker": 2, "tie": 3})
Burn = Mapping(Int8ul, {"none": 0, "one": 1, "shown": 2, "face_up": 3})
Button = Mapping(Int8ul, {"player": 1, "banker": 2, "tie": 3, "confirm": 4, "new_shoe": 5})
RejectReason = Mapping(
    Int8ul,
    {
        "blank": 1,  # no marks: the card lay face up, or is no card of ours
        "columns": 2,  # not ten columns
        "doubtful": 3,  # a column that is neither clearly marked nor clearly empty: `doubtful` says which
        "not_in_set": 4,  # ten clear columns that are no card of any set
        "short_pull": 5,  # drawn a little and let go
        "pushed_back": 6,  # moved against the direction of dealing, at the exit
        "double": 7,  # two cards together, or one that stopped where its length is measured
        "not_due": 8,  # a card came out while the exit was locked
        "foreign": 9,  # a card of another set
        "pushed_back_midway": 10,  # its columns passed the sensors back and forth
        "half_drawn": 11,  # left in the path
        "spacing": 12,  # ten columns, but not where a card has them
        "noise": 13,  # the sensors saw something, and no card passed
        "lid_open": 14,
    },
)
Sensor = Mapping(Int8ul, {"entry": 0, "a": 1, "b": 2, "exit": 3})
CloseReason = Mapping(Int8ul, {"last_coup": 1, "replaced": 2})
CoupFlags = FlagsEnum(Int8ul, player_pair=1, banker_pair=2, natural=4, last_coup=8)
Switches = FlagsEnum(Int8ul, cut_first_card_is_last_coup=1)


Small30 = AtMost(Int32ul, 2**30 - 1)
EventNo = Small30
Points = AtMost(Int8ul, 9)
Percent = AtMost(Int8ul, 100)
CoupPlace = ("shoe_no" / Int16ul, "coup_no" / Int16ul)

# Events, by kind: what the shoe logs. `coup_no` 0 is before the first coup of the shoe.
EVENTS: Final = {
    "boot": Struct("boot_count" / Int16ul),
    "profile_set": Struct("profile_hash" / Hash),
    "shoe_opened": Struct("shoe_no" / Int16ul, "card_set" / Int8ul, "decks" / Int8ul, "burn" / Burn),
    "card": Struct(*CoupPlace, "slot" / Slot, "card" / Card, "speed_mm_s" / Int16ul, "margin_pct" / Percent),
    "cutting_card": Struct(*CoupPlace, "before_first_card" / AtMost(Int8ul, 1)),
    "coup": Struct(
        *CoupPlace,
        "winner" / Winner,
        "player_points" / Points,
        "banker_points" / Points,
        "flags" / CoupFlags,
    ),
    # `columns` is how many were seen (of noise, how many changes); `doubtful` has a bit a column, the first is bit 0.
    "reject": Struct(
        *CoupPlace,
        "reason" / RejectReason,
        "columns" / Int8ul,
        "doubtful" / Int16ul,
        "speed_mm_s" / Int16ul,
        "margin_pct" / Percent,
    ),
    "button": Struct(*CoupPlace, "button" / Button),
    "shoe_closed": Struct("shoe_no" / Int16ul, "coups" / Int16ul, "reason" / CloseReason),
    "damaged": Struct(),  # the journal's record of this event failed its check: what it was is lost
    # What a sensor saw of a shoe, one event a sensor when it is closed: dirt and age show here first.
    "sensor": Struct(
        "shoe_no" / Int16ul,
        "sensor" / Sensor,
        "reads" / Int16ul,
        "rejects" / Int16ul,
        "spikes" / Int16ul,
        "margin_mean_pct" / Percent,
        "margin_worst_pct" / Percent,
        "speed_mean_mm_s" / Int16ul,
        "speed_least_mm_s" / Int16ul,
        "speed_most_mm_s" / Int16ul,
    ),
}
EventKind = Mapping(Int8ul, {kind: number for number, kind in enumerate(EVENTS, 1)})

# What a shoe must know of its house; the gateway sends it, the shoe works by it.
Profile = Struct(
    "rulebook_hash" / Hash,
    "card_set" / Int8ul,
    "decks" / Int8ul,
    "burn" / Burn,
    "switches" / Switches,
)

# Frames, by type. 0x00-0x7F come from the shoe, 0x80-0xFF from the gateway.
FrameType = Mapping(
    Int8ul, {"hello": 1, "event": 2, "alive": 3, "who": 0x80, "welcome": 0x81, "ack": 0x82, "set_profile": 0x83}
)
FRAMES: Final = {
    # The shoe introduces itself: at start, when asked, and until it is welcomed.
    "hello": Struct(
        "unit" / Unit,
        "boot_count" / Int16ul,
        "protocol_hash" / Hash,
        "profile_hash" / Hash,
        "firmware_version" / Bytes(3),
        "next_event_no" / EventNo,
        "oldest_event_no" / EventNo,
        "crc_errors" / Int16ul,
        "resends" / Int16ul,
        "sample_overruns" / Int16ul,
    ),
    "event": Struct("event_no" / EventNo, "kind" / EventKind, "data" / Switch(this.kind, EVENTS)),
    # Nothing to say, but there: sent once a second while nothing else is.
    "alive": Struct(),
    # The gateway asks who is there; the shoe answers HELLO and starts over.
    "who": Struct(),
    # The gateway has checked HELLO and holds everything up to `durable_event_no`.
    "welcome": Struct("protocol_hash" / Hash, "durable_event_no" / EventNo),
    "ack": Struct("event_no" / EventNo),
    # Ends as event profile_set, which comes when no shoe is open; repeated until then.
    "set_profile": Struct("profile_hash" / Hash, "profile" / Profile),
}
Frame = Struct(
    "type" / FrameType,
    "flags" / AtMost(Int8ul, 0),
    "seq" / Int16ul,
    "time_ms" / Small30,
    "body" / Switch(this.type, FRAMES),
    Terminated,
)


def describe(construct: Construct) -> Any:
    """A construct as plain lists: names, formats, enumerations and bounds, in order."""
    match construct:
        case Renamed():
            return [construct.name, describe(construct.subcon)]
        case Struct():
            return [describe(part) for part in construct.subcons]
        case Switch():
            return {key: describe(case) for key, case in construct.cases.items()}
        case Mapping():
            return [describe(construct.subcon), {str(k): v for k, v in construct.encmapping.items()}]
        case FlagsEnum():
            return [describe(construct.subcon), {str(k): v for k, v in construct.flags.items()}]
        case AtMost():
            return [describe(construct.subcon), construct.most]
        case FormatField():
            return construct.fmtstr
        case Bytes():
            return construct.length
    return type(construct).__name__


@cache
def protocol_hash() -> bytes:
    """Eight bytes that change whenever the definition does."""
    text = json.dumps(describe(Frame), separators=(",", ":"))
    return sha256(text.encode()).digest()[:HASH_BYTES]


def profile_hash(profile: dict[str, Any]) -> bytes:
    """Eight bytes that name a profile, the same on both sides."""
    return sha256(Profile.build(profile)).digest()[:HASH_BYTES]
