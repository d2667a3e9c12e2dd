"""What is printed on a card and what covers it, by arithmetic on the geometry."""

import itertools
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sabot_sim.optics import dirt, strip
from sabot_sim.optics.profiles import PROFILES
from sabot_sim.optics.strip import Strip, Tracks, clipped, coated, over, printed, shifted, with_mark, without_mark

CLEAN = PROFILES["clean"]
MARK: Strip = [(6_000, 1.0), (7_000, 0.0)]


def plain(word: str) -> Tracks:
    return printed(word, 0, 1, random.Random(0))


def dark_um(one: Strip) -> float:
    """Darkness summed over the length."""
    return sum((after[0] - here[0]) * here[1] for here, after in itertools.pairwise(one))


def test_letters_are_marks_on_their_tracks() -> None:
    assert plain("ABX") == Tracks(
        a=[(6_000, 1), (7_000, 0), (10_000, 1), (11_000, 0)],
        b=[(8_000, 1), (9_000, 0), (10_000, 1), (11_000, 0)],
    )


def test_print_tolerance_moves_each_edge_by_itself() -> None:
    off = [
        place_um - exact_um
        for seed in range(100)
        for (place_um, _), exact_um in zip(printed("A", 40, 1, random.Random(seed)).a, (6_000, 7_000), strict=True)
    ]
    assert -40 <= min(off) < -35
    assert 35 < max(off) <= 40


def test_worn_print_is_paler_mark_by_mark() -> None:
    marks = printed("XXXXXXXXXX", 0, 0.7, random.Random(1))
    contrasts = {dark for _, dark in marks.a + marks.b if dark}
    assert len(contrasts) == 20
    assert min(contrasts) >= 0.7
    assert max(contrasts) <= 1


def test_the_cutting_card_is_dark_from_end_to_end_and_a_blank_one_nowhere() -> None:
    assert strip.solid().a == strip.solid().b == [(0, 1), (88_000, 0)]
    assert strip.blank() == ([], [])


def test_a_layer_hides_or_mixes_with_what_is_below() -> None:
    assert coated(MARK, 6_400, 6_600, 1, 0) == [(6_000, 1), (6_400, 0), (6_600, 1), (7_000, 0)]
    assert coated(MARK, 5_000, 6_500, 0.5, 0.2) == [(5_000, 0.1), (6_000, 0.6), (6_500, 1), (7_000, 0)]
    assert coated([], 100, 200, 1, 0.8) == [(100, 0.8), (200, 0)]


@given(st.floats(0, 20_000), st.floats(1, 5_000), st.floats(0, 1), st.floats(0, 1))
def test_a_layer_changes_nothing_outside_itself(start_um: float, length_um: float, opacity: float, dark: float) -> None:
    before = plain("ABXABXABXA").a
    after = coated(before, start_um, start_um + length_um, opacity, dark)
    assert [place_um for place_um, _ in after] == sorted(place_um for place_um, _ in after)
    for low_um, high_um in ((0.0, start_um), (start_um + length_um, 88_000.0)):
        assert dark_um(clipped(after, low_um, high_um)) == pytest.approx(dark_um(clipped(before, low_um, high_um)))
    inside = dark_um(clipped(before, start_um, start_um + length_um))
    mixed = inside * (1 - opacity) + dark * opacity * length_um
    assert dark_um(clipped(after, start_um, start_um + length_um)) == pytest.approx(mixed, abs=1e-6)


def test_a_missing_mark_is_white_and_its_neighbours_stay() -> None:
    assert dark_um(without_mark(plain("AAA").a, 1)) == 2_000
    assert dark_um(clipped(without_mark(plain("AAA").a, 1), 7_500, 9_500)) == 0


@pytest.mark.parametrize(("column", "start_um"), [(-1, 4_000), (0, 6_000), (10, 26_000)])
def test_an_extra_mark_may_lie_one_pitch_outside_the_code(column: int, start_um: int) -> None:
    assert strip.column_um(column) == start_um
    assert clipped(with_mark([], strip.column_um(column)), 0, 88_000)[1:3] == [(start_um, 1), (start_um + 1_000, 0)]


def test_further_out_there_is_no_column() -> None:
    with pytest.raises(ValueError, match="column 11"):
        strip.column_um(11)


