"""The reader: every card of every set, the cutting card, and everything that must be refused, each with its reason."""

from sabot import wire
from sabot.reading.reader import CARD, CUT, NOISE, NOTHING, REJECT, Reader
from support import A, B, edges, moved, pull, pull_cutting_card, read, strip, word

LID = 1024
SECOND_US = 1_000_000


def refused(pulled, set_no=1, still_us=2000):
    """The reason for which the reader refuses these edges."""
    reader = Reader()
    reader.set_no = set_no
    assert read(reader, pulled, 0, still_us) == (REJECT, 1)
    assert reader.margin_pct == 0
    return reader.reason


def test_every_card_of_every_set():
    reader = Reader()
    for set_no in range(1, 5):
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
    for start_us in range(0x3FFFFFFF - 140000, 0x3FFFFFFF, 1000):
        reader = Reader()
        assert read(reader, pull(word(7)), start_us) == (CARD, 1)
        assert reader.card == 7
        assert reader.speed_mm_s == 1000


def test_the_strip_is_decoded_when_the_leading_edge_is_at_the_exit():
    reader = Reader()
    for t_us, pins in pull(word(5)):
        assert reader.feed(t_us, pins) == NOTHING
        assert reader.decoded == (t_us > 50000)
    assert reader.feed(140000, 0) == CARD
    assert not reader.decoded


def test_cutting_card():
    reader = Reader()
    for us_per_mm in (10000, 1000, 333):
        assert read(reader, pull_cutting_card(us_per_mm)) == (CUT, 1)
    assert reader.margin_pct == 100


def test_a_cutting_card_with_a_pulse_before_it():
    for at_us in range(1000, 11000, 1000):
        pulled = pull_cutting_card()
        pulled[1:1] = [(at_us, 1 | A), (at_us + 60, 1)]
        assert read(Reader(), pulled) == (CUT, 1)


def test_a_solid_card_that_begins_or_ends_elsewhere_is_no_cutting_card():
    assert refused(edges([(1000, A | B), (100000, 0)])) == wire.REJECT_COLUMNS
    assert refused(edges([(12000, A | B), (70000, 0)])) == wire.REJECT_DOUBLE
    assert refused(edges([(12000, A), (100000, 0)])) == wire.REJECT_COLUMNS
    assert refused(edges([(12000, A | B)])) == wire.REJECT_COLUMNS


def test_a_card_under_the_cutting_card():
    for more_um in range(5000, 80000, 5000):
        longer = [(t_us + (more_um if t_us in (88000, 138000) else 0), pins) for t_us, pins in pull_cutting_card()]
        levels = sorted((t_us, i) for i, (t_us, _) in enumerate(longer))
        pins = 0
        together = []
        for t_us, i in levels:
            pins ^= longer[i][1] ^ (longer[i - 1][1] if i else 0)
            together.append((t_us, pins))
        assert refused(together) == wire.REJECT_DOUBLE


def test_face_up_or_blank():
    assert refused(pull([])) == wire.REJECT_BLANK


def test_nine_and_eleven_columns():
    assert refused(pull(word(5)[:9])) == wire.REJECT_COLUMNS
    assert refused(pull(word(5) + [A])) == wire.REJECT_COLUMNS


def test_a_card_of_another_set():
    for set_no in range(2, 5):
        for card in range(52):
            assert refused(pull(word(card, set_no)), set_no=1) == wire.REJECT_FOREIGN


def test_one_two_or_three_wrong_columns_are_never_another_card():
    turned = {A: B, B: A | B, A | B: A}
    for card in range(52):
        columns = word(card)
        for at in range(8):
            for more in range(1, 4):
                wrong = list(columns)
                for i in range(at, min(at + more, 10)):
                    wrong[i] = turned[wrong[i]]
                assert refused(pull(wrong)) == wire.REJECT_NOT_IN_SET


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


def card_with(tracks):
    """A card of the set in use whose fifth column is on these tracks."""
    return next(card for card in range(52) if word(card)[4] == tracks)


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


def marked(marks):
    """Levels of marks (start, end, tracks)."""
    levels = []
    for start, end, tracks in sorted(marks):
        levels += [(start, tracks), (end, 0)]
    return edges(levels)


def whole_marks(columns, first=18000):
    """Marks as printed."""
    return [(first + 2000 * i, first + 2000 * i + 1000, tracks) for i, tracks in enumerate(columns)]


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
        assert refused(marked(whole_marks(word(21), first))) == wire.REJECT_SPACING


def test_a_hole_and_one_more_before_the_strip_are_in_the_wrong_place():
    marks = whole_marks(word(5))
    del marks[6]
    assert refused(marked(marks + [(16000, 17000, A)])) == wire.REJECT_SPACING


