"""Random and mutated bytes on the line: nothing is accepted that was not sent, nothing is raised, nothing grows.

SABOT_FRAMES sets how many frames each test tries; a million take about a minute each.
"""

import json
import os
import tracemalloc
from binascii import crc_hqx
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from cobs import cobs
from sabot_gateway.shoe.link import ShoeLink
from sabot_gateway.shoe.parse import UNREADABLE, Frame, Parser
from sabot_gateway.shoe.session import Session
from sabot_protocol import framing, messages
from sabot_protocol.framing import Deframer

VECTORS: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parents[1] / "vectors" / "frames.jsonl").read_text().splitlines()
]
ACCEPT = [vector for vector in VECTORS if vector["expect"] == "accept"]
SEALED = [vector for vector in ACCEPT if vector.get("direction") == "sabot shoe to gateway"]
WIRES = [bytes.fromhex(vector["wire"]) for vector in ACCEPT]
SENT = {bytes.fromhex(vector["body"] + vector.get("mac", "")) for vector in ACCEPT}
KEY, GATEWAY_NONCE, SHOE_NONCE = (bytes.fromhex(SEALED[0][name]) for name in ("key", "gateway_nonce", "shoe_nonce"))
PROFILE = {
    "rulebook_hash": bytes(8),
    "card_set": 1,
    "decks": 8,
    "burn": "none",
    "burn_modes": {},
    "switches": {},
    "unwagered": "no_bet",
    "ordered": {},
    "codes": b"\1" * messages.CODES_BYTES,
}
FRAMES = int(os.environ.get("SABOT_FRAMES", "20000"))
MOST_ENCODED = 131
Change = Callable[[Random, bytes, bytes], bytes]


def place(chance: Random, data: bytes) -> int:
    """Anywhere in it."""
    return chance.randrange(len(data)) if data else 0


def flipped(chance: Random, data: bytes, other: bytes) -> bytes:
    """One to four bits."""
    number = int.from_bytes(data)
    for _ in range(chance.randint(1, 4)):
        number ^= 1 << chance.randrange(max(1, 8 * len(data)))
    return number.to_bytes(len(data) + 1)[-len(data) :] if data else b"\1"


def replaced(chance: Random, data: bytes, other: bytes) -> bytes:
    """A byte is another."""
    at = place(chance, data)
    return data[:at] + chance.randbytes(1) + data[at + 1 :]


def inserted(chance: Random, data: bytes, other: bytes) -> bytes:
    """Up to three bytes more."""
    at = place(chance, data)
    return data[:at] + chance.randbytes(chance.randint(1, 3)) + data[at:]


def deleted(chance: Random, data: bytes, other: bytes) -> bytes:
    """Up to three bytes fewer."""
    at = place(chance, data)
    return data[:at] + data[at + chance.randint(1, 3) :]


def truncated(chance: Random, data: bytes, other: bytes) -> bytes:
    """The end is missing."""
    return data[: place(chance, data)]


def spliced(chance: Random, data: bytes, other: bytes) -> bytes:
    """The start of one and the end of another."""
    return data[: place(chance, data)] + other[place(chance, other) :]


def repeated(chance: Random, data: bytes, other: bytes) -> bytes:
    """A part comes again."""
    start, end = sorted((place(chance, data), place(chance, data)))
    return data[:end] + data[start:end] * chance.randint(1, 3) + data[end:]


def invented(chance: Random, data: bytes, other: bytes) -> bytes:
    """Nothing of it is left."""
    return chance.randbytes(chance.randrange(150))


CHANGES: list[Change] = [flipped, replaced, inserted, deleted, truncated, spliced, repeated, invented]


def mutated(chance: Random, of: list[bytes]) -> bytes:
    """One of these with one to three changes."""
    data = chance.choice(of)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        data = chance.choice(CHANGES)(chance, data, chance.choice(of))
    return data


