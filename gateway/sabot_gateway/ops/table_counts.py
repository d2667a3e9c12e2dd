"""Table counts: events, coups, rejects and delays of one table since the start, in plain numbers."""

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from sabot_protocol.topics import CoupMessage
from sabot_service.metrics import Histogram

from sabot_gateway.shoe.parse import NO_CLOCK, Event
from sabot_gateway.verify import Record

_ENDS_S: Final = (0.005, 0.02, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0)
_WINDOW_S: Final = 300.0
_HALF: Final = 1 << 29  # ms: the shoe counts modulo 2**30
COUNTED: Final = "coup"  # the topic of records
NOTED: Final = frozenset(("reject", "sensor", "health", "boot"))  # kinds of events


@dataclass
class EdgeDelay:
    """How much later than the quickest card of the last minutes a card was read: waiting at the shoe, line and loop.

    The shoe's clock counts from its start and drifts, so only differences within minutes mean something.
    """

    _counts: list[int] = field(default_factory=lambda: [0] * (len(_ENDS_S) + 1))
    _sum_s: float = 0.0
    _shoe_ms: int = 0
    _least_s: float = float("inf")  # the gateway's time less the shoe's, in this window
    _before_s: float = float("inf")  # and in the window before
    _quickest_s: float = float("inf")  # of both
    _until_s: float = float("-inf")

    def restart(self) -> None:
        """Forget the shoe's clock: it counts from 0 again."""
        self._least_s = self._before_s = float("inf")
        self._until_s = float("-inf")

    def card(self, shoe_ms: int, now_s: float) -> None:
        """Count the delay of a card that was read now."""
        if shoe_ms < self._shoe_ms - _HALF:
            self.restart()
        self._shoe_ms, late_s = shoe_ms, now_s - shoe_ms / 1000
        if now_s >= self._until_s:
            self._before_s, self._least_s, self._until_s = self._least_s, late_s, now_s + _WINDOW_S
            self._quickest_s = min(self._before_s, late_s)
        elif late_s < self._least_s:
            self._least_s = late_s
            self._quickest_s = min(self._before_s, late_s)
        delay_s = late_s - self._quickest_s
        self._counts[bisect_left(_ENDS_S, delay_s)] += 1
        self._sum_s += delay_s

    def histogram(self) -> Histogram:
        """Return what was counted."""
        ends = tuple((end, sum(self._counts[: place + 1])) for place, end in enumerate(_ENDS_S))
        return Histogram(ends, self._sum_s, sum(self._counts))


@dataclass
class TableCounts:
    """Since the start of the gateway, or since the table was added."""

    events: int = 0
    coups: Counter[str] = field(default_factory=Counter)  # by kind
    rejects: Counter[str] = field(default_factory=Counter)  # by reason
    delay: EdgeDelay = field(default_factory=EdgeDelay)
    sensors: dict[str, dict[str, Any]] = field(default_factory=dict)  # by name: what each measured over the last shoe
    health: dict[str, Any] = field(default_factory=dict)  # the last counters of the shoe's controller

    def took(self, events: list[Event], now_s: float) -> None:
        """Count the events of one read; the first card of it has waited longest."""
        self.events += len(events)
        first = events[0]
        if first.kind == "card" and first.time_ms != NO_CLOCK:
            self.delay.card(first.time_ms, now_s)

    def note(self, event: Event) -> None:
        """Count an event whose kind is in NOTED."""
        match event.kind:
            case "reject":
                self.rejects[event.data["reason"]] += 1
            case "boot":
                self.delay.restart()
            case _:
                self.recall(event)

    def record(self, record: Record) -> None:
        """Count a record whose topic is COUNTED; a correction is no further coup."""
        if isinstance(record.message, CoupMessage):
            self.coups[record.message.kind] += not record.message.corrects

    def recall(self, event: Event) -> None:
        """Take from the ledger what a shoe measured: it is shown until the next shoe is closed."""
        if event.kind == "health":
            self.health = event.data
        elif event.kind == "sensor":
            self.sensors[event.data["sensor"]] = event.data
