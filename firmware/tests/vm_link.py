"""The link: hello, welcome, acknowledgement, resend, window, profile."""

from struct import pack, unpack_from

from sabot.link.frame import Decoder, encode
from sabot.link.link import Link
from sabot.link.session import Session
from sabot.profile import Profile
from sabot.reading.sampler import Sampler
from sabot.storage.journal import Journal
from sabot.wire import PROTOCOL_HASH
from support import Memory

HELLO, EVENT, ALIVE, BUSY = 1, 2, 3, 4
A, B = b"gatewayA", b"gatewayB"
KEY = bytes(range(32))


class Gateway:
    """What a gateway says to the shoe, in its session: the MACs are made by a session of the other side."""

    def __init__(self, it, name=A, key=None):
        self.it, self.name, self.key = it, name, key
        self.seq = 0
        self.session = None

    def say(self, kind, body=b"", now_ms=0):
        """A frame of the session."""
        raw = bytearray(pack("<BBHI", kind, 0, self.seq, 0) + body + bytes(10))
        self.seq += 1
        self.put(raw, self.session.seal(raw, 8 + len(body)) if self.session else 8 + len(body), now_ms)

    def put(self, raw, size, now_ms=0):
        """Any bytes as a frame."""
        out = bytearray(200)
        end = encode(raw, size, out, 0)
        self.it.receive(out, end, now_ms)

    def ask(self, nonce, now_ms=0):
        """WHO."""
        self.put(bytearray(pack("<BBHI", 0x80, 0, 0, 0) + self.name + nonce + bytes(2)), 24, now_ms)

    def welcome(self, offered, durable=0, now_ms=0, protocol=PROTOCOL_HASH):
        """WELCOME to the session that a HELLO offered."""
        self.session = mirrored(self.key, offered)
        self.seq = 0
        self.say(0x81, protocol + offered[1] + pack("<I", durable), now_ms)


def mirrored(key, offered):
    """The gateway's end of a session: its way out is the shoe's way in."""
    session = Session(key)
    session.start(A, offered[0], offered[1])
    if key:
        session._inner_out, session._outer_out = session._inner_in, session._outer_in
    return session


def link(events=0, key=None):
    journal = Journal(Memory(3, 4096))
    for _ in range(events):
        journal.append(5, 4, 10)
    return Link(bytes(range(8)), 3, 1, journal, Profile(6), Sampler(), lambda n: bytes(n), key), journal


def served(events=0, key=None, durable=0):
    """A link in session, its journal, and the gateway."""
    it, journal = link(events, key)
    gateway = Gateway(it, A, key)
    gateway.ask(b"nonce--1")
    gateway.welcome(offered(it, 0), durable)
    return it, journal, gateway


def offered(it, now_ms):
    """The nonces of the HELLO that comes now."""
    hello = [body for body in bodies(it, now_ms) if body[0] == HELLO][-1]
    return hello[59:67], hello[67:75]


def bodies(it, now_ms):
    """Frames that the shoe sends now."""
    it.pump(now_ms)
    decoder = Decoder()
    frames = []
    for i in range(it.tx_size):
        size = decoder.feed(it.tx[i])
        if size:
            frames.append(bytes(decoder.body[:size]))
    it.sent(it.tx_size)
    return frames


def pumped(it, now_ms):
    """Frames (type, event number or None) that the shoe sends now."""
    return [(body[0], unpack_from("<I", body, 8)[0] if body[0] == EVENT else None) for body in bodies(it, now_ms)]


def test_hello_until_welcomed():
    it, _ = link(1)
    assert pumped(it, 0) == [(HELLO, None)]
    assert pumped(it, 499) == []
    assert pumped(it, 500) == [(HELLO, None)]
    gateway = Gateway(it)
    gateway.ask(b"nonce--1", 600)
    gateway.welcome(offered(it, 600), 0, 601)
    assert pumped(it, 601) == [(EVENT, 1)]


def test_hello_before_anybody_asked_offers_nothing():
    it, _ = link()
    assert offered(it, 0) == (bytes(8), bytes(8))


def test_a_question_of_the_wrong_length_or_with_flags_is_none():
    it, _ = link()
    pumped(it, 0)
    gateway = Gateway(it)
    for flags, size in ((0, 23), (0, 25), (1, 24), (1, 32)):
        gateway.put(bytearray(pack("<BBHI", 0x80, flags, 0, 0) + A + bytes(20)), size, 1)
        assert pumped(it, 1) == []