def on_the_line(seed: int) -> Iterator[bytes]:
    """What noise makes of golden frames; every other one has its COBS made right again, so that the CRC must notice."""
    chance, checked = Random(seed), [body + crc_hqx(body, 0xFFFF).to_bytes(2, "little") for body in sorted(SENT)]
    while True:
        yield mutated(chance, WIRES) + b"\0"
        yield cobs.encode(mutated(chance, checked)) + b"\0"


def with_right_crc(seed: int, of: list[bytes]) -> Iterator[bytes]:
    """What somebody makes of golden bodies who can compute a CRC; endless."""
    chance = Random(seed)
    while True:
        yield framing.encode(mutated(chance, of)[: framing.MAX_BODY_BYTES] or b"\0")


def uncoded(part: bytes) -> bytes | None:
    """Decode COBS as its paper describes; None if a code byte points beyond the end."""
    found, at = bytearray(), 0
    while at < len(part):
        code = part[at]
        if at + code > len(part):
            return None
        found += part[at + 1 : at + code]
        at += code
        if code < 0xFF and at < len(part):
            found.append(0)
    return bytes(found)


def expected(data: bytes, reached: Counter[str]) -> list[bytes]:
    """The bodies that must come out of these whole frames: short enough, coded right, CRC right."""
    found = []
    for part in filter(None, data.split(b"\0")):
        frame = uncoded(part) if len(part) <= MOST_ENCODED else None
        if frame is None or len(frame) < 3 or frame[:-2] in SENT:
            reached["sent or broken"] += 1
        else:
            reached["crc"] += 1  # of garbage, so often it was up to the CRC alone
        if frame and len(frame) >= 3 and crc_hqx(frame[:-2], 0xFFFF) == int.from_bytes(frame[-2:], "little"):
            found.append(frame[:-2])
    return found


def test_a_body_comes_out_only_if_its_crc_is_right_and_few_pass_by_chance() -> None:
    deframer, reached, passed = Deframer(), Counter[str](), 0
    for data in islice(on_the_line(1), FRAMES):
        bodies = deframer.feed(data)
        assert bodies == expected(data, reached), data.hex()
        assert not deframer._partial
        passed += sum(body not in SENT for body in bodies)
    mean = reached["crc"] / 65536
    print(
        f"{FRAMES} frames: {reached['crc']} pieces of garbage reached the CRC, {passed} passed it, {mean:.1f} expected"
    )
    assert reached["crc"] > FRAMES // 2  # the others were broken before, or whole
    assert passed <= mean + 5 * mean**0.5 + 3


