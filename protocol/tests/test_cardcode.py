"""The card code, exhaustively: distance, disjoint sets, what no fault can turn into another card, geometry."""

from collections.abc import Iterator
from itertools import combinations, product

import pytest
from sabot_protocol import cardcode, cardsets
from sabot_protocol.cards import DECK

SETS = [cardcode.set_words(set_no) for set_no in range(1, cardcode.SETS + 1)]
SET_OF = {word: set_no for set_no, words in enumerate(SETS, 1) for word in words.values()}


def distance(one: str, other: str) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def one_column_wrong(word: str) -> Iterator[str]:
    for column, letter in product(range(10), "ABX"):
        yield word[:column] + letter + word[column + 1 :]


def test_four_disjoint_sets_whose_words_all_differ_in_four_columns() -> None:
    assert len(SETS) == 4
    assert len(SET_OF) == 4 * 52
    assert min(distance(one, other) for one, other in combinations(SET_OF, 2)) == 4


def test_every_set_has_every_card_in_ten_columns() -> None:
    for words in SETS:
        assert tuple(words) == DECK
        assert all(len(word) == 10 and set(word) <= set("ABX") for word in words.values())


def test_every_word_has_columns_of_all_three_kinds() -> None:
    """So a dead track always loses a column, and the skew between the tracks can always be measured."""
    assert all(set(word) == set("ABX") for word in SET_OF)


def lost_and_gained(word: str) -> set[str]:
    shorter = [word[:lost] + word[lost + 1 :] for lost in range(10)]
    return {one[:at] + letter + one[at:] for one in shorter for at in range(10) for letter in "ABX"}


def shifted(word: str) -> Iterator[str]:
    for two in map("".join, product("ABX", repeat=2)):
        yield from (word[1:] + two[0], two[0] + word[:-1], word[2:] + two, two + word[:-2])


def track_faults(word: str) -> Iterator[str]:
    """Tracks exchanged; one seen by both sensors; one lost where both are marked; and each of it backwards."""
    for turned in (word, word[::-1]):
        yield turned
        yield turned.translate(str.maketrans("AB", "BA"))
        for one, other in ("AX", "BX", "XA", "XB"):
            yield turned.replace(one, other)


@pytest.mark.parametrize("fault", [lost_and_gained, shifted, track_faults], ids=lambda fault: fault.__name__)
def test_no_fault_makes_another_card_of_any_set_nor_with_one_wrong_column_of_its_own(fault: object) -> None:
    assert callable(fault)
    for word, own in SET_OF.items():
        for seen in fault(word):
            assert seen == word or seen not in SET_OF
            assert not any(SET_OF.get(near) == own and near != word for near in one_column_wrong(seen))


def test_the_lexicode_has_334_words() -> None:
    """As design and arithmetic have it; the sets are chosen from them."""
    words = cardsets.lexicode()
    assert len(words) == 334
    assert set(SET_OF) < set(words)


def test_the_checked_in_sets_are_the_chosen_ones() -> None:
    assert {str(number): words for number, words in enumerate(SETS, 1)} == cardsets.card_sets()


def test_a_set_that_does_not_exist() -> None:
    with pytest.raises(ValueError, match="card set 5 does not exist: the sets are 1 to 4"):
        cardcode.set_words(5)


def test_word_numbers_are_base_three() -> None:
    assert cardcode.word_number("AAAAAAAAAB") == 1
    assert cardcode.word_number("AAAAAAAABX") == 5
    assert cardcode.word_number("XXXXXXXXXX") == 3**10 - 1


def test_the_whole_strip_is_read_before_the_card_reaches_the_exit() -> None:
    strip_um = cardcode.FIRST_MARK_UM + (cardcode.COLUMNS - 1) * cardcode.PITCH_UM + cardcode.MARK_UM
    assert cardcode.SENSORS_UM["a"] + strip_um < cardcode.SENSORS_UM["exit"] < cardcode.CARD_UM
