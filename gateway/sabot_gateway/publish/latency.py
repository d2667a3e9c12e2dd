"""Latency: how long entries take from the reading of their bytes to the ledger and to the broker's answer."""

from collections import deque
from dataclasses import dataclass, field
from math import log2
from typing import Final

from sabot_service.metrics import Histogram

_LEAST_MS: Final = 0.1
_A_DOUBLING: Final = 4  # buckets
_BUCKETS: Final = 120  # up to days
_MOST_WAITING: Final = 10_000  # commits; what waits longer behind them is not counted
_SHOWN: Final = tuple(range(12, 84, _A_DOUBLING))  # of the buckets, in a histogram: 0.8 ms, doubled up to 105 s


@dataclass
class Times:
    """How many took how long, in buckets of 19 %."""

    _counts: list[int] = field(default_factory=lambda: [0] * _BUCKETS)
    _sum_s: float = 0.0

    def add(self, seconds: float, count: int = 1) -> None:
        """Count so many that took so long."""
        self._counts[_bucket(seconds * 1000)] += count
        self._sum_s += max(0.0, seconds) * count

    def count(self) -> int:
        """Return how many were counted."""
        return sum(self._counts)

    def percentile_ms(self, percent: float) -> float | None:
        """Return the time that so many per cent did not exceed; None where nothing was counted."""
        due = self.count() * percent / 100
        for bucket, count in enumerate(self._counts):
            due -= count
            if count and due <= 0:
                return round(_end_ms(bucket), 1)
        return None

    def histogram(self) -> Histogram:
        """Return the times in steps of a doubling."""
        ends = tuple((_end_ms(bucket) / 1000, sum(self._counts[: bucket + 1])) for bucket in _SHOWN)
        return Histogram(ends, self._sum_s, self.count())


@dataclass
class Latency:
    """Commits in, times out; bounded, however long the broker is away."""

    _waiting: deque[tuple[int, int, float]] = field(default_factory=lambda: deque(maxlen=_MOST_WAITING))
    _stored: list[tuple[int, float]] = field(default_factory=list)  # in this turn
    commits: Times = field(default_factory=Times)
    answers: Times = field(default_factory=Times)

    def stored(self, last_seq: int, count: int, read_s: float) -> None:
        """Take note of `count` entries, up to this one, that were read at `read_s` and are in the ledger now."""
        self._waiting.append((last_seq, count, read_s))
        self._stored.append((count, read_s))

    def committed(self, now_s: float) -> None:
        """Count what was stored since the last call: it was durable at this time."""
        for count, read_s in self._stored:
            self.commits.add(now_s - read_s, count)
        self._stored.clear()

    def published(self, seq: int, now_s: float) -> None:
        """Count everything up to this entry: the broker has acknowledged it."""
        while self._waiting and self._waiting[0][0] <= seq:
            _, count, read_s = self._waiting.popleft()
            self.answers.add(now_s - read_s, count)

    def entries(self) -> int:
        """Return how many the broker has acknowledged."""
        return self.answers.count()

    def percentile_ms(self, percent: float) -> float | None:
        """Return the time to the broker's answer that so many per cent did not exceed; None without any."""
        return self.answers.percentile_ms(percent)

    def summary(self) -> dict[str, float | None]:
        """Return the figures since the start, for `sabot gateway status`."""
        return {"entries": self.entries(), "p50_ms": self.percentile_ms(50), "p99_ms": self.percentile_ms(99)}


def _end_ms(bucket: int) -> float:
    """Return the upper end of a bucket."""
    return _LEAST_MS * float(2.0 ** (bucket / _A_DOUBLING))


def _bucket(ms: float) -> int:
    """Return the first bucket whose upper end is not less."""
    if ms <= _LEAST_MS:
        return 0
    return min(_BUCKETS - 1, -int(-_A_DOUBLING * log2(ms / _LEAST_MS) // 1))
