"""Wagers on several coups: runs and dragon tails, settled from the results since they were first up."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from sabot_protocol.rulebooks.model import Rulebook, RulebookError, Sequence

RESULTS = ("P", "B", "T", "X", "END")
_TAIL_MOST = 6


@dataclass(frozen=True)
class SequenceSettled:
    """`result` is win, lose, void or pending."""

    result: str
    odds: Fraction
    outcome: str
    rule: str


@dataclass(frozen=True)
class SequenceWager:
    """One such wager: a run of these sides, or a tail of one side."""

    name: str
    kind: str
    sides: str  # of a run, the side nominated for each coup; of a tail, its side
    odds: dict[int, Fraction]
    clause: str

    def settle(self, results: Iterable[str]) -> SequenceSettled:
        """From the coup on which the wager was first up; X is a no bet or void coup and does not count."""
        counted = [result for result in results if result != "X"]
        if self.kind == "run":
            return self._run(counted)
        return self._tail_early(counted) if self.kind == "tail_early" else self._tail_late(counted)

    def _run(self, results: list[str]) -> SequenceSettled:
        """Each coup goes to the side nominated for it; the end of the shoe leaves it to the operator (A-18)."""
        for nominated, result in zip(self.sides, results, strict=False):
            if result == "END":
                return self._pending()
            if result != nominated:
                return self._lose()
        return self._win(len(self.sides), "run") if len(results) >= len(self.sides) else self._pending()

    def _streak(self, results: list[str]) -> tuple[int, bool]:
        """How many results of the side come first, and whether something has ended them."""
        count = 0
        for result in results:
            if result != self.sides:
                return count, True
            count += 1
        return count, False

    def _tail_early(self, results: list[str]) -> SequenceSettled:
        if results[:1] == ["END"]:
            return self._void()
        count, broken = self._streak(results)
        if count >= _TAIL_MOST:
            return self._win(_TAIL_MOST, f"consecutive_{_TAIL_MOST}")
        if not broken:
            return self._pending()
        return self._win(count, f"consecutive_{count}") if count >= 2 else self._lose()

    def _tail_late(self, results: list[str]) -> SequenceSettled:
        """Paid at the indicator less one; at six it waits for one more coup (A-16)."""
        if results and results[0] != self.sides:
            return self._void()
        count, broken = self._streak(results)
        if count > _TAIL_MOST:
            return self._win(_TAIL_MOST, f"consecutive_{_TAIL_MOST}")
        if not broken:
            return self._pending()
        return self._win(count - 1, f"consecutive_{count - 1}") if count >= 3 else self._lose()

    def _win(self, length: int, outcome: str) -> SequenceSettled:
        return SequenceSettled("win", self.odds[length], outcome, self.clause)

    def _lose(self) -> SequenceSettled:
        return SequenceSettled("lose", Fraction(-1), "lose", self.clause)

    def _void(self) -> SequenceSettled:
        return SequenceSettled("void", Fraction(0), "void", self.clause)

    def _pending(self) -> SequenceSettled:
        return SequenceSettled("pending", Fraction(0), "pending", self.clause)


def find(book: Rulebook, game: str, name: str) -> SequenceWager:
    """The wager of this name: `run_banker_3`, `run_combo:BBP`, `dragon_tail_player_early`."""
    for sequence in book.sequence:
        if game in sequence.games:
            sides = _sides(sequence, name)
            if sides is not None:
                odds = {int(length): Fraction(text) for length, text in sequence.odds.items()}
                return SequenceWager(name, sequence.kind, sides, odds, sequence.clause)
    raise RulebookError(f"no wager {name!r} on several coups in game {game} of {book.id}")


def _sides(sequence: Sequence, name: str) -> str | None:
    """The sides that the name nominates, None when it names another wager."""
    if sequence.kind != "run":
        return sequence.result if name == sequence.id else None
    pattern = r":([PB]+)" if sequence.result == "combo" else r"_(\d)"
    found = re.fullmatch(re.escape(sequence.id) + pattern, name)
    if not found:
        return None
    sides = found[1] if sequence.result == "combo" else sequence.result * int(found[1])
    return sides if str(len(sides)) in sequence.odds else None
