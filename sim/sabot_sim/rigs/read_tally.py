"""The tally of many reads: simulated optics through the firmware's reader, and how often it was right."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from sabot_protocol.cardcode import set_words

from sabot_sim.optics import signals
from sabot_sim.rigs.reader import Answer, ReaderBench
from sabot_sim.stack import CUT

CARD_SET: Final = 1
_CARD_OF: Final = {word: card for card, word in set_words(CARD_SET).items()}
MOST_EXAMPLES: Final = 20

# The share of good cards that may be rejected, by profile; without an entry there is no limit.
REJECT_GOALS: Final = {
    "clean": Fraction(1, 100_000),
    "normal": Fraction(1, 100_000),
    "dirty": Fraction(1, 100),
    "worn": Fraction(1, 100),
    "skewed": Fraction(1, 100),
}


@dataclass
class Tally:
    """Reads of one profile. A read is wrong when it names a card that did not leave, or too many.

    Of two cards that left together, naming the leading one is not wrong, but the other one is unseen.
    """

    reads: int = 0
    cards: int = 0  # reads in which one card left whole and alone
    right: int = 0
    wrong: int = 0
    unseen: int = 0
    rejects: int = 0  # rejects of such cards
    refused: int = 0  # reads without such a card in which none was named
    silent: int = 0  # reads without any answer
    reasons: Counter[str] = field(default_factory=Counter)
    wrong_numbers: list[int] = field(default_factory=list)
    unseen_numbers: list[int] = field(default_factory=list)
    margin_sum_pct: int = 0
    margin_worst_pct: int = 100

    def take(self, read: signals.Read, answers: list[Answer]) -> None:
        """Count one read and its answers."""
        named = [answer for answer in answers if answer.card]
        self.reads += 1
        self.cards += read.truth is not None
        self.silent += not answers
        if [answer.card for answer in named] == [_leading(read)]:
            self.unseen += 1
            self.unseen_numbers = [*self.unseen_numbers, read.number][:MOST_EXAMPLES]
        elif named and [answer.card for answer in named] != [read.truth]:
            self.wrong += 1
            self.wrong_numbers = [*self.wrong_numbers, read.number][:MOST_EXAMPLES]
        elif named:
            self._take_right(named[0])
        else:
            self.rejects += read.truth is not None
            self.refused += read.truth is None
            self.reasons[answers[0].reason or "" if answers else "nothing"] += 1

    def _take_right(self, answer: Answer) -> None:
        self.right += 1
        self.margin_sum_pct += answer.margin_pct
        self.margin_worst_pct = min(self.margin_worst_pct, answer.margin_pct)

    def add(self, other: "Tally") -> None:
        """Add another part of the same profile."""
        for name in ("reads", "cards", "right", "wrong", "unseen", "rejects", "refused", "silent", "margin_sum_pct"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.reasons += other.reasons
        self.wrong_numbers = (self.wrong_numbers + other.wrong_numbers)[:MOST_EXAMPLES]
        self.unseen_numbers = (self.unseen_numbers + other.unseen_numbers)[:MOST_EXAMPLES]
        self.margin_worst_pct = min(self.margin_worst_pct, other.margin_worst_pct)

    def reject_rate(self) -> Fraction:
        """Return the share of rejects of the cards that left whole and alone."""
        return Fraction(self.rejects, self.cards or 1)

    def ok(self, profile: str) -> bool:
        """Return True if no card is wrong, rejects are below the goal, and in `double` no card is unseen."""
        if self.wrong or (profile == "double" and self.unseen):
            return False
        return profile not in REJECT_GOALS or self.reject_rate() < REJECT_GOALS[profile]


def _leading(read: signals.Read) -> str | None:
    """Return the first of two cards that left together."""
    if read.kind != "double":
        return None
    return _CARD_OF.get(read.word) if read.word else CUT


def run(bench: ReaderBench, profile: str, seed: int, numbers: range) -> Tally:
    """Read these numbers of a profile and count the answers."""
    tally = Tally()
    for part in _parts(numbers, 100):
        reads = [signals.read(profile, seed, number, CARD_SET) for number in part]
        for read, answers in zip(reads, bench.read(CARD_SET, [read.edges for read in reads]), strict=True):
            tally.take(read, answers)
    return tally


def _parts(numbers: range, size: int) -> Iterator[range]:
    for first in range(0, len(numbers), size):
        yield numbers[first : first + size]
