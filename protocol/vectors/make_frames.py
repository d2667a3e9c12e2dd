"""Writes frames.jsonl with struct, hmac and crc_hqx, from the written definition; imports nothing of what it tests."""

import hmac
import json
import struct
from binascii import crc_hqx
from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent


def cobs(data: bytes) -> bytes:
    """Consistent overhead byte stuffing, for less than 254 bytes without a zero."""
    return b"".join(bytes([len(block) + 1]) + block for block in data.split(b"\0"))


def wire(body: bytes) -> bytes:
    """A frame as it travels."""
    return cobs(body + struct.pack("<H", crc_hqx(body, 0xFFFF))) + b"\0"


class Part(NamedTuple):
    """Bytes, and what they say."""

    raw: bytes
    says: dict[str, Any]


Given = tuple[Any, ...]  # name, format, number or bytes, and what it says where that is not itself
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
    "manual_entry_needs_authorisation dummy_needs_authorisation dealt_face_up continuous international this_no_bet"
)
ORDERED = "player_overdraw banker_overdraw excess_card first_card_face_up"


def part(*given: Given) -> Part:
    """Fields one behind the other."""
    raw, says = b"", {}
    for name, layout, value, *word in given:
        raw += struct.pack("<" + layout, value)
        says[name] = word[0] if word else value.hex() if isinstance(value, bytes) else value
    return Part(raw, says)


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


