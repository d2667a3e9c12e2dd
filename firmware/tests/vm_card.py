"""The reader: every card of every set, the cutting card, and what must be refused."""

from sabot.card import (
    BLANK,
    CARD,
    CUT,
    DOUBLE,
    DOUBTFUL,
    NOT_IN_SET,
    NOT_TEN_COLUMNS,
    PUSHED_BACK,
    REJECT,
    SHORT_PULL,
    Reader,
)
from support import A, B, edges, pull, pull_cutting_card, read, word


def refused(pulled, set_no=1):
    """The reason for which the reader refuses these edges."""
    reader = Reader()
    reader.set_no = set_no
    assert read(reader, pulled) == (REJECT, 1)
    return reader.reason


def test_every_card_of_every_set():
    reader = Reader()
    for set_no in range(1, 7):
        reader.set_no = set_no
        for card in range(52):
            assert read(reader, pull(word(card, set_no))) == (CARD, 1)
            assert reader.card == card
            assert reader.margin_pct == 100


def test_any_speed_from_a_tenth_to_three_metres_a_second():
    reader = Reader()
    for us_per_mm, speed in ((10000, 100), (1000, 1000), (500, 2000), (333, 3003)):
        assert read(reader, pull(word(33), us_per_mm)) == (CARD, 1)
        assert reader.card == 33
        assert reader.speed_mm_s == speed


def test_ticks_wrap_in_mid_card():
    for start_us in range(0x3FFFFFFF - 140000, 0x3FFFFFFF, 5000):
        reader = Reader()
        assert read(reader, pull(word(7)), start_us) == (CARD, 1)
        assert reader.card == 7
        assert reader.speed_mm_s == 1000


def test_cutting_card():
    assert read(Reader(), pull_cutting_card()) == (CUT, 1)


def test_face_up_or_blank():
    assert refused(pull([])) == BLANK


def test_nine_and_eleven_columns():
    assert refused(pull(word(5)[:9])) == NOT_TEN_COLUMNS
    assert refused(pull(word(5) + [A])) == NOT_TEN_COLUMNS


def test_a_card_of_another_set():
    assert refused(pull(word(5, 2)), set_no=1) == NOT_IN_SET


def test_one_two_or_three_wrong_columns_are_never_another_card():
    turned = {A: B, B: A | B, A | B: A}
    for card in range(52):
        columns = word(card)
        for at in range(8):
            for more in range(1, 4):
                wrong = list(columns)
                for i in range(at, min(at + more, 10)):
                    wrong[i] = turned[wrong[i]]
                assert refused(pull(wrong)) == NOT_IN_SET


def test_half_a_mark_on_one_track_is_doubtful():
    for share in (260, 500, 740):
        assert refused(edges(part_marked(9, share))) == DOUBTFUL


def test_a_mark_on_more_than_three_quarters_or_less_than_one_is_sure():
    reader = Reader()
    assert read(reader, edges(part_marked(word_with_both(), 760))) == (CARD, 1)
    assert reader.margin_pct == 52
    assert read(reader, edges(part_marked(word_with_a(), 240))) == (CARD, 1)
    assert reader.margin_pct == 52


def word_with_both():
    """A card of the set in use whose fifth column is on both tracks."""
    return next(card for card in range(52) if word(card)[4] == A | B)


def word_with_a():
    """A card of the set in use whose fifth column is on track A alone."""
    return next(card for card in range(52) if word(card)[4] == A)


def part_marked(card, share):
    """A card whose fifth column is A from end to end and B for so many thousandths of it."""
    marks = []
    for column, tracks in enumerate(word(card)):
        at = 18000 + 2000 * column
        marks.append((at, tracks if column != 4 else A | B))
        if column == 4:
            marks.append((at + share, A))
        marks.append((at + 1000, 0))
    return marks


def test_short_pull():
    assert refused([(0, 1), (30000, 0)]) == SHORT_PULL


def test_pushed_back_from_outside_and_from_the_exit():
    assert refused([(0, 8), (1000, 9), (2000, 1), (3000, 0)]) == PUSHED_BACK
    assert refused([(0, 1), (50000, 9), (60000, 1), (90000, 0)]) == PUSHED_BACK


def test_a_second_card_before_the_first_has_left():
    assert refused([(0, 1), (50000, 9), (88000, 8), (100000, 9), (188000, 8), (238000, 0)]) == DOUBLE


def test_the_next_card_after_a_reject_is_read():
    reader = Reader()
    assert read(reader, [(0, 1), (30000, 0)]) == (REJECT, 1)
    assert read(reader, pull(word(12)), 100000) == (CARD, 1)
    assert reader.card == 12


def test_a_stop_of_minutes_in_mid_mark_is_still_a_mark():
    reader = Reader()
    stopped = [(t + (300000000 if t > 18000 else 0), pins) for t, pins in pull(word(3))]
    assert read(reader, stopped) == (CARD, 1)
    assert reader.card == 3


def test_edges_of_the_support_code_are_sound():
    assert edges([], 1) == [(0, 1), (50, 9), (88, 8), (138, 0)]