def test_the_same_bodies_come_out_of_any_pieces_and_little_is_held() -> None:
    chance, whole, pieces = Random(2), Deframer(), Deframer()
    for data in islice(on_the_line(2), FRAMES // 10):
        cut = chance.randrange(len(data))
        assert pieces.feed(data[:cut]) + pieces.feed(data[cut:]) == whole.feed(data)
        assert len(pieces._partial) <= MOST_ENCODED
    assert (pieces.crc_errors, pieces.cobs_errors, pieces.oversize) == (
        whole.crc_errors,
        whole.cobs_errors,
        whole.oversize,
    )


def test_parsed_frames_build_again_and_no_other_error_is_raised() -> None:
    """A frame that passes the CRC is read as the definition has it, or as an event with a number, or is counted."""
    parser, seen = Parser(), Counter[str]()
    for data in islice(with_right_crc(3, sorted(SENT)), FRAMES):
        for frame in parser.feed(data):
            if frame.type == "event" and frame.body["kind"] == UNREADABLE:
                seen[UNREADABLE] += 1
                assert frame.raw[8:12] == frame.body["event_no"].to_bytes(4, "little")
                continue
            seen[frame.type] += 1
            again = messages.Frame.parse(frame.raw)
            assert (again.type, again.seq, again.time_ms) == (frame.type, frame.seq, frame.time_ms)
            assert len(frame.mac) == 8 * frame.raw[1]
    assert set(seen) == {*messages.FRAMES, UNREADABLE}
    assert parser.malformed + seen[UNREADABLE] > FRAMES // 4
    assert not parser.deframer.crc_errors


def sent_in_session() -> dict[bytes, bytes]:
    """Bodies that the shoe really sent in the golden session, with their MACs."""
    return {bytes.fromhex(vector["body"]): bytes.fromhex(vector["mac"]) for vector in SEALED}


def taken(session: Session, frames: list[Frame]) -> list[Frame]:
    """Those that the session does not refuse."""
    return [frame for frame in frames if session.refuses(frame) is None]


def test_an_authenticated_session_takes_nothing_that_was_not_sent() -> None:
    """Noise and forgers alike; each in a session that has heard nothing yet, so that only the MAC can help."""
    sent, parser, intact = sent_in_session(), Parser(), 0
    session = Session(GATEWAY_NONCE, SHOE_NONCE, KEY)
    bodies = [body + mac for body, mac in sent.items()]
    for noise, forged in islice(zip(on_the_line(4), with_right_crc(5, bodies), strict=False), FRAMES // 2):
        session._least_seq = 0
        for frame in taken(session, parser.feed(noise + forged)):
            assert sent[frame.raw] == frame.mac
            intact += 1
    print(f"{FRAMES} frames: {intact} intact copies came through, nothing else; {parser.malformed} malformed")
    assert intact < FRAMES


def test_a_session_that_has_heard_everything_takes_nothing_at_all() -> None:
    """Not even intact copies: the numbers of frames must rise."""
    session, parser = Session(GATEWAY_NONCE, SHOE_NONCE, KEY), Parser()
    for vector in SEALED:
        assert len(taken(session, parser.feed(bytes.fromhex(vector["wire"])))) == 1
    bodies = [body + mac for body, mac in sent_in_session().items()]
    for noise, forged in islice(zip(on_the_line(6), with_right_crc(7, bodies), strict=False), FRAMES // 2):
        assert not taken(session, parser.feed(noise + forged))


def served() -> ShoeLink:
    """A link in the golden session, whose shoe has sent its first event."""
    shoe_link = ShoeLink(PROFILE, lambda unit: 0, keys=lambda unit: [KEY], nonce=lambda: GATEWAY_NONCE)
    shoe_link.handshake.session, shoe_link.handshake.unit = (
        Session(GATEWAY_NONCE, SHOE_NONCE, KEY),
        SEALED[0]["fields"]["body"]["unit"],
    )
    shoe_link.log.next_no = 1
    assert len(shoe_link.receive(bytes.fromhex(SEALED[1]["wire"]), 1.0)) == 1
    return shoe_link


def test_mutated_frames_change_nothing_in_a_link_and_little_is_held() -> None:
    shoe_link, bodies = served(), [body + mac for body, mac in sent_in_session().items()]
    unit, session, top = shoe_link.unit, shoe_link.handshake.session, 0
    for noise, forged in islice(zip(on_the_line(8), with_right_crc(9, bodies), strict=False), FRAMES // 2):
        for event in shoe_link.receive(noise + forged, 1.1):
            top += 1
            assert event.raw in sent_in_session()
        assert (shoe_link.unit, shoe_link.handshake.session) == (unit, session)
        assert len(shoe_link.parser.deframer._partial) <= MOST_ENCODED
        assert len(shoe_link.output()) <= 4096
    assert top <= 1  # the second event of the golden session, if it came through whole


def test_memory_does_not_grow() -> None:
    shoe_link, line = served(), on_the_line(10)
    for data in islice(line, 2000):
        shoe_link.receive(data, 1.1)
    tracemalloc.start()
    for data in islice(line, 5000):
        shoe_link.receive(data, 1.1)
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert grown < 32 * 1024
