"""The order of troubles at a table: which comes next and after how many coups, by a seed."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_BETWEEN: Final = (2, 4)  # coups from one trouble to the next


@dataclass(frozen=True)
class Trouble:
    """What happened; `card` is the one that lies unread on the table, if there is one."""

    name: str
    card: str | None = None


class TroubleOrder:
    """Each trouble comes before one comes again; the first after `first` more coups."""

    def __init__(self, names: Sequence[str], rng: random.Random, first: int = 0) -> None:
        self._names, self._rng = names, rng
        self._order = self._shuffled()
        self.choose(0)
        self._due_at += first

    def _shuffled(self) -> Iterator[str]:
        while self._names:
            yield from self._rng.sample(self._names, len(self._names))

    def choose(self, coups: int) -> None:
        """Choose the next trouble; so many coups were dealt."""
        self._next, self._due_at = next(self._order, ""), coups + self._rng.randint(*_BETWEEN)

    def due(self, coups: int) -> str:
        """Return the trouble that is due after so many coups; empty if none is."""
        return self._next if coups >= self._due_at else ""
