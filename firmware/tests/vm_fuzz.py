"""Random and mutated frames at the shoe: nothing is taken that was not sent, nothing is raised, nothing grows.

SABOT_FRAMES sets how many frames each test tries: micropython -X heapsize=96wK firmware/tests/vm.py vm_fuzz TEST.
"""

import gc
import os
import random
from binascii import unhexlify

import sabot.link.link
from sabot import wire
from sabot.link.frame import Decoder, encode
from sabot.link.link import Link
from sabot.link.session import Session
from sabot.profile import Profile
from sabot.reading.sampler import Sampler
from sabot.storage.journal import Journal
from support import Memory, golden_frames

FRAMES = int(os.getenv("SABOT_FRAMES") or 5000)
TO_SHOE = "sabot gateway to shoe"
TX_BYTES = 512


def some(count):
    """Return random bytes."""
    return bytes([random.getrandbits(8) for _ in range(count)])


def place(data):
    return random.randrange(len(data)) if data else 0


def mutated(data, other):
    """One change: bits, a byte, insertion, deletion, cut, splice, a repeated part, or nothing of it left."""
    at = place(data)
    way = random.randrange(8)
    if way == 0 and data:
        changed = bytearray(data)
        for _ in range(random.randrange(1, 5)):
            changed[place(data)] ^= 1 << random.randrange(8)
        return bytes(changed)
    if way == 1:
        return data[:at] + some(1) + data[at + 1 :]
    if way == 2:
        return data[:at] + some(random.randrange(1, 4)) + data[at:]
    if way == 3:
        return data[:at] + data[at + random.randrange(1, 4) :]
    if way == 4:
        return data[:at]
    if way == 5:
        return data[:at] + other[place(other) :]
    if way == 6:
        return data[:at] + data[at - min(at, random.randrange(1, 20)) :]
    return some(random.randrange(60))


def several(of):
    """Return one of these with one to three changes."""
    data = random.choice(of)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        data = mutated(data, random.choice(of))
    return data


def framed(body):
    """Return a body as a frame with a right CRC, and its size."""
    body = body[: wire.MAX_BODY_BYTES]
    out = bytearray(140)
    return out, encode(bytearray(body) + bytearray(2), len(body), out, 0)


def golden(field, sealed_to_shoe=False):
    """Return a field of all golden frames."""
    found = []
    for vector in golden_frames("accept"):
        if not sealed_to_shoe or vector.get("direction") == TO_SHOE:
            found.append(unhexlify(vector[field] + (vector.get("mac", "") if field == "body" else "")))
    return found


def reference_crc(data):
    """Return the CRC-16/IBM-3740, bit by bit."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def test_a_body_comes_out_only_if_its_crc_is_right():
    random.seed(1)
    wires, sent = golden("wire"), set(golden("body"))
    decoder = Decoder()
    through = collided = 0
    for _ in range(FRAMES):
        for byte in several(wires) + b"\0":
            size = decoder.feed(byte)
            if size:
                body = bytes(decoder.body[:size])
                assert reference_crc(body) == decoder.body[size] | decoder.body[size + 1] << 8
                through += 1
                collided += body not in sent
    print(FRAMES, "frames:", through, "came through,", collided, "of them damaged and with a right CRC")
    assert collided <= FRAMES // 65536 + 5
    assert len(decoder.body) == wire.MAX_BODY_BYTES + 2


def start():
    """Return a session of the golden key and nonces."""
    vector = next(one for one in golden_frames("accept") if one.get("direction") == TO_SHOE)
    session = Session(unhexlify(vector["key"]))
    session.start(b"gateway1", unhexlify(vector["gateway_nonce"]), unhexlify(vector["shoe_nonce"]))
    return session


def test_a_session_opens_nothing_that_was_not_sent():
    random.seed(2)
    sent = golden("body", True)
    session = start()
    body = bytearray(wire.MAX_BODY_BYTES + 2)
    intact = 0
    for _ in range(FRAMES):
        made = several(sent)[: wire.MAX_BODY_BYTES]
        body[: len(made)] = made
        session._least_seq = 0  # so that only the MAC can help
        if len(made) >= 8 and session.opened(body, len(made)):
            assert made in sent
            intact += 1
    print(FRAMES, "frames:", intact, "intact copies were opened, nothing else")


def served(key):
    """Return a shoe in the golden session with events to send, and its journal."""
    sabot.link.link.PROTOCOL_HASH = unhexlify("c1c2c3c4c5c6c7c8")
    journal = Journal(Memory(3, 4096))
    for _ in range(40):
        journal.append(5, 10, 0)
    link = Link(bytes(8), 3, 1, journal, Profile(6), Sampler(), lambda count: unhexlify("11223344")[:count], key)
    for vector in golden_frames("accept"):
        if vector["name"] == "the gateway asks" or (vector["name"] == "the gateway takes it" and key):
            receive(link, unhexlify(vector["wire"]))
        elif vector["name"] == "the gateway takes it":
            receive(link, *framed(b"\x81\0" + unhexlify(vector["body"])[2:]))
    assert link._welcomed
    pumped(link)
    return link, journal


def receive(link, data, size=None):
    link.receive(data, len(data) if size is None else size, 0)


def pumped(link):
    """Let the shoe send, and take the bytes off the line."""
    link.pump(0)
    assert link.tx_size <= TX_BYTES
    link.sent(link.tx_size)


def test_an_authenticated_shoe_takes_no_frame_without_the_key():
    """Noise, and frames with a right CRC, change nothing; a WHO is always answered."""
    random.seed(3)
    vector = next(one for one in golden_frames("accept") if one.get("direction") == TO_SHOE)
    link, journal = served(unhexlify(vector["key"]))
    session = link._session
    session._least_seq = 0x10000  # every golden frame has been received
    wires, bodies = golden("wire"), golden("body")
    for number in range(FRAMES):
        receive(link, several(wires) + b"\0") if number & 1 else receive(link, *framed(several(bodies)))
        if not number & 15:
            pumped(link)
        assert link._session is session
        assert (link.command_due, link.new_profile, journal.acked, link._welcomed) == (False, False, 0, True)
    print(FRAMES, "frames:", link.refused, "refused,", link.crc_errors(), "damaged (both modulo 65536), none taken")
    assert link.refused


def test_a_shoe_without_a_key_survives_everything():
    """Without a key everybody who can compute a CRC may command: nothing breaks or grows."""
    random.seed(4)
    link, journal = served(None)
    bodies = golden("body")
    gc.collect()
    free = gc.mem_free()
    commands = 0
    for number in range(FRAMES):
        receive(link, *framed(several(bodies)))
        if not number & 15:
            pumped(link)
        commands += link.command_due
        link.command_due = link.new_profile = False
        assert journal.acked < journal.next_no
    assert commands
    gc.collect()
    print(FRAMES, "frames:", commands, "commands,", free - gc.mem_free(), "bytes of heap more than before")
    assert free - gc.mem_free() < 2048