NONE = part()
EVENTS: list[tuple[str, int, Part]] = [
    ("boot", 1, part(("boot_count", "H", 3), ("cause", "B", 1, "power"))),
    ("boot", 1, part(("boot_count", "H", 65535), ("cause", "B", 4, "error"))),
    ("profile_set", 2, part(("profile_hash", "8s", bytes(range(0xF0, 0xF8))))),
    ("shoe_opened", 3, part(("shoe_no", "H", 1), ("card_set", "B", 2), ("decks", "B", 8),
        ("burn", "B", 3, "face_up"))),
    ("shoe_opened", 3, part(("shoe_no", "H", 0), ("card_set", "B", 0), ("decks", "B", 0), ("burn", "B", 0, "none"))),
    ("card", 4, part(*coup(), ("slot", "B", 1, "player_1"), ("card", "B", 33, "8H"), ("speed_mm_s", "H", 900),
        ("margin_pct", "B", 80), flags("flags", CARD_FLAGS, 0))),
    ("card", 4, part(*coup(0), ("slot", "B", 0, "burn"), ("card", "B", 0, "AC"), ("speed_mm_s", "H", 0),
        ("margin_pct", "B", 0), flags("flags", CARD_FLAGS, 17))),
    ("card", 4, part(("shoe_no", "H", 65535), ("coup_no", "H", 65535), ("slot", "B", 6, "banker_3"),
        ("card", "B", 51, "KS"), ("speed_mm_s", "H", 65535), ("margin_pct", "B", 100),
        flags("flags", CARD_FLAGS, 31))),
    ("card", 4, part(*coup(), ("slot", "B", 7, "unused"), ("card", "B", 12, "KC"), ("speed_mm_s", "H", 1),
        ("margin_pct", "B", 1), flags("flags", CARD_FLAGS, 16))),
    ("cutting_card", 5, part(*coup(), ("before_first_card", "B", 1))),
    ("cutting_card", 5, part(*coup(), ("before_first_card", "B", 0))),
    ("coup", 6, part(*coup(), ("winner", "B", 2, "banker"), ("player_points", "B", 6), ("banker_points", "B", 7),
        flags("flags", COUP_FLAGS, 9), ("kind", "B", 1, "live"))),
    ("coup", 6, part(*coup(), ("winner", "B", 3, "tie"), ("player_points", "B", 9), ("banker_points", "B", 9),
        flags("flags", COUP_FLAGS, 15), ("kind", "B", 5, "dummy"))),
    ("reject", 7, part(*coup(), ("reason", "B", 3, "doubtful"), ("columns", "B", 10), ("doubtful", "H", 68),
        ("speed_mm_s", "H", 850), ("margin_pct", "B", 0))),
    ("reject", 7, part(*coup(), ("reason", "B", 14, "lid_open"), ("columns", "B", 255), ("doubtful", "H", 65535),
        ("speed_mm_s", "H", 0), ("margin_pct", "B", 0))),
    ("button", 8, part(*coup(), ("button", "B", 5, "new_shoe"))),
    ("shoe_closed", 9, part(("shoe_no", "H", 1), ("coups", "H", 81), ("reason", "B", 4, "no_cards"))),
    ("damaged", 10, NONE),
    ("sensor", 11, part(("shoe_no", "H", 3), ("sensor", "B", 2, "b"), ("reads", "H", 410), ("rejects", "H", 1),
        ("spikes", "H", 6), ("margin_mean_pct", "B", 91), ("margin_worst_pct", "B", 40),
        ("speed_mean_mm_s", "H", 900), ("speed_least_mm_s", "H", 120), ("speed_most_mm_s", "H", 2950))),
    ("self_test", 12, part(flags("passed", TESTS, 7), ("image_hash", "8s", bytes(range(0x20, 0x28))))),
    ("burn", 13, part(("shoe_no", "H", 1), ("mode", "B", 2, "shown"), ("cards", "B", 1), ("missed", "B", 0))),
    ("coup_kind", 14, part(*coup(), ("kind", "B", 4, "free_hand"))),
    ("coup_void", 15, part(*coup(), ("reason", "B", 7, "face_up"), ("then", "B", 2, "new_cards"),
        ("cards", "B", 6))),
    ("handed_over", 16, part(*coup(), ("kind", "B", 2, "no_bet"), ("import", "B", 1),
        table("8H", "AC", "KS", "2D", "--", "--"), *moved(8, 416, 2, 1))),
    ("handed_over", 16, part(*coup(), ("kind", "B", 3, "void_hand"), ("import", "B", 0),
        table("--", "--", "--", "--", "--", "--"), *moved(1, 0, 0, 0))),
    ("fault", 17, part(("fault", "B", 9, "program"), ("detail", "H", 65535))),
    ("fault_cleared", 18, part(("fault", "B", 3, "lid"), ("by", "B", 3, "itself"))),
    ("key", 19, part(("on", "B", 1))),
    ("lid", 20, part(("open", "B", 0))),
    ("lock", 21, part(("on", "B", 1))),
    ("command_done", 22, part(("command_id", "I", TOP), ("command", "B", 19, "deck_check"),
        ("outcome", "B", 0, "done"), ("data", "2s", b"\1\x08", {"on": 1, "decks": 8}))),
    ("command_done", 22, part(("command_id", "I", 0), ("command", "B", 14, "import_coup"), ("outcome", "B", 0, "done"),
        ("data", "14s", b"\x28\0\1\x21\0\xff\xff\xff\xff\x08\x96\0\1\0", {"coup_no": 40, "kind": "live", "cards": {
            "player_1": "8H", "banker_1": "AC", "player_2": "--", "banker_2": "--", "player_3": "--",
            "banker_3": "--"}, "decks": 8, "cards_out": 150, "coups_left": 1, "awaiting": 0}))),
    ("health", 23, part(("heap_free_bytes", "I", 120_000), ("heap_least_bytes", "I", 90_000),
        ("round_most_us", "I", TOP), ("crc_errors", "H", 1), ("resends", "H", 2), ("refused", "H", 3),
        ("sample_overruns", "H", 65535))),
    ("irregularity", 24, part(*coup(), ("case", "B", 1, "player_overdraw"), flags("facts", FACTS, 3, "H"),
        ("code", "B", 1, "BANKER_THIRD"))),
    ("irregularity", 24, part(*coup(), ("case", "B", 19, "shoe_not_reading"), flags("facts", FACTS, 256, "H"),
        ("code", "B", 20, "NO_RULE"))),
    ("time_set", 25, part(("utc_s", "I", TOP), ("utc_ms", "H", 999))),
    ("ordered_set", 26, part(("shoe_no", "H", 1), ("pattern", "B", 4, "repeated"), ("cards", "B", 13))),
    ("deck_check", 27, part(("shoe_no", "H", 1), ("card", "B", 13, "AD"), ("seen", "B", 7), ("expected", "B", 8))),
    ("composition", 28, part(("shoe_no", "H", 1), ("half", "B", 1), ("counts", "13s", bytes(range(0x80, 0x8D))))),
    ("checkpoint", 29, part(*coup(), ("decks", "B", 8), ("cards_out", "H", 400), ("coups_left", "B", 2),
        ("kind", "B", 1, "live"), ("authorised", "B", 255), ("locked", "B", 1), ("before", "B", 6))),
    ("checked", 30, part(("shoe_no", "H", 1), ("cards", "H", 416), ("differences", "B", 52))),
    ("command_refused", 31, part(("command_id", "I", 7), ("command", "B", 19, "deck_check"),
        ("outcome", "B", 5, "unknown"))),
    ("command_refused", 31, part(("command_id", "I", 8), ("command", "B", 0, "unknown"),
        ("outcome", "B", 5, "unknown"))),
]  # fmt: skip
COMMANDS: list[tuple[str, int, Part]] = [
    ("set_time", 1, part(("utc_s", "I", 215_000_000), ("utc_ms", "H", 0))),
    ("open_shoe", 2, part(("decks", "B", 8), ("burn", "B", 1, "one"))),
    ("close_shoe", 3, NONE),
    ("lock", 4, NONE),
    ("unlock", 5, NONE),
    ("confirm", 6, NONE),
    ("clear_fault", 7, part(("fault", "B", 1, "card"))),
    ("void_coup", 8, part(("reason", "B", 1, "supervisor"), ("then", "B", 1, "go_on"))),
    ("no_bet", 9, part(("kind", "B", 2, "no_bet"))),
    ("key_card", 10, part(("card", "B", 51, "KS"), flags("flags", CARD_FLAGS, 6))),
    ("authorise", 11, part(("times", "B", 255))),
    ("irregularity", 12, part(("case", "B", 14, "scan_discrepancy"), flags("facts", FACTS, 511, "H"))),
    ("export_coup", 13, NONE),
    ("import_coup", 14, part(("coup_no", "H", 40), ("kind", "B", 1, "live"),
        table("8H", "AC", "KS", "2D", "9S", "--"), *moved(8, 65535, 255, 1))),
    ("self_test", 15, NONE),
    ("reboot", 16, NONE),
    ("burn_card", 17, NONE),
    ("card_returned", 18, NONE),
    ("deck_check", 19, part(("on", "B", 1), ("decks", "B", 8))),
    ("this_no_bet", 20, NONE),
]  # fmt: skip
TYPES = {
    "hello": 1, "event": 2, "alive": 3, "busy": 4,
    "who": 0x80, "welcome": 0x81, "ack": 0x82, "set_profile": 0x83, "command": 0x84, "resend": 0x85,
}  # fmt: skip


