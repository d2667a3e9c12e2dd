"""Hold: while the store cannot be used nothing is taken, acknowledged or published; why, and when it is tried again."""

import structlog
from sabot_service.moment import Moment
from sabot_service.rate_limit import LogLimiter

_RETRY_S = 1.0

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class Hold:
    """`problem` is empty while everything works."""

    def __init__(self) -> None:
        self.problem, self.since = "", ""
        self._retry_s = 0.0
        self._broker_problem: str | None = None
        self._limiter = LogLimiter()

    def begin(self, problem: str, at: Moment) -> None:
        """Wait a second before the next try; log the problem when it is new."""
        if problem != self.problem:
            log.error(f"held: {problem}; nothing is acknowledged or published until it is over")
        if not self.problem:
            self.since = at.time
        self.problem, self._retry_s = problem, at.now_s + _RETRY_S

    def waits(self, now_s: float) -> bool:
        """Return True until it is time to try again."""
        return bool(self.problem) and now_s < self._retry_s

    def end(self) -> None:
        """A turn has worked."""
        if self.problem:
            log.info("no longer held", since=self.since)
            self.problem = self.since = ""

    def broker(self, problem: str | None, now_s: float) -> None:
        """Log a new problem with the broker."""
        if problem != self._broker_problem:
            self._broker_problem = problem
            if problem is None:
                log.info("connected to the broker")
            elif self._limiter.take("broker", now_s) is not None:
                log.warning(problem)
