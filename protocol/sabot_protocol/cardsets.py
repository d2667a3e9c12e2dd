"""How the code words of the card sets are chosen; `sabot generate` writes the result to cardsets.json."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product

from sabot_protocol.cardcode import COLUMNS, LETTERS, MIN_DISTANCE, SETS, word_number
from sabot_protocol.cards import DECK

LONGEST_SHIFT = 2
# Faults of a whole strip: tracks exchanged, one track seen by both sensors, one track lost where both are marked.
_TRACK_FAULTS = tuple(str.maketrans(*pair) for pair in (("AB", "BA"), ("A", "X"), ("B", "X"), ("X", "A"), ("X", "B")))


@cache
def card_sets() -> dict[str, dict[str, str]]:
    """Return the words by set and card.

    No fault turns a word into a word of any set; within a set, not even with one more wrong column.
    """
    rivals = _confused(_apart(_confused([word for word in lexicode() if set(word) == set(LETTERS)], 0)), 1)
    sets: list[list[str]] = [[] for _ in range(SETS)]
    for word in sorted(rivals, key=lambda word: (-len(rivals[word]), word)):
        open_sets = [one for one in sets if len(one) < len(DECK) and rivals[word].isdisjoint(one)]
        if open_sets:
            min(open_sets, key=len).append(word)
    return {str(number): dict(zip(DECK, sorted(words), strict=True)) for number, words in enumerate(sets, 1)}


def lexicode() -> list[str]:
    """Return every word, in order, that differs from all earlier ones in at least MIN_DISTANCE columns."""
    taken: set[int] = set()
    words = []
    for number, letters in enumerate(product(LETTERS, repeat=COLUMNS)):
        if number not in taken:
            words.append("".join(letters))
            taken.update(_within(words[-1], MIN_DISTANCE - 1))
    return words


def _confused(words: list[str], wrong_columns: int) -> dict[str, set[str]]:
    """Return, for each word, those that one fault and this many wrong columns turn it into."""
    near = {number: word for word in words for number in _within(word, wrong_columns)}
    rivals: dict[str, set[str]] = {word: set() for word in words}
    for word in words:
        for other in {near.get(word_number(seen), word) for seen in confusions(word)} - {word}:
            rivals[word].add(other)
            rivals[other].add(word)
    return rivals


def _apart(rivals: dict[str, set[str]]) -> list[str]:
    """Remove the words with the most rivals until none has any."""
    left = {word: set(others) for word, others in rivals.items()}
    while any(left.values()):
        worst = max(left, key=lambda word: (len(left[word]), word))
        for other in left.pop(worst):
            left[other].discard(worst)
    return list(left)


def confusions(word: str) -> Iterator[str]:
    """Yield what one fault makes of a strip: read backwards, a track fault, shifted, a column lost and one gained."""
    for turned in (word, word[::-1]):
        yield turned
        yield from (turned.translate(fault) for fault in _TRACK_FAULTS)
    for shift in range(1, LONGEST_SHIFT + 1):
        for fill in map("".join, product(LETTERS, repeat=shift)):
            yield word[shift:] + fill
            yield fill + word[:-shift]
    yield from lost_and_gained(word)


def lost_and_gained(word: str) -> set[str]:
    """Return the words with one column lost and one gained, anywhere."""
    return {
        shorter[:at] + letter + shorter[at:]
        for shorter in {word[:lost] + word[lost + 1 :] for lost in range(COLUMNS)}
        for at in range(COLUMNS)
        for letter in LETTERS
    }


def _within(word: str, distance: int) -> Iterator[int]:
    """Yield the number of every word at most `distance` columns away; a column is a base-3 digit."""
    number = word_number(word)
    steps = []
    for place in (3**exponent for exponent in range(COLUMNS)):
        digit = number // place % 3
        steps.append([((digit + turn) % 3 - digit) * place for turn in (1, 2)])
    for changes in range(distance + 1):
        for columns in combinations(steps, changes):
            for change in product(*columns):
                yield number + sum(change)
