"""The motion of a card: pushed back, left half drawn, two at once, too short or too long."""

from printed_cards import marked, reject_reason, whole_marks
from sabot import wire
from sabot.reading.reader import CARD, NOTHING, REJECT, Reader
from support import A, B, edges, moved, pull, read, strip, word

SECOND_US = 1_000_000


def test_short_pull():
    assert reject_reason([(0, 1), (30000, 0)]) == wire.REJECT_SHORT_PULL


def test_pushed_back_from_outside_and_from_the_exit():
    assert reject_reason([(0, 8), (10000, 9), (20000, 1), (30000, 0)]) == wire.REJECT_PUSHED_BACK
    assert reject_reason(moved(strip(word(8)), [-1000, 60000, -1000])) == wire.REJECT_PUSHED_BACK


def test_pushed_back_midway_and_pulled_again():
    for turn in range(28000, 44000, 500):
        reader = Reader()
        assert read(reader, moved(strip(word(8)), [-1000, turn, 5000, 139000])) == (REJECT, 1)
        assert reader.reason in (wire.REJECT_PUSHED_BACK_MIDWAY, wire.REJECT_COLUMNS)
    assert reject_reason(moved(strip(word(8)), [-1000, 39500, 5000, 139000])) == wire.REJECT_PUSHED_BACK_MIDWAY


def test_a_step_back_that_uncovers_no_edge_does_no_harm():
    reader = Reader()
    assert read(reader, moved(strip(word(8)), [-1000, 18800, 18300, 139000])) == (CARD, 1)
    assert reader.card == 8


def test_a_card_left_half_drawn_is_rejected_once_after_five_seconds():
    reader = Reader()
    for t_us, pins in pull(word(8))[:-2]:
        assert reader.feed(t_us, pins) == NOTHING
    assert reader.feed(4 * SECOND_US, pins) == NOTHING
    assert reader.feed(5 * SECOND_US + 60000, pins) == REJECT
    assert reader.reason == wire.REJECT_HALF_DRAWN
    assert reader.feed(10 * SECOND_US, pins) == NOTHING
    assert reader.feed(11 * SECOND_US, 0) == NOTHING
    assert reader.feed(12 * SECOND_US, 0) == NOTHING
    assert read(reader, pull(word(9)), 13 * SECOND_US) == (CARD, 1)