class Frame(NamedTuple):
    """Type, numbers and body of a frame, before it is sealed."""

    type: str
    seq: int
    time_ms: int
    body: Part

    def raw(self, flag: int = 0) -> bytes:
        """Header and body."""
        return struct.pack("<BBHI", TYPES[self.type], flag, self.seq, self.time_ms) + self.body.raw

    def says(self, flag: int = 0) -> dict[str, Any]:
        """What a reader makes of it."""
        return {"type": self.type, "flags": flag, "seq": self.seq, "time_ms": self.time_ms, "body": self.body.says}


def kinded(number_name: str, number: int, kind: str, kind_no: int, data: Part) -> Part:
    """An event or a command: its number, its kind, and what the kind adds."""
    head = part((number_name, "I", number), ("kind", "B", kind_no, kind))
    return Part(head.raw + data.raw, {**head.says, "data": data.says})


def event(number: int, kind: str, kind_no: int, data: Part) -> Part:
    """The body of an event."""
    return kinded("event_no", number, kind, kind_no, data)


def command(number: int, kind: str, kind_no: int, data: Part) -> Part:
    """The body of a command."""
    return kinded("command_id", number, kind, kind_no, data)


def done(number: int, kind: str, kind_no: int, data: Part) -> Part:
    """What event command_done makes of a command: the command again, with its outcome."""
    head = part(("command_id", "I", number), ("command", "B", kind_no, kind), ("outcome", "B", 0, "done"))
    return Part(head.raw + data.raw, {**head.says, "data": data.says})


