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


def named(**values: tuple[int, str]) -> Mapping:
    """A byte whose values have names; what each means stands beside its number."""
    mapping = Mapping(Int8ul, {name: number for name, (number, _) in values.items()})
    mapping.meanings = {name: meaning for name, (_, meaning) in values.items()}
    return mapping


def flags(**values: tuple[int, str]) -> FlagsEnum:
    """A byte whose bits have names; what each means stands beside its bit."""
    bits = FlagsEnum(Int8ul, **{name: bit for name, (bit, _) in values.items()})
    bits.meanings = {name: meaning for name, (_, meaning) in values.items()}
    return bits


def said(part: Construct, text: str) -> Construct:
    """The part, with what it is for; no wrapper of construct's own, which would show in the place of an error."""
    part.docs = text
    return part


Hash = Bytes(HASH_BYTES)
Unit = Bytes(UNIT_BYTES)
Card = Mapping(Int8ul, INDEX)
Slot = named(
    burn=(0, "burnt, before the first coup"),
    player_1=(1, "the Player's first card"),
    banker_1=(2, "the Banker's first card"),
    player_2=(3, "the Player's second card"),
    banker_2=(4, "the Banker's second card"),
    player_3=(5, "the Player's third card"),
    banker_3=(6, "the Banker's third card"),
)
Winner = named(player=(1, "the Player wins"), banker=(2, "the Banker wins"), tie=(3, "both have the same points"))
Burn = named(
    none=(0, "no card is burnt"),
    one=(1, "one card, face down"),
    shown=(2, "one card, shown"),
    face_up=(3, "the first card face up, then as many as its value"),
)
Button = named(
    player=(1, "the dealer says: the Player wins"),
    banker=(2, "the dealer says: the Banker wins"),
    tie=(3, "the dealer says: a tie"),
    confirm=(4, "the result is read; on to the next coup"),
    new_shoe=(5, "new cards are in"),
)
RejectReason = named(
    blank=(1, "no marks: the card lay face up, or is no card of ours"),
    columns=(2, "not ten columns"),
    doubtful=(3, "a column that is neither clearly marked nor clearly empty: `doubtful` says which"),
    not_in_set=(4, "ten clear columns that are no card of any set"),
    short_pull=(5, "drawn a little and let go"),
    pushed_back=(6, "moved against the direction of dealing, at the exit"),
    double=(7, "two cards together, or one that stopped where its length is measured"),
    not_due=(8, "a card came out while the exit was locked"),
    foreign=(9, "a card of another set"),
    pushed_back_midway=(10, "its columns passed the sensors back and forth"),
    half_drawn=(11, "left in the path"),
    spacing=(12, "ten columns, but not where a card has them"),
    noise=(13, "the sensors saw something, and no card passed"),
    lid_open=(14, "the lid was opened"),
)
Sensor = named(
    entry=(0, "presence at the entry"), a=(1, "code track A"), b=(2, "code track B"), exit=(3, "presence at the exit")
)
CloseReason = named(last_coup=(1, "the last coup was confirmed"), replaced=(2, "New shoe was pressed"))
CoupFlags = flags(
    player_pair=(1, "the Player's first two cards are of one rank"),
    banker_pair=(2, "the Banker's first two cards are of one rank"),
    natural=(4, "eight or nine on two cards"),
    last_coup=(8, "the shoe ends with this coup"),
)
Switches = flags(
    cut_first_card_is_last_coup=(1, "a cutting card before the first card of a coup makes that coup the last"),
)

Small30 = AtMost(Int32ul, 2**30 - 1)
EventNo = Small30
Points = AtMost(Int8ul, 9)
Percent = AtMost(Int8ul, 100)
ShoeNo = said("shoe_no" / Int16ul, "counts shoes of this unit")
CoupPlace = (ShoeNo, said("coup_no" / Int16ul, "0 is before the first coup of the shoe"))
Speed = Int16ul
ReadSpeed = said("speed_mm_s" / Speed, "from entry to exit; 0 if the card did not get there")
Margin = said("margin_pct" / Percent, "how far the worse track was from doubt")

