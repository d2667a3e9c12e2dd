"""How long entries take, counted in bounded space."""

from sabot_gateway.publish.latency import Latency


def test_a_commit_counts_when_its_last_entry_is_answered() -> None:
    latency = Latency()
    latency.stored(10, 10, 100.0)
    latency.published(9, 100.5)
    assert (latency.entries(), latency.percentile_ms(50)) == (0, None)
    latency.published(10, 100.010)
    assert latency.entries() == 10


def test_a_percentile_is_never_less_than_the_truth_and_at_most_a_fifth_more() -> None:
    latency = Latency()
    for ms in range(1, 1001):
        latency.stored(ms, 1, 0.0)
        latency.published(ms, ms / 1000)
    for percent in (1, 50, 90, 99, 100):
        found = latency.percentile_ms(percent)
        assert found is not None
        assert percent * 10 - 0.1 <= found <= percent * 10 * 1.2


def test_every_entry_of_a_commit_counts() -> None:
    latency = Latency()
    latency.stored(98, 98, 0.0)
    latency.published(98, 0.001)
    latency.stored(100, 2, 0.0)
    latency.published(100, 0.5)
    fast, slow = latency.percentile_ms(98), latency.percentile_ms(99)
    assert fast is not None
    assert slow is not None
    assert fast < 1.3
    assert 500 <= slow < 600


def test_a_broker_that_is_away_costs_no_memory_and_an_odd_clock_no_error() -> None:
    latency = Latency()
    for seq in range(20_000):
        latency.stored(seq, 1, 0.0)
    latency.published(20_000, 1e9)
    assert latency.entries() == 10_000
    latency.stored(20_001, 1, 10.0)
    latency.published(20_001, 5.0)
    assert latency.percentile_ms(0.001) == 0.1
