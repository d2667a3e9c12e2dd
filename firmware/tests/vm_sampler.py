"""The ring of samples and its clock."""

from sabot.reading.sampler import Sampler


def test_first_in_first_out():
    sampler = Sampler(8)
    for i in range(5):
        sampler.put(i * 10, i)
    seen = []
    while sampler.get():
        seen.append((sampler.t_us, sampler.pins))
    assert seen == [(0, 0), (10, 1), (20, 2), (30, 3), (40, 4)]


def test_a_full_ring_refuses_and_counts():
    sampler = Sampler(8)
    for i in range(10):
        sampler.put(i, i)
    assert sampler.overruns == 3
    assert sampler.free() == 0
    count = 0
    while sampler.get():
        count += 1
    assert count == 7
    assert sampler.pins == 6


def test_the_clock_follows_the_samples_across_the_wrap():
    sampler = Sampler(8)
    for t_us in (0x3FFFFFFF - 500, 499, 10499):
        sampler.put(t_us & 0x3FFFFFFF, 0)
        sampler.get()
    assert sampler.now_ms == (0x3FFFFFFF - 500 + 1000 + 10000) // 1000


def test_the_clock_keeps_what_is_less_than_a_millisecond():
    sampler = Sampler(8)
    for i in range(1, 2001):
        sampler.put(i * 700, 0)
        sampler.get()
    assert sampler.now_ms == 1400
