"""A card, a hand and four sensors together: the edges of hand-made scenes, by arithmetic."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sabot_protocol.cardcode import SETS
from sabot_sim.optics import mishaps, signals, strip
from sabot_sim.optics.mishaps import LID, MISHAPS
from sabot_sim.optics.motion import LEFT_UM, Path, Way, crossing_times_us, legs_of
from sabot_sim.optics.profiles import PROFILES
from sabot_sim.optics.scene import ENTRY, EXIT, A, B, Scene, seen, set_up, words

WORD = "ABXAAAAAAA"
PULL = [Way(-5_000, 1), Way(143_000, 1)]


def scene_of(path: Path = PULL, seed: int = 0, **changes: Any) -> Scene:
    """The word above at 1 m/s under ideal sensors."""
    scene = set_up(replace(PROFILES["clean"], **changes), random.Random(seed), 1)
    scene.card, scene.word, scene.path = "8H", WORD, path
    scene.tracks = strip.printed(WORD, 0, scene.profile.palest_mark, scene.rng)
    return scene


def edges(scene: Scene) -> list[signals.Edge]:
    return signals.edges_of(seen(scene))


def switches(scene: Scene, pin: int) -> list[int]:
    """When one input changes."""
    found, before = [], 0
    for t_us, level in edges(scene):
        if (level ^ before) & pin:
            found.append(t_us)
        before = level
    return found


def test_ideal_sensors_see_the_card_as_printed() -> None:
    ideal = [(5_000 + t_us, level) for t_us, level in signals.card_edges(WORD, 1000)]
    assert edges(scene_of()) == ideal


def test_the_cutting_card_likewise() -> None:
    scene = scene_of()
    scene.tracks = strip.solid()
    assert edges(scene) == [(5_000 + t_us, level) for t_us, level in signals.cutting_card_edges(1000)]


def test_a_jerk_back_crosses_a_mark_three_times() -> None:
    # the first mark of A passes its sensor from 18 to 19 mm; the card turns at 18.5 and again at 17.5
    scene = scene_of([Way(0, 1), Way(18_500, 1), Way(17_500, 1), Way(140_000, 1)])
    assert switches(scene, A)[:4] == [18_000, 19_000, 20_000, 21_000]


def test_a_card_pushed_back_at_the_exit_shows_everything_backwards() -> None:
    path = [Way(-5_000, 1), Way(60_000, 1), Way(-5_000, 1)]
    assert switches(scene_of(path), EXIT) == [55_000, 75_000]
    assert switches(scene_of(path), ENTRY) == [5_000, 125_000]
    for pin in (A, B):
        there_and_back = switches(scene_of(path), pin)
        assert there_and_back == [130_000 - t_us for t_us in there_and_back[::-1]]


def test_a_card_left_half_drawn_stays_in_sight() -> None:
    assert edges(scene_of([Way(-5_000, 1), Way(70_000, 0)]))[-1][1] == ENTRY | EXIT
    assert edges(scene_of([Way(-5_000, 1), Way(120_000, 0)]))[-1][1] == EXIT


def test_a_pause_moves_the_rest() -> None:
    paused = scene_of([Way(-5_000, 1), Way(40_000, 1, 250_000), Way(143_000, 1)])
    early, late = switches(paused, EXIT)
    assert (early, late) == (5_000 + 250_000 + 50_000, 5_000 + 250_000 + 138_000)


def test_skew_moves_track_b_only() -> None:
    straight, tilted = scene_of(), scene_of()
    tilted.skew_um = 250
    assert switches(tilted, B) == [t_us + 250 for t_us in switches(straight, B)]
    assert switches(scene_of(), A)[0] == 23_000


def test_a_dead_input_stays_off_and_a_stuck_one_stays_on() -> None:
    dead, stuck = scene_of(), scene_of()
    dead.lost = A
    assert switches(dead, A) == []
    stuck.lost = stuck.stuck = A
    assert switches(stuck, A) == [0, 148_000 + 5_000]


def test_dirt_on_a_window_lowers_the_signal_of_one_track() -> None:
    # a gain of 0.75 on a threshold of 0.5 moves each mark edge inwards by 0.167 of the spot
    lengths = set()
    for seed in range(10):
        scene = scene_of(seed=seed, window_gain=(0.75, 0.75))
        a_us, b_us = switches(scene, A), switches(scene_of(seed=seed, window_gain=(0.75, 0.75)), B)
        lengths.add((a_us[1] - a_us[0], b_us[1] - b_us[0]))
    assert lengths == {(1_000, 900), (900, 1_000)}


def test_an_aged_lamp_lowers_the_signal_of_all_sensors() -> None:
    scene = scene_of(lamp_gain=(0.75, 0.75))
    assert switches(scene, ENTRY) == [5_050, 92_950]
    assert switches(scene_of(lamp_gain=(0.75, 0.75)), A)[:2] == [23_050, 23_950]


def test_a_pulse_turns_its_inputs_over_for_a_while() -> None:
    scene = scene_of()
    scene.pulse(60_000, 7, EXIT | ENTRY)
    assert [edge for edge in edges(scene) if 59_000 < edge[0] < 61_000] == [(60_000, 0), (60_007, ENTRY | EXIT)]


def test_spikes_come_as_often_and_as_long_as_configured() -> None:
    scene = scene_of(spike_share=1.0, spikes=(4, 4), spike_us=(30, 30))
    quiet = scene_of()
    assert len(seen(scene)) == len(seen(quiet)) + 8
    starts, ends = sorted(scene.switches[-8::2]), sorted(scene.switches[-7::2])
    assert all(end[0] - start[0] == 30 for start, end in zip(starts, ends, strict=True))


def test_chatter_bounces_entry_and_exit_and_ends_where_it_should() -> None:
    scene = scene_of(chatter_share=1.0)
    entry = switches(scene, ENTRY)
    assert len(entry) > 2
    assert len(entry) % 2 == 0
    assert entry[0] == 5_000
    assert scene.switches
    assert switches(scene_of(chatter_share=1.0), A) == switches(scene_of(), A)


def test_a_second_card_lengthens_what_entry_and_exit_see() -> None:
    scene = scene_of()
    mishaps.double(scene)
    offset_us = round(scene.presence[-1][0]) - 88_000
    assert 8_000 <= offset_us <= 80_000
    assert switches(scene, ENTRY) == [5_000, pytest.approx(93_000 + offset_us, abs=1)]


def test_a_card_that_follows_is_seen_before_the_first_has_left() -> None:
    for seed in range(30):
        scene = scene_of(seed=seed)
        mishaps.following(scene)
        entry_us = switches(scene, ENTRY)
        gap_us = entry_us[2] - entry_us[1]
        assert 499 <= gap_us <= 40_001
        assert entry_us[2] < 5_000 + 138_000


def test_a_missing_mark_is_one_pulse_less_and_an_extra_one_at_most_one_more() -> None:
    marks = 11
    for seed in range(50):
        scene = scene_of(seed=seed)
        mishaps.missing_mark(scene)
        assert len(seen(scene)) == 4 + 2 * (marks - 1)
        scene = scene_of(seed=seed)
        mishaps.extra_mark(scene)
        assert len(seen(scene)) in (4 + 2 * marks, 4 + 2 * (marks + 1))
        assert scene.answerable


def test_extra_marks_lie_on_the_grid_beside_it_and_anywhere() -> None:
    places = set()
    for seed in range(400):
        scene = scene_of(seed=seed)
        mishaps.extra_mark(scene)
        places.add(scene.notes[-1])
    assert "mark of 1000 um at 4.0 mm on A" in places
    assert "mark of 1000 um at 26.0 mm on B" in places
    assert "mark of 1000 um at 8.0 mm on A" in places
    assert len(places) > 100


def test_total_crosstalk_shows_one_track_on_the_other() -> None:
    for seed in range(20):
        scene = scene_of(seed=seed, threshold=0.4)
        mishaps.total_crosstalk(scene)
        crossed = {pin for pin in (A, B) if scene.crosstalk[pin]}
        assert crossed
        counts = {pin: len(switches(replace(scene, switches=[]), pin)) for pin in (A, B)}
        assert counts == {A: 20 if A in crossed else 18, B: 20 if B in crossed else 4}


def test_strong_skew_is_stronger_than_any_profile_draws() -> None:
    found = []
    for seed in range(50):
        scene = scene_of(seed=seed)
        mishaps.strong_skew(scene)
        found.append(scene.skew_um)
    assert all(300 <= abs(skew_um) <= 500 for skew_um in found)
    assert min(found) < 0 < max(found)


def test_a_foreign_card_is_of_another_set() -> None:
    ours = set(words(1).values())
    for seed in range(50):
        scene = scene_of(seed=seed)
        mishaps.foreign(scene)
        assert scene.word not in ours
        assert any(scene.word in words(card_set).values() for card_set in range(2, SETS + 1))


def test_a_blank_card_shows_itself_and_no_marks() -> None:
    scene = scene_of()
    mishaps.blank(scene)
    assert edges(scene) == [(5_000, ENTRY), (55_000, ENTRY | EXIT), (93_000, EXIT), (143_000, 0)]


def test_noise_is_pulses_without_a_card() -> None:
    for seed in range(20):
        scene = scene_of(seed=seed, specks=(5, 5))
        mishaps.noise(scene)
        found = edges(scene)
        assert len(found) >= 10
        assert found[-1][1] == 0
        assert (scene.presence, scene.tracks) == ([], strip.blank())


def test_the_lid_opens_while_the_card_is_on_its_way() -> None:
    closed = 0
    for seed in range(100):
        scene = scene_of([Way(0, 1), Way(20_000, 1), Way(-4_000, 1), Way(143_000, 1)], seed)
        mishaps.lid_open(scene)
        opened_us, *closed_us = switches(scene, LID)
        # it comes in for good at 20 + 24 + 4 mm of way, and leaves 138 mm later
        assert 48_000 <= opened_us <= 48_000 + 138_000
        assert not closed_us or closed_us[0] - opened_us >= 200_000
        closed += bool(closed_us)
    assert 30 < closed < 70


def never_leaves(scene: Scene) -> bool:
    return not crossing_times_us([LEFT_UM], legs_of(scene.path))


@pytest.mark.parametrize(
    ("name", "low_um", "high_um"),
    [("short_pull", 500, 12_000), ("pushed_back_midway", 12_000, 49_000), ("pushed_back", 51_000, 137_000)],
)
def test_a_card_that_goes_back_turns_where_its_name_says_and_is_out_of_sight(
    name: str, low_um: int, high_um: int
) -> None:
    for seed in range(50):
        scene = scene_of(seed=seed)
        MISHAPS[name].befall(scene)
        assert low_um <= max(way.x_um for way in scene.path) <= high_um
        assert never_leaves(scene)
        assert edges(scene)[-1][1] == 0


def test_half_drawn_ends_in_sight() -> None:
    for seed in range(50):
        scene = scene_of(seed=seed)
        MISHAPS["half_drawn"].befall(scene)
        assert never_leaves(scene)
        assert edges(scene)[-1][1]


def test_a_jerk_goes_back_as_far_as_drawn_and_the_card_leaves() -> None:
    for seed in range(100):
        scene = scene_of(seed=seed)
        MISHAPS["jerk_back"].befall(scene)
        still = [way.x_um for way in scene.path[1:] if not way.speed_m_s]
        assert len(still) in (2, 4, 6)
        assert all(199.9 <= on - back <= 30_000.1 for on, back in zip(still[::2], still[1::2], strict=True))
        assert edges(scene)[-1][1] == 0
        assert len(crossing_times_us([LEFT_UM], legs_of(scene.path))) == 1


def test_pauses_last_from_10_ms_to_3_s() -> None:
    counts = set()
    for seed in range(100):
        scene = scene_of(seed=seed)
        MISHAPS["pauses"].befall(scene)
        pauses_us = [way.pause_us for way in scene.path if way.pause_us]
        assert all(10_000 <= pause_us <= 3_000_000 for pause_us in pauses_us)
        counts.add(len(pauses_us))
        assert edges(scene)[-1][1] == 0
    assert counts == {1, 2, 3}


@pytest.mark.parametrize("name", ["noise", "foreign", "blank", "double", "following", "lid_open", "half_drawn"])
def test_after_these_no_card_is_the_answer(name: str) -> None:
    scene = scene_of()
    MISHAPS[name].befall(scene)
    assert not scene.answerable


@pytest.mark.parametrize(
    "name",
    ["missing_mark", "extra_mark", "jerk_back", "pauses", "lost_track", "total_crosstalk", "strong_skew", "burst"],
)
def test_after_these_the_card_still_is(name: str) -> None:
    scene = scene_of()
    MISHAPS[name].befall(scene)
    assert scene.answerable


def test_no_two_mishaps_of_a_read_move_the_hand() -> None:
    profile = replace(PROFILES["clean"], mishaps=("half_drawn", "jerk_back", "pauses"), mishap_count=(3, 3))
    scene = set_up(profile, random.Random(1), 1)
    mishaps.befall(scene)
    assert never_leaves(scene)
    assert scene.kinds == {"half_drawn"}


@pytest.mark.parametrize("mishap", [mishaps.missing_mark, mishaps.extra_mark])
def test_a_misprint_needs_a_printed_card(mishap: Callable[[Scene], None]) -> None:
    scene = scene_of()
    scene.card, scene.word, scene.tracks = "CUT", "", strip.solid()
    mishap(scene)
    assert scene.tracks == strip.solid()
    assert scene.kinds == set()
