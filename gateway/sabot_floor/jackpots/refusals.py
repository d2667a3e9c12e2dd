"""Refusals: what was not taken is counted, logged with its sentence, and becomes a fault; floods are bounded."""

from collections import Counter, deque
from dataclasses import dataclass, field

import structlog
from sabot_service.rate_limit import LogLimiter, TokenBucket

from sabot_floor.jackpots.engine import Fault, Reason

_MOST_SHOWN = 20  # newest sentences
_FAULTS_AT_ONCE, _FAULT_EVERY_S = 5, 60.0  # of each jackpot
_MOST_NAMES = 1000  # jackpots, others count under an empty name

log: structlog.stdlib.BoundLogger = structlog.get_logger()


@dataclass
class Refusals:
    """Counters by jackpot and reason since the start; a repeat is only counted."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    newest: deque[str] = field(default_factory=lambda: deque(maxlen=_MOST_SHOWN))
    _faults: dict[str, list[Fault]] = field(default_factory=dict)
    _buckets: dict[str, TokenBucket] = field(default_factory=dict)
    _limiter: LogLimiter = field(default_factory=LogLimiter)

    def note(self, jackpot: str, table: str, reason: Reason, say: str, now_s: float, *, fault: bool) -> None:
        """Count a refusal; `fault` if a fault about it is wanted, and the jackpot has a log."""
        name = jackpot if (jackpot, reason) in self.counts or len(self.counts) < _MOST_NAMES else ""
        self.counts[name, reason] += 1
        if reason == "repeat":
            return
        if say not in self.newest:
            self.newest.append(say)
        left_out = self._limiter.take(f"{name} {reason}", now_s)
        if left_out is not None:
            log.warning(f"refused: {say}", jackpot=jackpot, table=table, reason=reason, left_out=left_out)
        bucket = self._buckets.setdefault(name, TokenBucket(_FAULTS_AT_ONCE, _FAULT_EVERY_S))
        if fault and bucket.take(now_s):
            self._faults.setdefault(jackpot, []).append(Fault("refused", say, table))

    def take_faults(self) -> dict[str, list[Fault]]:
        """Return the faults to be stored, by jackpot; they are not returned again."""
        found, self._faults = self._faults, {}
        return found

    def table(self) -> dict[str, dict[str, int]]:
        """Return the counters by jackpot, then reason."""
        found: dict[str, dict[str, int]] = {}
        for (jackpot, reason), count in sorted(self.counts.items()):
            found.setdefault(jackpot, {})[reason] = count
        return found
