"""The shuffle check: patterns of the first cards that are reported, and some that are not."""

from sabot.dealing.shuffle_check import pattern
from support import number

RUNS, ONE_RANK, ONE_SUIT, REPEATED = 1, 2, 3, 4


def found(text):
    """The first pattern, and after how many cards."""
    cards = bytes([number(card) for card in text.split()]) + bytes(4)
    for count in range(len(cards) - 3):
        what = pattern(cards, count)
        if what:
            return what, count
    return 0, 0


def test_runs_up_and_down_and_over_the_king():
    assert found("3S 4H 5D 6C 7S") == (RUNS, 5)
    assert found("7S 6H 5D 4C 3S") == (RUNS, 5)
    assert found("JS QH KD AC 2S") == (RUNS, 5)
    assert found("2S AH KD QC JS") == (RUNS, 5)
    assert found("9C KD 3S 4H 5D 6C 7S") == (RUNS, 7)


def test_a_run_of_one_suit_is_seen_a_card_earlier():
    assert found("3S 4S 5S 6S") == (RUNS, 4)
    assert found("KH QH JH TH") == (RUNS, 4)


def test_no_run():
    assert found("3S 4H 5D 6C 8S") == (0, 0)
    assert found("3S 5H 7D 9C JS") == (0, 0)
    assert found("3S 4H 5D 4C 5S 6H") == (0, 0)


def test_one_rank():
    assert found("9S 9H 9D 9C") == (ONE_RANK, 4)
    assert found("9S 9S 9S 9S") == (ONE_RANK, 4)
    assert found("9S 9H 9D 8C 9C") == (0, 0)


def test_one_suit():
    assert found("2H 9H 5H JH 4H 7H") == (ONE_SUIT, 6)
    assert found("2H 9H 5H JH 4H 7S 8H") == (0, 0)


def test_a_sequence_that_comes_again():
    assert found("2H 9D 5C 2H 9D 5C") == (REPEATED, 6)
    assert found("2H 9D 5C KS 7H 2H 9D 5C") == (REPEATED, 8)
    assert found("2H 9D 5C KS 7H 2H 9D 5S") == (0, 0)
    assert found("2H 9D 2H 9D 2H") == (0, 0)


def test_a_shuffled_set_seldom_warns():
    """About one shuffled shoe in a hundred: people must not get used to the warning."""
    seed, warned, shoes = 1, 0, 300
    for _ in range(shoes):
        cards = bytearray(12)
        for i in range(12):
            seed = (seed * 75 + 74) % 65537
            cards[i] = seed // 7 % 52
        warned += any(pattern(cards, count) for count in range(13))
    assert warned <= 15
