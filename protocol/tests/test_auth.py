"""MACs and sessions: golden frames, forgeries without the key, replays, splices, nonces that come again.

SABOT_FRAMES sets how many forged frames are tried; a million take a minute or two.
"""

import json
import os
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sabot_gateway.shoe import parse
from sabot_gateway.shoe.link import ShoeLink
from sabot_gateway.shoe.session import Session
from sabot_protocol import codec, framing, messages
from sabot_protocol.auth import MAC_BYTES, TO_GATEWAY, TO_SHOE, Seal, fingerprint
from sabot_protocol.codec import CodecError

VECTORS: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parents[1] / "vectors" / "frames.jsonl").read_text().splitlines()
]
SEALED = [vector for vector in VECTORS if "mac" in vector]
FORGED = [vector for vector in VECTORS if vector.get("layer") == "mac"]
GOLDEN = {vector["name"]: bytes.fromhex(vector["wire"]) for vector in VECTORS if vector.get("session")}
KEY, GATEWAY_NONCE, SHOE_NONCE = (bytes.fromhex(SEALED[0][name]) for name in ("key", "gateway_nonce", "shoe_nonce"))
NONCES = GATEWAY_NONCE, SHOE_NONCE
PROTOCOL_HASH = bytes.fromhex("c1c2c3c4c5c6c7c8")  # of the golden session
PROFILE = {
    "rulebook_hash": bytes(range(0xE0, 0xE8)),
    "card_set": 2,
    "decks": 8,
    "burn": "face_up",
    "burn_modes": {"one": True, "shown": True, "face_up": True},
    "switches": {
        "cut_first_card_is_last_coup": True,
        "post_cut_dummy_coups": True,
        "mid_shoe_burn": True,
        "card_may_return_to_shoe": True,
        "manual_entry_needs_authorisation": True,
        "dummy_needs_authorisation": True,
        "dealt_face_up": True,
        "continuous": True,
        "international": True,
        "this_no_bet": True,
        "result_before_confirm": True,
    },
    "unwagered": "dummy",
    "ordered": {"player_overdraw": True, "banker_overdraw": True, "excess_card": True, "first_card_face_up": True},
    "codes": bytes(1 + at % 20 for at in range(46)),
}
UNIT = "0102030405060708"
FRAMES = int(os.environ.get("SABOT_FRAMES", "10000"))


def seal_of(vector: dict[str, Any]) -> Seal:
    """The seal that a vector asks for."""
    key, gateway_nonce, shoe_nonce = (bytes.fromhex(vector[name]) for name in ("key", "gateway_nonce", "shoe_nonce"))
    return Seal(key, vector["direction"].encode(), gateway_nonce, shoe_nonce)


def body_of(wire: bytes) -> bytes:
    """What the CRC covers, of one sound frame."""
    (body,) = framing.Deframer().feed(wire)
    return body


def taken(session: Session, raw: bytes) -> bool:
    """Whether the gateway takes this as the session's next frame."""
    try:
        return session.refuses(parse.sealed_frame(raw)) is None
    except CodecError:
        return False


@pytest.mark.parametrize("vector", SEALED, ids=lambda vector: str(vector["name"]))
def test_golden_macs(vector: dict[str, Any]) -> None:
    body, mac = bytes.fromhex(vector["body"]), bytes.fromhex(vector["mac"])
    assert seal_of(vector).mac(body) == mac
    assert seal_of(vector).fits(body, mac)
    frame = parse.sealed_frame(body_of(bytes.fromhex(vector["wire"])))
    assert (frame.raw, frame.mac) == (body, mac)
    if vector["direction"].encode() == TO_GATEWAY:
        assert Session(*NONCES, KEY).refuses(frame) is None


@pytest.mark.parametrize("vector", FORGED, ids=lambda vector: str(vector["name"]))
def test_golden_forgeries(vector: dict[str, Any]) -> None:
    raw = body_of(bytes.fromhex(vector["wire"]))
    assert not seal_of(vector).fits(raw[:-MAC_BYTES], raw[-MAC_BYTES:]) or not raw[1] & messages.AUTHENTICATED
    if vector["direction"].encode() == TO_GATEWAY:
        assert not taken(Session(*NONCES, KEY), raw)