def test_two_stops_within_the_strip_leave_columns_that_nothing_holds():
    stops = (23500, 31500)
    stopped = [(t + sum(100000 for stop in stops if t > stop), pins) for t, pins in pull(word(3))]
    assert refused(stopped) == wire.REJECT_SPACING


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
    assert refused(edges(levels)) == wire.REJECT_SPACING


def test_short_pull():
    assert refused([(0, 1), (30000, 0)]) == wire.REJECT_SHORT_PULL


def test_pushed_back_from_outside_and_from_the_exit():
    assert refused([(0, 8), (10000, 9), (20000, 1), (30000, 0)]) == wire.REJECT_PUSHED_BACK
    assert refused(moved(strip(word(8)), [-1000, 60000, -1000])) == wire.REJECT_PUSHED_BACK


def test_pushed_back_midway_and_pulled_again():
    for turn in range(28000, 44000, 500):
        reader = Reader()
        assert read(reader, moved(strip(word(8)), [-1000, turn, 5000, 139000])) == (REJECT, 1)
        assert reader.reason in (wire.REJECT_PUSHED_BACK_MIDWAY, wire.REJECT_COLUMNS)
    assert refused(moved(strip(word(8)), [-1000, 39500, 5000, 139000])) == wire.REJECT_PUSHED_BACK_MIDWAY


def test_a_step_back_that_uncovers_no_edge_does_no_harm():
    reader = Reader()
    assert read(reader, moved(strip(word(8)), [-1000, 18800, 18300, 139000])) == (CARD, 1)
    assert reader.card == 8


def test_left_half_drawn_is_told_after_five_seconds_and_once():
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