def test_a_card_that_keeps_moving_is_half_drawn_after_thirty_seconds():
    reader = Reader()
    answers = [reader.feed(t_us, 1 | t_us // 20000 % 2 * 2) for t_us in range(0, 31 * SECOND_US, 20000)]
    assert [answer for answer in answers if answer] == [REJECT]
    assert reader.reason == wire.REJECT_HALF_DRAWN


def test_a_second_card_before_the_first_has_left():
    assert reject_reason([(0, 1), (50000, 9), (88000, 8), (100000, 9), (188000, 8), (238000, 0)]) == wire.REJECT_DOUBLE


def test_two_cards_together_are_longer_than_one():
    for more_um in range(8000, 80000, 2000):
        together = [(t_us + (more_um if t_us >= 88000 else 0), pins) for t_us, pins in pull(word(8))]
        assert reject_reason(together) == wire.REJECT_DOUBLE
    reader = Reader()
    little_longer = [(t_us + (1000 if t_us >= 88000 else 0), pins) for t_us, pins in pull(word(8))]
    assert read(reader, little_longer) == (CARD, 1)


def test_a_card_that_is_too_short():
    shorter = [(t_us - (12000 if t_us >= 88000 else 0), pins) for t_us, pins in pull(word(8))]
    assert reject_reason(shorter) == wire.REJECT_DOUBLE


def test_marks_on_both_tracks_or_a_long_one_behind_the_strip():
    marks = whole_marks(word(8))
    assert (
        reject_reason(marked(marks + [(start, start + 1000, A | B) for start in (60000, 64000, 68000)]))
        == wire.REJECT_DOUBLE
    )
    assert reject_reason(marked(marks + [(60000, 70000, A | B)])) == wire.REJECT_DOUBLE
    assert read(Reader(), marked(marks + [(60000, 61000, A | B), (70000, 71000, A)])) == (CARD, 1)


def test_a_card_that_is_lifted_out_has_not_left_by_the_exit():
    lifted = [(min(t_us, 90000 if pins else 91000), pins) for t_us, pins in pull(word(8))]
    assert reject_reason(lifted) == wire.REJECT_DOUBLE


def test_a_stop_too_long_for_two_cards_while_the_length_is_measured():
    stopped = [(t_us + (300000 if t_us > 60000 else 0), pins) for t_us, pins in pull(word(8))]
    assert read(Reader(), stopped) == (CARD, 1)
    shorter = [(t_us + (60000 if t_us > 60000 else 0), pins) for t_us, pins in pull(word(8))]
    assert reject_reason(shorter) == wire.REJECT_DOUBLE


def test_a_second_strip_behind_the_first():
    marks = []
    for start in (18000, 58000):
        for column, tracks in enumerate(word(8)):
            marks += [(start + 2000 * column, tracks), (start + 2000 * column + 1000, 0)]
    assert reject_reason(edges(marks)) == wire.REJECT_DOUBLE


def two_cards(first, second, offset_um, us_per_mm=1000):
    """Return the edges of two cards drawn together, the second so far behind; the tracks see the marks of both."""
    marks = whole_marks(first) + whole_marks(second, 18000 + offset_um)
    found = []
    ends = {0, 50000, 88000 + offset_um, 138000 + offset_um}
    for um in sorted(ends | {um for start, end, _ in marks for um in (start, end)}):
        pins = (1 if um < 88000 + offset_um else 0) | (8 if 50000 <= um < 138000 + offset_um else 0)
        for start, end, tracks in marks:
            if start <= um < end:
                pins |= tracks
        found.append((um * us_per_mm // 1000, pins))
    return found


def test_two_cards_are_two_whatever_their_columns_look_like():
    for offset_um in range(6250, 88000, 750):
        first = offset_um // 750 % 52
        us_per_mm = (333, 1000, 8000)[offset_um % 3]
        together = two_cards(word(first), word(51 - first), offset_um, us_per_mm)
        assert reject_reason(together) == wire.REJECT_DOUBLE, offset_um


def test_two_face_up_cards_are_two():
    for offset_um in range(6250, 88000, 5000):
        assert reject_reason(two_cards([], [], offset_um)) == wire.REJECT_DOUBLE


def test_a_card_under_one_that_begins_as_the_cutting_card_is_a_second_one():
    for offset_um in range(10000, 60000, 5000):
        marks = [(12000, A | B), (54000, 0), (58000, A | B), (59000, 0), (62000, A | B), (63000, 0)]
        longer = [(t_us + (offset_um if t_us >= 88000 else 0), pins) for t_us, pins in edges(marks)]
        assert reject_reason(longer) == wire.REJECT_DOUBLE
    assert reject_reason(edges(marks)) == wire.REJECT_COLUMNS


def faster_to(share_pct, columns):
    """Return the edges of a card whose mean speed on the way out is this share of that on the way in."""
    return [(t_us * 1000 // (1000 + t_us * (share_pct - 100) // 13800), pins) for t_us, pins in pull(columns)]


def test_one_card_that_was_not_read_is_one_at_any_speed():
    nine, other = word(5)[:9], [B if tracks == A else A for tracks in word(5)]
    for columns, reason in ((nine, wire.REJECT_COLUMNS), ([], wire.REJECT_BLANK), (other, wire.REJECT_NOT_IN_SET)):
        for us_per_mm in (333, 1000, 8000):
            assert reject_reason(pull(columns, us_per_mm)) == reason
        for share_pct in (60, 80, 90, 110, 120, 140):
            assert reject_reason(faster_to(share_pct, columns)) == reason


def test_a_card_that_was_not_read_and_stops_is_one():
    for stop_us in (5000, 30000, 45000, 120000):
        stopped = [(t_us + (300000 if t_us > stop_us else 0), pins) for t_us, pins in pull(word(8)[:9])]
        assert reject_reason(stopped) in (wire.REJECT_COLUMNS, wire.REJECT_SPACING)
    stopped = [(t_us + (300000 if t_us > 60000 else 0), pins) for t_us, pins in pull(word(8)[:9])]
    assert reject_reason(stopped) == wire.REJECT_COLUMNS


def test_a_card_of_another_set_stays_that_though_more_than_one_left():
    longer = [(t_us + (20000 if t_us >= 88000 else 0), pins) for t_us, pins in pull(word(8, 2))]
    assert reject_reason(longer) == wire.REJECT_FOREIGN
