"""Wagers on several coups: runs and dragon tails, settled from the results since the wager was first up."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from sabot_protocol.rulebooks.model import Rulebook, RulebookError, Sequence
from sabot_protocol.wagers.settled import Settled, lost

RESULTS = ("P", "B", "T", "X", "END")


@dataclass(frozen=True)
class SequenceWager:
    """A run of these sides, or a tail of one side, with its prices."""

    name: str
    kind: str
    sides: str  # a run: the side nominated for each coup; a tail: its side
    odds: dict[int, Fraction]  # by number of results
    clause: str

    def settle(self, results: Iterable[str]) -> Settled:
        """Settle from the coup on which the wager was first up; X, a no bet or void coup, does not count."""
        counted = [result for result in results if result != "X"]
        if self.kind == "run":
            return self._run(counted)
        return self._tail_early(counted) if self.kind == "tail_early" else self._tail_late(counted)

    def _run(self, results: list[str]) -> Settled:
        """Each coup must go to the side nominated for it; the end of the shoe leaves the run to the operator (A-18)."""
        for nominated, result in zip(self.sides, results, strict=False):
            if result == "END":
                return self._pending()
            if result != nominated:
                return self._lose()
        return self._win(len(self.sides), "run") if len(results) >= len(self.sides) else self._pending()

    def _streak(self, results: list[str]) -> tuple[int, bool]:
        """Return how many results of the side come first, and whether another result ended them."""
        count = 0
        for result in results:
            if result != self.sides:
                return count, True
            count += 1
        return count, False

    def _tail_early(self, results: list[str]) -> Settled:
        if results[:1] == ["END"]:
            return self._void()
        count, broken = self._streak(results)
        if count >= max(self.odds):
            return self._tail(max(self.odds))
        return self._tail(count) if broken else self._pending()

    def _tail_late(self, results: list[str]) -> Settled:
        """Pay at the length less one; at the longest, wait for one more coup (A-16)."""
        if results and results[0] != self.sides:
            return self._void()
        count, broken = self._streak(results)
        if count > max(self.odds):
            return self._tail(max(self.odds))
        return self._tail(count - 1) if broken else self._pending()

    def _tail(self, length: int) -> Settled:
        return self._win(length, f"consecutive_{length}") if length in self.odds else self._lose()

    def _win(self, length: int, outcome: str) -> Settled:
        return Settled("win", self.odds[length], outcome, self.clause)

    def _lose(self) -> Settled:
        return lost(self.clause)

    def _void(self) -> Settled:
        return Settled("void", Fraction(0), "void", self.clause)

    def _pending(self) -> Settled:
        return Settled("pending", Fraction(0), "pending", self.clause)


def find(book: Rulebook, game: str, name: str) -> SequenceWager:
    """Return the wager with this name: `run_banker_3`, `run_combo:BBP`, `dragon_tail_player_early`."""
    for sequence in book.sequence:
        if game in sequence.games:
            sides = _sides(sequence, name)
            if sides is not None:
                odds = {int(length): Fraction(text) for length, text in sequence.odds.items()}
                return SequenceWager(name, sequence.kind, sides, odds, sequence.clause)
    raise RulebookError(f"wager: unknown wager on several coups {name!r} in game {game} of {book.id}")


def _sides(sequence: Sequence, name: str) -> str | None:
    """Return the sides that the name nominates; None if it names another wager."""
    if sequence.kind != "run":
        return sequence.result if name == sequence.id else None
    pattern = r":([PB]+)" if sequence.result == "combo" else r"_(\d)"
    found = re.fullmatch(re.escape(sequence.id) + pattern, name)
    if not found:
        return None
    sides = found[1] if sequence.result == "combo" else sequence.result * int(found[1])
    return sides if str(len(sides)) in sequence.odds else None
