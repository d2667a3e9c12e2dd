"""A body for every kind of event and command, and those of the golden session."""

import hmac
import struct
from hashlib import sha256

from frame_parts import (
    CARD_FLAGS,
    COUP_FLAGS,
    FACTS,
    ORDERED,
    SWITCHES,
    TESTS,
    TOP,
    Part,
    coup,
    flags,
    moved,
    part,
    table,
)

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
    ("switch_image", 21, part(("image_hash", "8s", bytes(range(0x20, 0x28))))),
]  # fmt: skip
# One session from its first byte: what shoe and gateway must say to the letter, given these numbers.
KEY = bytes(range(32))
GATEWAY, UNIT = b"gateway1", bytes(range(1, 9))
GATEWAY_NONCE = bytes.fromhex("a1a2a3a4a5a6a7a8")
SHOE_NONCE = struct.pack("<HH", 3, 1) + bytes.fromhex("11223344")  # start 3, offer 1, four of chance
OTHER_NONCE = bytes.fromhex("b1b2b3b4b5b6b7b8")
PROTOCOL_HASH = bytes.fromhex("c1c2c3c4c5c6c7c8")
IMAGE_HASH = bytes.fromhex("d1d2d3d4d5d6d7d8")
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
        flags("switches", SWITCHES, 2047, "H"),
        ("unwagered", "B", 5, "dummy"), flags("ordered", ORDERED, 15),
        ("codes", "46s", bytes(1 + at % 20 for at in range(46))),
    )  # fmt: skip
    digest = part(("profile_hash", "8s", sha256(given.raw).digest()[:8]))
    return Part(digest.raw + given.raw, {**digest.fields, "profile": given.fields})


def hello(next_event_no: int, most: int, gateway_nonce: bytes, shoe_nonce: bytes) -> Part:
    """The shoe introduces itself; its counters are at `most`."""
    return part(
        ("unit", "8s", UNIT), ("boot_count", "H", 3), ("protocol_hash", "8s", PROTOCOL_HASH),
        ("profile_hash", "8s", bytes(8)), ("firmware_version", "3s", b"\0\1\0"),
        ("image_hash", "8s", IMAGE_HASH), ("next_event_no", "I", next_event_no),
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


def update(length: int, allow_older: int) -> Part:
    """A publisher's image is to be received."""
    return part(
        ("allow_older", "B", allow_older), ("version", "3s", b"\0\2\1"), ("length", "I", length),
        ("image_hash", "8s", IMAGE_HASH), ("sha256", "32s", bytes(range(0x40, 0x60))),
        ("signature", "64s", bytes(range(0x80, 0xC0))),
    )  # fmt: skip


def update_data(offset: int) -> Part:
    """The next part of it."""
    return part(("offset", "I", offset), ("part", "96s", bytes(range(96))))


def update_state(state: int, name: str, received: int) -> Part:
    """How far it is."""
    return part(("image_hash", "8s", IMAGE_HASH), ("state", "B", state, name), ("received", "I", received))


def number(value: int) -> Part:
    """An event number alone."""
    return part(("event_no", "I", value))
