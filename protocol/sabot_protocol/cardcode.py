"""The card code: its geometry, and the code words of the card sets from cardsets.json."""

import json
from functools import cache
from pathlib import Path
from typing import Final

COLUMNS: Final = 10
PITCH_UM: Final = 2_000
MARK_UM: Final = 1_000
FIRST_MARK_UM: Final = 6_000
CARD_UM: Final = 88_000
SENSORS_UM: Final = {"entry": 0, "a": 12_000, "b": 12_000, "exit": 50_000}
PINS: Final = {"entry": 0, "a": 1, "b": 2, "exit": 3}
LID_PIN: Final = 10  # input of the lid; 1 is open

LETTERS: Final = "ABX"  # a mark on track A, on track B, on both
MIN_DISTANCE: Final = 4
SETS: Final = 4

CARD_SETS: Final = Path(__file__).with_name("cardsets.json")


@cache
def _card_sets() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(CARD_SETS.read_text())
    return found


def set_words(set_no: int) -> dict[str, str]:
    """Return the 52 code words of a set by card, one letter per column."""
    if not 1 <= set_no <= SETS:
        raise ValueError(f"card set {set_no} does not exist: the sets are 1 to {SETS}")
    return _card_sets()[str(set_no)]


def word_number(word: str) -> int:
    """Return a word as the number that the shoe looks up: base 3, first column first."""
    number = 0
    for letter in word:
        number = number * 3 + LETTERS.index(letter)
    return number