def test_the_same_question_gets_the_same_offer_and_another_one_a_new_one():
    it, _ = link()
    gateway = Gateway(it)
    offers = []
    for nonce in (b"nonce--1", b"nonce--1", b"nonce--2"):
        gateway.ask(nonce)
        offers.append(offered(it, 0))
    assert offers[0] == offers[1]
    assert offers[2][0] == b"nonce--2"
    assert offers[2][1] != offers[0][1]


def test_offers_differ_though_chance_gives_the_same_bytes():
    it, _ = link()
    gateway = Gateway(it)
    seen = set()
    for n in range(50):
        gateway.ask(b"nonce" + pack("<HB", n, 1))
        seen.add(offered(it, 0)[1])
    assert len(seen) == 50


def test_a_gateway_of_another_protocol_is_not_served():
    it, _ = link(1)
    gateway = Gateway(it)
    gateway.ask(b"nonce--1")
    gateway.welcome(offered(it, 0), 0, 0, bytes(8))
    assert pumped(it, 500) == [(HELLO, None)]


def test_a_welcome_to_another_offer_is_none():
    it, _ = link(1)
    gateway = Gateway(it)
    gateway.ask(b"nonce--1")
    first = offered(it, 0)
    gateway.ask(b"nonce--2")
    gateway.welcome(first)
    assert pumped(it, 0) == [(HELLO, None)]


def test_events_go_on_from_what_the_gateway_holds():
    it, journal, _ = served(5, durable=3)
    assert pumped(it, 0) == [(EVENT, 4), (EVENT, 5)]
    assert journal.acked == 3


def test_window_and_acknowledgement():
    it, _, gateway = served(40)
    sent = []
    for _ in range(20):
        sent += pumped(it, 0)
    assert sent == [(EVENT, n) for n in range(1, 25)]
    gateway.say(0x82, pack("<I", 10))
    sent = pumped(it, 1) + pumped(it, 1) + pumped(it, 1)
    assert sent == [(EVENT, n) for n in range(25, 35)]


def test_resend_from_the_first_unacknowledged():
    it, _, gateway = served(3)
    assert pumped(it, 0) == [(EVENT, 1), (EVENT, 2), (EVENT, 3)]
    gateway.say(0x82, pack("<I", 1), 100)
    assert pumped(it, 599) == []
    assert pumped(it, 600) == [(EVENT, 2), (EVENT, 3)]


def test_resends_come_slower_and_slower_until_something_is_acknowledged():
    it, _, gateway = served(2)
    times = []
    for now_ms in range(0, 34000, 100):
        gateway.say(0x82, pack("<I", 0), now_ms)  # it is there, but its ledger takes nothing
        if (EVENT, 1) in pumped(it, now_ms):
            times.append(now_ms)
    waits = [times[i + 1] - times[i] for i in range(len(times) - 1)]
    assert waits == [500, 1000, 2000, 4000, 8000, 8000, 8000]
    gateway.say(0x82, pack("<I", 1), 34000)
    assert pumped(it, 34499) == []
    assert pumped(it, 34500) == [(EVENT, 2)]


def test_the_gateway_asks_for_what_it_misses():
    it, _, gateway = served(6)
    sent = []
    for _ in range(3):
        sent += pumped(it, 0)
    assert sent == [(EVENT, n) for n in range(1, 7)]
    gateway.say(0x85, pack("<I", 3))
    assert pumped(it, 1) == [(EVENT, n) for n in range(3, 7)]
    gateway.say(0x85, pack("<I", 7))
    gateway.say(0x85, pack("<I", 0))
    assert pumped(it, 2) == []


def test_a_gateway_that_compares_gets_what_was_acknowledged_again():
    it, journal, gateway = served(6)
    pumped(it, 0)
    gateway.say(0x82, pack("<I", 6))
    gateway.ask(b"nonce--2", 1)
    gateway.welcome(offered(it, 1), 0, 1)
    assert pumped(it, 1) + pumped(it, 1) == [(EVENT, n) for n in range(1, 7)]
    assert journal.acked == 6


