"""The shoe's log of events: numbers that never repeat, what is acknowledged, what can still be sent."""

from collections import deque
from dataclasses import dataclass, field

KEEP = 2000  # acknowledged events that can still be sent


@dataclass(frozen=True)
class Event:
    """One event as logged."""

    number: int
    time_ms: int
    kind: int
    data: bytes

    def body(self) -> bytes:
        """Of the frame that carries it."""
        return self.number.to_bytes(4, "little") + bytes([self.kind]) + self.data


@dataclass
class Journal:
    """Events in order, without a gap."""

    next_no: int = 1
    acked: int = 0
    _events: deque[Event] = field(default_factory=deque)

    @property
    def oldest(self) -> int:
        """The first event that can still be sent; the next one to be logged where there is none."""
        return self._events[0].number if self._events else self.next_no

    @property
    def waiting(self) -> int:
        """How many events are not acknowledged."""
        return self.next_no - 1 - self.acked

    def log(self, time_ms: int, kind: int, data: bytes) -> Event:
        """The next event."""
        event = Event(self.next_no, time_ms, kind, data)
        self.next_no += 1
        self._events.append(event)
        return event

    def get(self, number: int) -> Event | None:
        """An event that can still be sent."""
        at = number - self.oldest
        return self._events[at] if 0 <= at < len(self._events) else None

    def acknowledge(self, number: int) -> None:
        """Everything up to this event is durable; the oldest of it may go."""
        self.acked = max(self.acked, min(number, self.next_no - 1))
        while self._events and self._events[0].number <= self.acked - KEEP:
            self._events.popleft()
