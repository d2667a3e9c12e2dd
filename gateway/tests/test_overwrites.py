"""Words on our retained topics: our own are known, those of others are put right, not too often."""

from sabot_gateway.publish.overwrites import Overwrites
from sabot_service.rate_limit import LogLimiter, TokenBucket


def test_our_own_messages_are_known_in_the_order_sent_and_however_late() -> None:
    watch = Overwrites()
    for payload in (b"1", b"2", b"3"):
        watch.sent("t", payload)
    assert not any(watch.received("t", payload, b"3") for payload in (b"1", b"2", b"3", b"3"))
    assert watch.due(0.0) == []


def test_a_foreign_message_is_replaced_and_so_is_an_old_one_of_ours() -> None:
    watch = Overwrites()
    watch.sent("t", b"old")
    watch.sent("t", b"new")
    assert not watch.received("t", b"old", b"new")
    assert not watch.received("t", b"new", b"new")
    for number, payload in enumerate((b"theirs", b"", b"old", bytes(100_000)), 1):
        assert watch.received("t", payload, b"new")
        assert watch.due(float(number)) == ["t"]
        watch.sent("t", b"new")
        assert not watch.received("t", b"new", b"new")


def test_what_is_sent_anyway_needs_no_putting_right() -> None:
    watch = Overwrites()
    assert watch.received("t", b"theirs", b"ours")
    watch.sent("t", b"ours")
    assert watch.due(0.0) == []


def test_a_quarrel_costs_a_message_a_second_and_ends_with_ours() -> None:
    watch, sent = Overwrites(), 0
    for tick in range(100_000):  # a hundred seconds
        watch.received("t", b"theirs %d" % tick, b"ours")
        for topic in watch.due(tick / 1000):
            watch.sent(topic, b"ours")
            watch.received(topic, b"ours", b"ours")
            sent += 1
    assert 100 <= sent <= 103
    watch.received("t", b"their last", b"ours")
    assert watch.due(101.1) == ["t"]


def test_a_flood_on_all_topics_is_bounded_and_no_topic_is_forgotten() -> None:
    watch = Overwrites()
    for number in range(600):
        watch.received(f"t{number}", b"theirs", b"ours")
    first = watch.due(0.0)
    assert len(first) == 50
    right = set(first)
    for tick in range(1, 1000):
        right |= set(watch.due(tick / 10))
    assert len(right) == 600


def test_our_own_messages_that_never_come_back_are_bounded() -> None:
    watch = Overwrites()
    for number in range(10_000):
        watch.sent("t", b"%d" % number)
    assert watch.received("t", b"1", b"9999")
    assert not watch.received("t", b"9999", b"9999")


def test_a_bucket_gives_what_it_has_and_then_one_at_a_time() -> None:
    bucket = TokenBucket(3, 2.0)
    assert [bucket.take(10.0) for _ in range(4)] == [True, True, True, False]
    assert not bucket.take(11.9)
    assert bucket.take(12.0)
    assert not bucket.take(5.0)  # the clock went back
    assert not bucket.take(6.9)
    assert bucket.take(7.0)
    assert [bucket.take(1e9) for _ in range(4)] == [True, True, True, False]


def test_lines_that_were_left_out_are_counted_with_the_next_one() -> None:
    lines = LogLimiter(2, 60.0)
    assert [lines.take("a", 0.0) for _ in range(4)] == [0, 0, None, None]
    assert lines.take("b", 0.0) == 0
    assert lines.take("a", 60.0) == 2
    assert lines.take("a", 60.0) is None
