"""The gateway's end of the link, without a port."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from sabot_gateway.shoe.keys import KeysError
from sabot_gateway.shoe.line_watch import DEAF, SILENT, UNREADABLE
from sabot_gateway.shoe.link import ShoeLink
from sabot_protocol import framing, messages
from sabot_protocol.auth import TO_SHOE, Seal
from shoe_events import (
    GATEWAY,
    KEY,
    KNOWN,
    NOBODY,
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


def link(durable: int = 0, *keys: bytes) -> ShoeLink:
    numbers = count(1)
    return ShoeLink(PROFILE, lambda unit: durable, GATEWAY, lambda unit: keys, lambda: next(numbers).to_bytes(8, "big"))


def greet(it: ShoeLink, shoe: Shoe, now_s: float = 0.0, **changes: Any) -> None:
    """The shoe answers, is welcomed, and speaks."""
    it.receive(shoe.hello(who_nonce(it, now_s), **changes), now_s)
    it.receive(shoe.say("alive"), now_s)


def served(durable: int = 0, key: bytes | None = None, **changes: Any) -> tuple[ShoeLink, Shoe]:
    """A shoe and the link that serves it; all that was said at first is out."""
    shoe = Shoe(key)
    it = link(durable, *([key] if key else []))
    greet(it, shoe, **changes)
    sent(it)
    return it, shoe


def numbers(it: ShoeLink, data: bytes, now_s: float = 0.0) -> list[int]:
    """Of the new events in these bytes."""
    return [event.event_no for event in it.receive(data, now_s)]


def counted(it: ShoeLink) -> dict[str, int]:
    return {name: number for name, number in it.line_counters().items() if number}


# Asking and answering.


def test_asks_who_is_there_once_a_second() -> None:
    it = link()
    it.tick(0.0)
    it.tick(0.9)
    assert [frame.body for frame in sent(it)] == [{"gateway": GATEWAY, "nonce": (1).to_bytes(8, "big")}]
    it.tick(1.0)
    assert kinds(it) == ["who"]


def test_nonces_are_chance_unless_told_otherwise() -> None:
    one, other = (who_nonce(ShoeLink(PROFILE, lambda unit: 0), 0.0) for _ in range(2))
    assert len(one) == 8
    assert one != other


@pytest.mark.parametrize("key", [None, KEY])
def test_hello_is_welcomed_from_the_cursor_and_gets_its_profile(key: bytes | None) -> None:
    shoe, it = Shoe(key), link(7, *([key] if key else []))
    assert it.receive(shoe.hello(who_nonce(it, 0.0), profile_hash=bytes(8)), 0.0) == []
    welcome, profile = sent(it)
    assert welcome.type == "welcome"
    assert welcome.body == {
        "protocol_hash": messages.protocol_hash(),
        "shoe_nonce": shoe.nonces[1],
        "durable_event_no": 7,
    }
    assert profile.type == "set_profile"
    assert profile.body["profile_hash"] == KNOWN
    assert (it.unit, it.authenticated, it.problem) == (UNIT, key is not None, None)


def test_frames_to_a_keyed_shoe_prove_who_sent_them() -> None:
    it, shoe = link(0, KEY), Shoe(KEY)
    greet(it, shoe)
    it.tick(1.0)
    seal, frames = Seal(KEY, TO_SHOE, *shoe.nonces), sent(it)
    assert [frame.type for frame in frames] == ["welcome", "ack"]
    assert all(seal.fits(frame.raw, frame.mac) for frame in frames)


def test_an_unasked_hello_makes_the_gateway_ask() -> None:
    it, shoe = link(), Shoe()
    it.tick(0.0)
    sent(it)
    it.receive(shoe.hello(), 0.1)
    assert kinds(it) == []
    it.receive(shoe.hello(), 0.2)
    assert kinds(it) == ["who"]
    assert it.unit is None


def test_a_consumed_nonce_is_not_accepted_again() -> None:
    it, shoe = link(), Shoe()
    nonce = who_nonce(it, 0.0)
    it.receive(shoe.hello(nonce), 0.0)
    sent(it)
    it.receive(shoe.hello(nonce), 0.3)
    (who,) = sent(it)
    assert who.body["nonce"] != nonce
    it.reset()
    it.receive(shoe.hello(nonce), 0.4)
    it.receive(shoe.hello(who.body["nonce"]), 0.5)
    assert it.unit is None
    it.receive(shoe.hello(who_nonce(it, 1.4)), 1.4)
    assert it.unit == UNIT


def test_the_welcome_is_repeated_until_the_shoe_speaks() -> None:
    it, shoe = link(), Shoe()
    it.receive(shoe.hello(who_nonce(it, 0.0)), 0.0)
    assert kinds(it) == ["welcome"]
    said = []
    for tenth in range(1, 30):
        it.tick(tenth / 10)
        said += kinds(it)
    assert said == ["welcome", "welcome"]
    it.receive(shoe.say("alive"), 3.0)
    it.tick(4.5)
    assert kinds(it) == ["ack"]


@pytest.mark.parametrize("key", [None, KEY])
def test_a_shoe_that_still_offers_is_welcomed_again(key: bytes | None) -> None:
    it, shoe = served(key=key)
    it.receive(shoe.hello_again(), 0.6)
    assert kinds(it) == ["welcome"]
    it.receive(shoe.hello_again(), 0.7)
    assert kinds(it) == []
    it.tick(1.6)
    assert kinds(it) == ["welcome"]


def test_the_session_is_kept_by_a_word_once_a_second() -> None:
    it, shoe = served(durable=4)
    said = []
    for tenth in range(1, 41):
        it.receive(shoe.say("alive"), tenth / 10)
        it.tick(tenth / 10)
        said += [(tenth / 10, frame.type, frame.body["event_no"]) for frame in sent(it)]
    assert [kind for _, kind, _ in said] == ["ack"] * 4
    assert {number for _, _, number in said} == {4}


def test_the_profile_is_sent_until_the_shoe_has_logged_it() -> None:
    it, shoe = served(profile_hash=bytes(8))
    it.tick(1.0)
    assert "set_profile" in kinds(it)
    assert len(it.receive(shoe.event(1, "profile_set", profile_hash=KNOWN), 1.1)) == 1
    it.tick(5.0)
    assert "set_profile" not in kinds(it)


def test_a_shoe_that_has_the_profile_is_left_alone() -> None:
    it, shoe = link(), Shoe()
    it.receive(shoe.hello(who_nonce(it, 0.0), profile_hash=KNOWN), 0.0)
    assert kinds(it) == ["welcome"]


# What is wrong, in words.


def test_a_port_on_which_nothing_comes_is_told_from_one_at_a_wrong_baud_rate() -> None:
    it, told = link(), []
    for now_s, bytes_in in ((100.0, b""), (104.9, b""), (105.0, b""), (106.0, b"\x8f\xe3\0\xf8\0"), (107.0, b"")):
        it.receive(bytes_in, now_s)
        it.tick(now_s)
        told.append(it.problem)
    assert told == [None, None, SILENT, UNREADABLE, UNREADABLE]
    it.receive(Shoe().hello(), 108.0)
    it.tick(108.0)
    assert it.problem is None


def test_a_shoe_that_does_not_hear_us_is_told() -> None:
    it, told = link(), []
    for half in range(14):
        it.receive(Shoe().hello(), 50 + half / 2)
        it.tick(50 + half / 2)
        told.append(it.problem)
    assert told == [None] * 10 + [DEAF] * 4
    greet(it, Shoe(), 57.0)
    assert it.problem is None


def test_another_protocol_is_refused_in_words() -> None:
    it = link()
    it.receive(Shoe().hello(protocol_hash=bytes(8)), 0.0)
    assert it.problem is not None
    assert "reflash the shoe or update the gateway" in it.problem
    assert it.unit is None
    assert sent(it) == []


@pytest.mark.parametrize("size", [26, 41, 60, 120])
def test_another_protocol_with_another_layout_is_refused_in_words_too(size: int) -> None:
    it = link()
    raw = (frame("hello", hello_body(protocol_hash=b"anothers"))[:26]).ljust(size, b"\xee")
    for second in range(8):
        it.receive(framing.encode(raw), float(second))
        it.tick(float(second))
        assert it.problem is not None
        assert f"shoe {UNIT} uses protocol {b'anothers'.hex()}" in it.problem
        assert "reflash the shoe or update the gateway" in it.problem
    greet(it, Shoe(), 8.0)
    assert (it.unit, it.problem) == (UNIT, None)


def test_another_release_that_is_gone_is_not_told_any_more() -> None:
    it = link()
    nonce = who_nonce(it, 0.0)
    it.receive(framing.encode(frame("hello", hello_body(protocol_hash=b"anothers"))[:30]), 0.0)
    it.receive(busy(nonce), 1.0)
    it.receive(b"noise", 1.1)
    assert it.problem is not None
    assert "served by another gateway" in it.problem


def test_numbers_that_would_repeat_are_refused_in_words() -> None:
    it = link(durable=12)
    greet(it, Shoe(), next_event_no=12)
    assert it.problem is not None
    assert "already holds 12" in it.problem
    assert it.unit is None


def test_a_log_that_begins_behind_its_end_is_refused_in_words() -> None:
    it = link()
    greet(it, Shoe(), oldest_event_no=11, next_event_no=10)
    assert it.problem is not None
    assert "begins at 11 and ends before 10" in it.problem
    assert it.unit is None


def test_a_journal_erased_while_it_was_served_is_told_when_the_shoe_falls_silent() -> None:
    it, shoe = served(durable=5)
    for half in range(12):
        greet_if_asked(it, shoe, half / 2, next_event_no=1)
    assert it.last_frame_s == 0.0
    it.reset()  # as the daemon does it after five seconds
    for half in range(12, 16):
        greet_if_asked(it, shoe, half / 2, next_event_no=1)
    assert it.problem is not None
    assert "journal was erased" in it.problem


def greet_if_asked(it: ShoeLink, shoe: Shoe, now_s: float, **changes: Any) -> None:
    """A shoe that has started again: it answers who asks, or says HELLO to nobody."""
    it.tick(now_s)
    nonces = [frame.body["nonce"] for frame in sent(it) if frame.type == "who"] or [NOBODY]
    it.receive(shoe.hello(nonces[-1], **changes), now_s)


def busy(it_nonce: bytes) -> bytes:
    return framing.encode(frame("busy", {"gateway": b"the othr", "nonce": it_nonce}))


def test_a_shoe_that_another_gateway_serves_is_told_until_it_is_free() -> None:
    it = link()
    nonce = who_nonce(it, 0.0)
    for second in range(8):
        it.receive(busy(nonce), float(second))
        it.tick(float(second))
        assert it.problem is not None
        assert f"served by another gateway, {b'the othr'.hex()}" in it.problem
    it.receive(Shoe().hello(), 8.0)
    it.receive(Shoe().hello(nonce), 8.1)
    assert (it.unit, it.problem) == (UNIT, None)


def test_a_busy_shoe_that_falls_silent_is_no_longer_called_busy() -> None:
    it = link()
    it.receive(busy(who_nonce(it, 0.0)), 0.0)
    it.tick(5.0)
    assert it.problem == SILENT


def test_busy_is_for_who_asked_and_for_nobody_who_is_served() -> None:
    it = link()
    who_nonce(it, 0.0)
    it.receive(busy(b"another."), 0.0)
    assert it.problem is None
    it, _ = served()
    it.handshake._asked = b"renewal."
    it.receive(busy(b"renewal."), 0.1)
    assert (it.unit, it.problem) == (UNIT, None)


# The log.


def test_events_in_order_once_each() -> None:
    it, shoe = served(durable=2)
    assert numbers(it, shoe.button(2, 3, 5, 4, 4, 5, 6)) == [3, 4, 5, 6]
    assert counted(it) == {"repeated": 2, "gaps": 1}


def test_what_is_missing_is_asked_for_at_most_four_times_a_second() -> None:
    it, shoe = served()
    said = []
    for step in range(64):
        it.receive(shoe.button(3, 4), step / 32)
        said += [frame.body["event_no"] for frame in sent(it) if frame.type == "resend"]
    assert said == [1] * 8
    assert numbers(it, shoe.button(1, 2, 3, 4), 2.0) == [1, 2, 3, 4]


def test_damage_on_the_line_is_counted() -> None:
    it, shoe = served()
    it.receive(b"\x09\x11\x22\x00" + b"\x55" * 300 + b"\x00" + framing.encode(b"\x63" + bytes(7)), 0.0)
    damaged = bytearray(shoe.button(1))
    damaged[7] ^= 4
    it.receive(bytes(damaged), 0.0)
    assert counted(it) == {"cobs_errors": 1, "oversize": 1, "malformed": 1, "unknown": 1, "crc_errors": 1}


def test_no_event_counts_before_hello() -> None:
    assert link().receive(Shoe().button(1), 0.0) == []


def test_a_new_port_forgets_who_was_there() -> None:
    it, shoe = served(key=KEY)
    it.tick(1.0)
    it.reset()
    assert (it.unit, it.authenticated) == (None, False)
    assert it.receive(shoe.button(1), 0.0) == []
    assert it.output() == b""


@pytest.mark.parametrize("size", [1, 2, 7])
@pytest.mark.parametrize("key", [None, KEY])
def test_bytes_in_any_pieces(size: int, key: bytes | None) -> None:
    it, shoe = link(0, *([key] if key else [])), Shoe(key)
    stream, events = shoe.hello(who_nonce(it, 0.0)) + shoe.button(*range(1, 6)), 0
    for at in range(0, len(stream), size):
        events += len(it.receive(stream[at : at + size], 0.0))
    assert events == 5


def test_output_nobody_reads_is_bounded() -> None:
    it = link()
    for second in range(1000):
        it.tick(float(second))
    assert len(it.output()) <= 4096
    assert it.line_counters()["unsent"] > 0


def test_a_shoe_that_has_overwritten_what_the_ledger_never_had() -> None:
    it, shoe = served(durable=3, next_event_no=50, oldest_event_no=20)
    assert it.lost == (4, 19)
    assert numbers(it, shoe.button(20)) == [20]


def test_what_is_lost_is_still_told_after_a_new_session() -> None:
    it, shoe = served(durable=3, next_event_no=50, oldest_event_no=20)
    it.receive(shoe.hello(), 0.3)  # it has started again
    (who,) = sent(it)
    it.receive(shoe.hello(who.body["nonce"], next_event_no=50, oldest_event_no=20), 0.4)
    assert it.lost == (4, 19)


def test_nothing_is_lost_where_the_log_joins() -> None:
    it, _ = served(durable=19, next_event_no=50, oldest_event_no=20)
    assert it.lost is None


def test_a_repeated_event_is_acknowledged_again() -> None:
    it, shoe = served()
    it.receive(shoe.button(1, 2), 0.0)
    it.acknowledge(2, 0.0)
    sent(it)
    assert it.receive(shoe.button(1, 2), 0.5) == []
    assert [(frame.type, frame.body["event_no"]) for frame in sent(it)] == [("ack", 2)]


def test_what_waits_for_its_commit_is_not_acknowledged_by_a_repeat() -> None:
    it, shoe = served(durable=4)
    it.receive(shoe.button(5, 5), 0.0)
    assert [(frame.type, frame.body["event_no"]) for frame in sent(it)] == [("ack", 4)]


@pytest.mark.parametrize("key", [None, KEY])
def test_a_hello_behind_events_that_wait_for_their_commit(key: bytes | None) -> None:
    it, shoe = served(key=key)
    assert numbers(it, shoe.button(1, 2), 0.1) == [1, 2]
    it.receive(Shoe(key).hello(), 2.0)  # it has started again
    (who,) = sent(it)
    it.receive(shoe.hello(who.body["nonce"]), 2.1)
    assert numbers(it, shoe.button(1, 2, 3), 2.2) == [3]


def test_when_the_shoe_was_last_heard() -> None:
    it, shoe = link(), Shoe()
    greet(it, shoe, 3.0)
    it.receive(b"\x01\x02noise\x00", 4.0)
    assert it.last_frame_s == 3.0
    it.receive(shoe.say("alive"), 5.0)
    assert it.last_frame_s == 5.0
    it.receive(Shoe().hello(), 6.0)
    assert it.last_frame_s == 5.0
    (who,) = [frame for frame in sent(it) if frame.type == "who"][-1:]
    it.receive(shoe.hello(who.body["nonce"]), 7.0)
    assert it.last_frame_s == 7.0


# Keys.


Forgery = Callable[[ShoeLink, Shoe], bytes]


def spliced(it: ShoeLink, shoe: Shoe) -> bytes:
    """An event of another session of the same shoe."""
    other = Shoe(KEY)
    other.hello(b"nonce of")
    other.say("alive")
    return other.button(1)


def reflected(it: ShoeLink, shoe: Shoe) -> bytes:
    """A frame of the shoe's type under our own direction's MAC."""
    raw = frame("event", frames_in(Shoe().button(1))[0].body, 7, 1)
    return framing.encode(raw + Seal(KEY, TO_SHOE, *shoe.nonces).mac(raw))


def replayed(it: ShoeLink, shoe: Shoe) -> bytes:
    """An event that has been taken."""
    data = shoe.say("alive")
    it.receive(data, 0.1)
    return data


def by_another_key(it: ShoeLink, shoe: Shoe) -> bytes:
    """An event under a key that somebody made up."""
    forger = Shoe(OTHER_KEY)
    forger.hello(shoe.nonces[0])
    forger.say("alive")
    return forger.button(1)


def unsealed(it: ShoeLink, shoe: Shoe) -> bytes:
    """An event without a MAC."""
    return Shoe().button(1)


@pytest.mark.parametrize(
    ("forgery", "says"),
    [
        (spliced, "forged"),
        (reflected, "forged"),
        (replayed, "replayed"),
        (by_another_key, "forged"),
        (unsealed, "unauthenticated"),
    ],
)
def test_what_the_shoe_did_not_say_is_refused_and_counted_and_the_session_goes_on(forgery: Forgery, says: str) -> None:
    it, shoe = served(key=KEY)
    assert numbers(it, forgery(it, shoe), 0.2) == []
    assert counted(it) == {says: 1}
    assert it.last_frame_s == (0.1 if says == "replayed" else 0.0)
    assert numbers(it, shoe.button(1), 0.3) == [1]
    assert (it.unit, it.authenticated, it.problem) == (UNIT, True, None)


def test_our_own_words_sent_back_to_us_are_refused() -> None:
    it, shoe = link(0, KEY), Shoe(KEY)
    greet(it, shoe)
    it.receive(it.output(), 0.1)
    assert counted(it) == {"forged": 1}
    assert numbers(it, shoe.button(1), 0.2) == [1]


@pytest.mark.parametrize(
    ("here", "there", "says", "counter"),
    [
        ([KEY], None, "has a key here and does not use it", "unauthenticated"),
        ([KEY], OTHER_KEY, "has another key than this gateway", "forged"),
        ([], KEY, "this gateway has no key of it", "forged"),
    ],
)
def test_a_key_that_is_not_right_is_told_in_words(
    here: list[bytes], there: bytes | None, says: str, counter: str
) -> None:
    it, shoe = link(0, *here), Shoe(there)
    greet(it, shoe)
    assert it.unit is None
    assert it.problem is not None
    assert says in it.problem
    assert f"shoe {UNIT}" in it.problem
    assert counted(it) == {counter: 1}
    assert numbers(it, shoe.button(1), 0.1) == []


def test_a_shoe_without_a_key_is_not_served_where_keys_are_required() -> None:
    it, shoe = link(), Shoe()
    it.handshake.keys_required = True
    greet(it, shoe)
    assert it.unit is None
    assert it.problem is not None
    assert f"shoe {UNIT} has no key, and this gateway serves only shoes that have one" in it.problem
    assert f"sabot keys new {UNIT}" in it.problem
    assert counted(it) == {"unauthenticated": 1}
    assert numbers(it, shoe.button(1), 0.1) == []


@pytest.mark.parametrize(("here", "there"), [([KEY], KEY), ([OTHER_KEY, KEY], KEY)])
def test_a_shoe_that_proves_its_key_is_served_where_keys_are_required(here: list[bytes], there: bytes) -> None:
    it = link(0, *here)
    it.handshake.keys_required = True
    greet(it, Shoe(there))
    assert (it.unit, it.authenticated, it.problem) == (UNIT, True, None)


def test_a_key_file_that_cannot_be_used_is_told_and_the_shoe_is_not_served() -> None:
    def keys(unit: str) -> list[bytes]:
        raise KeysError(f"{unit}.key: chmod 600 {unit}.key")

    it = ShoeLink(PROFILE, lambda unit: 0, keys=keys)
    for shoe in (Shoe(), Shoe(KEY)):
        it.receive(shoe.hello(who_nonce(it, 0.0 if shoe.key is None else 1.0)), 1.0)
        assert (it.unit, it.problem) == (None, f"{UNIT}.key: chmod 600 {UNIT}.key")


@pytest.mark.parametrize(
    ("here", "there", "rotation"),
    [([KEY], KEY, None), ([KEY, OTHER_KEY], OTHER_KEY, "old"), ([KEY, OTHER_KEY], KEY, "new")],
)
def test_while_a_key_is_rotated_both_are_taken(here: list[bytes], there: bytes, rotation: str | None) -> None:
    it, shoe = link(0, *here), Shoe(there)
    greet(it, shoe)
    assert numbers(it, shoe.button(1), 0.1) == [1]
    assert (it.authenticated, it.rotation) == (True, rotation)
    assert counted(it) == {}


def test_a_forged_hello_does_not_disturb_who_is_served() -> None:
    it, shoe = served(key=KEY)
    forged = [
        Shoe().hello(),
        Shoe().hello(b"nonce of"),
        Shoe(OTHER_KEY).hello(b"nonce of"),
        Shoe().hello(shoe.nonces[0]),
        Shoe().hello(protocol_hash=bytes(8)),
        framing.encode(frame("hello", hello_body(protocol_hash=b"anothers"))[:30]),
    ]
    for tenth in range(1, 60):
        it.receive(forged[tenth % len(forged)], tenth / 10)
        if tenth % 10 == 0:
            assert numbers(it, shoe.button(tenth // 10), tenth / 10) == [tenth // 10]
    assert "who" not in kinds(it)
    assert (it.unit, it.authenticated, it.problem) == (UNIT, True, None)
    assert it.last_frame_s == 5.0


def test_a_keyed_shoe_that_has_started_again_is_asked_once_its_session_is_quiet() -> None:
    it, shoe = served(key=KEY)
    it.receive(shoe.hello(), 1.4)
    assert kinds(it) == []
    it.receive(shoe.hello(), 1.6)
    assert kinds(it) == ["who"]


@pytest.mark.parametrize("key", [None, OTHER_KEY])
def test_a_unit_that_somebody_made_up_does_not_take_the_place_of_the_one_served(key: bytes | None) -> None:
    it, shoe = served(key=KEY)
    it.handshake.session.seq = 2**15  # type: ignore[union-attr]
    nonce = who_nonce(it, 1.0)
    it.handshake.keys = lambda unit: [KEY] if unit == UNIT else []
    it.receive(Shoe(key).hello(nonce, unit=b"made up!"), 1.0)
    assert (it.unit, it.authenticated) == (UNIT, True)
    assert numbers(it, shoe.button(1), 1.1) == [1]


# Renewal.


@pytest.mark.parametrize("key", [None, KEY])
def test_a_session_is_renewed_before_its_numbers_end_and_no_event_is_lost(key: bytes | None) -> None:
    it, shoe = served(key=key)
    it.handshake.session.seq = 2**15 - 2  # type: ignore[union-attr]
    it.tick(1.0)
    assert kinds(it) == ["ack"]
    it.tick(2.0)
    assert kinds(it) == ["ack"]
    nonce = who_nonce(it, 2.1)
    before = [shoe.button(number) for number in (1, 2, 3)]
    renewed = shoe.hello(nonce)
    assert numbers(it, before[0] + renewed + before[1] + before[2], 2.2) == [1, 2, 3]
    assert kinds(it) == ["welcome"]
    assert numbers(it, shoe.button(1, 2, 3, 4), 2.3) == [4]
    it.tick(3.3)
    assert [(frame.type, frame.seq < 10) for frame in sent(it)] == [("ack", True), ("ack", True)]
    assert set(counted(it)) == {"repeated"}


def test_the_shoes_own_count_renews_a_session_too() -> None:
    it, shoe = served(key=KEY)
    it.receive(shoe.say("alive", seq=2**15 - 1), 0.5)
    it.tick(1.0)
    assert "who" in kinds(it)


def test_the_session_before_ends_when_the_shoe_speaks_in_the_next() -> None:
    it, shoe = served(key=KEY)
    it.handshake.session.seq = 2**15  # type: ignore[union-attr]
    late = shoe.button(1)
    it.receive(shoe.hello(who_nonce(it, 1.0)), 1.0)
    it.receive(shoe.say("alive"), 1.1)
    assert numbers(it, late, 1.2) == []
    assert counted(it) == {"forged": 1}


def test_an_offer_that_the_shoe_does_not_take_up_costs_no_session() -> None:
    """Somebody held the shoe's HELLO back until the shoe had forgotten its offer."""
    it, shoe = served(key=KEY)
    it.handshake.session.seq = 2**15  # type: ignore[union-attr]
    held_back, taken = Shoe(KEY).hello(who_nonce(it, 1.0)), 0
    it.receive(held_back, 1.0)
    sent(it)
    seal = Seal(KEY, TO_SHOE, *shoe.nonces)
    words = []
    for half in range(3, 14):
        taken += len(it.receive(shoe.button(half - 2), half / 2))
        it.tick(half / 2)
        words += [half / 2 for frame in sent(it) if frame.mac and seal.fits(frame.raw, frame.mac)]
    assert taken == 11
    assert 4.0 in words  # before the shoe, after five seconds without a word, would give us up
    assert it.unit == UNIT


def test_before_it_speaks_in_this_session_a_shoe_may_speak_in_one_we_do_not_know() -> None:
    it, shoe, stranger = link(0, KEY), Shoe(KEY), Shoe(KEY)
    stranger.hello(b"before..")
    it.receive(shoe.hello(who_nonce(it, 0.0)) + stranger.button(1), 0.0)
    assert counted(it) == {"strays": 1}
    it.receive(shoe.say("alive") + stranger.button(1), 0.1)
    assert counted(it) == {"strays": 1, "forged": 1}


def test_nothing_of_a_key_is_shown() -> None:
    it, _ = served(key=KEY)
    assert KEY.hex() not in repr(it)
    assert repr(KEY) not in repr(it)