# One session from its first byte: what shoe and gateway must say to the letter, given these numbers.
KEY = bytes(range(32))
GATEWAY, UNIT = b"gateway1", bytes(range(1, 9))
GATEWAY_NONCE = bytes.fromhex("a1a2a3a4a5a6a7a8")
SHOE_NONCE = struct.pack("<HH", 3, 1) + bytes.fromhex("11223344")  # start 3, offer 1, four of chance
OTHER_NONCE = bytes.fromhex("b1b2b3b4b5b6b7b8")
PROTOCOL_HASH = bytes.fromhex("c1c2c3c4c5c6c7c8")
TO_GATEWAY, TO_SHOE = b"sabot shoe to gateway", b"sabot gateway to shoe"


def session_key(direction: bytes, key: bytes = KEY, nonces: bytes = GATEWAY_NONCE + SHOE_NONCE) -> bytes:
    """The key of one direction of one session."""
    return hmac.new(key, direction + nonces, sha256).digest()


def mac(raw: bytes, key: bytes) -> bytes:
    """The first eight bytes of HMAC-SHA256."""
    return hmac.new(key, raw, sha256).digest()[:8]


def profile() -> Part:
    """What a house asks of its shoe, and its hash before it."""
    given = part(
        ("rulebook_hash", "8s", bytes(range(0xE0, 0xE8))), ("card_set", "B", 2), ("decks", "B", 8),
        ("burn", "B", 3, "face_up"), flags("burn_modes", "_ one shown face_up", 14),
        flags("switches", SWITCHES, 1023, "H"),
        ("unwagered", "B", 5, "dummy"), flags("ordered", ORDERED, 15),
        ("codes", "46s", bytes(1 + at % 20 for at in range(46))),
    )  # fmt: skip
    digest = part(("profile_hash", "8s", sha256(given.raw).digest()[:8]))
    return Part(digest.raw + given.raw, {**digest.says, "profile": given.says})


def hello(next_event_no: int, most: int, gateway_nonce: bytes, shoe_nonce: bytes) -> Part:
    """The shoe introduces itself; its counters are at `most`."""
    return part(
        ("unit", "8s", UNIT), ("boot_count", "H", 3), ("protocol_hash", "8s", PROTOCOL_HASH),
        ("profile_hash", "8s", bytes(8)), ("firmware_version", "3s", b"\0\1\0"), ("next_event_no", "I", next_event_no),
        ("oldest_event_no", "I", 1), ("crc_errors", "H", most), ("resends", "H", most), ("refused", "H", most),
        ("sample_overruns", "H", most), ("last_command_id", "I", 0), ("cause", "B", 1, "power"),
        ("fault", "B", 0, "none"), ("gateway_nonce", "8s", gateway_nonce), ("shoe_nonce", "8s", shoe_nonce),
    )  # fmt: skip


def who(gateway: bytes, nonce: bytes) -> Part:
    """A gateway asks; BUSY has the same fields."""
    return part(("gateway", "8s", gateway), ("nonce", "8s", nonce))


def welcome(durable: int) -> Part:
    """The answer to HELLO."""
    return part(
        ("protocol_hash", "8s", PROTOCOL_HASH), ("shoe_nonce", "8s", SHOE_NONCE), ("durable_event_no", "I", durable)
    )


def number(value: int) -> Part:
    """An event number alone."""
    return part(("event_no", "I", value))


CARD = next(data for kind, _, data in EVENTS if kind == "card")
SESSION = {
    "the gateway asks": Frame("who", 0, 1000, who(GATEWAY, GATEWAY_NONCE)),
    "the shoe offers a session": Frame("hello", 0, 5000, hello(2, 0, GATEWAY_NONCE, SHOE_NONCE)),
    "the gateway takes it": Frame("welcome", 0, 1100, welcome(0)),
    "the house's profile": Frame("set_profile", 1, 1100, profile()),
    "the first event: the eight of hearts": Frame("event", 1, 4000, event(1, "card", 4, CARD)),
    "it is durable": Frame("ack", 2, 1200, number(1)),
    "the exit is to be locked": Frame("command", 3, 1200, command(1, "lock", 4, NONE)),
    "it is locked": Frame("event", 2, 5200, event(2, "command_done", 22, done(1, *COMMANDS[3]))),
    "that is durable too": Frame("ack", 4, 1300, number(2)),
    "another gateway asks": Frame("who", 0, 2000, who(b"gateway2", OTHER_NONCE)),
    "it is told who serves the shoe": Frame("busy", 0, 5300, who(GATEWAY, OTHER_NONCE)),
    "nothing to say": Frame("alive", 3, 6200, NONE),
}
UNSEALED = ("who", "busy")