def test_every_truncation_of_a_mac_is_refused() -> None:
    seal, body = Seal(KEY, TO_GATEWAY, *NONCES), b"any body"
    mac = seal.mac(body)
    for size in (*range(MAC_BYTES), MAC_BYTES + 1):
        assert not seal.fits(body, (mac + mac)[:size])
    raw = bytes.fromhex(SEALED[0]["body"]) + bytes.fromhex(SEALED[0]["mac"])
    for size in range(1, len(raw)):
        assert not taken(Session(*NONCES, KEY), raw[:size])


def test_a_flipped_bit_anywhere_breaks_the_seal() -> None:
    seal = Seal(KEY, TO_GATEWAY, *NONCES)
    raw = bytes.fromhex(SEALED[0]["body"])
    whole = raw + seal.mac(raw)
    for bit in range(len(whole) * 8):
        other = (int.from_bytes(whole, "little") ^ 1 << bit).to_bytes(len(whole), "little")
        assert not seal.fits(other[:-MAC_BYTES], other[-MAC_BYTES:])


def test_every_input_of_the_session_key_counts() -> None:
    macs = {
        Seal(key, direction, one, other).mac(b"body")
        for key in (KEY, bytes(32))
        for direction in (TO_GATEWAY, TO_SHOE)
        for one, other in (NONCES, NONCES[::-1], (bytes(8), bytes(8)))
    }
    assert len(macs) == 12


def test_a_fingerprint_is_no_part_of_the_key() -> None:
    assert fingerprint(KEY) != fingerprint(bytes(32))
    assert fingerprint(KEY) not in KEY.hex()


# The gateway's half of a session.


def link(**more: Any) -> ShoeLink:
    """A gateway that knows the key of every unit."""
    given = {"gateway": b"gateway1", "keys": lambda unit: [KEY], "nonce": lambda: GATEWAY_NONCE, **more}
    return ShoeLink(PROFILE, lambda unit: 0, **given)


def sent(shoe_link: ShoeLink) -> bytes:
    """What it has to say now."""
    out = shoe_link.output()
    shoe_link.written(len(out))
    return out


@pytest.fixture
def golden_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both sides of the golden session have this protocol."""
    monkeypatch.setattr(messages, "protocol_hash", lambda: PROTOCOL_HASH)


def begun(shoe_link: ShoeLink) -> ShoeLink:
    """As far as the golden session's first event."""
    shoe_link.tick(1.0)
    shoe_link.receive(GOLDEN["the shoe offers a session"], 1.1)
    shoe_link.receive(GOLDEN["the first event: the eight of hearts"], 1.15)
    shoe_link.acknowledge(1, 1.2)
    return shoe_link


@pytest.mark.usefixtures("golden_hash")
def test_the_gateway_sends_its_half_of_the_golden_session_byte_by_byte() -> None:
    shoe_link = link()
    shoe_link.tick(1.0)
    assert sent(shoe_link) == GOLDEN["the gateway asks"]
    assert shoe_link.receive(GOLDEN["the shoe offers a session"], 1.1) == []
    assert sent(shoe_link) == GOLDEN["the gateway takes it"] + GOLDEN["the house's profile"]
    assert (shoe_link.unit, shoe_link.authenticated, shoe_link.problem) == (UNIT, True, None)
    (event,) = shoe_link.receive(GOLDEN["the first event: the eight of hearts"], 1.15)
    assert (event.event_no, event.kind, event.data["card"]) == (1, "card", "8H")
    shoe_link.acknowledge(1, 1.2)
    assert sent(shoe_link) == GOLDEN["it is durable"]
    shoe_link.command("lock", {})
    shoe_link.tick(1.2)
    assert sent(shoe_link) == GOLDEN["the exit is to be locked"]
    (event,) = shoe_link.receive(GOLDEN["it is locked"], 1.25)
    assert (event.kind, event.data["outcome"]) == ("command_done", "done")
    shoe_link.acknowledge(2, 1.3)
    assert sent(shoe_link) == GOLDEN["that is durable too"]
    assert shoe_link.receive(GOLDEN["nothing to say"], 1.4) == []
    assert not any(shoe_link.line_counters().values())


