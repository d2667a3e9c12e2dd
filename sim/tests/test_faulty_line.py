"""The misbehaving line: each misfortune alone, and none."""

import random

import pytest
from sabot_sim.line.faulty_line import Faults, FaultyLine

CHUNKS = [bytes([number]) * 8 for number in range(1, 101)]


def carried(faults: Faults, seed: int = 1) -> list[bytes]:
    """What arrives in each millisecond of two seconds when a chunk is sent in each of the first hundred."""
    line = FaultyLine(random.Random(seed), faults)
    arrived = []
    for now_ms in range(2_500):
        if now_ms < len(CHUNKS):
            line.put(CHUNKS[now_ms], now_ms)
        arrived.append(line.take(now_ms))
    return arrived


def test_without_faults_everything_arrives_in_order_a_millisecond_later() -> None:
    assert carried(Faults())[1:101] == CHUNKS


def test_some_are_dropped_and_the_rest_is_whole() -> None:
    kept = [chunk for chunk in carried(Faults(drop=0.2)) if chunk]
    assert 60 < len(kept) < 95
    assert set(kept) < set(CHUNKS)


def test_some_are_repeated() -> None:
    assert 105 < len(b"".join(carried(Faults(repeat=0.2)))) // 8 < 140


def test_single_bytes_are_corrupted_or_lost() -> None:
    corrupted = b"".join(carried(Faults(corrupt=0.05)))
    assert len(corrupted) == 800
    assert 15 < sum(one != other for one, other in zip(corrupted, b"".join(CHUNKS), strict=True)) < 80
    assert 720 < len(b"".join(carried(Faults(lose=0.05)))) < 795


def test_split_and_late_bytes_all_come_in_order() -> None:
    assert b"".join(carried(Faults(split=0.5, delay=0.3))) == b"".join(CHUNKS)


def test_some_are_overtaken() -> None:
    arrived = b"".join(carried(Faults(reorder=0.2)))
    assert sorted(arrived) == sorted(b"".join(CHUNKS))
    assert arrived != b"".join(CHUNKS)


@pytest.mark.parametrize("most", [0.0, 0.2])
def test_drawn_faults_stay_below_their_bound(most: float) -> None:
    rng, worst = random.Random(3), []
    for _ in range(200):
        faults = Faults.drawn(rng, most)
        assert all(0 <= rate <= most for rate in vars(faults).values())
        worst.append(max(faults.corrupt, faults.lose))
    assert max(worst) >= most / 2  # bytes are not always spared
    assert sorted(worst)[100] <= most / 10
