"""Bytes that shoe and gateway must refuse."""

import hmac
import struct
from binascii import crc_hqx
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from frame_bodies import (
    COMMANDS,
    EVENTS,
    GATEWAY_NONCE,
    KEY,
    OTHER_NONCE,
    SHOE_NONCE,
    TO_GATEWAY,
    TO_SHOE,
    mac,
    number,
    profile,
    session_key,
    update,
    update_data,
    update_state,
)
from frame_parts import NO_CARD, Frame, cobs, command, done, event, wire
from good_frames import CARD, direction_of, under


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


Row = tuple[str, bytes, str]  # name, body, and the field that is wrong
CARD_EVENT = Frame("event", 5, 1234, event(7, "card", 4, CARD)).raw()
ACK = Frame("ack", 3, 50, number(2)).raw()
BODIES = {one[0]: Frame("event", 5, 1234, event(7, *one)).raw() for one in EVENTS}
ORDERS = {one[0]: Frame("command", 5, 1234, command(7, *one)).raw() for one in COMMANDS}
DONE = {one[0]: Frame("event", 5, 1234, event(7, "command_done", 22, done(7, *one))).raw() for one in COMMANDS}
UPDATE = Frame("update", 5, 1234, update(61_000, 0)).raw()
UPDATE_DATA = Frame("update_data", 5, 1234, update_data(96)).raw()
UPDATE_STATE = Frame("update_state", 5, 1234, update_state(2, "receiving", 96)).raw()
PROFILE = Frame("set_profile", 5, 1234, profile()).raw()


def bad_headers_and_events() -> Iterator[Row]:
    """Undefined values in headers, events and commands."""
    yield from (
        ("a type that nobody knows", changed(CARD_EVENT, 0, 99), "type"),
        ("a type that the gateway does not know", changed(ACK, 0, 0x88), "type"),
        ("a flag that nobody knows", changed(CARD_EVENT, 1, 2), "flags"),
        ("both flags", changed(CARD_EVENT, 1, 3), "flags"),
        ("a time of 2**30", changed(CARD_EVENT, 7, 0x40), "time_ms"),
        ("an event number of 2**30", changed(CARD_EVENT, 11, 0x40), "body.event_no"),
        ("an ack of 2**30", changed(ACK, 11, 0x40), "body.event_no"),
        ("kind of event 0", changed(CARD_EVENT, 12, 0), "body.kind"),
        ("a kind of event beyond the last", changed(CARD_EVENT, 12, 32), "body.kind"),
        ("a slot beyond the last", changed(CARD_EVENT, 17, 8), "body.data.slot"),
        ("a card beyond the 52", changed(CARD_EVENT, 18, 52), "body.data.card"),
        ("no card where one must be", changed(CARD_EVENT, 18, NO_CARD), "body.data.card"),
        ("a margin beyond 100", changed(CARD_EVENT, 21, 101), "body.data.margin_pct"),
        ("a winner that is none", changed(BODIES["coup"], 17, 0), "body.data.winner"),
        ("ten points", changed(BODIES["coup"], 18, 10), "body.data.player_points"),
        ("a reason beyond lid_open", changed(BODIES["reject"], 17, 15), "body.data.reason"),
        ("neither yes nor no", changed(BODIES["key"], 13, 2), "body.data.on"),
        (
            "a place that is neither a card nor empty",
            changed(BODIES["handed_over"], 19, 52),
            "body.data.cards.player_1",
        ),
        ("a fault beyond the last", changed(BODIES["fault"], 13, 10), "body.data.fault"),
        ("an outcome beyond the last", changed(BODIES["command_done"], 18, 6), "body.data.outcome"),
        ("a thousand milliseconds", BODIES["time_set"][:17] + struct.pack("<H", 1000), "body.data.utc_ms"),
        ("a case that is none", changed(BODIES["irregularity"], 17, 0), "body.data.case"),
        ("kind of command 0", changed(ORDERS["lock"], 12, 0), "body.kind"),
        ("a kind of command beyond the last", changed(ORDERS["lock"], 12, 22), "body.kind"),
        ("a command id of 2**30", changed(ORDERS["lock"], 11, 0x40), "body.command_id"),
        ("nine decks", changed(ORDERS["open_shoe"], 13, 9), "body.data.decks"),
        ("a card to key in beyond the 52", changed(ORDERS["key_card"], 13, 52), "body.data.card"),
        ("a reason to close beyond the last", changed(BODIES["shoe_closed"], 17, 7), "body.data.reason"),
        ("a half of the cards beyond the second", changed(BODIES["composition"], 15, 2), "body.data.half"),
        ("counts that end early", BODIES["composition"][:-1], "body.data.counts"),
        ("a checkpoint of a coup of no kind", changed(BODIES["checkpoint"], 21, 0), "body.data.kind"),
        ("a checkpoint locked twice over", changed(BODIES["checkpoint"], 23, 2), "body.data.locked"),
        ("an older image allowed twice over", changed(UPDATE, 8, 2), "body.allow_older"),
        ("an archive of 2**30 bytes", changed(UPDATE, 15, 0x40), "body.length"),
        ("a signature that ends early", UPDATE[:-1], "body.signature"),
        ("data of an image that ends early", UPDATE_DATA[:-1], "body.part"),
        ("a state of an update beyond the last", changed(UPDATE_STATE, 16, 13), "body.state"),
        ("a check of the decks that ends early", BODIES["checked"][:-1], "body.data.differences"),
    )


