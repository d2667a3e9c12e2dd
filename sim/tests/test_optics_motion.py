"""When a moving card passes a place, by arithmetic on its way."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sabot_sim.optics.motion import (
    LEFT_UM,
    MOTIONS,
    Path,
    Way,
    arrivals_us,
    crossing_times_us,
    duration_us,
    legs_of,
    move,
    rests_of,
    through,
)


def times(path: Path, *places_um: float) -> list[float]:
    return crossing_times_us(places_um, legs_of(path))


def test_at_constant_speed_time_is_way_by_speed() -> None:
    assert times([Way(-1_000, 0.5), Way(9_000, 0.5)], 0, 4_000, 9_000) == [2_000, 10_000, 20_000]


def test_from_rest_four_times_the_way_takes_twice_the_time() -> None:
    # 2 m/s after 20 mm from rest is 100 m/s2: 5 mm take sqrt(2 * 5e-3 / 100) s = 10 ms, 20 mm take 20 ms
    assert times([Way(-5_000, 0), Way(15_000, 2)], 0, 15_000) == pytest.approx([10_000, 20_000])


def test_to_rest_is_from_rest_backwards() -> None:
    assert times([Way(0, 2), Way(20_000, 0)], 15_000, 20_000) == pytest.approx([10_000, 20_000])


def test_a_place_is_passed_again_on_the_way_back_and_on() -> None:
    path = [Way(0, 1), Way(10_000, 1), Way(7_000, 1), Way(12_000, 1)]
    assert times(path, 8_000, 9_000, 11_000) == [8_000, 9_000, 11_000, 12_000, 14_000, 15_000, 17_000]


def test_a_place_beyond_the_turn_is_passed_only_at_last() -> None:
    assert times([Way(0, 1), Way(10_000, 1), Way(7_000, 1), Way(12_000, 1)], 10_500) == [16_500]


def test_a_turn_on_the_place_itself_passes_it_an_even_number_of_times() -> None:
    back = [Way(0, 1), Way(10_000, 0), Way(0, 1)]
    assert times(back, 10_000) == [20_000, 20_000]
    assert len(times([*back, Way(20_000, 1)], 10_000)) == 3


def test_a_pause_delays_what_comes_after_it() -> None:
    path = [Way(0, 1), Way(5_000, 1, 700), Way(10_000, 1)]
    assert times(path, 5_000, 6_000) == [5_000, 6_700]
    assert arrivals_us(path) == [0, 5_000, 10_700]
    assert duration_us(path) == 10_700
    assert rests_of(path) == [(5_000, path[1])]


def test_a_card_that_never_gets_there_has_no_time() -> None:
    assert times([Way(-1_000, 1), Way(30_000, 0)], 50_000) == []


def test_a_move_speeds_up_goes_on_and_stops_as_the_hand_can() -> None:
    # 1 m/s at 50 m/s2 takes 10 mm
    speeding = move(0, 50_000, 1.0, 50.0, pause_us=5)
    assert [tuple(way) for way in speeding] == [
        (pytest.approx(10_000), pytest.approx(1), 0),
        (pytest.approx(40_000), pytest.approx(1), 0),
        (50_000, 0, 5),
    ]


def test_a_short_move_does_not_reach_its_speed() -> None:
    # 2 mm to speed up in, at 40 m/s2: sqrt(2 * 40 * 2e-3) m/s
    peak = move(0, -4_000, 3.0, 40.0)[0]
    assert peak.x_um == -2_000
    assert peak.speed_m_s == pytest.approx(0.4)


def test_the_last_move_goes_on_through_its_end() -> None:
    assert move(0, 50_000, 1.0, 50.0, stop=False)[-1].speed_m_s == pytest.approx(1)


@given(st.sampled_from(sorted(MOTIONS)), st.integers(0, 10_000), st.sampled_from([(0.1, 3.0), (0.1, 0.2), (2.0, 3.0)]))
def test_whole_pulls_go_forwards_from_before_the_entry_until_the_card_has_left(
    name: str, seed: int, speed_m_s: tuple[float, float]
) -> None:
    path = MOTIONS[name](random.Random(seed), *speed_m_s)
    places = [way.x_um for way in path]
    assert places == sorted(places)
    assert places[0] <= -2_000
    assert places[-1] >= LEFT_UM + 2_000
    assert all(speed_m_s[0] <= way.speed_m_s <= speed_m_s[1] * 1.000001 for way in path[1:])
    assert path[0].speed_m_s >= speed_m_s[0] or name == "from_rest"


@given(st.integers(0, 10_000))
def test_from_rest_the_entry_is_passed_at_no_less_than_the_slow_speed(seed: int) -> None:
    path = MOTIONS["from_rest"](random.Random(seed), 0.1, 3.0)
    start, end = path
    at_entry_m_s = end.speed_m_s * (-start.x_um / (end.x_um - start.x_um)) ** 0.5
    assert at_entry_m_s >= 0.0999


def test_constant_is_constant_and_gentle_is_at_most_twofold() -> None:
    for seed in range(200):
        first, last = MOTIONS["constant"](random.Random(seed), 0.1, 3.0)
        assert first.speed_m_s == last.speed_m_s
        first, last = MOTIONS["accelerating"](random.Random(seed), 0.1, 3.0)
        assert 1 <= last.speed_m_s / first.speed_m_s <= 2
        first, last = MOTIONS["decelerating"](random.Random(seed), 0.1, 3.0)
        assert 0.5 <= last.speed_m_s / first.speed_m_s <= 1


def test_an_s_shaped_pull_is_fastest_in_the_middle_and_ends_as_it_began() -> None:
    speeds = [way.speed_m_s for way in MOTIONS["s_shaped"](random.Random(1), 0.1, 3.0)]
    assert speeds[3] == max(speeds)
    assert speeds == pytest.approx(speeds[::-1])


def test_through_rests_at_each_place_and_ends_at_its_end() -> None:
    path = through(random.Random(1), [(30_000, 20_000), (25_000, 0)], 60_000, stay=True)
    still = [(way.x_um, way.pause_us) for way in path if not way.speed_m_s]
    assert still == [(path[0].x_um, 0), (30_000, 20_000), (25_000, 0), (60_000, 0)]


@given(st.integers(0, 10_000), st.lists(st.floats(-5_000, 140_000), min_size=1, max_size=5), st.data())
def test_crossings_come_in_order_and_once_more_forwards_than_back(
    seed: int, rests_um: list[float], data: st.DataObject
) -> None:
    path = through(random.Random(seed), [(x_um, 0) for x_um in rests_um], LEFT_UM + 2_000)
    place_um = data.draw(st.floats(0, LEFT_UM))
    found = times(path, place_um)
    assert found == sorted(found)
    assert len(found) % 2 == 1