@pytest.mark.usefixtures("golden_hash")
def test_another_gateway_gets_busy() -> None:
    shoe_link = link(gateway=b"gateway2", nonce=lambda: bytes.fromhex("b1b2b3b4b5b6b7b8"))
    shoe_link.tick(2.0)
    assert sent(shoe_link) == GOLDEN["another gateway asks"]
    shoe_link.receive(GOLDEN["another gateway serves the shoe"], 2.1)
    assert b"gateway1".hex() in str(shoe_link.problem)
    assert shoe_link.unit is None


@pytest.mark.usefixtures("golden_hash")
def test_a_repeated_frame_is_refused_and_counted() -> None:
    shoe_link = begun(link())
    for number, name in enumerate(("the first event: the eight of hearts", "the shoe offers a session"), 1):
        assert shoe_link.receive(GOLDEN[name], 1.3) == []
        assert shoe_link.counters["replayed"] == number


@pytest.mark.usefixtures("golden_hash")
def test_a_session_recorded_once_does_not_begin_again_under_a_new_nonce() -> None:
    nonces = iter([GATEWAY_NONCE, bytes(range(8)), bytes(range(8, 16))])
    shoe_link = begun(link(nonce=lambda: next(nonces)))
    shoe_link.reset()  # the port was closed and opened: the recording is played back
    shoe_link.tick(2.0)
    for name in ("the shoe offers a session", "the first event: the eight of hearts", "it is locked", "nothing to say"):
        assert shoe_link.receive(GOLDEN[name], 2.1) == []
    assert shoe_link.unit is None


def hello(gateway_nonce: bytes, shoe_nonce: bytes, key: bytes) -> bytes:
    """A HELLO that holds its key, as a shoe or a forger would make it."""
    raw = bytearray(body_of(GOLDEN["the shoe offers a session"])[:-MAC_BYTES])
    raw[67:83] = gateway_nonce + shoe_nonce
    return framing.encode(bytes(raw) + Seal(key, TO_GATEWAY, gateway_nonce, shoe_nonce).mac(bytes(raw)))


@pytest.mark.usefixtures("golden_hash")
def test_a_consumed_nonce_begins_no_second_session() -> None:
    nonces = iter([GATEWAY_NONCE, bytes(range(8))])
    shoe_link = begun(link(nonce=lambda: next(nonces)))
    session = shoe_link.handshake.session
    sent(shoe_link)
    shoe_link.receive(hello(GATEWAY_NONCE, b"another1", KEY), 5.0)  # even from the shoe itself
    assert shoe_link.handshake.session is session
    request = codec.parse(body_of(sent(shoe_link)))
    assert (request["type"], request["body"]["nonce"]) == ("who", bytes(range(8)))
    shoe_link.receive(hello(bytes(range(8)), b"another1", KEY), 5.1)
    assert shoe_link.handshake.session is not session


def test_a_gateway_does_not_ask_twice_with_one_nonce() -> None:
    nonces = set()
    for _ in range(1000):
        shoe_link = ShoeLink(PROFILE, lambda unit: 0)
        shoe_link.tick(0.0)
        nonces.add(codec.parse(body_of(sent(shoe_link)))["body"]["nonce"])
    assert len(nonces) == 1000


# Forgeries by somebody who knows everything but the key, and has seen both directions of this session and another.

