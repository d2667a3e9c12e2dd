"""From ledger entries to MQTT messages."""

from sabot_gateway.ledger import Stored
from sabot_gateway.publish.echo import Echo
from sabot_gateway.publish.outgoing import Outgoing, Window, outgoing


def stored(seq: int, topic: str, table: str = "t1", digest: bytes = b"") -> Stored:
    return Stored("u", seq, table, topic, b'{"n":%d}' % seq, b"", "", "", seq, digest)


def payload(seq: int, after: int) -> str:
    """The payload of entry `seq` as it is published."""
    return f'{{"gateway":"ab","entry":{seq},"after":{after},"n":{seq}}}'


def message(first: int, last: int, table: str, topic: str, *payloads: str) -> Outgoing:
    text = f"[{','.join(payloads)}]" if topic == "cards" else payloads[0]
    return Outgoing(first, last, table, topic, text.encode())


def test_neighbouring_cards_of_a_table_share_a_message() -> None:
    entries = [stored(1, "cards"), stored(2, "cards"), stored(3, "coup"), stored(4, "cards"), stored(5, "cards", "t2")]
    assert outgoing(entries, "ab", 0) == [
        message(1, 2, "t1", "cards", payload(1, 0), payload(2, 1)),
        message(3, 3, "t1", "coup", payload(3, 2)),
        message(4, 4, "t1", "cards", payload(4, 3)),
        message(5, 5, "t2", "cards", payload(5, 4)),
    ]


def test_cards_of_one_table_share_a_message_across_other_tables_but_not_across_their_own_coup() -> None:
    entries = [stored(1, "cards"), stored(2, "coup", "t2"), stored(3, "cards"), stored(4, "coup"), stored(5, "cards")]
    assert outgoing(entries, "ab", 0) == [
        message(1, 3, "t1", "cards", payload(1, 0), payload(3, 2)),
        message(2, 2, "t2", "coup", payload(2, 1)),
        message(4, 4, "t1", "coup", payload(4, 3)),
        message(5, 5, "t1", "cards", payload(5, 4)),
    ]


def test_a_message_has_at_most_64_cards() -> None:
    sent = outgoing([stored(number, "cards") for number in range(1, 131)], "ab", 0)
    assert [(one.first_seq, one.last_seq) for one in sent] == [(1, 64), (65, 128), (129, 130)]


def test_entries_without_a_topic_or_table_and_internal_ones_are_not_published_and_leave_no_gap() -> None:
    entries = [stored(7, ""), stored(8, "sent"), stored(9, "attempt", ""), stored(10, "attempt"), stored(12, "outcome")]
    assert outgoing(entries, "ab", 5) == [
        message(10, 10, "t1", "attempt", payload(10, 5)),
        message(12, 12, "t1", "outcome", payload(12, 10)),
    ]


def test_a_message_of_a_jackpot_names_its_gateway_once() -> None:
    (sent,) = outgoing([stored(3, "jackpot/grand")], "ab", 2)
    assert sent.payload == b'{"entry":3,"after":2,"n":3}'


def test_a_result_has_the_hash_of_its_entry_and_no_other_message_has() -> None:
    topics = ("coup", "confirmed", "cards", "alarm", "shoe", "jackpot/grand")
    sent = outgoing([stored(number, topic, digest=bytes(32)) for number, topic in enumerate(topics, 1)], "ab", 0)
    assert [b'"hash":"%b"' % (b"00" * 32) in one.payload for one in sent] == [True, True, False, False, False, False]


def test_the_cursor_waits_for_every_entry_of_a_message() -> None:
    window = Window(read_to=10, waiting={1: 3, 2: 8})
    assert window.done() == 2
    del window.waiting[1]
    assert window.done() == 7
    del window.waiting[2]
    assert window.done() == 10


def test_the_window_is_bounded() -> None:
    assert Window(0, {number: number for number in range(400)}).room() == 0


def test_one_message_that_is_never_acknowledged_stops_the_reading_at_last() -> None:
    assert Window(read_to=10_000, waiting={1: 2}).room() == 1
    assert Window(read_to=10_001, waiting={1: 2}).room() == 0


def test_a_state_that_does_not_come_back_is_overdue_whatever_else_comes() -> None:
    echo = Echo()
    echo.sent("a", b"1", now_s=10.0)
    echo.sent("b", b"1", now_s=12.0)
    echo.received("a", b"1")
    echo.received("b", b"0")
    assert echo.missing == {"b": b"1"}
    assert not echo.overdue(15.0)
    assert echo.overdue(15.1)
    echo.received("b", b"1")
    assert not echo.overdue(99.0)


def test_a_state_that_came_back_once_holds_up_no_event_when_it_is_published_again() -> None:
    echo = Echo()
    echo.sent("t/status", b"1", 0.0)
    assert echo.in_doubt()
    echo.received("t/status", b"other")
    assert echo.in_doubt()
    echo.received("t/status", b"1")
    assert not echo.in_doubt()
    echo.sent("t/status", b"2", 1.0)
    assert not echo.in_doubt()
    assert echo.overdue(10.0)  # and if it never comes, that is noticed all the same
    echo.sent("u/status", b"3", 1.0)
    assert echo.in_doubt()
