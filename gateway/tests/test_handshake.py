"""WHO, HELLO and WELCOME, and the profile, without a port."""

import pytest
from link_bench import greet, new_link, served
from sabot_gateway.shoe.link import ShoeLink
from sabot_protocol import messages
from sabot_protocol.auth import TO_SHOE, Seal
from shoe_events import (
    GATEWAY,
    KEY,
    KNOWN,
    PROFILE,
    UNIT,
    Shoe,
    kinds,
    sent,
    who_nonce,
)  # fmt: skip


def test_asks_who_is_there_once_a_second() -> None:
    link = new_link()
    link.tick(0.0)
    link.tick(0.9)
    assert [frame.body for frame in sent(link)] == [{"gateway": GATEWAY, "nonce": (1).to_bytes(8, "big")}]
    link.tick(1.0)
    assert kinds(link) == ["who"]


def test_nonces_are_random_unless_given() -> None:
    one, other = (who_nonce(ShoeLink(PROFILE, lambda unit: 0), 0.0) for _ in range(2))
    assert len(one) == 8
    assert one != other


@pytest.mark.parametrize("key", [None, KEY])
def test_hello_is_welcomed_from_the_cursor_and_gets_its_profile(key: bytes | None) -> None:
    shoe, link = Shoe(key), new_link(7, *([key] if key else []))
    assert link.receive(shoe.hello(who_nonce(link, 0.0), profile_hash=bytes(8)), 0.0) == []
    welcome, profile = sent(link)
    assert welcome.type == "welcome"
    assert welcome.body == {
        "protocol_hash": messages.protocol_hash(),
        "shoe_nonce": shoe.nonces[1],
        "durable_event_no": 7,
    }
    assert profile.type == "set_profile"
    assert profile.body["profile_hash"] == KNOWN
    assert (link.unit, link.authenticated, link.problem) == (UNIT, key is not None, None)


def test_frames_to_a_keyed_shoe_prove_who_sent_them() -> None:
    link, shoe = new_link(0, KEY), Shoe(KEY)
    greet(link, shoe)
    link.tick(1.0)
    seal, frames = Seal(KEY, TO_SHOE, *shoe.nonces), sent(link)
    assert [frame.type for frame in frames] == ["welcome", "ack"]
    assert all(seal.fits(frame.raw, frame.mac) for frame in frames)


def test_an_unasked_hello_makes_the_gateway_ask() -> None:
    link, shoe = new_link(), Shoe()
    link.tick(0.0)
    sent(link)
    link.receive(shoe.hello(), 0.1)
    assert kinds(link) == []
    link.receive(shoe.hello(), 0.2)
    assert kinds(link) == ["who"]
    assert link.unit is None


def test_a_consumed_nonce_is_not_accepted_again() -> None:
    link, shoe = new_link(), Shoe()
    nonce = who_nonce(link, 0.0)
    link.receive(shoe.hello(nonce), 0.0)
    sent(link)
    link.receive(shoe.hello(nonce), 0.3)
    (who,) = sent(link)
    assert who.body["nonce"] != nonce
    link.reset()
    link.receive(shoe.hello(nonce), 0.4)
    link.receive(shoe.hello(who.body["nonce"]), 0.5)
    assert link.unit is None
    link.receive(shoe.hello(who_nonce(link, 1.4)), 1.4)
    assert link.unit == UNIT


def test_the_welcome_is_repeated_until_the_shoe_uses_the_session() -> None:
    link, shoe = new_link(), Shoe()
    link.receive(shoe.hello(who_nonce(link, 0.0)), 0.0)
    assert kinds(link) == ["welcome"]
    frames = []
    for tenth in range(1, 30):
        link.tick(tenth / 10)
        frames += kinds(link)
    assert frames == ["welcome", "welcome"]
    link.receive(shoe.say("alive"), 3.0)
    link.tick(4.5)
    assert kinds(link) == ["ack"]


@pytest.mark.parametrize("key", [None, KEY])
def test_a_shoe_that_still_offers_is_welcomed_again(key: bytes | None) -> None:
    link, shoe = served(key=key)
    link.receive(shoe.hello_again(), 0.6)
    assert kinds(link) == ["welcome"]
    link.receive(shoe.hello_again(), 0.7)
    assert kinds(link) == []
    link.tick(1.6)
    assert kinds(link) == ["welcome"]


def test_the_session_is_kept_alive_by_a_frame_once_a_second() -> None:
    link, shoe = served(durable=4)
    frames = []
    for tenth in range(1, 41):
        link.receive(shoe.say("alive"), tenth / 10)
        link.tick(tenth / 10)
        frames += [(tenth / 10, frame.type, frame.body["event_no"]) for frame in sent(link)]
    assert [kind for _, kind, _ in frames] == ["ack"] * 4
    assert {number for _, _, number in frames} == {4}


def test_the_profile_is_sent_until_the_shoe_has_logged_it() -> None:
    link, shoe = served(profile_hash=bytes(8))
    link.tick(1.0)
    assert "set_profile" in kinds(link)
    assert len(link.receive(shoe.event(1, "profile_set", profile_hash=KNOWN), 1.1)) == 1
    link.tick(5.0)
    assert "set_profile" not in kinds(link)


def test_a_shoe_that_has_the_profile_is_left_alone() -> None:
    link, shoe = new_link(), Shoe()
    link.receive(shoe.hello(who_nonce(link, 0.0), profile_hash=KNOWN), 0.0)
    assert kinds(link) == ["welcome"]
