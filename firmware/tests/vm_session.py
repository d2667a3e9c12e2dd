"""The session: HMAC against RFC 4231, golden MACs both ways, forgeries, and the golden session byte for byte."""

import gc
from binascii import hexlify, unhexlify
from hashlib import sha256

import sabot.link.link
from sabot import wire
from sabot.link.frame import Decoder, encode
from sabot.link.link import Link
from sabot.link.session import Session, _hmac, _pad
from sabot.profile import Profile
from sabot.reading.sampler import Sampler
from sabot.storage.journal import Journal
from sabot.wire import COMMAND_SIZES
from support import Memory, golden_frames

TO_SHOE = "sabot gateway to shoe"
# RFC 4231: key, data, HMAC-SHA-256; of case 5 the first 128 bits.
RFC_4231 = (
    (b"\x0b" * 20, b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    (
        b"Jefe",
        b"what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ),
    (b"\xaa" * 20, b"\xdd" * 50, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    (bytes(range(1, 26)), b"\xcd" * 50, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    (b"\x0c" * 20, b"Test With Truncation", "a3b6167473100ee06e0c796c2955552b"),
    (
        b"\xaa" * 131,
        b"Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ),
    (
        b"\xaa" * 131,
        b"This is a test using a larger than block-size key and a larger than block-size data. The key needs to be "
        b"hashed before being used by the HMAC algorithm.",
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
    ),
)


def test_hmac_of_rfc_4231():
    for key, data, expected in RFC_4231:
        key = key if len(key) <= 64 else sha256(key).digest()  # a unit's key is 32 bytes; the RFC hashes longer ones
        found = hexlify(_hmac(_pad(key, 0x36), _pad(key, 0x5C), data)).decode()
        assert found[: len(expected)] == expected


def session_of(vector):
    session = Session(unhexlify(vector["key"]))
    session.start(bytes(8), unhexlify(vector["gateway_nonce"]), unhexlify(vector["shoe_nonce"]))
    return session


def decoded(wire):
    """Return the decoder's buffer and the size of the one body in these bytes."""
    decoder = Decoder()
    for byte in wire[:-1]:
        assert not decoder.feed(byte)
    size = decoder.feed(0)
    return decoder.body, size


def test_golden_frames_from_the_shoe_are_sealed_byte_for_byte():
    count = 0
    for vector in golden_frames("accept"):
        if "mac" in vector and vector["direction"] != TO_SHOE:
            raw = unhexlify(vector["body"])
            body = bytearray(raw) + bytearray(10)
            body[1] = 0  # seal() sets the flag
            size = session_of(vector).seal(body, len(raw))
            out = bytearray(200)
            end = encode(body, size, out, 0)
            assert hexlify(out[:end]).decode() == vector["wire"], vector["name"]
            count += 1
    assert count >= 5


def test_golden_frames_from_the_gateway_are_opened_once():
    count = 0
    for vector in golden_frames("accept"):
        if vector.get("direction") == TO_SHOE:
            session = session_of(vector)
            body, size = decoded(unhexlify(vector["wire"]))
            assert session.opened(body, size) == len(vector["body"]) // 2, vector["name"]
            assert session.opened(body, size) == 0, "a second time"
            count += 1
    assert count >= 7


def test_golden_forgeries_are_not_opened():
    count = 0
    for vector in golden_frames("refuse", "mac"):
        if vector["direction"] == TO_SHOE:
            body, size = decoded(unhexlify(vector["wire"]))
            assert size, vector["name"]
            assert session_of(vector).opened(body, size) == 0, vector["name"]
            count += 1
    assert count >= 40


def test_a_forged_frame_does_not_use_up_the_numbers():
    right = None
    for vector in golden_frames("accept"):
        if vector["name"] == "that is durable too":
            right = vector
    session = session_of(right)
    for vector in golden_frames("refuse", "mac"):
        if vector["direction"] == TO_SHOE:  # numbered 9, above the right one
            body, size = decoded(unhexlify(vector["wire"]))
            session.opened(body, size)
    body, size = decoded(unhexlify(right["wire"]))
    assert session.opened(body, size)


def test_without_a_key_a_frame_with_a_mac_is_refused():
    session = Session(None)
    for vector in golden_frames("accept"):
        if vector.get("direction") == TO_SHOE:
            body, size = decoded(unhexlify(vector["wire"]))
            assert session.opened(body, size) == 0


def shoe(key, random=lambda count: bytes(count)):
    """Return a shoe of boot 3 with an empty journal, and the journal."""
    journal = Journal(Memory())
    return Link(bytes(range(1, 9)), 3, 1, journal, Profile(6), Sampler(), random, key), journal


def sent_hex(link, now_ms):
    """Return what the shoe sends now, as hex."""
    link.pump(now_ms)
    out = hexlify(link.tx[: link.tx_size]).decode()
    link.sent(link.tx_size)
    return out


def receive(link, wire, now_ms):
    data = unhexlify(wire)
    link.receive(data, len(data), now_ms)


def golden_session():
    """Return the frames by name, and the key; the shoe gets the protocol and release of the golden session."""
    wires = {}
    key = None
    for vector in golden_frames("accept"):
        if vector.get("session"):
            wires[vector["name"]] = vector["wire"]
            key = vector.get("key", key)
    sabot.link.link.PROTOCOL_HASH = unhexlify("c1c2c3c4c5c6c7c8")
    sabot.link.link.FIRMWARE_VERSION = b"\x00\x01\x00"
    return wires, unhexlify(key)


def append(journal, now_ms, kind, body):
    journal.record[wire.RECORD_DATA : wire.RECORD_DATA + len(body)] = body
    journal.append(now_ms, kind, len(body))


def test_the_shoe_sends_its_half_of_the_golden_session_byte_for_byte():
    golden, key = golden_session()
    link, journal = shoe(key, lambda count: unhexlify("11223344")[:count])
    link.image_hash = unhexlify("d1d2d3d4d5d6d7d8")
    append(journal, 4000, 4, unhexlify("01000200012184035000"))
    receive(link, golden["the gateway asks"], 5000)
    assert sent_hex(link, 5000) == golden["the shoe offers a session"]
    receive(link, golden["the gateway takes it"] + golden["the house's profile"], 5100)
    assert link.new_profile
    codes = "".join("%02x" % (1 + at % 20) for at in range(46))
    assert hexlify(link.profile[16:]).decode() == "e0e1e2e3e4e5e6e70208030eff07050f" + codes
    assert sent_hex(link, 5100) == golden["the first event: the eight of hearts"]
    receive(link, golden["it is durable"] + golden["the exit is to be locked"], 5150)
    assert journal.acked == 1
    assert link.command_due
    assert link.command[12] == 4
    link.command_due = False
    link.last_command_id = 1
    append(journal, 5200, 22, unhexlify("010000000400"))
    assert sent_hex(link, 5200) == golden["it is locked"]
    receive(link, golden["that is durable too"], 5250)
    assert journal.acked == 2
    receive(link, golden["another gateway asks"], 5300)
    assert sent_hex(link, 5300) == golden["another gateway serves the shoe"]
    assert sent_hex(link, 6200) == golden["nothing to say"]
    assert (link.refused, link.resends, link.crc_errors()) == (0, 0, 0)


def test_frames_of_the_golden_session_are_not_taken_again():
    golden, key = golden_session()
    link, journal = shoe(key, lambda count: unhexlify("11223344")[:count])
    append(journal, 4000, 4, bytes(10))
    for name in ("the gateway asks", "the gateway takes it"):
        receive(link, golden[name], 5000)
        sent_hex(link, 5000)
    receive(link, golden["the exit is to be locked"], 5100)
    assert link.command_due
    link.command_due = False
    refused = link.refused
    for name in ("the gateway takes it", "the house's profile", "it is durable", "the exit is to be locked"):
        receive(link, golden[name], 5200)
    assert (link.command_due, link.new_profile, journal.acked) == (False, False, 0)
    assert link.refused == refused + 4


def welcomed():
    """Return a shoe without a key in session with a gateway."""
    link, journal = shoe(None)
    for _ in range(5):
        append(journal, 1, 10, b"")
    golden, _ = golden_session()
    receive(link, golden["the gateway asks"], 0)
    offered = unhexlify(sent_hex(link, 0))
    body, _ = decoded(offered)
    raw = bytearray(unhexlify("8100000000000000c1c2c3c4c5c6c7c8") + bytes(body[75:83]) + bytes(6))
    out = bytearray(200)
    link.receive(out, encode(raw, 28, out, 0), 0)
    assert sent_hex(link, 0)
    return link, journal


def test_every_golden_command_reaches_main_whole():
    link, _ = welcomed()
    kinds = set()
    for vector in golden_frames("accept"):
        if vector["fields"]["type"] == "command" and not vector["fields"]["flags"]:
            receive(link, vector["wire"], 10)
            assert link.command_due, vector["name"]
            size = len(vector["body"]) // 2
            assert hexlify(link.command[:size]).decode() == vector["body"]
            kinds.add(link.command[12])
            link.last_command_id = vector["fields"]["body"]["command_id"]
            link.command_due = False
            receive(link, vector["wire"], 10)
            assert not link.command_due, "done already"
    assert kinds == set(range(1, len(COMMAND_SIZES) + 1))


def test_golden_bodies_of_a_wrong_length_do_nothing():
    """Only main.py refuses a command, whatever its kind, length and values."""
    link, journal = welcomed()
    lengths = ("ends early", "goes on", "lacks a code", "a code too many", "without its flags", "with a byte more")
    count = 0
    for vector in golden_frames("refuse", "body"):
        wrong = [words in vector["name"] for words in lengths + ("ind of command", "does not know")]
        if vector["body"][:1] == "8" and True in wrong:
            receive(link, vector["wire"], 10)
            is_command = vector["body"][:2] == "84" and len(vector["body"]) >= 26
            assert (link.command_due, link.new_profile, journal.acked) == (is_command, False, 0), vector["name"]
            link.command_due = False
            count += 1
    assert count == 14


def test_a_forged_welcome_begins_no_session():
    golden, key = golden_session()
    link, journal = shoe(key, lambda count: unhexlify("11223344")[:count])
    append(journal, 4000, 10, b"")
    receive(link, golden["the gateway asks"], 5000)
    sent_hex(link, 5000)
    body, size = decoded(unhexlify(golden["the gateway takes it"]))
    for at in range(1, size):
        for bit in range(8):
            forged = bytearray(body[: size + 2])
            forged[at] ^= 1 << bit
            out = bytearray(60)
            link.receive(out, encode(forged, size, out, 0), 5000)
            assert not link._welcomed, (at, bit)
    receive(link, golden["the gateway takes it"], 5000)
    assert link._welcomed


def test_a_right_mac_over_less_than_a_header_is_refused():
    for vector in golden_frames("accept"):
        if vector["name"] == "that is durable too":
            session = session_of(vector)
    for size in range(8):
        body = bytearray(b"\x82\x01\x09" + bytes(20))
        body[size : size + 8] = _hmac(session._inner_in, session._outer_in, body[:size])[:8]
        if body[1] == 1:
            assert session.opened(body, size + 8) == 0


def test_fresh_nonces_even_where_the_random_source_fails():
    link, _ = shoe(None)
    seen = set()
    for ask in range(300):
        raw = bytearray(unhexlify("8000000000000000") + b"gateway1" + ask.to_bytes(8, "little") + bytes(2))
        out = bytearray(60)
        link.receive(out, encode(raw, 24, out, 0), 0)
        body, size = decoded(unhexlify(sent_hex(link, 0)))
        assert size == 83
        gc.collect()  # or the heap is fragmented
        seen.add(bytes(body[75:83]))
    assert len(seen) == 300
    other = Link(bytes(8), 4, 1, Journal(Memory()), Profile(6), Sampler(), lambda count: bytes(count))
    other.receive(out, encode(raw, 24, out, 0), 0)
    body, size = decoded(unhexlify(sent_hex(other, 0)))
    assert bytes(body[75:83]) not in seen, "after a start"
