"""Frames and keys that are not right are refused; a session is renewed and loses nothing."""

from collections.abc import Callable

import pytest
from link_bench import counted, greet, new_link, numbers, served
from sabot_gateway.shoe.link import ShoeLink
from sabot_protocol import framing
from sabot_protocol.auth import TO_SHOE, Seal
from sabot_protocol.inputs.secret_file import SecretError
from shoe_events import (
    KEY,
    OTHER_KEY,
    PROFILE,
    UNIT,
    Shoe,
    frame,
    frames_in,
    hello_body,
    kinds,
    sent,
    who_nonce,
)  # fmt: skip

Forgery = Callable[[ShoeLink, Shoe], bytes]


def spliced(link: ShoeLink, shoe: Shoe) -> bytes:
    """An event of another session of the same shoe."""
    other = Shoe(KEY)
    other.hello(b"nonce of")
    other.say("alive")
    return other.button(1)


def reflected(link: ShoeLink, shoe: Shoe) -> bytes:
    """A frame of the shoe's type under our own direction's MAC."""
    raw = frame("event", frames_in(Shoe().button(1))[0].body, 7, 1)
    return framing.encode(raw + Seal(KEY, TO_SHOE, *shoe.nonces).mac(raw))


def replayed(link: ShoeLink, shoe: Shoe) -> bytes:
    """An event that has been taken."""
    data = shoe.say("alive")
    link.receive(data, 0.1)
    return data


def by_another_key(link: ShoeLink, shoe: Shoe) -> bytes:
    """An event under an invented key."""
    forger = Shoe(OTHER_KEY)
    forger.hello(shoe.nonces[0])
    forger.say("alive")
    return forger.button(1)


def unsealed(link: ShoeLink, shoe: Shoe) -> bytes:
    """An event without a MAC."""
    return Shoe().button(1)


@pytest.mark.parametrize(
    ("forgery", "expected"),
    [
        (spliced, "forged"),
        (reflected, "forged"),
        (replayed, "replayed"),
        (by_another_key, "forged"),
        (unsealed, "unauthenticated"),
    ],
)
def test_a_foreign_frame_is_refused_and_counted_and_the_session_goes_on(forgery: Forgery, expected: str) -> None:
    link, shoe = served(key=KEY)
    assert numbers(link, forgery(link, shoe), 0.2) == []
    assert counted(link) == {expected: 1}
    assert link.last_frame_s == (0.1 if expected == "replayed" else 0.0)
    assert numbers(link, shoe.button(1), 0.3) == [1]
    assert (link.unit, link.authenticated, link.problem) == (UNIT, True, None)


def test_our_own_frames_sent_back_to_us_are_refused() -> None:
    link, shoe = new_link(0, KEY), Shoe(KEY)
    greet(link, shoe)
    link.receive(link.output(), 0.1)
    assert counted(link) == {"forged": 1}
    assert numbers(link, shoe.button(1), 0.2) == [1]


@pytest.mark.parametrize(
    ("here", "there", "expected", "counter"),
    [
        ([KEY], None, "has a key here and does not use it", "unauthenticated"),
        ([KEY], OTHER_KEY, "has another key than this gateway", "forged"),
        ([], KEY, "this gateway has no key of it", "forged"),
    ],
)
def test_a_key_that_is_not_right_is_refused_with_the_reason(
    here: list[bytes], there: bytes | None, expected: str, counter: str
) -> None:
    link, shoe = new_link(0, *here), Shoe(there)
    greet(link, shoe)
    assert link.unit is None
    assert link.problem is not None
    assert expected in link.problem
    assert f"shoe {UNIT}" in link.problem
    assert counted(link) == {counter: 1}
    assert numbers(link, shoe.button(1), 0.1) == []


def test_a_shoe_without_a_key_is_not_served_where_keys_are_required() -> None:
    link, shoe = new_link(), Shoe()
    link.handshake.keys_required = True
    greet(link, shoe)
    assert link.unit is None
    assert link.problem is not None
    assert f"shoe {UNIT} has no key, and this gateway serves only shoes that have one" in link.problem
    assert f"sabot keys new {UNIT}" in link.problem
    assert counted(link) == {"unauthenticated": 1}
    assert numbers(link, shoe.button(1), 0.1) == []


@pytest.mark.parametrize(("here", "there"), [([KEY], KEY), ([OTHER_KEY, KEY], KEY)])
def test_a_shoe_that_proves_its_key_is_served_where_keys_are_required(here: list[bytes], there: bytes) -> None:
    link = new_link(0, *here)
    link.handshake.keys_required = True
    greet(link, Shoe(there))
    assert (link.unit, link.authenticated, link.problem) == (UNIT, True, None)


def test_a_key_file_that_cannot_be_used_is_a_problem_and_the_shoe_is_not_served() -> None:
    def keys(unit: str) -> list[bytes]:
        raise SecretError(f"{unit}.key: chmod 600 {unit}.key")

    link = ShoeLink(PROFILE, lambda unit: 0, keys=keys)
    for shoe in (Shoe(), Shoe(KEY)):
        link.receive(shoe.hello(who_nonce(link, 0.0 if shoe.key is None else 1.0)), 1.0)
        assert (link.unit, link.problem) == (None, f"{UNIT}.key: chmod 600 {UNIT}.key")


