"""Hold: while the ledger cannot be used, the gateway takes nothing from any shoe; why, since when, and what ends it."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import structlog
from sabot_service.messages import Answer
from sabot_service.moment import Moment
from sabot_service.rate_limit import LogLimiter

from sabot_gateway.ledger import Ledger, LedgerError
from sabot_gateway.operator.requests import GatewayRequest
from sabot_gateway.own_entries import OwnEntries
from sabot_gateway.publish.status import StatusTopics
from sabot_gateway.shoe.refusals import without_log
from sabot_gateway.table_lines import TableLines
from sabot_gateway.table_session import TableSession

_RETRY_EVERY_S = 1.0
_LINES_AT_ONCE = 10  # of the log
_WAS_HELD = (
    "ledger_not_writable",
    "The ledger was not writable for a while, and the gateway took nothing from the shoe. Nothing is lost: the shoe "
    "now sends what it logged. Have the disk of the table PC checked.",
)
_BEHIND = "ledger_behind"  # a hold, and the alarm of every table when it has ended
_WAS_BEHIND = (
    "Entries of the gateway's ledger are missing, and a person accepted that. Coups, alarms and decisions of that time "
    "may be in no ledger. `sabot ledger show` lists who accepted it and why. Keep the ledger for inspection."
)

log: structlog.stdlib.BoundLogger = structlog.get_logger()


@dataclass(frozen=True)
class Reason:
    """One cause of a hold. `retry` raises LedgerError while the cause lasts; without it a person releases the hold."""

    name: str
    problem: str  # the fact, the place and the next step
    since: str  # ISO 8601, UTC
    retry: Callable[[], object] | None = None
    alarm: tuple[str, str] | None = None  # name and text of the alarm that every table gets when the hold ends


@dataclass
class Hold:
    """Several reasons can hold at once; the gateway goes on when the last of them has gone."""

    _reasons: dict[str, Reason] = field(default_factory=dict)
    _ended: dict[str, Reason] = field(default_factory=dict)
    _retry_s: float = 0.0

    def __bool__(self) -> bool:
        """Return True while anything holds."""
        return bool(self._reasons)

    @property
    def problem(self) -> str | None:
        """Every reason as text, None where nothing holds."""
        return " ".join(reason.problem for reason in self._reasons.values()) or None

    def begin(self, reason: Reason, now_s: float) -> bool:
        """Hold for this reason too; return whether it is a new one."""
        self._retry_s = now_s + _RETRY_EVERY_S
        if reason.name in self._reasons:
            return False
        self._reasons[reason.name] = reason
        return True

    def release(self, name: str) -> bool:
        """End this reason; return whether it held."""
        reason = self._reasons.pop(name, None)
        if reason is not None:
            self._ended[name] = reason
        return reason is not None

    def waits_for_person(self) -> bool:
        """Return True if nothing may be tried until a person releases a reason."""
        return any(reason.retry is None for reason in self._reasons.values())

    def due(self, now_s: float) -> bool:
        """Return True when it is time to try again."""
        return bool(self._reasons) and not self.waits_for_person() and now_s >= self._retry_s

    def retry(self, now_s: float) -> None:
        """Try every reason, and end those that have gone."""
        self._retry_s = now_s + _RETRY_EVERY_S
        for reason in list(self._reasons.values()):
            if reason.retry is not None:
                with suppress(LedgerError):
                    reason.retry()
                    self.release(reason.name)

    def take_ended(self) -> list[Reason]:
        """Return the reasons that have ended since the last call."""
        ended, self._ended = list(self._ended.values()), {}
        return ended

    def reasons(self) -> list[dict[str, Any]]:
        """Return each reason for `sabot gateway status`, and whether it waits for a person."""
        return [
            {"name": one.name, "problem": one.problem, "since": one.since, "waits_for_person": one.retry is None}
            for one in self._reasons.values()
        ]


class HoldControl:
    """Begins and ends holds: pauses the ports, publishes why on every status topic, raises the alarms afterwards."""

    def __init__(
        self,
        ledger: Ledger,
        tables: Mapping[str, TableSession],
        lines: TableLines,
        status_topics: StatusTopics,
        own: OwnEntries,
    ) -> None:
        self._ledger, self._tables, self._lines = ledger, tables, lines
        self._status_topics, self._own = status_topics, own
        self._hold, self._limiter = Hold(), LogLimiter(_LINES_AT_ONCE)

    @property
    def active(self) -> bool:
        """True while anything holds."""
        return bool(self._hold)

    @property
    def problem(self) -> str | None:
        """Every reason as text, None where nothing holds."""
        return self._hold.problem

    def reasons(self) -> list[dict[str, Any]]:
        """Return each reason for `sabot gateway status`."""
        return self._hold.reasons()

    def retry_due(self, now_s: float) -> bool:
        """Return True when it is time to try again."""
        return self._hold.due(now_s)

    def begin(self, reason: Reason, at: Moment) -> None:
        """Take nothing from any shoe for this reason."""
        if self._hold.begin(reason, at.now_s):
            if self._limiter.take("held", at.now_s) is not None:
                log.error(reason.problem)
            self._status_topics.hold(self._hold.problem, self._tables, at.time)
            self._lines.pause(at.now_s)

    def ledger_failed(self, name: str, error: LedgerError, at: Moment, retry: Callable[[], object]) -> None:
        """Hold until `retry` raises no LedgerError."""
        problem = f"{error}; nothing is taken from any shoe until the ledger can be used again."
        self.begin(Reason(name, problem, at.time, retry, _WAS_HELD), at)

    def retry(self, at: Moment) -> None:
        """Try every reason, and go on if the last has gone."""
        self._hold.retry(at.now_s)
        self._end_if_over(at)

    def release(self, name: str, at: Moment) -> bool:
        """End a reason for a person; return whether it held."""
        held = self._hold.release(name)
        self._end_if_over(at)
        return held

    def _end_if_over(self, at: Moment) -> None:
        """Read the ports again, unless something still holds, and raise the alarms of the reasons that ended."""
        ended = self._hold.take_ended()
        if self._hold or not ended:
            return
        if self._limiter.take("goes on", at.now_s) is not None:
            log.info("the gateway goes on", held_since=min(reason.since for reason in ended))
        self._status_topics.hold(None, self._tables, at.time)
        for table in self._lines.resume(at.now_s):
            for name, say in dict.fromkeys(reason.alarm for reason in ended if reason.alarm):
                self._own.raise_alarm(table, name, say if table.link.keeps_log else without_log(name, say), at)

    def check_behind(self, at: Moment) -> None:
        """Hold while the ledger is behind a head that it once had, which a person ends, or its file is not in place."""
        if self._ledger.behind:
            self.begin(Reason(_BEHIND, self._ledger.behind, at.time), at)
        try:
            self._ledger.check_in_place()
        except LedgerError as error:
            self.ledger_failed("entries", error, at, self._ledger.check_in_place)

    def accept(self, request: GatewayRequest, at: Moment) -> Answer:
        """Accept, for a person, a ledger that was made shorter."""
        try:
            self._ledger.accept(request.by, request.verb.reason, at.time)
        except LedgerError as error:
            return Answer(False, str(error))
        self._own.next_no = self._ledger.next_own_no()
        self.release(_BEHIND, at)
        lost = self._ledger.accepted()[-1].count()
        for table in self._tables.values():
            table.link.skip_numbers(lost)
            self._own.raise_alarm(table, _BEHIND, _WAS_BEHIND, at)
        return Answer(True, "accepted; the gateway goes on.")
