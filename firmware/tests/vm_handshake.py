"""The handshake: HELLO, WHO, WELCOME and BUSY; one gateway is served at a time."""

from struct import pack

from gateway_side import A, B, Gateway, bodies, new_link, offered, sent_by, served
from sabot import wire


def test_hello_until_welcomed():
    link, _ = new_link(1)
    assert sent_by(link, 0) == [(wire.TYPE_HELLO, None)]
    assert sent_by(link, 499) == []
    assert sent_by(link, 500) == [(wire.TYPE_HELLO, None)]
    gateway = Gateway(link)
    gateway.ask(b"nonce--1", 600)
    gateway.welcome(offered(link, 600), 0, 601)
    assert sent_by(link, 601) == [(wire.TYPE_EVENT, 1)]


def test_hello_before_a_who_offers_no_session():
    link, _ = new_link()
    assert offered(link, 0) == (bytes(8), bytes(8))


def test_a_who_of_the_wrong_length_or_with_flags_is_ignored():
    link, _ = new_link()
    sent_by(link, 0)
    gateway = Gateway(link)
    for flags, size in ((0, 23), (0, 25), (1, 24), (1, 32)):
        gateway.put(bytearray(pack("<BBHI", wire.TYPE_WHO, flags, 0, 0) + A + bytes(20)), size, 1)
        assert sent_by(link, 1) == []


def test_the_same_nonce_gets_the_same_offer_and_another_nonce_a_new_one():
    link, _ = new_link()
    gateway = Gateway(link)
    offers = []
    for nonce in (b"nonce--1", b"nonce--1", b"nonce--2"):
        gateway.ask(nonce)
        offers.append(offered(link, 0))
    assert offers[0] == offers[1]
    assert offers[2][0] == b"nonce--2"
    assert offers[2][1] != offers[0][1]


def test_offers_differ_though_the_random_source_fails():
    link, _ = new_link()
    gateway = Gateway(link)
    seen = set()
    for n in range(50):
        gateway.ask(b"nonce" + pack("<HB", n, 1))
        seen.add(offered(link, 0)[1])
    assert len(seen) == 50


def test_a_gateway_of_another_protocol_is_not_served():
    link, _ = new_link(1)
    gateway = Gateway(link)
    gateway.ask(b"nonce--1")
    gateway.welcome(offered(link, 0), 0, 0, bytes(8))
    assert sent_by(link, 500) == [(wire.TYPE_HELLO, None)]


def test_a_welcome_to_an_older_offer_is_ignored():
    link, _ = new_link(1)
    gateway = Gateway(link)
    gateway.ask(b"nonce--1")
    first = offered(link, 0)
    gateway.ask(b"nonce--2")
    gateway.welcome(first)
    assert sent_by(link, 0) == [(wire.TYPE_HELLO, None)]


def test_a_who_changes_nothing_before_its_welcome():
    link, journal, gateway = served(2)
    sent_by(link, 0)
    gateway.ask(b"nonce--2", 1)
    assert sent_by(link, 1) == [(wire.TYPE_HELLO, None)]
    journal.append(5, 4, 10)
    assert sent_by(link, 2) == [(wire.TYPE_EVENT, 3)]
    gateway.ask(b"nonce--2", 3)
    gateway.welcome(offered(link, 3), 1, 3)
    assert sent_by(link, 3) == [(wire.TYPE_EVENT, 2), (wire.TYPE_EVENT, 3)]


def test_a_repeated_who_of_this_session_is_ignored():
    link, _, gateway = served(0)
    sent_by(link, 0)
    gateway.ask(b"nonce--1", 1)
    assert sent_by(link, 1) == []


def test_a_second_gateway_gets_busy_with_the_name_of_the_first():
    link, _, gateway = served(1)
    sent_by(link, 0)
    Gateway(link, B).ask(b"nonce--B", 100)
    (busy,) = bodies(link, 100)
    assert (busy[0], busy[8:16], busy[16:24]) == (wire.TYPE_BUSY, A, b"nonce--B")
    gateway.send(wire.TYPE_ACK, pack("<I", 1), 101)
    assert sent_by(link, 1100) == [(wire.TYPE_ALIVE, None)]


def test_a_second_gateway_is_served_when_the_first_is_gone():
    link, _, gateway = served(1)
    sent_by(link, 0)
    gateway.send(wire.TYPE_ACK, pack("<I", 0), 3000)
    other = Gateway(link, B)
    other.ask(b"nonce--B", 7999)
    assert wire.TYPE_BUSY in [kind for kind, _ in sent_by(link, 7999)]
    other.ask(b"nonce--B", 8000)
    other.welcome(offered(link, 8000), 0, 8001)
    assert sent_by(link, 8001) == [(wire.TYPE_EVENT, 1)]


def test_a_gateway_that_sends_nothing_for_five_seconds_is_gone():
    link, _, gateway = served(0)
    gateway.send(wire.TYPE_ACK, pack("<I", 0), 1000)
    assert (wire.TYPE_HELLO, None) not in sent_by(link, 5999)
    assert sent_by(link, 6000) == [(wire.TYPE_HELLO, None)]