def accepted(name: str, frame: Frame) -> dict[str, Any]:
    """A frame without a MAC, and what it says."""
    return {
        "name": name,
        "expect": "accept",
        "body": frame.raw().hex(),
        "wire": wire(frame.raw()).hex(),
        "fields": frame.says(),
    }


def under(direction: bytes) -> dict[str, str]:
    """What is needed to check a MAC."""
    return {
        "key": KEY.hex(), "direction": direction.decode(),
        "gateway_nonce": GATEWAY_NONCE.hex(), "shoe_nonce": SHOE_NONCE.hex(),
    }  # fmt: skip


def direction_of(frame: Frame) -> bytes:
    """By its type: from 0x80 on the gateway's."""
    return TO_SHOE if TYPES[frame.type] & 0x80 else TO_GATEWAY


def sealed(name: str, frame: Frame) -> dict[str, Any]:
    """A frame of the session with its MAC, and what it says."""
    raw, direction = frame.raw(1), direction_of(frame)
    tag = mac(raw, session_key(direction))
    found = {"name": name, "expect": "accept", "body": raw.hex(), "mac": tag.hex(), "wire": wire(raw + tag).hex()}
    return {**found, **under(direction), "fields": frame.says(1)}


def in_session() -> Iterator[dict[str, Any]]:
    """The session, frame by frame."""
    for name, frame in SESSION.items():
        yield {**(accepted if frame.type in UNSEALED else sealed)(name, frame), "session": True, "page": True}


ON_PAGE = ("event coup", "event reject", "event irregularity", "event command_done 2")


def plain_frames() -> Iterator[dict[str, Any]]:
    """Every type of frame, every kind of event and of command, without a MAC."""
    yield accepted("the shoe offers nothing: nobody asked", Frame("hello", 0, 0, hello(1, 0, bytes(8), bytes(8))))
    yield accepted(
        "hello with every number at its top", Frame("hello", 65535, TOP, hello(TOP, 65535, b"\xff" * 8, b"\xff" * 8))
    )
    yield accepted("alive", Frame("alive", 9, 7, NONE))
    yield accepted("who of zeros", Frame("who", 0, 0, who(bytes(8), bytes(8))))
    yield accepted("welcome", Frame("welcome", 1, 50, welcome(41)))
    yield accepted("ack at the top of the range", Frame("ack", 65535, TOP, number(TOP)))
    yield accepted("ack of nothing yet", Frame("ack", 0, 0, number(0)))
    yield accepted("resend", Frame("resend", 3, 60, number(12)))
    yield accepted("set_profile", Frame("set_profile", 2, 55, profile()))
    seen: dict[str, Iterator[int]] = {}
    for at, one in enumerate(EVENTS):
        which = next(seen.setdefault(one[0], count(1)))
        name = f"event {one[0]}{f' {which}' if which > 1 else ''}"
        found = accepted(name, Frame("event", at, 1300 + at, event(8 + at, *one)))
        yield {**found, "page": True} if name in ON_PAGE else found
    for at, one in enumerate(COMMANDS):
        yield accepted(f"command {one[0]}", Frame("command", at, 2000 + at, command(1 + at, *one)))
        echo = event(200 + at, "command_done", 22, done(1 + at, *one))
        yield accepted(f"event command_done: {one[0]}", Frame("event", 100 + at, 3000 + at, echo))
    yield accepted("a command at the top of the range", Frame("command", 65535, TOP, command(TOP, *COMMANDS[3])))


