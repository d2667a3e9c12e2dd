"""The card code: distance, disjoint sets, geometry."""

from itertools import combinations

import pytest
from sabot_protocol import cardcode
from sabot_protocol.cards import DECK


def distance(one: str, other: str) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def test_all_words_of_all_sets_differ_in_four_columns() -> None:
    words = [word for set_no in range(1, cardcode.SETS + 1) for word in cardcode.set_words(set_no).values()]
    assert len(words) == 6 * 52
    assert min(distance(one, other) for one, other in combinations(words, 2)) == 4


def test_the_lexicode_has_334_words() -> None:
    assert len(cardcode.lexicode()) == 334


def test_every_set_has_every_card_in_ten_columns() -> None:
    for set_no in range(1, cardcode.SETS + 1):
        words = cardcode.set_words(set_no)
        assert tuple(words) == DECK
        assert all(len(word) == 10 and set(word) <= set("ABX") for word in words.values())


def test_a_set_that_does_not_exist() -> None:
    with pytest.raises(ValueError, match="card set 7 does not exist: the sets are 1 to 6"):
        cardcode.set_words(7)


def test_word_numbers_are_base_three() -> None:
    assert cardcode.word_number("AAAAAAAAAB") == 1
    assert cardcode.word_number("AAAAAAAABX") == 5
    assert cardcode.word_number("XXXXXXXXXX") == 3**10 - 1


def test_the_whole_strip_is_read_before_the_card_reaches_the_exit() -> None:
    strip_um = cardcode.FIRST_MARK_UM + (cardcode.COLUMNS - 1) * cardcode.PITCH_UM + cardcode.MARK_UM
    assert cardcode.SENSORS_UM["a"] + strip_um < cardcode.SENSORS_UM["exit"] < cardcode.CARD_UM
