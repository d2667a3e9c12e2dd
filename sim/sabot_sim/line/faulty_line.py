"""A serial line with seeded faults: it drops, repeats, corrupts, splits, glues, delays and reorders."""

import heapq
import random
from dataclasses import dataclass, field
from typing import Final

_LATE_MS: Final = (1, 400)
_OVERTAKEN_MS: Final = (200, 1500)
_MOST_BYTES: Final = 65_536  # in flight at once; a real line holds less


@dataclass(frozen=True)
class Faults:
    """The share of chunks, or of bytes, that each fault affects."""

    drop: float = 0.0
    repeat: float = 0.0
    corrupt: float = 0.0  # of bytes
    lose: float = 0.0  # of bytes
    split: float = 0.0
    delay: float = 0.0
    reorder: float = 0.0

    @classmethod
    def drawn(cls, rng: random.Random, most: float) -> "Faults":
        """Draw each share between 0 and `most`; for single bytes mostly a tenth, or no frame would survive."""
        share = {name: rng.uniform(0, most) * rng.choice((0, 1)) for name in cls.__dataclass_fields__}
        of_bytes = rng.choice((1.0, 0.1, 0.1, 0.1))
        return cls(**{name: rate * of_bytes if name in ("corrupt", "lose") else rate for name, rate in share.items()})


@dataclass
class FaultyLine:
    """One direction: put() takes what is sent, take() returns what has arrived by then."""

    rng: random.Random
    faults: Faults
    _in_flight: list[tuple[int, int, bytes]] = field(default_factory=list)
    _count: int = 0
    _last_ms: int = 0

    def put(self, data: bytes, now_ms: int) -> None:
        """Send bytes."""
        if not data or self.rng.random() < self.faults.drop:
            return
        for part in self._split(data):
            self._carry(self._damaged(part), now_ms)
            if self.rng.random() < self.faults.repeat:
                self._carry(part, now_ms)

    def _split(self, data: bytes) -> list[bytes]:
        if len(data) < 2 or self.rng.random() >= self.faults.split:
            return [data]
        at = self.rng.randrange(1, len(data))
        return [data[:at], data[at:]]

    def _damaged(self, data: bytes) -> bytes:
        rng, faults = self.rng, self.faults
        if not faults.corrupt and not faults.lose:
            return data
        kept = (byte for byte in data if rng.random() >= faults.lose)
        return bytes(rng.randrange(256) if rng.random() < faults.corrupt else byte for byte in kept)

    def _carry(self, data: bytes, now_ms: int) -> None:
        if sum(len(waiting) for _, _, waiting in self._in_flight) > _MOST_BYTES:
            return
        due_ms = now_ms + 1
        if self.rng.random() < self.faults.reorder:
            due_ms += self.rng.randint(*_OVERTAKEN_MS)  # later bytes overtake it
        else:
            if self.rng.random() < self.faults.delay:
                due_ms += self.rng.randint(*_LATE_MS)
            due_ms = self._last_ms = max(due_ms, self._last_ms)
        self._count += 1
        heapq.heappush(self._in_flight, (due_ms, self._count, data))

    def take(self, now_ms: int) -> bytes:
        """Return what has arrived."""
        arrived = bytearray()
        while self._in_flight and self._in_flight[0][0] <= now_ms:
            arrived += heapq.heappop(self._in_flight)[2]
        return bytes(arrived)