def sealed_frames() -> Iterator[dict[str, Any]]:
    """More of the same session: the longest command, the top of the numbers."""
    yield sealed("a coup of another shoe, with its MAC", Frame("command", 5, 1400, command(2, *COMMANDS[13])))
    yield sealed("go on from event 12, with its MAC", Frame("resend", 65535, TOP, number(12)))
    yield sealed(
        "the longest event, with its MAC",
        Frame("event", 65535, TOP, event(TOP, *next(one for one in EVENTS if one[0] == "health"))),
    )


def refused(layer: str, name: str, data: bytes, **more: Any) -> dict[str, Any]:
    """Bytes that nobody may take: `data` is the frame on the wire or, beyond the framing, what its CRC covers."""
    on_wire = data if layer == "framing" else wire(data)
    return {"name": name, "expect": "refuse", "layer": layer, "wire": on_wire.hex(), **more}


def bad_framing() -> Iterator[dict[str, Any]]:
    """Damage that COBS, the length or the CRC shows."""
    ack, card = Frame("ack", 3, 0x01020304, number(77)).raw(), Frame("event", 5, 1234, event(7, "card", 4, CARD)).raw()
    damaged, crc = bytearray(wire(card)), crc_hqx(ack, 0xFFFF)
    damaged[6] ^= 0x10
    tag = mac(ack, session_key(TO_SHOE))
    for name, data in {
        "one bit flipped": bytes(damaged),
        "last byte missing": wire(ack)[:-2] + b"\0",
        "CRC of the bytes in wrong order": cobs(ack + struct.pack(">H", crc)) + b"\0",
        "CRC seeded with zero": cobs(ack + struct.pack("<H", crc_hqx(ack, 0))) + b"\0",
        "only a CRC": cobs(struct.pack("<H", 0xFFFF)) + b"\0",
        "a code byte that points beyond the end": bytes.fromhex("0911223300"),
        "more than a frame can hold": cobs(b"\x82" * 200) + b"\0",
        "one byte more than a frame can hold": wire(b"\x82" * 129),
        "a CRC that does not cover the MAC": cobs(ack + tag + struct.pack("<H", crc)) + b"\0",
        "the MAC behind the CRC": cobs(ack + struct.pack("<H", crc) + tag) + b"\0",
    }.items():
        yield refused("framing", name, data)


def changed(raw: bytes, at: int, byte: int) -> bytes:
    """With another byte there."""
    return raw[:at] + bytes([byte]) + raw[at + 1 :]