def test_a_card_that_trembles_is_half_drawn_after_thirty_seconds():
    reader = Reader()
    answers = [reader.feed(t_us, 1 | t_us // 20000 % 2 * 2) for t_us in range(0, 31 * SECOND_US, 20000)]
    assert [answer for answer in answers if answer] == [REJECT]
    assert reader.reason == wire.REJECT_HALF_DRAWN


def test_a_second_card_before_the_first_has_left():
    assert refused([(0, 1), (50000, 9), (88000, 8), (100000, 9), (188000, 8), (238000, 0)]) == wire.REJECT_DOUBLE


def test_two_cards_together_are_longer_than_one():
    for more_um in range(8000, 80000, 2000):
        together = [(t_us + (more_um if t_us >= 88000 else 0), pins) for t_us, pins in pull(word(8))]
        assert refused(together) == wire.REJECT_DOUBLE
    reader = Reader()
    little_longer = [(t_us + (1000 if t_us >= 88000 else 0), pins) for t_us, pins in pull(word(8))]
    assert read(reader, little_longer) == (CARD, 1)


def test_a_card_that_is_too_short():
    shorter = [(t_us - (12000 if t_us >= 88000 else 0), pins) for t_us, pins in pull(word(8))]
    assert refused(shorter) == wire.REJECT_DOUBLE


def test_marks_on_both_tracks_or_a_long_one_behind_the_strip():
    marks = whole_marks(word(8))
    assert (
        refused(marked(marks + [(start, start + 1000, A | B) for start in (60000, 64000, 68000)])) == wire.REJECT_DOUBLE
    )
    assert refused(marked(marks + [(60000, 70000, A | B)])) == wire.REJECT_DOUBLE
    assert read(Reader(), marked(marks + [(60000, 61000, A | B), (70000, 71000, A)])) == (CARD, 1)


def test_a_card_that_is_lifted_out_has_not_left_by_the_exit():
    lifted = [(min(t_us, 90000 if pins else 91000), pins) for t_us, pins in pull(word(8))]
    assert refused(lifted) == wire.REJECT_DOUBLE


def test_a_stop_too_long_for_two_cards_while_the_length_is_measured():
    stopped = [(t_us + (300000 if t_us > 60000 else 0), pins) for t_us, pins in pull(word(8))]
    assert read(Reader(), stopped) == (CARD, 1)
    shorter = [(t_us + (60000 if t_us > 60000 else 0), pins) for t_us, pins in pull(word(8))]
    assert refused(shorter) == wire.REJECT_DOUBLE


def test_a_second_strip_behind_the_first():
    marks = []
    for start in (18000, 58000):
        for column, tracks in enumerate(word(8)):
            marks += [(start + 2000 * column, tracks), (start + 2000 * column + 1000, 0)]
    assert refused(edges(marks)) == wire.REJECT_DOUBLE


def test_noise_without_a_card_is_told_once_it_is_over():
    reader = Reader()
    noise = [(0, 2), (3000, 0), (4000, 1), (4100, 0), (9000, 4), (9400, 8), (9500, 0)]
    assert read(reader, noise, 0, 40000) == (NOTHING, 0)
    assert reader.feed(60000, 0) == NOISE
    assert reader.columns == 7
    assert reader.feed(200000, 0) == NOTHING
    assert read(reader, pull(word(3)), 300000) == (CARD, 1)


def test_an_open_lid_is_told_once_and_nothing_is_read_until_it_is_closed():
    reader = Reader()
    assert read(reader, pull(word(3)), -200000) == (CARD, 1)
    assert read(reader, [(0, LID)], 0) == (REJECT, 1)
    assert reader.reason == wire.REJECT_LID_OPEN
    assert reader.columns == reader.speed_mm_s == 0
    assert read(reader, [(t_us, pins | LID) for t_us, pins in pull(word(3))], 100000) == (NOTHING, 0)
    assert read(reader, [(0, 0)], 400000) == (NOTHING, 0)
    assert read(reader, pull(word(3)), 500000) == (CARD, 1)


def test_a_lid_opened_while_a_card_is_drawn():
    pulled = [(t_us, pins | (LID if t_us > 30000 else 0)) for t_us, pins in pull(word(3))]
    assert refused(pulled) == wire.REJECT_LID_OPEN


def test_the_next_card_after_a_reject_is_read():
    reader = Reader()
    assert read(reader, [(0, 1), (30000, 0)]) == (REJECT, 1)
    assert read(reader, pull(word(12)), 100000) == (CARD, 1)
    assert reader.card == 12


def both(first, second):
    """Two pulls as the inputs see them together."""
    merged = []
    for at_us in sorted({t_us for t_us, _ in first + second}):
        pins = 0
        for pulled in (first, second):
            level = 0
            for t_us, now in pulled:
                if t_us <= at_us:
                    level = now
            pins |= level
        merged.append((at_us, pins))
    return merged


def named(pulled):
    """The cards that the reader names."""
    reader = Reader()
    cards = []
    for t_us, pins in pulled + [(pulled[-1][0] + 2000, 0)]:
        if reader.feed(t_us, pins) == CARD:
            cards.append(reader.card)
    return cards


def after(pulled, start_us):
    return [(start_us + t_us, pins) for t_us, pins in pulled]


def test_a_card_that_enters_as_the_one_before_leaves_is_read_anew():
    """At every time from well before the last card has left to well after; no card is told twice."""
    for late_us in range(-60000, 20000, 250):
        cards = named(both(pull(word(3)), after(pull(word(12)), 138000 + late_us)))
        assert cards in ([], [3], [12], [3, 12]), late_us
        assert late_us <= 0 or cards == [3, 12], (late_us, cards)


def test_nothing_of_one_card_is_left_for_the_next():
    """A blank, a foreign, a nine-column card right behind a good one, and a good one behind each of them."""
    for other in ([], word(7, 2), word(7)[:9]):
        for late_us in range(250, 3000, 250):
            assert named(both(pull(word(3)), after(pull(other), 138000 + late_us))) == [3]
            assert named(both(pull(other), after(pull(word(3)), 138000 + late_us))) == [3]


def test_a_card_that_comes_as_the_lid_is_shut():
    for late_us in range(-2000, 3000, 250):
        opened = [(t_us, LID) for t_us in (0, 99000)] + [(100000, 0)]
        assert named(both(pull(word(5)), after(both(opened, after(pull(word(3)), 100000 + late_us)), 200000))) in (
            [5],
            [5, 3],
        )


def test_a_stop_in_a_gap_or_before_the_strip():
    reader = Reader()
    for stop_us in (5000, 27500, 29500):
        stopped = [(t + (300000 if t > stop_us else 0), pins) for t, pins in pull(word(3))]
        assert read(reader, stopped) == (CARD, 1)
        assert reader.card == 3


def test_sensors_are_counted_by_margin_and_speed():
    reader = Reader()
    read(reader, pull(word(3)))
    read(reader, pull(word(4), 500), SECOND_US)
    read(reader, pull(word(5)), 2 * SECOND_US)
    seen = reader.wear
    assert list(seen.reads) == [3, 3, 3, 3]
    assert list(seen.speed_least) == [1000, 1000, 1000, 1000]
    assert list(seen.speed_most) == [2000, 2000, 2000, 2000]
    assert [seen.speed_mean(i) for i in range(4)] == [1333, 1333, 1333, 1333]
    assert list(seen.margin_worst_pct) == [100, 100, 100, 100]
    read(reader, edges(part_marked(card_with(A | B), 760)), 3 * SECOND_US)
    assert seen.margin_worst_pct[1] == 100
    assert 50 <= seen.margin_worst_pct[2] < 60
    assert seen.margin_mean_pct(2) == (300 + seen.margin_worst_pct[2]) // 4


def test_edges_of_the_support_code_are_sound():
    assert edges([], 1) == [(0, 1), (50, 9), (88, 8), (138, 0)]
    assert moved(strip(word(8)), [-1000, 139000]) == [(t_us + 1000, pins) for t_us, pins in pull(word(8))]
