"""Rate limit: how often something may happen that a peer can cause; time is an argument."""

from dataclasses import dataclass, field


@dataclass
class TokenBucket:
    """At most `most` at once, and one more every `every_s`. A clock that goes back gives nothing and takes nothing."""

    most: int
    every_s: float
    _left: float = field(init=False)
    _at_s: float | None = None

    def __post_init__(self) -> None:
        """Begin full."""
        self._left = float(self.most)

    def take(self, now_s: float) -> bool:
        """Return True, and count it, if one more is allowed now."""
        passed_s = 0.0 if self._at_s is None else max(now_s - self._at_s, 0.0)
        self._left = min(self._left + passed_s / self.every_s, float(self.most))
        self._at_s = now_s
        if self._left < 1:
            return False
        self._left -= 1
        return True


@dataclass
class LogLimiter:
    """Log lines that a peer can cause, by what they are about: few at once, the rest counted."""

    most: int = 3
    every_s: float = 60.0
    _buckets: dict[str, TokenBucket] = field(default_factory=dict)
    _left_out: dict[str, int] = field(default_factory=dict)

    def take(self, about: str, now_s: float) -> int | None:
        """Return how many lines were left out since the last one, or None where this one is left out too."""
        if self._buckets.setdefault(about, TokenBucket(self.most, self.every_s)).take(now_s):
            return self._left_out.pop(about, 0)
        self._left_out[about] = self._left_out.get(about, 0) + 1
        return None
