"""Why no shoe is served on a line, and the message for it."""

from typing import Any

import pytest
from link_bench import greet, new_link, served
from sabot_gateway.shoe.line_watch import DEAF, SILENT, UNREADABLE
from sabot_gateway.shoe.link import ShoeLink
from sabot_protocol import framing
from shoe_events import (
    NOBODY,
    UNIT,
    Shoe,
    frame,
    hello_body,
    sent,
    who_nonce,
)  # fmt: skip


def test_a_silent_port_and_a_wrong_baud_rate_are_different_problems() -> None:
    link, problems = new_link(), []
    for now_s, bytes_in in ((100.0, b""), (104.9, b""), (105.0, b""), (106.0, b"\x8f\xe3\0\xf8\0"), (107.0, b"")):
        link.receive(bytes_in, now_s)
        link.tick(now_s)
        problems.append(link.problem)
    assert problems == [None, None, SILENT, UNREADABLE, UNREADABLE]
    link.receive(Shoe().hello(), 108.0)
    link.tick(108.0)
    assert link.problem is None


@pytest.mark.parametrize("longer", [-30, -20, -1, 1, 9])
def test_a_hello_of_a_wrong_length_is_no_wrong_baud_rate(longer: int) -> None:
    link, raw = new_link(), frame("hello", hello_body(), 0, 0)
    changed = raw + bytes(longer) if longer > 0 else raw[:longer]
    for now_s in (100.0, 103.0, 105.0):
        link.receive(framing.encode(changed), now_s)
        link.tick(now_s)
    assert f"HELLO of {len(changed)} bytes" in str(link.problem)
    assert "baud" not in str(link.problem)
    greet(link, Shoe(), 106.0)
    assert link.problem is None


def test_a_shoe_that_does_not_receive_us_is_a_problem() -> None:
    link, problems = new_link(), []
    for half in range(14):
        link.receive(Shoe().hello(), 50 + half / 2)
        link.tick(50 + half / 2)
        problems.append(link.problem)
    assert problems == [None] * 10 + [DEAF] * 4
    greet(link, Shoe(), 57.0)
    assert link.problem is None


def test_another_protocol_is_refused_with_what_to_do() -> None:
    link = new_link()
    link.receive(Shoe().hello(protocol_hash=bytes(8)), 0.0)
    assert link.problem is not None
    assert "reflash the shoe or update the gateway" in link.problem
    assert link.unit is None
    assert sent(link) == []


@pytest.mark.parametrize("size", [26, 41, 60, 120])
def test_another_protocol_with_another_layout_is_refused_too(size: int) -> None:
    link = new_link()
    raw = (frame("hello", hello_body(protocol_hash=b"anothers"))[:26]).ljust(size, b"\xee")
    for second in range(8):
        link.receive(framing.encode(raw), float(second))
        link.tick(float(second))
        assert link.problem is not None
        assert f"shoe {UNIT} uses protocol {b'anothers'.hex()}" in link.problem
        assert "reflash the shoe or update the gateway" in link.problem
    greet(link, Shoe(), 8.0)
    assert (link.unit, link.problem) == (UNIT, None)


def test_the_problem_of_another_release_ends_when_it_is_gone() -> None:
    link = new_link()
    nonce = who_nonce(link, 0.0)
    link.receive(framing.encode(frame("hello", hello_body(protocol_hash=b"anothers"))[:30]), 0.0)
    link.receive(busy(nonce), 1.0)
    link.receive(b"noise", 1.1)
    assert link.problem is not None
    assert "served by another gateway" in link.problem


def test_numbers_that_would_repeat_are_refused() -> None:
    link = new_link(durable=12)
    greet(link, Shoe(), next_event_no=12)
    assert link.problem is not None
    assert "already holds 12" in link.problem
    assert link.unit is None


def test_a_log_that_begins_behind_its_end_is_refused() -> None:
    link = new_link()
    greet(link, Shoe(), oldest_event_no=11, next_event_no=10)
    assert link.problem is not None
    assert "begins at 11 and ends before 10" in link.problem
    assert link.unit is None


def test_a_journal_erased_while_it_was_served_is_a_problem_once_the_shoe_falls_silent() -> None:
    link, shoe = served(durable=5)
    for half in range(12):
        hello_again(link, shoe, half / 2, next_event_no=1)
    assert link.last_frame_s == 0.0
    link.reset()  # as the daemon does it after five seconds
    for half in range(12, 16):
        hello_again(link, shoe, half / 2, next_event_no=1)
    assert link.problem is not None
    assert "journal was erased" in link.problem


def hello_again(link: ShoeLink, shoe: Shoe, now_s: float, **changes: Any) -> None:
    """Let a shoe that has started again answer WHO, or send HELLO unasked."""
    link.tick(now_s)
    nonces = [frame.body["nonce"] for frame in sent(link) if frame.type == "who"] or [NOBODY]
    link.receive(shoe.hello(nonces[-1], **changes), now_s)


def busy(nonce: bytes) -> bytes:
    return framing.encode(frame("busy", {"gateway": b"the othr", "nonce": nonce}))


def test_a_shoe_that_another_gateway_serves_is_a_problem_until_it_is_free() -> None:
    link = new_link()
    nonce = who_nonce(link, 0.0)
    for second in range(8):
        link.receive(busy(nonce), float(second))
        link.tick(float(second))
        assert link.problem is not None
        assert f"served by another gateway, {b'the othr'.hex()}" in link.problem
    link.receive(Shoe().hello(), 8.0)
    link.receive(Shoe().hello(nonce), 8.1)
    assert (link.unit, link.problem) == (UNIT, None)


def test_a_busy_shoe_that_falls_silent_is_no_longer_called_busy() -> None:
    link = new_link()
    link.receive(busy(who_nonce(link, 0.0)), 0.0)
    link.tick(5.0)
    assert link.problem == SILENT


def test_busy_counts_only_as_the_answer_to_our_who() -> None:
    link = new_link()
    who_nonce(link, 0.0)
    link.receive(busy(b"another."), 0.0)
    assert link.problem is None
    link, _ = served()
    link.handshake._asked = b"renewal."
    link.receive(busy(b"renewal."), 0.1)
    assert (link.unit, link.problem) == (UNIT, None)