def bad_echoes() -> Iterator[Row]:
    """Undefined values in command_done and command_refused."""
    yield from (
        ("a command that was done and is none", changed(DONE["lock"], 17, 0), "body.data.command"),
        ("a command that was done, beyond the last", changed(DONE["lock"], 17, 22), "body.data.command"),
        ("done: nine decks", changed(DONE["open_shoe"], 19, 9), "body.data.data.decks"),
        ("done: no fault there is", changed(DONE["clear_fault"], 19, 10), "body.data.data.fault"),
        ("done: a card beyond the 52", changed(DONE["key_card"], 19, 52), "body.data.data.card"),
        ("done: a coup of no kind", changed(DONE["import_coup"], 21, 0), "body.data.data.kind"),
        ("done: a card of it beyond the 52", changed(DONE["import_coup"], 22, 52), "body.data.data.cards.player_1"),
        ("done: a thousand milliseconds", DONE["set_time"][:-2] + struct.pack("<H", 1000), "body.data.data.utc_ms"),
        ("done: it ends early", DONE["import_coup"][:-1], "body.data.data.awaiting"),
        ("done: the field is missing", DONE["deck_check"][:-2], "body.data.data.on"),
        ("done: it goes on", DONE["deck_check"] + b"\0", "frame"),
        ("done: what another command has", changed(DONE["deck_check"], 17, 4), "frame"),
        ("refused, and beyond the last", changed(BODIES["command_refused"], 17, 22), "body.data.command"),
        ("refused, an outcome beyond the last", changed(BODIES["command_refused"], 18, 6), "body.data.outcome"),
        ("refused, with data", BODIES["command_refused"] + b"\1\x08", "frame"),
    )


def bad_profiles_and_lengths() -> Iterator[Row]:
    """Undefined values in a profile, and bodies that are too short or too long."""
    yield from (
        ("a burn to begin with beyond the last", changed(PROFILE, 26, 4), "body.profile.burn"),
        ("a house without a word for no wagers", changed(PROFILE, 30, 0), "body.profile.unwagered"),
        ("a profile that lacks a code", PROFILE[:-1], "body.profile.codes"),
        ("a profile with a code too many", PROFILE + b"\1", "frame"),
        ("half a header", CARD_EVENT[:5], "time_ms"),
        ("a header alone", CARD_EVENT[:8], "body.event_no"),
        ("a card event that ends early", CARD_EVENT[:-1], "body.data.flags"),
        ("a card event that goes on", CARD_EVENT + b"\0", "frame"),
        ("a command that ends early", ORDERS["void_coup"][:-1], "body.data.then"),
        ("a command that goes on", ORDERS["lock"] + b"\0", "frame"),
        ("a card to key in without its flags", ORDERS["key_card"][:-1], "body.data.flags"),
        ("a card to burn with a byte more", ORDERS["burn_card"] + b"\0", "frame"),
        ("a returned card with a byte more", ORDERS["card_returned"] + b"\0", "frame"),
        ("an ack that ends early", ACK[:-1], "body.event_no"),
        ("an ack that goes on", ACK + b"\0", "frame"),
    )


def bad_bodies() -> Iterator[dict[str, Any]]:
    """Sound frames whose content is not as defined; `field` is where."""
    for rows in (bad_headers_and_events, bad_echoes, bad_profiles_and_lengths):
        for name, raw, field in rows():
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
    yield "flag authenticated, but no MAC", raw
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