def bad_bodies() -> Iterator[dict[str, Any]]:
    """Sound frames whose content is none; `field` is where."""
    card, ack = Frame("event", 5, 1234, event(7, "card", 4, CARD)).raw(), Frame("ack", 3, 50, number(2)).raw()
    bodies = {name: Frame("event", 5, 1234, event(7, *one)).raw() for one in EVENTS for name in one[:1]}
    orders = {one[0]: Frame("command", 5, 1234, command(7, *one)).raw() for one in COMMANDS}
    echoes = {one[0]: Frame("event", 5, 1234, event(7, "command_done", 22, done(7, *one))).raw() for one in COMMANDS}
    house = Frame("set_profile", 5, 1234, profile()).raw()
    for name, raw, field in (
        ("a type that nobody knows", changed(card, 0, 99), "type"),
        ("a type that the gateway does not know", changed(ack, 0, 0x86), "type"),
        ("a flag that nobody knows", changed(card, 1, 2), "flags"),
        ("both flags", changed(card, 1, 3), "flags"),
        ("a time of 2**30", changed(card, 7, 0x40), "time_ms"),
        ("an event number of 2**30", changed(card, 11, 0x40), "body.event_no"),
        ("an ack of 2**30", changed(ack, 11, 0x40), "body.event_no"),
        ("kind of event 0", changed(card, 12, 0), "body.kind"),
        ("a kind of event beyond the last", changed(card, 12, 32), "body.kind"),
        ("a slot beyond the last", changed(card, 17, 8), "body.data.slot"),
        ("a card beyond the 52", changed(card, 18, 52), "body.data.card"),
        ("no card where one must be", changed(card, 18, NO_CARD), "body.data.card"),
        ("a margin beyond 100", changed(card, 21, 101), "body.data.margin_pct"),
        ("a winner that is none", changed(bodies["coup"], 17, 0), "body.data.winner"),
        ("ten points", changed(bodies["coup"], 18, 10), "body.data.player_points"),
        ("a reason beyond lid_open", changed(bodies["reject"], 17, 15), "body.data.reason"),
        ("neither yes nor no", changed(bodies["key"], 13, 2), "body.data.on"),
        (
            "a place that is neither a card nor empty",
            changed(bodies["handed_over"], 19, 52),
            "body.data.cards.player_1",
        ),
        ("a fault beyond the last", changed(bodies["fault"], 13, 10), "body.data.fault"),
        ("an outcome beyond the last", changed(bodies["command_done"], 18, 6), "body.data.outcome"),
        ("a thousand milliseconds", bodies["time_set"][:17] + struct.pack("<H", 1000), "body.data.utc_ms"),
        ("a case that is none", changed(bodies["irregularity"], 17, 0), "body.data.case"),
        ("kind of command 0", changed(orders["lock"], 12, 0), "body.kind"),
        ("a kind of command beyond the last", changed(orders["lock"], 12, 21), "body.kind"),
        ("a command id of 2**30", changed(orders["lock"], 11, 0x40), "body.command_id"),
        ("nine decks", changed(orders["open_shoe"], 13, 9), "body.data.decks"),
        ("a card to key in beyond the 52", changed(orders["key_card"], 13, 52), "body.data.card"),
        ("a reason to close beyond the last", changed(bodies["shoe_closed"], 17, 7), "body.data.reason"),
        ("a half of the cards beyond the second", changed(bodies["composition"], 15, 2), "body.data.half"),
        ("counts that end early", bodies["composition"][:-1], "body.data.counts"),
        ("a checkpoint of a coup of no kind", changed(bodies["checkpoint"], 21, 0), "body.data.kind"),
        ("a checkpoint locked twice over", changed(bodies["checkpoint"], 23, 2), "body.data.locked"),
        ("a check of the decks that ends early", bodies["checked"][:-1], "body.data.differences"),
        ("a command that was done and is none", changed(echoes["lock"], 17, 0), "body.data.command"),
        ("a command that was done, beyond the last", changed(echoes["lock"], 17, 21), "body.data.command"),
        ("done: nine decks", changed(echoes["open_shoe"], 19, 9), "body.data.data.decks"),
        ("done: no fault there is", changed(echoes["clear_fault"], 19, 10), "body.data.data.fault"),
        ("done: a card beyond the 52", changed(echoes["key_card"], 19, 52), "body.data.data.card"),
        ("done: a coup of no kind", changed(echoes["import_coup"], 21, 0), "body.data.data.kind"),
        ("done: a card of it beyond the 52", changed(echoes["import_coup"], 22, 52), "body.data.data.cards.player_1"),
        ("done: a thousand milliseconds", echoes["set_time"][:-2] + struct.pack("<H", 1000), "body.data.data.utc_ms"),
        ("done: it ends early", echoes["import_coup"][:-1], "body.data.data.awaiting"),
        ("done: it is not told at all", echoes["deck_check"][:-2], "body.data.data.on"),
        ("done: it goes on", echoes["deck_check"] + b"\0", "frame"),
        ("done: what another command has", changed(echoes["deck_check"], 17, 4), "frame"),
        ("refused, and beyond the last", changed(bodies["command_refused"], 17, 21), "body.data.command"),
        ("refused, an outcome beyond the last", changed(bodies["command_refused"], 18, 6), "body.data.outcome"),
        ("refused, yet told", bodies["command_refused"] + b"\1\x08", "frame"),
        ("a burn to begin with beyond the last", changed(house, 26, 4), "body.profile.burn"),
        ("a house without a word for no wagers", changed(house, 30, 0), "body.profile.unwagered"),
        ("a profile that lacks a code", house[:-1], "body.profile.codes"),
        ("a profile with a code too many", house + b"\1", "frame"),
        ("half a header", card[:5], "time_ms"),
        ("a header alone", card[:8], "body.event_no"),
        ("a card event that ends early", card[:-1], "body.data.flags"),
        ("a card event that goes on", card + b"\0", "frame"),
        ("a command that ends early", orders["void_coup"][:-1], "body.data.then"),
        ("a command that goes on", orders["lock"] + b"\0", "frame"),
        ("a card to key in without its flags", orders["key_card"][:-1], "body.data.flags"),
        ("a card to burn with a byte more", orders["burn_card"] + b"\0", "frame"),
        ("a returned card with a byte more", orders["card_returned"] + b"\0", "frame"),
        ("an ack that ends early", ack[:-1], "body.event_no"),
        ("an ack that goes on", ack + b"\0", "frame"),
    ):
        yield refused("body", name, raw, body=raw.hex(), field=field)


