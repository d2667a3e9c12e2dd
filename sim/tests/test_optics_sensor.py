"""Where and when a comparator switches, by arithmetic on spot, threshold, gain and response time."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sabot_sim.optics.motion import Way, legs_of
from sabot_sim.optics.sensor import (
    Sensor,
    _crossings,
    _knots,
    _of_steps_apart,
    bounces_us,
    hover_us,
    settled,
    switch_places_um,
    switch_times_us,
)
from sabot_sim.optics.strip import Strip

IDEAL = Sensor(pin=2, at_um=12_000, spot_um=300, threshold=0.5, gain=1, response_us=0, jitter_us=0)
MARK: Strip = [(6_000, 1.0), (7_000, 0.0)]
AT_1_M_S = legs_of([Way(0, 1), Way(40_000, 1)])


def switches(strip: Strip, sensor: Sensor, other: Strip | None = None) -> list[float]:
    return [round(place_um, 6) for place_um in switch_places_um(sensor, strip, other or [])]


def test_at_half_the_signal_a_mark_is_as_long_as_it_is_printed() -> None:
    assert switches(MARK, IDEAL) == [18_000, 19_000]


def test_a_lower_threshold_widens_a_mark() -> None:
    # 0.1 of the signal is 0.1 of the spot: 30 um at either end
    assert switches(MARK, IDEAL._replace(threshold=0.4)) == [17_970, 19_030]


def test_a_wider_spot_widens_it_further() -> None:
    assert switches(MARK, IDEAL._replace(threshold=0.4, spot_um=450)) == [17_955, 19_045]


def test_gain_and_threshold_count_by_their_ratio() -> None:
    assert switches(MARK, IDEAL._replace(threshold=0.3, gain=0.6)) == [18_000, 19_000]
    assert switches(MARK, IDEAL._replace(gain=0.8)) == [18_037.5, 18_962.5]


def test_a_mark_too_pale_for_the_threshold_is_not_seen() -> None:
    assert switches(MARK, IDEAL._replace(gain=0.49)) == []
    assert switches([(6_000, 0.49), (7_000, 0.0)], IDEAL) == []


@pytest.mark.parametrize(("length_um", "seen"), [(150, [17_970, 18_180]), (100, []), (121, [17_970, 18_151])])
def test_a_speck_smaller_than_the_spot_gives_its_share_of_the_signal(length_um: int, seen: list[float]) -> None:
    # at a threshold of 0.4 it must be longer than 0.4 * 300 um; then the ramps are cut 30 um outside its ends
    assert switches([(6_000, 1.0), (6_000 + length_um, 0.0)], IDEAL._replace(threshold=0.4)) == seen


def test_a_scratch_wide_enough_splits_a_mark() -> None:
    # 200 um of 300 are light, which leaves 0.33; 150 um leave 0.5
    sensor = IDEAL._replace(threshold=0.4)
    split: Strip = [(6_000, 1.0), (6_400, 0.0), (6_600, 1.0), (7_000, 0.0)]
    assert switches(split, sensor) == [17_970, 18_430, 18_570, 19_030]
    whole: Strip = [(6_000, 1.0), (6_400, 0.0), (6_550, 1.0), (7_000, 0.0)]
    assert switches(whole, sensor) == [17_970, 19_030]


def test_crosstalk_adds_a_share_of_the_other_track() -> None:
    sensor = IDEAL._replace(threshold=0.4)
    assert switches([], sensor._replace(crosstalk=0.5), MARK) == [18_090, 18_910]
    assert switches([], sensor._replace(crosstalk=0.3), MARK) == []
    assert switches([], sensor._replace(crosstalk=0.5, gain=0.7), MARK) == []
    # two pale marks, neither of which is seen alone
    pale: Strip = [(6_000, 0.3), (7_000, 0.0)]
    assert switches(pale, sensor._replace(crosstalk=0.5), pale) == [
        pytest.approx(17_850 + 300 * 0.4 / 0.45),
        pytest.approx(19_150 - 300 * 0.4 / 0.45),
    ]


def test_without_a_strip_nothing_is_seen() -> None:
    assert switches([], IDEAL) == []


_STEPS = st.lists(st.tuples(st.floats(1, 3_000), st.floats(0, 1)), max_size=12)


@given(_STEPS, st.floats(0.1, 0.9), st.floats(0.3, 1.0), st.floats(50, 600))
def test_the_short_cut_for_steps_apart_gives_what_the_ramps_give(
    steps: list[tuple[float, float]], threshold: float, gain: float, spot_um: float
) -> None:
    strip: Strip = []
    for way_um, dark in steps:
        strip.append(((strip[-1][0] if strip else 0.0) + way_um, dark))
    strip.append((strip[-1][0] + 2_000 if strip else 1.0, 0.0))
    sensor = IDEAL._replace(threshold=threshold, gain=gain, spot_um=spot_um)
    general = _crossings(sorted(_knots(strip, spot_um, gain)), threshold, sensor.at_um)
    apart = _of_steps_apart(sensor, strip)
    gaps = [after[0] - before[0] for before, after in itertools.pairwise(strip)]
    if gaps and min(gaps) != pytest.approx(spot_um):
        assert (apart is None) == (min(gaps) < spot_um)
    if apart is not None and not any(abs(dark * gain - threshold) < 1e-6 for _, dark in strip):
        assert apart == pytest.approx(general)
    assert len(general) % 2 == 0
    assert general == sorted(general)


def test_an_edge_comes_late_by_the_response_time() -> None:
    assert switch_times_us(IDEAL._replace(response_us=15), [18_000, 19_000], AT_1_M_S, random.Random(1)) == [
        18_015,
        19_015,
    ]


def test_a_pulse_shorter_than_the_response_time_vanishes() -> None:
    assert settled([100, 109, 300, 400, 405, 500], 10) == [300, 500]  # a pulse on, and then a pulse off, of 9 and 5 us
    assert settled([100, 110], 10) == [100, 110]


def test_jitter_moves_each_edge_by_itself_and_not_beyond_its_limit() -> None:
    sensor, rng = IDEAL._replace(response_us=20, jitter_us=3), random.Random(1)
    late = [switch_times_us(sensor, [18_000.0], AT_1_M_S, rng)[0] - 18_020 for _ in range(500)]
    assert -3 <= min(late) < -2.8
    assert 2.8 < max(late) <= 3
    assert abs(sum(late) / len(late)) < 0.3


def test_bounces_come_in_pulses_soon_after_the_edge() -> None:
    for seed in range(50):
        times = bounces_us(1_000, random.Random(seed))
        assert len(times) in (2, 4, 6, 8)
        assert times == sorted(times)
        assert times[0] > 1_000
        assert times[-1] <= 1_000 + 8 * 80


def test_a_card_at_rest_chatters_only_if_an_edge_is_under_the_sensor() -> None:
    rests = [(5_000.0, Way(18_010, 0, 100_000))]
    near = hover_us([18_000, 19_000], rests, 15, random.Random(1))
    assert near
    assert len(near) % 2 == 0
    assert min(near) > 5_000
    assert max(near) < 105_200
    assert hover_us([18_000, 19_000], [(5_000.0, Way(18_020, 0, 100_000))], 15, random.Random(1)) == []
