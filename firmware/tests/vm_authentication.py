"""The link of a shoe with a key: forged, repeated and older frames are refused."""

from struct import pack

from gateway_side import KEY, A, Gateway, bodies, command, mirrored, new_link, offered, recorded, sent_by, served
from sabot import wire
from sabot.wire import PROTOCOL_HASH


def test_with_a_key_the_log_goes_to_a_gateway_that_has_it():
    link, journal, gateway = served(2, KEY)
    assert sent_by(link, 0) == [(wire.TYPE_EVENT, 1), (wire.TYPE_EVENT, 2)]
    gateway.send(wire.TYPE_ACK, pack("<I", 2))
    assert journal.acked == 2


def test_with_a_key_a_gateway_without_it_is_not_served():
    link, _ = new_link(2, KEY)
    for key in (None, bytes(32)):
        gateway = Gateway(link, A, key)
        gateway.ask(b"nonce--" + bytes([1 + bool(key)]))
        gateway.welcome(offered(link, 0))
        assert wire.TYPE_EVENT not in [kind for kind, _ in sent_by(link, 500)]


def test_with_a_key_a_bare_command_is_refused_and_counted():
    link, journal, gateway = served(2, KEY)
    bare = Gateway(link)
    bare.send(wire.TYPE_COMMAND, command(1))
    bare.send(wire.TYPE_ACK, pack("<I", 2))
    assert (link.command_due, journal.acked, link.refused) == (False, 0, 2)
    gateway.send(wire.TYPE_COMMAND, command(1))
    assert link.command_due


def test_a_frame_that_comes_twice_is_refused():
    link, _, gateway = served(2, KEY)
    raw, size = recorded(gateway, wire.TYPE_COMMAND, command(1))
    gateway.put(bytearray(raw), size)
    assert link.command_due
    link.command_due = False
    gateway.put(bytearray(raw), size)
    assert (link.command_due, link.refused) == (False, 1)


def test_a_frame_of_an_older_session_is_refused():
    link, journal, gateway = served(2, KEY)
    raw, size = recorded(gateway, wire.TYPE_ACK, pack("<I", 2))
    gateway.ask(b"nonce--2", 1)
    gateway.welcome(offered(link, 1), 0, 1)
    gateway.put(raw, size, 2)
    assert (journal.acked, link.refused) == (0, 1)


def test_a_frame_of_the_shoe_itself_is_refused():
    link, _, gateway = served(2, KEY)
    for body in bodies(link, 0):
        back = bytearray(body) + bytes(2)
        gateway.put(back, len(body), 1)
    assert link.refused == 2


def test_a_recorded_welcome_opens_no_new_session():
    link, _ = new_link(1, KEY)
    gateway = Gateway(link, A, KEY)
    gateway.ask(b"nonce--1")
    first = offered(link, 0)
    gateway.session = mirrored(KEY, first)
    raw, size = recorded(gateway, wire.TYPE_WELCOME, PROTOCOL_HASH + first[1] + pack("<I", 0))
    other, _ = new_link(1, KEY)
    other._offers = 1  # after a restart the boot count or the count of offers is another
    replay = Gateway(other)
    replay.ask(b"nonce--1")
    sent_by(other, 0)
    replay.put(raw, size)
    assert sent_by(other, 500) == [(wire.TYPE_HELLO, None)]


def test_every_changed_byte_of_an_authenticated_frame_is_refused():
    _, journal, gateway = served(2, KEY)
    raw, size = recorded(gateway, wire.TYPE_ACK, pack("<I", 2))
    for at in range(1, size):
        changed = bytearray(raw)
        changed[at] ^= 1
        gateway.put(changed, size)
        assert journal.acked == 0, at
    gateway.put(raw, size)
    assert journal.acked == 2


def test_a_session_whose_numbers_are_used_up_is_offered_anew():
    link, _, _ = served(1, KEY)
    link._session.seq = 0xFFFF
    assert sent_by(link, 0) == [(wire.TYPE_EVENT, 1)]
    assert sent_by(link, 500) == [(wire.TYPE_HELLO, None)]
