"""One card after another, noise between them, and the lid."""

from printed_cards import reject_reason
from sabot import wire
from sabot.reading.reader import CARD, NOISE, NOTHING, REJECT, Reader
from support import pull, read, word

LID = 1024


def both(first, second):
    """Return two pulls as the inputs see them together."""
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


def cards_read(pulled):
    """Return the cards that the reader returns."""
    reader = Reader()
    cards = []
    for t_us, pins in pulled + [(pulled[-1][0] + 2000, 0)]:
        if reader.feed(t_us, pins) == CARD:
            cards.append(reader.card)
    return cards


def after(pulled, start_us):
    return [(start_us + t_us, pins) for t_us, pins in pulled]


def test_the_next_card_after_a_reject_is_read():
    reader = Reader()
    assert read(reader, [(0, 1), (30000, 0)]) == (REJECT, 1)
    assert read(reader, pull(word(12)), 100000) == (CARD, 1)
    assert reader.card == 12


def test_a_card_that_enters_as_the_one_before_leaves_is_read_anew():
    """At every time from well before the last card has left to well after; no card is read twice."""
    for late_us in range(-60000, 20000, 250):
        cards = cards_read(both(pull(word(3)), after(pull(word(12)), 138000 + late_us)))
        assert cards in ([], [3], [12], [3, 12]), late_us
        assert late_us <= 0 or cards == [3, 12], (late_us, cards)


def test_nothing_of_one_card_is_left_for_the_next():
    """A blank, a foreign, a nine-column card right behind a good one, and a good one behind each of them."""
    for other in ([], word(7, 2), word(7)[:9]):
        for late_us in range(250, 3000, 250):
            assert cards_read(both(pull(word(3)), after(pull(other), 138000 + late_us))) == [3]
            assert cards_read(both(pull(other), after(pull(word(3)), 138000 + late_us))) == [3]


def test_a_card_that_comes_as_the_lid_is_shut():
    for late_us in range(-2000, 3000, 250):
        opened = [(t_us, LID) for t_us in (0, 99000)] + [(100000, 0)]
        assert cards_read(both(pull(word(5)), after(both(opened, after(pull(word(3)), 100000 + late_us)), 200000))) in (
            [5],
            [5, 3],
        )


def test_noise_without_a_card_is_returned_when_it_is_over():
    reader = Reader()
    noise = [(0, 2), (3000, 0), (4000, 1), (4100, 0), (9000, 4), (9400, 8), (9500, 0)]
    assert read(reader, noise, 0, 40000) == (NOTHING, 0)
    assert reader.feed(60000, 0) == NOISE
    assert reader.columns == 7
    assert reader.feed(200000, 0) == NOTHING
    assert read(reader, pull(word(3)), 300000) == (CARD, 1)


def test_an_open_lid_is_rejected_once_and_nothing_is_read_until_it_is_shut():
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
    assert reject_reason(pulled) == wire.REJECT_LID_OPEN
