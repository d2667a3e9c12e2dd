"""The log on the link: window, acknowledgement, resend, ALIVE."""

from struct import pack

from gateway_side import offered, sent_by, served
from sabot import wire


def test_events_continue_after_the_last_that_the_gateway_holds():
    link, journal, _ = served(5, durable=3)
    assert sent_by(link, 0) == [(wire.TYPE_EVENT, 4), (wire.TYPE_EVENT, 5)]
    assert journal.acked == 3


def test_window_and_acknowledgement():
    link, _, gateway = served(40)
    sent = []
    for _ in range(20):
        sent += sent_by(link, 0)
    assert sent == [(wire.TYPE_EVENT, n) for n in range(1, 25)]
    gateway.send(wire.TYPE_ACK, pack("<I", 10))
    sent = sent_by(link, 1) + sent_by(link, 1) + sent_by(link, 1)
    assert sent == [(wire.TYPE_EVENT, n) for n in range(25, 35)]


def test_resend_from_the_first_unacknowledged():
    link, _, gateway = served(3)
    assert sent_by(link, 0) == [(wire.TYPE_EVENT, 1), (wire.TYPE_EVENT, 2), (wire.TYPE_EVENT, 3)]
    gateway.send(wire.TYPE_ACK, pack("<I", 1), 100)
    assert sent_by(link, 599) == []
    assert sent_by(link, 600) == [(wire.TYPE_EVENT, 2), (wire.TYPE_EVENT, 3)]


def test_resends_come_slower_and_slower_until_something_is_acknowledged():
    link, _, gateway = served(2)
    times = []
    for now_ms in range(0, 34000, 100):
        gateway.send(wire.TYPE_ACK, pack("<I", 0), now_ms)  # it is there, but its ledger takes nothing
        if (wire.TYPE_EVENT, 1) in sent_by(link, now_ms):
            times.append(now_ms)
    waits = [times[i + 1] - times[i] for i in range(len(times) - 1)]
    assert waits == [500, 1000, 2000, 4000, 8000, 8000, 8000]
    gateway.send(wire.TYPE_ACK, pack("<I", 1), 34000)
    assert sent_by(link, 34499) == []
    assert sent_by(link, 34500) == [(wire.TYPE_EVENT, 2)]


def test_the_gateway_requests_what_it_missed():
    link, _, gateway = served(6)
    sent = []
    for _ in range(3):
        sent += sent_by(link, 0)
    assert sent == [(wire.TYPE_EVENT, n) for n in range(1, 7)]
    gateway.send(wire.TYPE_RESEND, pack("<I", 3))
    assert sent_by(link, 1) == [(wire.TYPE_EVENT, n) for n in range(3, 7)]
    gateway.send(wire.TYPE_RESEND, pack("<I", 7))
    gateway.send(wire.TYPE_RESEND, pack("<I", 0))
    assert sent_by(link, 2) == []


def test_a_gateway_that_compares_gets_what_was_acknowledged_again():
    link, journal, gateway = served(6)
    sent_by(link, 0)
    gateway.send(wire.TYPE_ACK, pack("<I", 6))
    gateway.ask(b"nonce--2", 1)
    gateway.welcome(offered(link, 1), 0, 1)
    assert sent_by(link, 1) + sent_by(link, 1) == [(wire.TYPE_EVENT, n) for n in range(1, 7)]
    assert journal.acked == 6


def test_an_acknowledged_log_is_quiet():
    link, _, gateway = served(2)
    sent_by(link, 0)
    gateway.send(wire.TYPE_ACK, pack("<I", 2))
    assert sent_by(link, 999) == []
    assert sent_by(link, 1000) == [(wire.TYPE_ALIVE, None)]
    assert sent_by(link, 1999) == []
    assert sent_by(link, 2000) == [(wire.TYPE_ALIVE, None)]


def test_a_session_begins_with_alive_where_there_is_no_event():
    link, _, _ = served(0)
    assert sent_by(link, 0) == [(wire.TYPE_ALIVE, None)]


def test_a_line_that_takes_few_bytes_gets_all_of_them():
    link, _, _ = served(2)
    link.pump(0)
    whole = bytes(link.tx[: link.tx_size])
    got = b""
    while link.tx_size:
        got += bytes(link.tx[:3])
        link.sent(min(3, link.tx_size))
    assert got[: len(whole)] == whole