def test_shifted_is_further_back() -> None:
    assert shifted(MARK, 500) == [(6_500, 1), (7_500, 0)]


def marks(one: Strip) -> list[tuple[float, float]]:
    """The dark stretches."""
    return [(here[0], after[0]) for here, after in itertools.pairwise(one) if here[1] and here[0] < after[0]]


def test_a_leading_card_on_the_face_side_hides_the_second_strip() -> None:
    both = over(plain("AAAAAAAAAA"), plain("BBBBBBBBBB"), 40_000, second_on_face=False)
    assert marks(both.a) == marks(plain("AAAAAAAAAA").a)
    assert marks(both.b) == []


def test_what_the_leading_card_does_not_cover_is_seen() -> None:
    # offset 75: marks at 81, 83, 85, 87 to 88 are under the leading card, 89 and on are not
    both = over(plain("AAAAAAAAAA"), plain("BBBBBBBBBB"), 75_000, second_on_face=False)
    assert marks(both.b) == [(start_um, start_um + 1_000) for start_um in range(89_000, 101_000, 2_000)]


def test_a_second_card_on_the_face_side_cuts_the_first_strip_off() -> None:
    # offset 10.5: of the first strip the marks at 6 and 8 and half of that at 10 are seen, then all of the second
    both = over(plain("AAAAAAAAAA"), plain("BBBBBBBBBB"), 10_500, second_on_face=True)
    assert marks(both.a) == [(6_000, 7_000), (8_000, 9_000), (10_000, 10_500)]
    assert marks(both.b) == [(start_um, start_um + 1_000) for start_um in range(16_500, 36_500, 2_000)]


def test_a_card_behind_a_gap_shows_both_strips_whole() -> None:
    both = over(plain("AAAAAAAAAA"), plain("AAAAAAAAAA"), 90_000, second_on_face=False)
    assert len(marks(both.a)) == 20
    assert marks(both.a)[10] == (96_000, 97_000)


def test_specks_are_as_long_and_as_dark_as_configured_and_lie_on_the_card() -> None:
    profile = replace(CLEAN, speck_um=(50, 400))
    found = [marks(dirt.speck([], profile, random.Random(seed)))[0] for seed in range(300)]
    lengths = [end_um - start_um for start_um, end_um in found]
    assert min(lengths) >= 50
    assert max(lengths) <= 400
    assert sum(length_um < 250 for length_um in lengths) > 200
    assert all(start_um >= 0 and end_um <= 88_000 for start_um, end_um in found)


def test_a_scratch_is_light_across_one_track_or_both() -> None:
    profile = replace(CLEAN, scratch_um=(100, 100))
    hits = set()
    for seed in range(60):
        a, b = dirt.scratched(list(strip.solid()), profile, random.Random(seed))
        assert 88_000 - dark_um(a) in (0, pytest.approx(100))
        hits.add((dark_um(a) < 88_000, dark_um(b) < 88_000))
    assert hits == {(True, False), (False, True), (True, True)}


def test_a_smear_at_full_opacity_covers_marks_and_white_alike() -> None:
    profile = replace(CLEAN, smear_opacity=(1.0, 1.0))
    for seed in range(20):
        white, black = dirt.smeared([[], strip.solid().a], profile, random.Random(seed))
        start_um, end_um = white[0][0], white[1][0]
        assert 2_000 <= end_um - start_um <= 20_000
        assert dark_um(clipped(white, start_um, end_um)) == dark_um(clipped(black, start_um, end_um))


def test_a_smear_takes_its_opacity_off_the_contrast() -> None:
    profile = replace(CLEAN, smear_opacity=(0.25, 0.25))
    white, black = dirt.smeared([[], strip.solid().a], profile, random.Random(3))
    start_um, end_um = white[0][0], white[1][0]
    contrast = dark_um(clipped(black, start_um, end_um)) - dark_um(clipped(white, start_um, end_um))
    assert contrast / (end_um - start_um) == pytest.approx(0.75)


def test_a_profile_without_dirt_leaves_the_tracks_alone() -> None:
    tracks = plain("ABXABXABXA")
    assert dirt.soiled(tracks, CLEAN, random.Random(1)) is tracks
    assert dirt.soiled(tracks, replace(CLEAN, specks=(3, 3)), random.Random(1)) != tracks