def test_an_acknowledged_log_is_quiet():
    it, _, gateway = served(2)
    pumped(it, 0)
    gateway.say(0x82, pack("<I", 2))
    assert pumped(it, 999) == []
    assert pumped(it, 1000) == [(ALIVE, None)]
    assert pumped(it, 1999) == []
    assert pumped(it, 2000) == [(ALIVE, None)]


def test_a_session_begins_with_a_word_though_there_is_no_event():
    it, _, _ = served(0)
    assert pumped(it, 0) == [(ALIVE, None)]


def test_who_disturbs_nothing_before_its_welcome():
    it, journal, gateway = served(2)
    pumped(it, 0)
    gateway.ask(b"nonce--2", 1)
    assert pumped(it, 1) == [(HELLO, None)]
    journal.append(5, 4, 10)
    assert pumped(it, 2) == [(EVENT, 3)]
    gateway.ask(b"nonce--2", 3)
    gateway.welcome(offered(it, 3), 1, 3)
    assert pumped(it, 3) == [(EVENT, 2), (EVENT, 3)]


def test_the_question_of_this_very_session_come_again_is_no_question():
    it, _, gateway = served(0)
    pumped(it, 0)
    gateway.ask(b"nonce--1", 1)
    assert pumped(it, 1) == []


def test_a_second_gateway_is_told_who_is_served():
    it, _, gateway = served(1)
    pumped(it, 0)
    Gateway(it, B).ask(b"nonce--B", 100)
    (busy,) = bodies(it, 100)
    assert (busy[0], busy[8:16], busy[16:24]) == (BUSY, A, b"nonce--B")
    gateway.say(0x82, pack("<I", 1), 101)
    assert pumped(it, 1100) == [(ALIVE, None)]


def test_a_second_gateway_is_served_when_the_first_is_gone():
    it, _, gateway = served(1)
    pumped(it, 0)
    gateway.say(0x82, pack("<I", 0), 3000)
    other = Gateway(it, B)
    other.ask(b"nonce--B", 7999)
    assert BUSY in [kind for kind, _ in pumped(it, 7999)]
    other.ask(b"nonce--B", 8000)
    other.welcome(offered(it, 8000), 0, 8001)
    assert pumped(it, 8001) == [(EVENT, 1)]


def test_a_gateway_that_says_nothing_for_five_seconds_is_gone():
    it, _, gateway = served(0)
    gateway.say(0x82, pack("<I", 0), 1000)
    assert (HELLO, None) not in pumped(it, 5999)
    assert pumped(it, 6000) == [(HELLO, None)]


def test_a_line_that_takes_few_bytes_gets_all_of_them():
    it, _, _ = served(2)
    it.pump(0)
    whole = bytes(it.tx[: it.tx_size])
    got = b""
    while it.tx_size:
        got += bytes(it.tx[:3])
        it.sent(min(3, it.tx_size))
    assert got[: len(whole)] == whole


def test_a_profile_waits_for_main():
    it, _, gateway = served()
    assert not it.new_profile
    fields = bytes([2, 6, 1, 2, 1, 0, 5, 0]) + bytes([7] * 46)
    gateway.say(0x83, bytes(range(8)) + bytes(8) + fields)
    assert it.new_profile
    profile = Profile(6)
    assert profile.load(it.profile, 8)
    assert (profile.card_set, profile.decks, profile.burn) == (2, 6, 1)
    assert bytes(profile.digest) == bytes(range(8))


def command(command_id, kind=6, data=b""):
    return pack("<IB", command_id, kind) + data


def test_a_command_waits_for_main_and_is_taken_once():
    it, _, gateway = served()
    gateway.say(0x84, command(7))
    assert it.command_due
    assert it.command[12] == 6
    it.command_due = False
    it.last_command_id = 7
    gateway.say(0x84, command(7))
    gateway.say(0x84, command(6))
    assert not it.command_due
    gateway.say(0x84, command(8, 10, b"\x21\x00"))
    assert it.command_due
    gateway.say(0x84, command(9))
    assert it.command[8] == 8


def test_commands_of_the_wrong_length_or_kind_are_for_main_to_refuse():
    it, _, gateway = served()
    for wrong, refused in ((command(1, 0), 1), (command(1, 21), 2), (command(1, 6, b"x"), 2), (command(1, 10), 2)):
        gateway.say(0x84, wrong)
        assert (it.command_due, it.refused) == (True, refused)
        it.command_due = False
    gateway.say(0x84, pack("<I", 1))
    assert (it.command_due, it.refused) == (False, 3)


