"""How long entries take, counted in bounded space."""

from sabot_gateway.ops.latency import Latency


def test_a_commit_counts_when_its_last_entry_is_answered() -> None:
    it = Latency()
    it.stored(10, 10, 100.0)
    it.published(9, 100.5)
    assert (it.entries(), it.percentile_ms(50)) == (0, None)
    it.published(10, 100.010)
    assert it.entries() == 10


def test_a_percentile_is_never_less_than_the_truth_and_at_most_a_fifth_more() -> None:
    it = Latency()
    for ms in range(1, 1001):
        it.stored(ms, 1, 0.0)
        it.published(ms, ms / 1000)
    for percent in (1, 50, 90, 99, 100):
        found = it.percentile_ms(percent)
        assert found is not None
        assert percent * 10 - 0.1 <= found <= percent * 10 * 1.2


def test_every_entry_of_a_commit_counts() -> None:
    it = Latency()
    it.stored(98, 98, 0.0)
    it.published(98, 0.001)
    it.stored(100, 2, 0.0)
    it.published(100, 0.5)
    fast, slow = it.percentile_ms(98), it.percentile_ms(99)
    assert fast is not None
    assert slow is not None
    assert fast < 1.3
    assert 500 <= slow < 600


def test_a_broker_that_is_away_costs_no_memory_and_an_odd_clock_no_error() -> None:
    it = Latency()
    for seq in range(20_000):
        it.stored(seq, 1, 0.0)
    it.published(20_000, 1e9)
    assert it.entries() == 10_000
    it.stored(20_001, 1, 10.0)
    it.published(20_001, 5.0)
    assert it.percentile_ms(0.001) == 0.1
