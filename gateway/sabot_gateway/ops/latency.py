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
    """Commits in, times out; bounded, however long the broker is away."""

    _waiting: deque[tuple[int, int, float]] = field(default_factory=lambda: deque(maxlen=_MOST_WAITING))
    _counts: list[int] = field(default_factory=lambda: [0] * _BUCKETS)

    def stored(self, last_seq: int, count: int, read_s: float) -> None:
        """Take note of `count` entries, up to this one, that were read at `read_s` and are in the ledger now."""
        self._waiting.append((last_seq, count, read_s))

    def published(self, seq: int, now_s: float) -> None:
        """Count everything up to this entry: the broker has acknowledged it."""
        while self._waiting and self._waiting[0][0] <= seq:
            _, count, read_s = self._waiting.popleft()
            self._counts[_bucket((now_s - read_s) * 1000)] += count

    def entries(self) -> int:
        """Return how many were counted."""
        return sum(self._counts)

    def percentile_ms(self, percent: float) -> float | None:
        """Return the time that so many per cent did not exceed; None where nothing was counted."""
        due = self.entries() * percent / 100
        for bucket, count in enumerate(self._counts):
            due -= count
            if count and due <= 0:
                return round(_LEAST_MS * 2 ** (bucket / _A_DOUBLING), 1)
        return None

    def summary(self) -> dict[str, float | None]:
        """Return the figures since the start, for `sabot gateway status`."""
        return {"entries": self.entries(), "p50_ms": self.percentile_ms(50), "p99_ms": self.percentile_ms(99)}


def _bucket(ms: float) -> int:
    """Return the first bucket whose upper end is not less."""
    if ms <= _LEAST_MS:
        return 0
    return min(_BUCKETS - 1, -int(-_A_DOUBLING * log2(ms / _LEAST_MS) // 1))
