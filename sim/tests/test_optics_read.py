"""Reads by profile: always the same, well formed, true to what was done, and within what the profile says."""

import subprocess
import sys
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sabot_protocol.cardcode import SETS, set_words
from sabot_sim.optics.mishaps import KINDS, LID, MISHAPS
from sabot_sim.optics.motion import MOTIONS
from sabot_sim.optics.profiles import PROFILES
from sabot_sim.optics.scene import ENTRY, EXIT, A, B
from sabot_sim.optics.signals import Read, read

NAMES = ["clean", "normal", "dirty", "worn", "skewed", "slow", "fast", "stop_go", "reversed", "double", "hostile"]
PATH = ENTRY | A | B | EXIT
WITHOUT_ANSWER = {"noise", "double", "lid_open", "foreign", "blank"} | {
    *("pushed_back", "pushed_back_midway", "short_pull", "half_drawn"),
}
WITH_ANSWER = {"card", "cutting_card", "jerk_back", "missing_mark", "extra_mark", "lost_track", "lost_presence"}


def reads(profile: str, count: int = 400, seed: int = 3) -> list[Read]:
    return [read(profile, seed, number) for number in range(count)]


def first(one: Read, pin: int) -> int:
    """When an input comes on for the first time."""
    return next(t_us for t_us, level in one.edges if level & pin)


def last_clear(one: Read) -> int:
    return one.edges[-1][0]


def test_the_profiles_are_these() -> None:
    assert list(PROFILES) == NAMES


@given(st.sampled_from(NAMES), st.integers(), st.integers(0, 2**40), st.integers(1, SETS))
@settings(max_examples=300)
def test_every_read_is_well_formed_and_the_same_again(profile: str, seed: int, number: int, card_set: int) -> None:
    one = read(profile, seed, number, card_set)
    assert one == read(profile, seed, number, card_set)
    assert (one.profile, one.number) == (profile, number)
    times = [t_us for t_us, _ in one.edges]
    levels = [0] + [level for _, level in one.edges]
    assert all(isinstance(t_us, int) and t_us >= 0 for t_us in times)
    assert all(early < late for early, late in pairwise(times))
    assert all(before != after for before, after in pairwise(levels))
    assert all(level & ~(PATH | LID) == 0 for level in levels)


@given(st.sampled_from(NAMES), st.integers(0, 2**40), st.integers(1, SETS))
@settings(max_examples=300)
def test_truth_follows_from_what_was_done(profile: str, number: int, card_set: int) -> None:
    one = read(profile, 1, number, card_set)
    assert one.kind in WITHOUT_ANSWER | WITH_ANSWER
    if one.truth is None:
        assert one.kind in WITHOUT_ANSWER
    elif one.truth == "CUT":
        assert one.word == ""
    else:
        assert one.word == set_words(card_set)[one.truth]


@pytest.mark.parametrize("profile", NAMES)
def test_a_read_without_an_answer_has_no_truth_and_the_others_have(profile: str) -> None:
    for one in reads(profile):
        assert (one.truth is None) == (one.kind in WITHOUT_ANSWER), one


@pytest.mark.parametrize("profile", NAMES)
def test_the_path_is_clear_at_the_end_unless_the_card_stays(profile: str) -> None:
    for one in reads(profile):
        level = one.edges[-1][1] if one.edges else 0
        stays = "stays at" in one.notes[0] and one.kind != "noise"
        lost = any(note.endswith((" dead", " stuck")) for note in one.notes)
        assert lost or bool(level & (ENTRY | EXIT)) == stays, one
        assert not level & LID or one.kind == "lid_open" or one.truth is None


@pytest.mark.parametrize("profile", ["clean", "normal", "dirty", "worn", "skewed", "slow", "fast", "stop_go"])
def test_these_are_cards_that_leave(profile: str) -> None:
    found = reads(profile)
    assert {one.kind for one in found} <= {"card", "cutting_card"}
    assert all(one.edges[-1][1] == 0 for one in found)


def test_another_number_seed_profile_or_set_is_another_read() -> None:
    base = read("normal", 1, 1)
    others = [read("normal", 1, 2), read("normal", 2, 1), read("skewed", 1, 1), read("normal", 1, 1, 2)]
    assert all(other.edges != base.edges for other in others)
    assert read("normal", 1, 1, 2).truth == base.truth


def test_a_read_is_the_same_in_another_process() -> None:
    code = "from sabot_sim.optics.signals import read; print(read('hostile', 5, 9), read('worn', -1, 0))"
    run = [sys.executable, "-c", code]
    printed = {
        subprocess.run(run, capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": hash_seed}).stdout
        for hash_seed in "12"
    }
    assert printed == {f"{read('hostile', 5, 9)} {read('worn', -1, 0)}\n"}


def test_an_unknown_profile_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="unknown profile 'sunny': expected one of clean, normal, dirty"):
        read("sunny", 1, 1)


