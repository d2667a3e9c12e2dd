"""Latency: how long entries take from the reading of their bytes to the broker's answer, in buckets of 19 %."""

from collections import deque
from dataclasses import dataclass, field
from math import log2
from typing import Final

_LEAST_MS: Final = 0.1
_A_DOUBLING: Final = 4  # buckets
_BUCKETS: Final = 120  # up to days
_MOST_WAITING: Final = 10_000  # commits; what waits longer behind them is not counted


@dataclass
class Latency:
    """Commits in, times out; bounded, whoever is away."""

    _waiting: deque[tuple[int, int, float]] = field(default_factory=lambda: deque(maxlen=_MOST_WAITING))
    _counts: list[int] = field(default_factory=lambda: [0] * _BUCKETS)

    def stored(self, last_seq: int, count: int, read_s: float) -> None:
        """So many entries, up to this one, were read then and are in the ledger now."""
        self._waiting.append((last_seq, count, read_s))

    def published(self, seq: int, now_s: float) -> None:
        """The broker has answered for everything up to this entry."""
        while self._waiting and self._waiting[0][0] <= seq:
            _, count, read_s = self._waiting.popleft()
            self._counts[_bucket((now_s - read_s) * 1000)] += count

    def entries(self) -> int:
        """How many were counted."""
        return sum(self._counts)

    def percentile_ms(self, percent: float) -> float | None:
        """So many per cent took no longer; None where nothing was counted."""
        due = self.entries() * percent / 100
        for bucket, count in enumerate(self._counts):
            due -= count
            if count and due <= 0:
                return round(_LEAST_MS * 2 ** (bucket / _A_DOUBLING), 1)
        return None

    def summary(self) -> dict[str, float | None]:
        """For people, since the start."""
        return {"entries": self.entries(), "p50_ms": self.percentile_ms(50), "p99_ms": self.percentile_ms(99)}


def _bucket(ms: float) -> int:
    """The first whose upper end is not less."""
    if ms <= _LEAST_MS:
        return 0
    return min(_BUCKETS - 1, -int(-_A_DOUBLING * log2(ms / _LEAST_MS) // 1))
