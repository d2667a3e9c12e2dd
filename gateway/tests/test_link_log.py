"""The events of a shoe's log: in order, once each, nothing skipped."""

import pytest
from link_bench import counted, greet, new_link, numbers, served
from sabot_protocol import framing
from shoe_events import (
    KEY,
    Shoe,
    sent,
    who_nonce,
)  # fmt: skip


def test_events_in_order_once_each() -> None:
    link, shoe = served(durable=2)
    assert numbers(link, shoe.button(2, 3, 5, 4, 4, 5, 6)) == [3, 4, 5, 6]
    assert counted(link) == {"repeated": 2, "gaps": 1}


def test_what_is_missing_is_asked_for_at_most_four_times_a_second() -> None:
    link, shoe = served()
    frames = []
    for step in range(64):
        link.receive(shoe.button(3, 4), step / 32)
        frames += [frame.body["event_no"] for frame in sent(link) if frame.type == "resend"]
    assert frames == [1] * 8
    assert numbers(link, shoe.button(1, 2, 3, 4), 2.0) == [1, 2, 3, 4]


def test_damage_on_the_line_is_counted() -> None:
    link, shoe = served()
    link.receive(b"\x09\x11\x22\x00" + b"\x55" * 300 + b"\x00" + framing.encode(b"\x63" + bytes(7)), 0.0)
    damaged = bytearray(shoe.button(1))
    damaged[7] ^= 4
    link.receive(bytes(damaged), 0.0)
    assert counted(link) == {"cobs_errors": 1, "oversize": 1, "malformed": 1, "unknown": 1, "crc_errors": 1}


def test_no_event_counts_before_hello() -> None:
    assert new_link().receive(Shoe().button(1), 0.0) == []


def test_a_new_port_forgets_who_was_there() -> None:
    link, shoe = served(key=KEY)
    link.tick(1.0)
    link.reset()
    assert (link.unit, link.authenticated) == (None, False)
    assert link.receive(shoe.button(1), 0.0) == []
    assert link.output() == b""


@pytest.mark.parametrize("size", [1, 2, 7])
@pytest.mark.parametrize("key", [None, KEY])
def test_bytes_in_any_pieces(size: int, key: bytes | None) -> None:
    link, shoe = new_link(0, *([key] if key else [])), Shoe(key)
    stream, events = shoe.hello(who_nonce(link, 0.0)) + shoe.button(*range(1, 6)), 0
    for at in range(0, len(stream), size):
        events += len(link.receive(stream[at : at + size], 0.0))
    assert events == 5


def test_output_nobody_reads_is_bounded() -> None:
    link = new_link()
    for second in range(1000):
        link.tick(float(second))
    assert len(link.output()) <= 4096
    assert link.line_counters()["unsent"] > 0


def test_a_shoe_that_has_overwritten_what_the_ledger_never_had() -> None:
    link, shoe = served(durable=3, next_event_no=50, oldest_event_no=20)
    assert link.lost == (4, 19)
    assert numbers(link, shoe.button(20)) == [20]


def test_what_is_lost_is_still_known_after_a_new_session() -> None:
    link, shoe = served(durable=3, next_event_no=50, oldest_event_no=20)
    link.receive(shoe.hello(), 0.3)  # it has started again
    (who,) = sent(link)
    link.receive(shoe.hello(who.body["nonce"], next_event_no=50, oldest_event_no=20), 0.4)
    assert link.lost == (4, 19)


def test_nothing_is_lost_where_the_log_joins() -> None:
    link, _ = served(durable=19, next_event_no=50, oldest_event_no=20)
    assert link.lost is None


def test_a_repeated_event_is_acknowledged_again() -> None:
    link, shoe = served()
    link.receive(shoe.button(1, 2), 0.0)
    link.acknowledge(2, 0.0)
    sent(link)
    assert link.receive(shoe.button(1, 2), 0.5) == []
    assert [(frame.type, frame.body["event_no"]) for frame in sent(link)] == [("ack", 2)]


def test_what_waits_for_its_commit_is_not_acknowledged_by_a_repeat() -> None:
    link, shoe = served(durable=4)
    link.receive(shoe.button(5, 5), 0.0)
    assert [(frame.type, frame.body["event_no"]) for frame in sent(link)] == [("ack", 4)]


@pytest.mark.parametrize("key", [None, KEY])
def test_a_hello_behind_events_that_wait_for_their_commit(key: bytes | None) -> None:
    link, shoe = served(key=key)
    assert numbers(link, shoe.button(1, 2), 0.1) == [1, 2]
    link.receive(Shoe(key).hello(), 2.0)  # it has started again
    (who,) = sent(link)
    link.receive(shoe.hello(who.body["nonce"]), 2.1)
    assert numbers(link, shoe.button(1, 2, 3), 2.2) == [3]


def test_when_the_last_frame_of_the_shoe_came() -> None:
    link, shoe = new_link(), Shoe()
    greet(link, shoe, 3.0)
    link.receive(b"\x01\x02noise\x00", 4.0)
    assert link.last_frame_s == 3.0
    link.receive(shoe.say("alive"), 5.0)
    assert link.last_frame_s == 5.0
    link.receive(Shoe().hello(), 6.0)
    assert link.last_frame_s == 5.0
    (who,) = [frame for frame in sent(link) if frame.type == "who"][-1:]
    link.receive(shoe.hello(who.body["nonce"]), 7.0)
    assert link.last_frame_s == 7.0
