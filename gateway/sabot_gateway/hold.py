"""Hold: why the gateway takes nothing from any shoe, since when, and what ends it: a retry that works, or a person."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from sabot_gateway.ledger import LedgerError

_TRY_EVERY_S = 1.0


@dataclass(frozen=True)
class Reason:
    """One cause of a hold. `retry` raises LedgerError while the cause lasts; without it a person releases the hold."""

    name: str
    problem: str  # the fact, the place and the next step
    since: str  # ISO 8601, UTC
    retry: Callable[[], object] | None = None
    alarm: tuple[str, str] | None = None  # name and words of the alarm that every table gets when it has ended


@dataclass
class Hold:
    """Several reasons can hold at once; the gateway goes on when the last of them has gone."""

    _reasons: dict[str, Reason] = field(default_factory=dict)
    _ended: dict[str, Reason] = field(default_factory=dict)
    _try_s: float = 0.0

    def __bool__(self) -> bool:
        """Whether anything holds."""
        return bool(self._reasons)

    @property
    def problem(self) -> str | None:
        """Every reason in words, None where nothing holds."""
        return " ".join(reason.problem for reason in self._reasons.values()) or None

    def begin(self, reason: Reason, now_s: float) -> bool:
        """Hold for this reason too; return whether it is a new one."""
        self._try_s = now_s + _TRY_EVERY_S
        if reason.name in self._reasons:
            return False
        self._reasons[reason.name] = reason
        return True

    def release(self, name: str) -> bool:
        """This reason has gone, or a person says so; return whether it held."""
        reason = self._reasons.pop(name, None)
        if reason is not None:
            self._ended[name] = reason
        return reason is not None

    def waits_for_person(self) -> bool:
        """Whether nothing may be tried until somebody releases it."""
        return any(reason.retry is None for reason in self._reasons.values())

    def due(self, now_s: float) -> bool:
        """Whether it is time to try again."""
        return bool(self._reasons) and not self.waits_for_person() and now_s >= self._try_s

    def retry(self, now_s: float) -> None:
        """Try every reason, and drop those that have gone."""
        self._try_s = now_s + _TRY_EVERY_S
        for reason in list(self._reasons.values()):
            if reason.retry is not None:
                with suppress(LedgerError):
                    reason.retry()
                    self.release(reason.name)

    def take_ended(self) -> list[Reason]:
        """The reasons that have gone since the last call."""
        ended, self._ended = list(self._ended.values()), {}
        return ended

    def reasons(self) -> list[dict[str, Any]]:
        """For people: each reason, and whether it waits for one of them."""
        return [
            {"name": one.name, "problem": one.problem, "since": one.since, "waits_for_person": one.retry is None}
            for one in self._reasons.values()
        ]