def forgeries(frame: Frame, other: Frame) -> Iterator[tuple[str, bytes]]:
    """What somebody without the key, or with frames of another place, could send instead of this frame."""
    here = direction_of(frame)
    there = TO_GATEWAY if here == TO_SHOE else TO_SHOE
    raw, key = frame.raw(1), session_key(here)
    tag, full = mac(raw, key), hmac.new(key, raw, sha256).digest()
    yield "another key", raw + mac(raw, session_key(here, bytes(range(1, 33))))
    yield "a key of zeros", raw + mac(raw, session_key(here, bytes(32)))
    yield (
        "spliced from a session with another gateway nonce",
        raw + mac(raw, session_key(here, nonces=OTHER_NONCE + SHOE_NONCE)),
    )
    yield (
        "spliced from a session with another shoe nonce",
        raw + mac(raw, session_key(here, nonces=GATEWAY_NONCE + OTHER_NONCE)),
    )
    yield "the nonces exchanged", raw + mac(raw, session_key(here, nonces=SHOE_NONCE + GATEWAY_NONCE))
    yield "reflected: the MAC of the other direction", raw + mac(raw, session_key(there))
    yield "under the unit's key itself", raw + mac(raw, KEY)
    yield "SHA-256 of key and frame", raw + sha256(key + raw).digest()[:8]
    yield "the end of the HMAC instead of its start", raw + full[-8:]
    yield "the MAC of another frame", raw + mac(other.raw(1), key)
    yield "a MAC over flags of 0", raw + mac(frame.raw(), key)
    yield "a MAC of seven bytes", raw + full[:7]
    yield "a MAC of nine bytes", raw + full[:9]
    yield "one bit of the MAC flipped", raw + changed(tag, 7, tag[7] ^ 0x80)
    yield "one bit of the body flipped", changed(raw, len(raw) - 1, raw[-1] ^ 1) + tag
    yield "another number, the same MAC", changed(raw, 2, raw[2] ^ 1) + tag
    yield "another time, the same MAC", changed(raw, 4, raw[4] ^ 1) + tag
    yield "a MAC of zeros", raw + bytes(8)
    yield "no MAC, though the flag says so", raw
    yield "no MAC and no flag", frame.raw()
    yield "a MAC and no flag", frame.raw() + tag
    yield "a right MAC without its flag", frame.raw() + mac(frame.raw(), key)
    yield "a right MAC under a flag that nobody knows", frame.raw(2) + mac(frame.raw(2), key)
    yield "a MAC alone", tag


def bad_macs() -> Iterator[dict[str, Any]]:
    """Sound frames that are none of this session."""
    for frame, other in (
        (Frame("ack", 9, 1500, number(2)), Frame("ack", 9, 1500, number(1))),
        (Frame("command", 9, 1500, command(3, *COMMANDS[3])), Frame("command", 9, 1500, command(3, *COMMANDS[4]))),
        (Frame("event", 9, 7000, event(3, "card", 4, CARD)), Frame("event", 9, 7000, event(4, "card", 4, CARD))),
    ):
        for name, data in forgeries(frame, other):
            yield refused("mac", f"{frame.type}: {name}", data, **under(direction_of(frame)))


def frames() -> Iterator[dict[str, Any]]:
    """Frames that both sides must accept, and bytes that both must refuse."""
    for some in (in_session, plain_frames, sealed_frames, bad_framing, bad_bodies, bad_macs):
        yield from some()


def main() -> None:
    """Rewrite the file."""
    (HERE / "frames.jsonl").write_text("".join(json.dumps(line) + "\n" for line in frames()))


if __name__ == "__main__":
    main()
