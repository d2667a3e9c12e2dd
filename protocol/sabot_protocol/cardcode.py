"""The card code: its geometry, and the code words of the six sets, computed from one definition."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from typing import Final

from sabot_protocol.cards import DECK

COLUMNS: Final = 10
PITCH_UM: Final = 2_000
MARK_UM: Final = 1_000
FIRST_MARK_UM: Final = 6_000
CARD_UM: Final = 88_000
SENSORS_UM: Final = {"entry": 0, "a": 12_000, "b": 12_000, "exit": 50_000}
PINS: Final = {"entry": 0, "a": 1, "b": 2, "exit": 3}

LETTERS: Final = "ABX"  # a mark on track A, on track B, on both
MIN_DISTANCE: Final = 4
SETS: Final = 6


@cache
def lexicode() -> tuple[str, ...]:
    """Every word, in order, that differs from all earlier ones in at least MIN_DISTANCE columns."""
    taken: set[int] = set()
    words = []
    for number, letters in enumerate(product(LETTERS, repeat=COLUMNS)):
        if number not in taken:
            words.append("".join(letters))
            taken.update(_neighbours(number))
    return tuple(words)


def _neighbours(number: int) -> Iterator[int]:
    """Every word number less than MIN_DISTANCE columns away; a column is a base-3 digit."""
    steps = []
    for place in (3**exponent for exponent in range(COLUMNS)):
        digit = number // place % 3
        steps.append([((digit + turn) % 3 - digit) * place for turn in (1, 2)])
    for changes in range(MIN_DISTANCE):
        for columns in combinations(steps, changes):
            for change in product(*columns):
                yield number + sum(change)


def set_words(set_no: int) -> dict[str, str]:
    """The 52 code words of one set by card, one letter a column."""
    if not 1 <= set_no <= SETS:
        raise ValueError(f"card set {set_no} does not exist: the sets are 1 to {SETS}")
    first = (set_no - 1) * len(DECK)
    return dict(zip(DECK, lexicode()[first : first + len(DECK)], strict=True))


def word_number(word: str) -> int:
    """A word as the number the shoe looks up: base 3, first column first."""
    number = 0
    for letter in word:
        number = number * 3 + LETTERS.index(letter)
    return number