@pytest.mark.parametrize(
    ("here", "there", "rotation"),
    [([KEY], KEY, None), ([KEY, OTHER_KEY], OTHER_KEY, "old"), ([KEY, OTHER_KEY], KEY, "new")],
)
def test_while_a_key_is_rotated_both_are_taken(here: list[bytes], there: bytes, rotation: str | None) -> None:
    link, shoe = new_link(0, *here), Shoe(there)
    greet(link, shoe)
    assert numbers(link, shoe.button(1), 0.1) == [1]
    assert (link.authenticated, link.rotation) == (True, rotation)
    assert counted(link) == {}


def test_a_forged_hello_does_not_disturb_who_is_served() -> None:
    link, shoe = served(key=KEY)
    forged = [
        Shoe().hello(),
        Shoe().hello(b"nonce of"),
        Shoe(OTHER_KEY).hello(b"nonce of"),
        Shoe().hello(shoe.nonces[0]),
        Shoe().hello(protocol_hash=bytes(8)),
        framing.encode(frame("hello", hello_body(protocol_hash=b"anothers"))[:30]),
    ]
    for tenth in range(1, 60):
        link.receive(forged[tenth % len(forged)], tenth / 10)
        if tenth % 10 == 0:
            assert numbers(link, shoe.button(tenth // 10), tenth / 10) == [tenth // 10]
    assert "who" not in kinds(link)
    assert (link.unit, link.authenticated, link.problem) == (UNIT, True, None)
    assert link.last_frame_s == 5.0


def test_a_keyed_shoe_that_has_started_again_is_asked_once_its_session_is_quiet() -> None:
    link, shoe = served(key=KEY)
    link.receive(shoe.hello(), 1.4)
    assert kinds(link) == []
    link.receive(shoe.hello(), 1.6)
    assert kinds(link) == ["who"]


@pytest.mark.parametrize("key", [None, OTHER_KEY])
def test_an_invented_unit_does_not_replace_the_one_served(key: bytes | None) -> None:
    link, shoe = served(key=KEY)
    link.handshake.session.seq = 2**15  # type: ignore[union-attr]
    nonce = who_nonce(link, 1.0)
    link.handshake.keys = lambda unit: [KEY] if unit == UNIT else []
    link.receive(Shoe(key).hello(nonce, unit=b"made up!"), 1.0)
    assert (link.unit, link.authenticated) == (UNIT, True)
    assert numbers(link, shoe.button(1), 1.1) == [1]


@pytest.mark.parametrize("key", [None, KEY])
def test_a_session_is_renewed_before_its_numbers_end_and_no_event_is_lost(key: bytes | None) -> None:
    link, shoe = served(key=key)
    link.handshake.session.seq = 2**15 - 2  # type: ignore[union-attr]
    link.tick(1.0)
    assert kinds(link) == ["ack"]
    link.tick(2.0)
    assert kinds(link) == ["ack"]
    nonce = who_nonce(link, 2.1)
    before = [shoe.button(number) for number in (1, 2, 3)]
    renewed = shoe.hello(nonce)
    assert numbers(link, before[0] + renewed + before[1] + before[2], 2.2) == [1, 2, 3]
    assert kinds(link) == ["welcome"]
    assert numbers(link, shoe.button(1, 2, 3, 4), 2.3) == [4]
    link.tick(3.3)
    assert [(frame.type, frame.seq < 10) for frame in sent(link)] == [("ack", True), ("ack", True)]
    assert set(counted(link)) == {"repeated"}


def test_the_shoes_own_count_renews_a_session_too() -> None:
    link, shoe = served(key=KEY)
    link.receive(shoe.say("alive", seq=2**15 - 1), 0.5)
    link.tick(1.0)
    assert "who" in kinds(link)


def test_the_session_before_ends_when_the_shoe_uses_the_next() -> None:
    link, shoe = served(key=KEY)
    link.handshake.session.seq = 2**15  # type: ignore[union-attr]
    late = shoe.button(1)
    link.receive(shoe.hello(who_nonce(link, 1.0)), 1.0)
    link.receive(shoe.say("alive"), 1.1)
    assert numbers(link, late, 1.2) == []
    assert counted(link) == {"forged": 1}


def test_an_offer_that_the_shoe_does_not_take_up_costs_no_session() -> None:
    """Somebody held the shoe's HELLO back until the shoe had forgotten its offer."""
    link, shoe = served(key=KEY)
    link.handshake.session.seq = 2**15  # type: ignore[union-attr]
    held_back, taken = Shoe(KEY).hello(who_nonce(link, 1.0)), 0
    link.receive(held_back, 1.0)
    sent(link)
    seal = Seal(KEY, TO_SHOE, *shoe.nonces)
    frames_s = []
    for half in range(3, 14):
        taken += len(link.receive(shoe.button(half - 2), half / 2))
        link.tick(half / 2)
        frames_s += [half / 2 for frame in sent(link) if frame.mac and seal.fits(frame.raw, frame.mac)]
    assert taken == 11
    assert 4.0 in frames_s  # before the shoe, after five seconds without a frame, would end the session
    assert link.unit == UNIT


def test_before_it_uses_this_session_a_shoe_may_use_one_we_do_not_know() -> None:
    link, shoe, stranger = new_link(0, KEY), Shoe(KEY), Shoe(KEY)
    stranger.hello(b"before..")
    link.receive(shoe.hello(who_nonce(link, 0.0)) + stranger.button(1), 0.0)
    assert counted(link) == {"strays": 1}
    link.receive(shoe.say("alive") + stranger.button(1), 0.1)
    assert counted(link) == {"strays": 1, "forged": 1}


def test_nothing_of_a_key_is_shown() -> None:
    link, _ = served(key=KEY)
    assert KEY.hex() not in repr(link)
    assert repr(KEY) not in repr(link)