def test_all_cards_come_and_one_in_a_hundred_is_the_cutting_card() -> None:
    truths = Counter(one.truth for one in reads("clean", 6_000))
    assert len(truths) == 53
    assert 30 <= truths["CUT"] <= 95
    assert min(truths.values()) > 60 or truths["CUT"] == min(truths.values())


def test_a_clean_read_at_constant_speed_is_the_geometry_itself() -> None:
    found = [one for one in reads("clean", 200) if one.notes[0].startswith("constant") and one.kind == "card"]
    assert len(found) > 20
    for one in found:
        start_us, whole_us = one.edges[0][0], last_clear(one) - one.edges[0][0]
        marks = [index for index, letter in enumerate(one.word) if letter != "B"]
        at_um = [12_000 + 6_000 + column * 2_000 + end_um for column in marks for end_um in (0, 1_000)]
        changes = [late[0] for early, late in pairwise(one.edges) if (early[1] ^ late[1]) & A]
        assert [t_us - start_us for t_us in changes] == pytest.approx(
            [x_um / 138_000 * whole_us for x_um in at_um], abs=2
        )


@pytest.mark.parametrize(
    ("profile", "slowest_m_s", "fastest_m_s"), [("slow", 0.1, 0.2), ("fast", 2, 3), ("clean", 0.1, 3)]
)
def test_speeds_are_within_the_profile(profile: str, slowest_m_s: float, fastest_m_s: float) -> None:
    outside = 0
    for one in reads(profile):
        way_m_s = 138_000 / (last_clear(one) - first(one, ENTRY))
        outside += not slowest_m_s * 0.99 <= way_m_s <= fastest_m_s * 1.01
    assert outside <= 400 * PROFILES[profile].spike_share  # a spike may come before the card, or after it


def test_clean_speeds_are_spread_evenly_over_the_decades() -> None:
    speeds = [float(one.notes[0].split()[1]) for one in reads("clean", 2_000) if one.notes[0].startswith("constant")]
    below = sum(speed < 0.548 for speed in speeds) / len(speeds)  # the middle between 0.1 and 3, by ratio
    assert 0.42 < below < 0.58


def test_stop_go_rests_for_as_long_as_it_says() -> None:
    for one in reads("stop_go", 100):
        told_ms = [int(part.split(" ms")[0].split()[-1]) for part in one.notes[0].removeprefix("rests ").split(", ")]
        assert 1 <= len(told_ms) <= 3
        assert all(10 <= pause_ms <= 3_000 for pause_ms in told_ms)


def test_reversed_shows_every_way_to_go_back() -> None:
    kinds = Counter(one.kind for one in reads("reversed", 800))
    assert set(kinds) == {"jerk_back", "pushed_back", "pushed_back_midway", "short_pull", "half_drawn"}
    assert min(kinds.values()) > 50
    assert 300 < kinds["jerk_back"] < 500


def test_double_is_always_two_cards() -> None:
    found = reads("double")
    assert {one.kind for one in found} == {"double"}
    faces = Counter(one.notes[1].split(", ")[-1] if "face" in one.notes[1] else "follows" for one in found)
    assert set(faces) == {"first on the face side", "second on the face side", "follows"}
    assert min(faces.values()) > 80


def test_hostile_brings_every_kind_and_enough_that_still_have_an_answer() -> None:
    found = reads("hostile", 3_000)
    assert {one.kind for one in found} == {*KINDS, "card", "cutting_card"}
    assert sum(one.truth is not None for one in found) > 900
    assert sum(len(one.notes) > 1 for one in found) > 2_700


def test_what_profiles_name_exists() -> None:
    for profile in PROFILES.values():
        assert set(profile.motions) <= set(MOTIONS)
        assert set(profile.mishaps) <= set(MISHAPS)
        assert bool(profile.mishaps) == bool(profile.mishap_count[1])


def visible_marks(one: Read) -> int:
    """Rising edges on both tracks."""
    levels = [0] + [level for _, level in one.edges]
    return sum((after & ~before & track) != 0 for before, after in pairwise(levels) for track in (A, B))


def printed_marks(one: Read) -> int:
    return sum(1 + (letter == "X") for letter in one.word)


@pytest.mark.parametrize(("profile", "most"), [("clean", 0), ("normal", 0.03), ("skewed", 0.03), ("worn", 0.2)])
def test_how_many_reads_show_another_number_of_marks_than_printed(profile: str, most: float) -> None:
    found = [one for one in reads(profile, 1_000) if one.kind == "card"]
    odd = sum(visible_marks(one) != printed_marks(one) for one in found) / len(found)
    assert odd <= most


def test_dirt_shows_as_more_marks_than_printed() -> None:
    found = [one for one in reads("dirty", 1_000) if one.kind == "card"]
    assert sum(visible_marks(one) > printed_marks(one) for one in found) > 200