# Events, by kind: what the shoe logs, numbered in this order from 1.
EVENTS: Final = {
    "boot": said(Struct(said("boot_count" / Int16ul, "starts of this unit")), "The shoe has started."),
    "profile_set": said(Struct("profile_hash" / Hash), "The shoe now works by this profile."),
    "shoe_opened": said(
        Struct(
            ShoeNo,
            said("card_set" / Int8ul, "whose code words are read"),
            "decks" / Int8ul,
            "burn" / Burn,
        ),
        "The dealer put cards in and pressed New shoe.",
    ),
    "card": said(
        Struct(*CoupPlace, "slot" / Slot, "card" / Card, ReadSpeed, Margin), "A certain card has left the exit."
    ),
    "cutting_card": said(
        Struct(*CoupPlace, said("before_first_card" / AtMost(Int8ul, 1), "1 if no card of the coup was out")),
        "The cutting card has left the exit.",
    ),
    "coup": said(
        Struct(
            *CoupPlace,
            "winner" / Winner,
            "player_points" / Points,
            "banker_points" / Points,
            "flags" / CoupFlags,
        ),
        "The coup is complete: what the shoe makes of its cards.",
    ),
    "reject": said(
        Struct(
            *CoupPlace,
            "reason" / RejectReason,
            said("columns" / Int8ul, "how many were seen; of noise, how many changes"),
            said("doubtful" / Int16ul, "a bit a column, the first is bit 0"),
            ReadSpeed,
            Margin,
        ),
        "Something happened in the path that is no certain card.",
    ),
    "button": said(Struct(*CoupPlace, "button" / Button), "A button of the dealer was pressed."),
    "shoe_closed": said(
        Struct(ShoeNo, said("coups" / Int16ul, "dealt from it"), "reason" / CloseReason), "No more coups."
    ),
    "damaged": said(Struct(), "The journal's record of this event failed its check: what it was is lost."),
    "sensor": said(
        Struct(
            ShoeNo,
            "sensor" / Sensor,
            said("reads" / Int16ul, "cards that counted"),
            said("rejects" / Int16ul, "of the whole shoe"),
            said("spikes" / Int16ul, "changes that did not last"),
            "margin_mean_pct" / Percent,
            "margin_worst_pct" / Percent,
            "speed_mean_mm_s" / Speed,
            "speed_least_mm_s" / Speed,
            "speed_most_mm_s" / Speed,
        ),
        "What a sensor saw of a shoe, one event a sensor when it is closed: dirt and age show here first.",
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
    "hello": said(
        Struct(
            said("unit" / Unit, "the controller's own number"),
            said("boot_count" / Int16ul, "starts of this unit"),
            said("protocol_hash" / Hash, "must be the gateway's own"),
            said("profile_hash" / Hash, "of the profile it works by; zeros for none"),
            said("firmware_version" / Bytes(3), "major, minor, patch"),
            said("next_event_no" / EventNo, "what the next event will be numbered"),
            said("oldest_event_no" / EventNo, "the first that can still be sent"),
            said("crc_errors" / Int16ul, "frames that came in damaged"),
            said("resends" / Int16ul, "how often it began again from the first event not acknowledged"),
            said("sample_overruns" / Int16ul, "changes of the sensors that found no room"),
        ),
        "The shoe introduces itself: at start, when asked, and until it is welcomed.",
    ),
    "event": said(
        Struct(
            said("event_no" / EventNo, "never repeats for a unit"),
            "kind" / EventKind,
            said("data" / Switch(this.kind, EVENTS), "by kind"),
        ),
        "An event of the shoe's log; `time_ms` of the frame is when it happened.",
    ),
    "alive": said(Struct(), "Nothing to say, but there: sent once a second while nothing else is."),
    "who": said(Struct(), "The gateway asks who is there; the shoe answers HELLO and starts over."),
    "welcome": said(
        Struct(
            said("protocol_hash" / Hash, "the gateway's own"),
            said("durable_event_no" / EventNo, "the shoe goes on with the next"),
        ),
        "The gateway has checked HELLO and holds everything up to `durable_event_no`.",
    ),
    "ack": said(Struct("event_no" / EventNo), "Everything up to and including this event is durable."),
    "set_profile": said(
        Struct(said("profile_hash" / Hash, "of the profile below"), "profile" / Profile),
        "Ends as event profile_set, which comes when no shoe is open; repeated until then.",
    ),
}
Frame = Struct(
    "type" / FrameType,
    said("flags" / AtMost(Int8ul, 0), "none is defined"),
    said("seq" / Int16ul, "counts frames of this sender"),
    said("time_ms" / Small30, "of the sender's clock; of an event: when it happened"),
    said("body" / Switch(this.type, FRAMES), "by type"),
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
