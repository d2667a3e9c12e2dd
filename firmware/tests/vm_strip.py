"""The code strip: what is read, and what is rejected with which reason."""

from printed_cards import card_with, marked, part_marked, reject_reason, whole_marks
from sabot import wire
from sabot.reading.reader import CARD, REJECT, Reader
from support import A, B, edges, moved, pull, read, word

SECOND_US = 1_000_000


def test_face_up_or_blank():
    assert reject_reason(pull([])) == wire.REJECT_BLANK


def test_nine_and_eleven_columns():
    assert reject_reason(pull(word(5)[:9])) == wire.REJECT_COLUMNS
    assert reject_reason(pull(word(5) + [A])) == wire.REJECT_COLUMNS


def test_a_card_of_another_set():
    for set_no in range(2, 5):
        for card in range(52):
            assert reject_reason(pull(word(card, set_no)), set_no=1) == wire.REJECT_FOREIGN


def test_one_two_or_three_wrong_columns_are_never_another_card():
    turned = {A: B, B: A | B, A | B: A}
    for card in range(52):
        columns = word(card)
        for at in range(8):
            for more in range(1, 4):
                wrong = list(columns)
                for i in range(at, min(at + more, 10)):
                    wrong[i] = turned[wrong[i]]
                assert reject_reason(pull(wrong)) == wire.REJECT_NOT_IN_SET


def test_one_column_lost_and_one_mark_too_many_is_never_another_card():
    """Every lost column with an extra mark in every gap, and one pitch before and after the strip."""
    for card in range(0, 52, 17):
        columns = word(card)
        for lost in range(10):
            for extra in range(-1, 20):
                marks = [(18000 + 2000 * i, tracks) for i, tracks in enumerate(columns) if i != lost]
                if extra % 2 and extra // 2 != lost - 1 and extra // 2 != lost:
                    continue  # a mark that touches its neighbours is one mark with them
                marks.append((18000 + 1000 * extra + (200 if extra % 2 else 0), A))
                levels = []
                for start, tracks in sorted(marks):
                    levels += [(start, tracks), (start + 600 if start % 1000 else start + 1000, 0)]
                if extra == 2 * lost:
                    continue
                reader = Reader()
                answer = read(reader, edges(levels))
                assert answer == (REJECT, 1) or reader.card == card, (card, lost, extra)


def test_half_a_mark_on_one_track_is_doubtful():
    for share in (370, 430, 490):
        reader = Reader()
        assert read(reader, edges(part_marked(9, share))) == (REJECT, 1)
        assert reader.reason == wire.REJECT_DOUBTFUL
        assert reader.doubtful == 1 << 4


def test_a_mark_on_more_than_half_or_less_than_a_third_is_sure():
    reader = Reader()
    assert read(reader, edges(part_marked(card_with(A | B), 760))) == (CARD, 1)
    assert 50 <= reader.margin_pct < 60
    assert read(reader, edges(part_marked(card_with(A), 180))) == (CARD, 1)
    assert reader.margin_pct == 50


def test_scratches_do_not_split_a_mark():
    halves = []
    for start, end, tracks in whole_marks(word(21)):
        halves += [(start, start + 450, tracks), (start + 530, end, tracks)]
    reader = Reader()
    assert read(reader, marked(halves)) == (CARD, 1)
    assert reader.card == 21


def test_a_big_speck_between_marks_is_no_column():
    reader = Reader()
    assert read(reader, marked(whole_marks(word(21)) + [(27300, 27700, B)])) == (CARD, 1)
    assert reader.card == 21


def test_a_small_speck_does_not_stand_in_for_a_column():
    marks = whole_marks(word(21))
    del marks[3]
    reader = Reader()
    assert read(reader, marked(marks + [(24400, 24600, A)])) == (REJECT, 1)
    assert (reader.reason, reader.columns) == (wire.REJECT_COLUMNS, 9)


def test_skew_between_the_tracks_is_taken_out():
    for skew_um in (-400, 400):
        reader = Reader()
        for card in range(52):
            switches = []
            for start, end, tracks in whole_marks(word(card)):
                for track, late in ((A, 0), (B, skew_um)):
                    if tracks & track:
                        switches += [(start + late, track), (end + late, track)]
            assert read(reader, moved(switches, [-1000, 139000]), card * SECOND_US) == (CARD, 1)
            assert reader.card == card


def test_a_strip_a_column_early_or_late_is_in_the_wrong_place():
    for first in (12000, 16000, 20000, 24000):
        assert reject_reason(marked(whole_marks(word(21), first))) == wire.REJECT_SPACING


def test_a_hole_and_one_more_before_the_strip_are_in_the_wrong_place():
    marks = whole_marks(word(5))
    del marks[6]
    assert reject_reason(marked(marks + [(16000, 17000, A)])) == wire.REJECT_SPACING


def test_two_stops_within_the_strip_leave_columns_without_a_reference():
    stops = (23500, 31500)
    stopped = [(t + sum(100000 for stop in stops if t > stop), pins) for t, pins in pull(word(3))]
    assert reject_reason(stopped) == wire.REJECT_SPACING


def test_specks_and_scratches_together_are_no_columns():
    reader = Reader()
    marks = []
    for column, tracks in enumerate(word(21)):
        at = 18000 + 2000 * column
        marks += [(at, tracks), (at + 600, 0), (at + 680, tracks), (at + 1000, 0)]
        marks += [(at + 1400, A), (at + 1500, 0)]
    assert read(reader, edges(marks)) == (CARD, 1)
    assert reader.card == 21


def test_spikes_are_counted_and_ignored():
    reader = Reader()
    spiked = []
    for t_us, pins in pull(word(40)):
        spiked += [(t_us, pins), (t_us + 300, pins ^ 2), (t_us + 310, pins), (t_us + 400, pins ^ 1), (t_us + 440, pins)]
    assert read(reader, spiked) == (CARD, 1)
    assert reader.card == 40
    assert reader.marks.spikes[0] >= 20
    assert reader.presence.spikes[0] >= 20


def test_ten_columns_with_a_hole_and_one_more_behind_them_are_in_the_wrong_place():
    columns = word(5)
    marks = [(18000 + 2000 * i, tracks) for i, tracks in enumerate(columns) if i != 4] + [(38000, columns[0])]
    levels = []
    for start, tracks in marks:
        levels += [(start, tracks), (start + 1000, 0)]
    assert reject_reason(edges(levels)) == wire.REJECT_SPACING