Forger = Callable[[Random, bytes], bytes]
BODIES = [codec.parse(bytes.fromhex(vector["body"])) for vector in VECTORS if vector["expect"] == "accept"]
FROM_SHOE = [frame for frame in BODIES if messages.FrameType.encmapping[frame["type"]] < 0x80]
HERE, BACK = Seal(KEY, TO_GATEWAY, *NONCES), Seal(KEY, TO_SHOE, *NONCES)
ELSEWHERE = [Seal(KEY, TO_GATEWAY, GATEWAY_NONCE, b"another1"), Seal(KEY, TO_GATEWAY, b"another1", SHOE_NONCE)]
OBSERVED = [HERE.mac(bytes.fromhex(vector["body"])) for vector in SEALED]  # of other bodies
FORGERS: dict[str, Forger] = {
    "random": lambda chance, raw: chance.randbytes(8),
    "zeros and ones": lambda chance, raw: chance.choice([bytes(8), b"\xff" * 8]),
    "another key": lambda chance, raw: Seal(chance.randbytes(32), TO_GATEWAY, *NONCES).mac(raw),
    "a key of zeros": lambda chance, raw: Seal(bytes(32), TO_GATEWAY, *NONCES).mac(raw),
    "of another frame": lambda chance, raw: chance.choice(OBSERVED),
    "of the other direction": lambda chance, raw: BACK.mac(raw),
    "of another session": lambda chance, raw: chance.choice(ELSEWHERE).mac(raw),
    "truncated": lambda chance, raw: HERE.mac(raw)[: chance.randrange(8)],
    "one bit off": lambda chance, raw: (int.from_bytes(HERE.mac(raw)) ^ 1 << chance.randrange(64)).to_bytes(8),
    "none": lambda chance, raw: b"",
}


def crafted(seed: int, frames: list[dict[str, Any]]) -> Iterator[tuple[str, bytes, bytes]]:
    """The way of forging, a body as the shoe would make it next, and the MAC beside it; endless."""
    chance, ways = Random(seed), list(FORGERS)
    while True:
        frame, way = chance.choice(frames), chance.choice(ways)
        seq, time_ms = chance.randrange(4, 2**16), chance.randrange(2**30)
        raw = codec.build({**frame, "flags": int(way != "none"), "seq": seq, "time_ms": time_ms})
        yield way, raw, FORGERS[way](chance, raw)


def test_no_forged_frame_is_taken_in_a_session() -> None:
    session = Session(*NONCES, KEY)
    tried = dict.fromkeys(FORGERS, 0)
    for way, raw, mac in islice(crafted(1, FROM_SHOE), FRAMES):
        tried[way] += 1
        assert not HERE.fits(raw, mac), way
        assert not taken(session, raw + mac), way
        assert session._least_seq == 0
    assert min(tried.values()) > FRAMES // 20


@pytest.mark.usefixtures("golden_hash")
def test_no_forged_frame_moves_a_link() -> None:
    shoe_link = begun(link())
    session, sent_before = shoe_link.handshake.session, sent(shoe_link)
    for way, raw, mac in islice(crafted(2, FROM_SHOE), FRAMES):
        assert shoe_link.receive(framing.encode(raw + mac), 1.3) == [], way
    assert sent_before
    assert (shoe_link.unit, shoe_link.handshake.session, shoe_link.log.next_no, shoe_link.log.durable_no) == (
        UNIT,
        session,
        2,
        1,
    )
    assert session is not None
    assert session._least_seq == 2
    refused = shoe_link.counters["forged"] + shoe_link.counters["unauthenticated"] + shoe_link.parser.malformed
    assert FRAMES // 2 < refused <= FRAMES  # the others are HELLO and BUSY that nobody asked for
    assert len(shoe_link.output()) <= 4096
    (event,) = shoe_link.receive(GOLDEN["it is locked"], 1.4)  # the shoe itself is still heard
    assert event.event_no == 2


@pytest.mark.usefixtures("golden_hash")
def test_no_forged_hello_begins_a_session() -> None:
    shoe_link = link()
    shoe_link.tick(1.0)
    right = codec.parse(body_of(GOLDEN["the shoe offers a session"])[:-MAC_BYTES])
    for way, raw, mac in islice(crafted(3, [right]), FRAMES):
        assert shoe_link.receive(framing.encode(raw + mac), 1.1) == []
        assert (shoe_link.unit, shoe_link.handshake.session) == (None, None), way
    assert "key" in str(shoe_link.problem)
    shoe_link.receive(GOLDEN["the shoe offers a session"], 1.2)
    assert str((shoe_link.unit, shoe_link.problem)) == str((UNIT, None))


@pytest.mark.usefixtures("golden_hash")
def test_the_same_frames_with_the_key_are_taken() -> None:
    """What makes the counts above mean something: only the MAC is wrong with them."""
    for _, raw, _ in islice(crafted(4, FROM_SHOE), 1000):
        body = bytes([raw[0], 1]) + raw[2:]
        assert taken(Session(*NONCES, KEY), body + HERE.mac(body))
