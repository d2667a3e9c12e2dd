"""Pace: how much each port may bring, so that one table cannot delay the others; the rest waits in its shoe."""

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

_READ_BYTES = 4096  # of one port in one turn of the loop
_UNDER_WAY = 250  # entries of all tables that are stored and not yet published
_LEAST_UNDER_WAY = 20  # of one table
# A table with more under way than its share is read this slowly: still a hundred events a second, more than a dealer
# can deal. So the shoe's events are stored, whatever the broker does.
_SLOW_BYTES, _SLOW_EVERY_S = 256, 0.05
_MOST_COMMITS = 10_000


@dataclass
class Pace:
    """Entries by table on their way to the broker. Without a broker nothing is on its way, and no table is slowed."""

    tables: int = 1
    _commits: deque[tuple[int, Counter[str]]] = field(default_factory=deque)
    _under_way: Counter[str] = field(default_factory=Counter)
    _resting: dict[str, float] = field(default_factory=dict)  # until when

    def stored(self, last_seq: int, tables: Iterable[str]) -> None:
        """Take note of a commit up to this entry; `tables` has the table of each entry that is to be published."""
        counts = Counter(tables)
        self._commits.append((last_seq, counts))
        self._under_way.update(counts)
        if len(self._commits) > _MOST_COMMITS:
            self._forget()

    def _forget(self) -> None:
        for table, count in self._commits.popleft()[1].items():
            self._under_way[table] -= count
            if not self._under_way[table]:
                del self._under_way[table]

    def published(self, seq: int, *, connected: bool) -> None:
        """Take note that the broker has everything up to this entry."""
        if not connected:
            self._commits.clear()
            self._under_way.clear()
        while self._commits and self._commits[0][0] <= seq:
            self._forget()

    def ahead(self, table: str) -> bool:
        """Return True if a table has more under way than its share."""
        under_way = self._under_way.get(table, 0)
        return under_way > _LEAST_UNDER_WAY and under_way > _UNDER_WAY // max(self.tables, 1)

    def most_bytes(self, table: str) -> int:
        """Return how much of this table's port may be read in this turn."""
        return _SLOW_BYTES if self.ahead(table) else _READ_BYTES

    def rest(self, table: str, now_s: float) -> bool:
        """Return True if a table that was just read is not to be read again at once."""
        if self.ahead(table):
            self._resting[table] = now_s + _SLOW_EVERY_S
        return table in self._resting

    def rested(self, now_s: float) -> list[str]:
        """Return the tables that may be read again."""
        found = [table for table, until_s in self._resting.items() if now_s >= until_s or not self.ahead(table)]
        for table in found:
            del self._resting[table]
        return found
