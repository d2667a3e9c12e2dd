"""The reader: every card of every set at every speed, the cutting card, and the wear of the sensors."""

from printed_cards import card_with, part_marked, reject_reason
from sabot import wire
from sabot.reading.reader import CARD, CUT, NOTHING, Reader
from support import A, B, edges, moved, pull, pull_cutting_card, read, strip, word

SECOND_US = 1_000_000


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
    assert reject_reason(edges([(1000, A | B), (100000, 0)])) == wire.REJECT_COLUMNS
    assert reject_reason(edges([(12000, A | B), (70000, 0)])) == wire.REJECT_DOUBLE
    assert reject_reason(edges([(12000, A), (100000, 0)])) == wire.REJECT_COLUMNS
    assert reject_reason(edges([(12000, A | B)])) == wire.REJECT_COLUMNS


def test_a_card_under_the_cutting_card():
    for more_um in range(5000, 80000, 5000):
        longer = [(t_us + (more_um if t_us in (88000, 138000) else 0), pins) for t_us, pins in pull_cutting_card()]
        levels = sorted((t_us, i) for i, (t_us, _) in enumerate(longer))
        pins = 0
        together = []
        for t_us, i in levels:
            pins ^= longer[i][1] ^ (longer[i - 1][1] if i else 0)
            together.append((t_us, pins))
        assert reject_reason(together) == wire.REJECT_DOUBLE


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


def test_the_edges_of_support_py_are_sound():
    assert edges([], 1) == [(0, 1), (50, 9), (88, 8), (138, 0)]
    assert moved(strip(word(8)), [-1000, 139000]) == [(t_us + 1000, pins) for t_us, pins in pull(word(8))]
