"""The link: hello, welcome, acknowledgement, resend, window, profile."""

from struct import pack, unpack_from

from sabot.frame import Decoder, encode
from sabot.generated import PROTOCOL_HASH
from sabot.journal import RECORD, Journal
from sabot.link import Link
from sabot.profile import Profile
from sabot.sampler import Sampler
from support import Memory

HELLO, EVENT, ALIVE = 1, 2, 3


def link(events=0):
    journal = Journal(Memory(64, RECORD), 64)
    for _ in range(events):
        journal.append(5, 4, 9)
    return Link(bytes(range(8)), 3, journal, Profile(6), Sampler()), journal


def gateway(it, kind, body=b"", now_ms=0):
    raw = pack("<BBHI", kind, 0, 0, 0) + body
    out = bytearray(200)
    end = encode(bytearray(raw) + bytearray(2), len(raw), out, 0)
    it.receive(out, end, now_ms)


def welcome(it, durable=0, now_ms=0):
    gateway(it, 0x81, PROTOCOL_HASH + pack("<I", durable), now_ms)


def pumped(it, now_ms):
    """Frames (type, event number or None) that the shoe sends now."""
    it.pump(now_ms)
    decoder = Decoder()
    frames = []
    for i in range(it.tx_size):
        if decoder.feed(it.tx[i]):
            kind = decoder.body[0]
            frames.append((kind, unpack_from("<I", decoder.body, 8)[0] if kind == EVENT else None))
    it.sent(it.tx_size)
    return frames


def test_hello_until_welcomed():
    it, _ = link(1)
    assert pumped(it, 0) == [(HELLO, None)]
    assert pumped(it, 499) == []
    assert pumped(it, 500) == [(HELLO, None)]
    welcome(it, 0, 600)
    assert pumped(it, 600) == [(EVENT, 1)]


def test_a_gateway_of_another_protocol_is_not_served():
    it, _ = link(1)
    gateway(it, 0x81, bytes(8) + pack("<I", 0))
    assert pumped(it, 0) == [(HELLO, None)]


def test_events_go_on_from_what_the_gateway_holds():
    it, journal = link(5)
    welcome(it, 3)
    assert pumped(it, 0) == [(EVENT, 4), (EVENT, 5)]
    assert journal.acked == 3


def test_window_and_acknowledgement():
    it, _ = link(40)
    welcome(it)
    sent = []
    for _ in range(20):
        sent += pumped(it, 0)
    assert sent == [(EVENT, n) for n in range(1, 17)]
    gateway(it, 0x82, pack("<I", 10))
    sent = pumped(it, 1) + pumped(it, 1) + pumped(it, 1)
    assert sent == [(EVENT, n) for n in range(17, 27)]


def test_resend_from_the_first_unacknowledged():
    it, _ = link(3)
    welcome(it)
    assert pumped(it, 0) == [(EVENT, 1), (EVENT, 2), (EVENT, 3)]
    gateway(it, 0x82, pack("<I", 1), 100)
    assert pumped(it, 599) == []
    assert pumped(it, 600) == [(EVENT, 2), (EVENT, 3)]


def test_an_acknowledged_log_is_quiet():
    it, _ = link(2)
    welcome(it)
    pumped(it, 0)
    gateway(it, 0x82, pack("<I", 2))
    assert pumped(it, 999) == []
    assert pumped(it, 1000) == [(ALIVE, None)]
    assert pumped(it, 1999) == []
    assert pumped(it, 2000) == [(ALIVE, None)]


def test_who_starts_over():
    it, _ = link(2)
    welcome(it)
    pumped(it, 0)
    gateway(it, 0x80)
    assert pumped(it, 1) == [(HELLO, None)]
    welcome(it, 1)
    assert pumped(it, 2) == [(EVENT, 2)]


def test_a_line_that_takes_few_bytes_gets_all_of_them():
    it, _ = link(2)
    welcome(it)
    it.pump(0)
    whole = bytes(it.tx[: it.tx_size])
    got = b""
    while it.tx_size:
        got += bytes(it.tx[:3])
        it.sent(min(3, it.tx_size))
    assert got[: len(whole)] == whole


def test_a_profile_waits_for_main():
    it, _ = link()
    assert not it.new_profile
    gateway(it, 0x83, bytes(range(8)) + bytes(8) + bytes([2, 6, 1, 1]))
    assert it.new_profile
    profile = Profile(6)
    assert profile.load(it.command, 8)
    assert (profile.card_set, profile.decks, profile.burn) == (2, 6, 1)
    assert profile.cut_first_card_is_last_coup
    assert bytes(profile.digest) == bytes(range(8))


def test_frames_of_the_wrong_length_are_ignored():
    it, journal = link(3)
    gateway(it, 0x81, PROTOCOL_HASH + pack("<H", 0))
    gateway(it, 0x82, pack("<IB", 3, 0))
    gateway(it, 0x83, bytes(5))
    assert not it.new_profile
    assert journal.acked == 0
    assert pumped(it, 0) == [(HELLO, None)]
