"""Clock: the shoe's time against the gateway's; only what is certain is a finding, once each.

The shoe counts milliseconds since its start, modulo 2**30. An event may come hours after it happened. So the gateway's
time less the shoe's is only an upper bound of the delay; it falls below its least value only if a clock is wrong.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.findings import NONE, Finding, Findings
from sabot_gateway.verify.state import ShoeState

_MODULO = 1 << 30
_HALF = _MODULO // 2
_LEAST_BETWEEN_CARDS_MS = 25  # a card of 88 mm at 3 m/s takes 29
_GATEWAY_BACK_S = 2.0
_AHEAD_S = 10.0
_REPLAY = 2  # a recording runs more than so many times as fast as the gateway's clock
# Between two time_set: a command may have waited, and a crystal is good to 1 in 10,000.
_DRIFT_S, _DRIFT_SHARE = 30.0, 0.001


@lru_cache(maxsize=1)  # the events of one read have the same time
def _seconds(time: str) -> float:
    return datetime.fromisoformat(time).timestamp()


@dataclass
class ClockCheck:
    """Both clocks of one shoe, since it started."""

    state: ShoeState
    _shoe_ms: int | None = None  # since its start, as far as known
    _raw_ms: int = 0
    _card_ms: int | None = None  # of the last card
    _gateway_s: float | None = None
    _least_s: float | None = None  # gateway less shoe
    _set: tuple[float, int] | None = None  # the last time_set, and when by the shoe
    _first: tuple[float, int] | None = None  # the gateway's time and the shoe's, at the first event
    _raised: frozenset[str] = frozenset()  # names of findings of this shoe

    def any_event(self, event: Event) -> Findings:
        """Compare both clocks."""
        found = self._advance(event)
        return self._not_raised_before(found) if found else NONE

    def gateway_only(self, event: Event) -> Findings:
        """Compare the gateway's clock with its own last time: the shoe has none."""
        if event.kind == "shoe_opened":
            self._raised = frozenset()
        found = self._gateway_goes_on(self.state.time)
        return self._not_raised_before(found) if found else NONE

    def boot(self, event: Event) -> Findings:
        """The shoe counts its time from here."""
        self._raised = frozenset()
        self._start(event.time_ms)
        return self.any_event(event)

    def shoe_opened(self, event: Event) -> Findings:
        """Each finding can be raised again."""
        self._raised = frozenset()
        return self.any_event(event)

    def card(self, event: Event) -> Findings:
        """A hand can draw only so fast."""
        found = self._advance(event)
        if not event.data["flags"].get("keyed"):
            before, now = self._card_ms, self._shoe_ms
            self._card_ms = now
            if before is not None and now is not None and 0 < now - before < _LEAST_BETWEEN_CARDS_MS:  # 0: no clock
                found += _too_fast(now - before)
        return self._not_raised_before(found) if found else NONE

    def time_set(self, event: Event) -> Findings:
        """Compare how far both clocks went since the last setting."""
        found = self._advance(event) + self._drift(event)
        return self._not_raised_before(found) if found else NONE

    def _not_raised_before(self, found: tuple[Finding, ...]) -> list[Finding]:
        new = {finding.name: finding for finding in reversed(found) if finding.name not in self._raised}
        self._raised = self._raised.union(new)
        return [finding for finding in found if new.get(finding.name) is finding]

    def _advance(self, event: Event) -> tuple[Finding, ...]:
        time_ms, shoe_ms = event.time_ms, self._shoe_ms
        if shoe_ms is None:
            self._start(time_ms)
            shoe_ms = time_ms
        step = (time_ms - self._raw_ms) % _MODULO
        if step >= _HALF:
            return self._shoe_went_back(event) + self._gateway_goes_on(self.state.time)
        self._shoe_ms, self._raw_ms = shoe_ms + step, time_ms
        return self._gateway_goes_on(self.state.time)

    def _start(self, time_ms: int) -> None:
        self._shoe_ms, self._raw_ms = time_ms, time_ms
        self._least_s = self._card_ms = self._set = self._first = None

    def _shoe_went_back(self, event: Event) -> tuple[Finding, ...]:
        before = self._raw_ms
        self._start(event.time_ms)
        fact = "The shoe's clock went back without a restart. Play on. Have the shoe inspected later."
        return (Finding(fact, f"{event.time_ms} ms", f"{before} ms before", name="shoe_clock"),)

    def _gateway_goes_on(self, time: str) -> tuple[Finding, ...]:
        if not time:
            return NONE
        now_s, before_s, shoe_ms = _seconds(time), self._gateway_s, self._shoe_ms or 0
        self._gateway_s = now_s
        late_s, least_s = now_s - shoe_ms / 1000, self._least_s
        if self._first is None:
            self._first = now_s, shoe_ms
        if before_s is not None and now_s < before_s - _GATEWAY_BACK_S:
            self._least_s, self._first = late_s, None
            fact = "The gateway's clock went back. Play on. Have the gateway's time server checked."
            back = f"{before_s - now_s:.0f} seconds back"
            return (Finding(fact, "", back, name="gateway_clock"),)
        if least_s is None:
            self._least_s = late_s
        elif late_s < least_s:
            self._least_s = late_s
            if late_s < least_s - _AHEAD_S and not self._replayed(now_s):
                fact = "The shoe's clock is ahead of the gateway's. Play on. Have the shoe inspected later."
                return (Finding(fact, "", f"{least_s - late_s:.0f} seconds ahead", name="shoe_clock"),)
        return NONE

    def _replayed(self, now_s: float) -> bool:
        """Return True if the shoe's time runs more than twice as fast as ours: a bench plays a recording."""
        since_s, since_ms = self._first or (now_s, 0)
        return (self._shoe_ms or 0) - since_ms > _REPLAY * 1000 * (now_s - since_s)

    def _drift(self, event: Event) -> tuple[Finding, ...]:
        set_s, now = event.data["utc_s"] + event.data["utc_ms"] / 1000, self._shoe_ms or 0
        before, self._set = self._set, (set_s, now)
        if before is None:
            return NONE
        by_gateway_s, by_shoe_s = set_s - before[0], (now - before[1]) / 1000
        slack_s = _DRIFT_S + _DRIFT_SHARE * by_shoe_s
        if abs(by_gateway_s - by_shoe_s) <= slack_s or by_shoe_s > _REPLAY * by_gateway_s:
            return NONE
        fact = "The shoe's clock and the gateway's do not agree. Play on. Have the time server checked, then the shoe."
        return (Finding(fact, f"{by_shoe_s:.0f} s", f"{by_gateway_s:.0f} s by the gateway", name="shoe_clock"),)


def _too_fast(apart_ms: int) -> tuple[Finding, ...]:
    fact = "Two cards came faster than a hand can draw them. Compare the cards on the table with the shoe's result."
    return (Finding(fact, f"{apart_ms} ms apart", f"at least {_LEAST_BETWEEN_CARDS_MS} ms", name="cards_too_fast"),)