def test_frames_of_the_wrong_length_are_ignored():
    it, journal, gateway = served(3)
    gateway.say(0x82, pack("<IB", 3, 0))
    gateway.say(0x83, bytes(5))
    gateway.say(0x7F, b"")
    assert not it.new_profile
    assert journal.acked == 0
    assert it.refused == 3


def test_nothing_counts_before_a_welcome():
    it, journal = link(3)
    Gateway(it).say(0x82, pack("<I", 3))
    Gateway(it).say(0x84, command(1))
    assert journal.acked == 0
    assert not it.command_due


def test_with_a_key_the_log_goes_to_a_gateway_that_has_it():
    it, journal, gateway = served(2, KEY)
    assert pumped(it, 0) == [(EVENT, 1), (EVENT, 2)]
    gateway.say(0x82, pack("<I", 2))
    assert journal.acked == 2


def test_with_a_key_a_gateway_without_it_is_not_served():
    it, _ = link(2, KEY)
    for key in (None, bytes(32)):
        gateway = Gateway(it, A, key)
        gateway.ask(b"nonce--" + bytes([1 + bool(key)]))
        gateway.welcome(offered(it, 0))
        assert EVENT not in [kind for kind, _ in pumped(it, 500)]


def test_with_a_key_a_bare_command_is_refused_and_counted():
    it, journal, gateway = served(2, KEY)
    bare = Gateway(it)
    bare.say(0x84, command(1))
    bare.say(0x82, pack("<I", 2))
    assert (it.command_due, journal.acked, it.refused) == (False, 0, 2)
    gateway.say(0x84, command(1))
    assert it.command_due


def recorded(gateway, kind, body):
    """A frame of the session as bytes, not yet said."""
    raw = bytearray(pack("<BBHI", kind, 0, gateway.seq, 0) + body + bytes(10))
    gateway.seq += 1
    return raw, gateway.session.seal(raw, 8 + len(body))


def test_a_frame_that_comes_twice_is_refused():
    it, _, gateway = served(2, KEY)
    raw, size = recorded(gateway, 0x84, command(1))
    gateway.put(bytearray(raw), size)
    assert it.command_due
    it.command_due = False
    gateway.put(bytearray(raw), size)
    assert (it.command_due, it.refused) == (False, 1)


def test_a_frame_of_an_older_session_is_refused():
    it, journal, gateway = served(2, KEY)
    raw, size = recorded(gateway, 0x82, pack("<I", 2))
    gateway.ask(b"nonce--2", 1)
    gateway.welcome(offered(it, 1), 0, 1)
    gateway.put(raw, size, 2)
    assert (journal.acked, it.refused) == (0, 1)


def test_what_the_shoe_said_is_refused_when_it_comes_back():
    it, _, gateway = served(2, KEY)
    for body in bodies(it, 0):
        back = bytearray(body) + bytes(2)
        gateway.put(back, len(body), 1)
    assert it.refused == 2


def test_a_recorded_welcome_opens_no_new_session():
    it, _ = link(1, KEY)
    gateway = Gateway(it, A, KEY)
    gateway.ask(b"nonce--1")
    first = offered(it, 0)
    gateway.session = mirrored(KEY, first)
    raw, size = recorded(gateway, 0x81, PROTOCOL_HASH + first[1] + pack("<I", 0))
    it2, _ = link(1, KEY)
    it2._offers = 1  # after a restart the boot count or the count of offers is another
    replay = Gateway(it2)
    replay.ask(b"nonce--1")
    pumped(it2, 0)
    replay.put(raw, size)
    assert pumped(it2, 500) == [(HELLO, None)]


def test_every_changed_byte_of_an_authenticated_frame_is_refused():
    _, journal, gateway = served(2, KEY)
    raw, size = recorded(gateway, 0x82, pack("<I", 2))
    for at in range(1, size):
        changed = bytearray(raw)
        changed[at] ^= 1
        gateway.put(changed, size)
        assert journal.acked == 0, at
    gateway.put(raw, size)
    assert journal.acked == 2


def test_a_session_whose_numbers_are_used_up_is_offered_anew():
    it, _, _ = served(1, KEY)
    it._session.seq = 0xFFFF
    assert pumped(it, 0) == [(EVENT, 1)]
    assert pumped(it, 500) == [(HELLO, None)]
