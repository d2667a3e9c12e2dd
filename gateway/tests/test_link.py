"""The gateway's end of the link, without a port."""

import pytest
from sabot_gateway.link import SILENT, UNREADABLE, ShoeLink
from sabot_protocol import framing, messages
from shoe_events import PROFILE, UNIT, event_frame, frame, hello


def link(durable: int = 0) -> ShoeLink:
    return ShoeLink(PROFILE, lambda unit: durable)


def sent(it: ShoeLink) -> list[tuple[str, dict[str, object]]]:
    """What the gateway wants to send, taken."""
    data = it.output()
    it.written(len(data))
    frames = [messages.Frame.parse(body) for body in framing.Deframer().feed(data)]
    return [(frame.type, {k: v for k, v in frame.body.items() if k != "_io"}) for frame in frames]


def button(event_no: int) -> bytes:
    return framing.encode(event_frame(event_no, "button", shoe_no=1, coup_no=1, button="confirm"))


def test_asks_who_is_there_once_a_second() -> None:
    it = link()
    it.tick(0.0)
    it.tick(0.9)
    assert [kind for kind, _ in sent(it)] == ["who"]
    it.tick(1.0)
    assert [kind for kind, _ in sent(it)] == ["who"]


def test_a_port_on_which_nothing_comes_is_told_from_one_at_a_wrong_baud_rate() -> None:
    it, told = link(), []
    for now_s, heard in ((100.0, b""), (104.9, b""), (105.0, b""), (106.0, b"\x8f\xe3\0\xf8\0"), (107.0, hello())):
        it.receive(heard, now_s)
        it.tick(now_s)
        told.append(it.problem)
    assert told == [None, None, SILENT, UNREADABLE, None]


def test_hello_is_welcomed_from_the_cursor_and_gets_its_profile() -> None:
    it = link(durable=7)
    assert it.receive(hello(), 0.0) == []
    (welcome, profile) = sent(it)
    assert welcome == ("welcome", {"protocol_hash": messages.protocol_hash(), "durable_event_no": 7})
    assert profile[0] == "set_profile"
    assert profile[1]["profile_hash"] == messages.profile_hash(PROFILE)
    assert it.unit == UNIT


def test_the_profile_is_sent_until_the_shoe_has_logged_it() -> None:
    it = link()
    it.receive(hello(), 0.0)
    sent(it)
    it.tick(1.0)
    assert [kind for kind, _ in sent(it)] == ["set_profile"]
    logged = event_frame(1, "profile_set", profile_hash=messages.profile_hash(PROFILE))
    assert len(it.receive(framing.encode(logged), 1.1)) == 1
    it.tick(5.0)
    assert sent(it) == []


def test_a_shoe_that_has_the_profile_is_left_alone() -> None:
    it = link()
    it.receive(hello(profile_hash=messages.profile_hash(PROFILE)), 0.0)
    assert [kind for kind, _ in sent(it)] == ["welcome"]


def test_another_protocol_is_refused_in_words() -> None:
    it = link()
    it.receive(hello(protocol_hash=bytes(8)), 0.0)
    assert it.problem is not None
    assert "reflash the shoe or update the gateway" in it.problem
    assert it.unit is None
    assert sent(it) == []


def test_numbers_that_would_repeat_are_refused_in_words() -> None:
    it = link(durable=12)
    it.receive(hello(next_event_no=12), 0.0)
    assert it.problem is not None
    assert "already holds 12" in it.problem
    assert it.unit is None


def test_events_in_order_once_each() -> None:
    it = link(durable=2)
    it.receive(hello(), 0.0)
    stream = b"".join(map(button, (2, 3, 5, 4, 4, 5, 6)))
    assert [event.event_no for event in it.receive(stream, 0.0)] == [3, 4, 5, 6]
    assert it.counters == {"repeated": 2, "gaps": 1, "dropped_commands": 0}


def test_damage_on_the_line_is_counted() -> None:
    it = link()
    it.receive(hello(), 0.0)
    it.receive(b"\x09\x11\x22\x00" + b"\x55" * 300 + b"\x00" + framing.encode(b"\x63" + bytes(7)), 0.0)
    damaged = bytearray(button(1))
    damaged[7] ^= 4
    it.receive(bytes(damaged), 0.0)
    counted = {name: count for name, count in it.line_counters().items() if count}
    assert counted == {"cobs_errors": 1, "oversize": 1, "malformed": 1, "crc_errors": 1}


def test_no_event_counts_before_hello() -> None:
    assert link().receive(button(1), 0.0) == []


def test_a_new_port_forgets_who_was_there() -> None:
    it = link()
    it.receive(hello(), 0.0)
    it.opened()
    assert it.unit is None
    assert it.receive(button(1), 0.0) == []


@pytest.mark.parametrize("size", [1, 2, 7])
def test_bytes_in_any_pieces(size: int) -> None:
    it = link()
    stream, events = hello() + b"".join(map(button, range(1, 6))), 0
    for at in range(0, len(stream), size):
        events += len(it.receive(stream[at : at + size], 0.0))
    assert events == 5


def test_output_nobody_reads_is_bounded() -> None:
    it = link()
    for second in range(1000):
        it.tick(float(second))
    assert len(it.output()) <= 4096
    assert it.counters["dropped_commands"] > 0


def test_a_shoe_that_has_overwritten_what_the_ledger_never_had() -> None:
    it = link(durable=3)
    it.receive(hello(next_event_no=50, oldest_event_no=20), 0.0)
    assert it.lost == (4, 19)
    assert [event.event_no for event in it.receive(button(20), 0.0)] == [20]


def test_nothing_is_lost_where_the_log_joins() -> None:
    it = link(durable=19)
    it.receive(hello(next_event_no=50, oldest_event_no=20), 0.0)
    assert it.lost is None


def test_a_repeated_event_is_acknowledged_again() -> None:
    it = link()
    it.receive(hello(profile_hash=messages.profile_hash(PROFILE)), 0.0)
    it.receive(button(1) + button(2), 0.0)
    it.acknowledge(2, 0.0)
    sent(it)
    assert it.receive(button(1) + button(2), 0.5) == []
    assert sent(it) == [("ack", {"event_no": 2})]


def test_what_waits_for_its_commit_is_not_acknowledged_by_a_repeat() -> None:
    it = link(durable=4)
    it.receive(hello(profile_hash=messages.profile_hash(PROFILE)), 0.0)
    sent(it)
    it.receive(button(5) + button(5), 0.0)
    assert sent(it) == [("ack", {"event_no": 4})]


def test_a_hello_behind_events_that_wait_for_their_commit() -> None:
    it = link()
    it.receive(hello(), 0.0)
    assert len(it.receive(button(1) + button(2) + hello(), 0.0)) == 2
    assert [event.event_no for event in it.receive(button(1) + button(2) + button(3), 0.0)] == [3]


def test_when_the_shoe_was_last_heard() -> None:
    it = link()
    it.receive(hello(), 3.0)
    it.receive(b"\x01\x02noise\x00", 4.0)
    assert it.heard_s == 3.0
    it.receive(framing.encode(frame("alive", {})), 5.0)
    assert it.heard_s == 5.0
