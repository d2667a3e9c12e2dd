"""The ring and its clock."""

from sabot.reading.sampler import Sampler


def test_first_in_first_out():
    it = Sampler(8)
    for i in range(5):
        it.put(i * 10, i)
    seen = []
    while it.get():
        seen.append((it.t_us, it.pins))
    assert seen == [(0, 0), (10, 1), (20, 2), (30, 3), (40, 4)]


def test_a_full_ring_refuses_and_counts():
    it = Sampler(8)
    for i in range(10):
        it.put(i, i)
    assert it.overruns == 3
    assert it.free() == 0
    count = 0
    while it.get():
        count += 1
    assert count == 7
    assert it.pins == 6


def test_the_clock_follows_the_samples_across_the_wrap():
    it = Sampler(8)
    for t_us in (0x3FFFFFFF - 500, 499, 10499):
        it.put(t_us & 0x3FFFFFFF, 0)
        it.get()
    assert it.now_ms == (0x3FFFFFFF - 500 + 1000 + 10000) // 1000


def test_the_clock_keeps_what_is_less_than_a_millisecond():
    it = Sampler(8)
    for i in range(1, 2001):
        it.put(i * 700, 0)
        it.get()
    assert it.now_ms == 1400
