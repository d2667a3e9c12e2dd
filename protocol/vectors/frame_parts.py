"""Frames by struct and crc_hqx, from the written definition; imports nothing of what the vectors test."""

import struct
from binascii import crc_hqx
from typing import Any, NamedTuple

TYPES = {
    "hello": 1, "event": 2, "alive": 3, "busy": 4, "update_state": 5,
    "who": 0x80, "welcome": 0x81, "ack": 0x82, "set_profile": 0x83, "command": 0x84, "resend": 0x85,
    "update": 0x86, "update_data": 0x87,
}  # fmt: skip


def cobs(data: bytes) -> bytes:
    """Consistent overhead byte stuffing, for less than 254 bytes without a zero."""
    return b"".join(bytes([len(block) + 1]) + block for block in data.split(b"\0"))


def wire(body: bytes) -> bytes:
    """A frame as it travels."""
    return cobs(body + struct.pack("<H", crc_hqx(body, 0xFFFF))) + b"\0"


class Part(NamedTuple):
    """Bytes, and what they say."""

    raw: bytes
    fields: dict[str, Any]


Given = tuple[Any, ...]  # name, format, number or bytes, and the value as JSON if that differs
TOP = 2**30 - 1
NO_CARD = 0xFF
CARD_FLAGS = "keyed face_up exposed returned surplus"
COUP_FLAGS = "player_pair banker_pair natural last_coup"
TESTS = "image journal flash sensors"
FACTS = (
    "banker_draws exposed last_coup international first_coup_complete reconstructible notified_before_next confirmed "
    "disadvantage"
)
SWITCHES = (
    "cut_first_card_is_last_coup post_cut_dummy_coups mid_shoe_burn card_may_return_to_shoe "
    "manual_entry_needs_authorisation dummy_needs_authorisation dealt_face_up continuous international this_no_bet "
    "result_before_confirm"
)
ORDERED = "player_overdraw banker_overdraw excess_card first_card_face_up"


def part(*given: Given) -> Part:
    """Fields one behind the other."""
    raw, fields = b"", {}
    for name, layout, value, *shown in given:
        raw += struct.pack("<" + layout, value)
        fields[name] = shown[0] if shown else value.hex() if isinstance(value, bytes) else value
    return Part(raw, fields)


def bits(names: str, number: int) -> dict[str, bool]:
    """Which of the named bits are set, the lowest first."""
    return {name: bool(number >> at & 1) for at, name in enumerate(names.split()) if name != "_"}


def flags(name: str, names: str, number: int, layout: str = "B") -> Given:
    """A field of named bits."""
    return name, layout, number, bits(names, number)


def table(*cards: str) -> Given:
    """The six places of a coup, `--` where no card lies; suits C, D, H, S by thirteen."""
    numbers = [
        NO_CARD if card == "--" else "CDHS".index(card[1]) * 13 + "A23456789TJQK".index(card[0]) for card in cards
    ]
    places = ("player_1", "banker_1", "player_2", "banker_2", "player_3", "banker_3")
    return "cards", "6s", bytes(numbers), dict(zip(places, cards, strict=True))


def coup(number: int = 2) -> tuple[Given, Given]:
    """Where most events happen."""
    return ("shoe_no", "H", 1), ("coup_no", "H", number)


def moved(decks: int, cards_out: int, coups_left: int, awaiting: int) -> tuple[Given, ...]:
    """What moves with a coup to another shoe."""
    numbers = ("decks", "B", decks), ("cards_out", "H", cards_out), ("coups_left", "B", coups_left)
    return *numbers, ("awaiting", "B", awaiting)


class Frame(NamedTuple):
    """Type, numbers and body of a frame, before it is sealed."""

    type: str
    seq: int
    time_ms: int
    body: Part

    def raw(self, flag: int = 0) -> bytes:
        """Header and body."""
        return struct.pack("<BBHI", TYPES[self.type], flag, self.seq, self.time_ms) + self.body.raw

    def fields(self, flag: int = 0) -> dict[str, Any]:
        """What a reader makes of it."""
        return {"type": self.type, "flags": flag, "seq": self.seq, "time_ms": self.time_ms, "body": self.body.fields}


def kinded(number_name: str, number: int, kind: str, kind_no: int, data: Part) -> Part:
    """An event or a command: its number, its kind, and what the kind adds."""
    head = part((number_name, "I", number), ("kind", "B", kind_no, kind))
    return Part(head.raw + data.raw, {**head.fields, "data": data.fields})


def event(number: int, kind: str, kind_no: int, data: Part) -> Part:
    """The body of an event."""
    return kinded("event_no", number, kind, kind_no, data)


def command(number: int, kind: str, kind_no: int, data: Part) -> Part:
    """The body of a command."""
    return kinded("command_id", number, kind, kind_no, data)


def done(number: int, kind: str, kind_no: int, data: Part) -> Part:
    """What event command_done makes of a command: the command again, with its outcome."""
    head = part(("command_id", "I", number), ("command", "B", kind_no, kind), ("outcome", "B", 0, "done"))
    return Part(head.raw + data.raw, {**head.fields, "data": data.fields})
