"""The head at the broker: heard first, then published each minute and with each shoe; others are replaced."""

from pathlib import Path

import msgspec
import pytest
from ledger_entries import coup, play
from msgspec.structs import replace
from sabot_gateway.ledger import Ledger
from sabot_gateway.publish.head_topic import HeadTopic
from sabot_protocol.topics import LedgerMessage


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    made = Ledger(tmp_path / "ledger.db")
    made.append(play(1, 1, 3))
    return made


@pytest.fixture
def topic(ledger: Ledger) -> HeadTopic:
    made = HeadTopic(ledger)
    made.met_broker(100.0)
    return made


def encoded(head: LedgerMessage) -> bytes:
    return msgspec.json.encode(head)


def test_the_head_goes_out_after_listening_then_each_minute_if_it_is_new(topic: HeadTopic, ledger: Ledger) -> None:
    assert topic.take(101.9) is None
    assert topic.take(102.0) == ledger.head()
    assert topic.take(110.0) is None
    ledger.append([coup(100, 9, 2, 1)])
    assert topic.take(161.9) is None
    assert topic.take(162.0) == ledger.head()
    assert topic.take(222.0) is None  # nothing has come since


def test_a_shoe_that_is_closed_brings_the_head_out_at_once(topic: HeadTopic, ledger: Ledger) -> None:
    topic.shoe_changed()
    assert topic.take(100.5) is None  # not before what stands there was heard
    assert topic.take(102.0) is not None
    ledger.append([coup(100, 9, 2, 1)])
    topic.shoe_changed()
    assert topic.take(103.0) == ledger.head()


def test_at_a_stop_the_head_is_owed_until_what_the_broker_keeps_was_read(topic: HeadTopic, ledger: Ledger) -> None:
    assert not topic.owed()
    topic.shoe_changed()  # as the stop does
    assert topic.take(101.9) is None
    assert topic.owed()
    assert topic.take(102.0) == ledger.head()
    assert not topic.owed()
    topic.shoe_changed()
    topic.lost_broker()
    assert not topic.owed()


def test_a_ledger_that_is_behind_owes_no_head(topic: HeadTopic, ledger: Ledger) -> None:
    topic.shoe_changed()
    ledger.append([coup(100, 9, 2, 1)])
    newer = ledger.head()
    ledger._db.execute("DELETE FROM entries WHERE seq = 21")
    ledger._seq, ledger._hash = ledger.newest()
    topic.received(encoded(newer), 100.3)
    assert not topic.owed()
    assert topic.take(200.0) is None


def test_without_a_broker_nothing_goes_out_and_after_each_connection_it_listens_again(topic: HeadTopic) -> None:
    assert topic.take(102.0) is not None
    topic.lost_broker()
    assert topic.take(500.0) is None
    topic.met_broker(600.0)
    assert topic.take(601.0) is None
    assert topic.take(602.0) is not None


def test_a_ledger_behind_the_retained_head_is_held_and_publishes_none(
    topic: HeadTopic, ledger: Ledger, tmp_path: Path
) -> None:
    ahead = replace(ledger.head(), entry=30)
    topic.received(encoded(ahead), 100.1)
    assert ledger.behind is None  # anybody can write that; it has no signature of ours
    other = Ledger(tmp_path / "other.db")
    other.append(play(1, 1, 9))
    topic.received(encoded(other.head()), 100.2)
    assert ledger.behind is None
    ledger.append([coup(100, 9, 2, 1)])
    later = ledger.head()
    ledger._db.execute("DELETE FROM entries WHERE seq = 21")
    ledger._seq, ledger._hash = ledger.newest()
    topic.received(encoded(later), 100.3)
    assert "entry 21 is missing: it ends with entry 20, but entry 21 was stored" in str(ledger.behind)
    assert topic.take(102.0) is None


@pytest.mark.parametrize("payload", [b"", b"{}", b"\xff", b"[" * 3000, b"[" * 5000, b"null", b'{"gateway":1}'])
def test_what_others_write_there_is_replaced_but_not_without_end(
    topic: HeadTopic, ledger: Ledger, payload: bytes
) -> None:
    topic.take(102.0)
    ledger.append([coup(100, 9, 2, 1)])
    for number in range(100):
        topic.received(payload, 103.0 + number / 100)
    assert topic.take(104.0) == ledger.head()
    assert topic.put_right == 1
    for number in range(100):  # soon after: in the end ours stands all the same
        topic.received(payload, 104.0 + number / 100)
        topic.shoe_changed()
        assert topic.take(105.0) is None
    assert topic.take(114.0) == ledger.head()
    assert topic.put_right == 2
    assert topic.take(115.0) is None


def test_an_old_head_of_ours_that_somebody_repeats_is_replaced_by_the_newest(topic: HeadTopic, ledger: Ledger) -> None:
    old = topic.take(102.0)
    assert old is not None
    topic.received(encoded(old), 102.1)  # our own, back from the broker
    assert topic.put_right == 0
    ledger.append([coup(100, 9, 2, 1)])
    topic.shoe_changed()
    new = topic.take(103.0)
    assert new is not None
    topic.received(encoded(old), 120.0)
    assert ledger.behind is None
    assert topic.take(120.0) == new
    assert topic.put_right == 1
