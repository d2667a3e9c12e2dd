"""Guard: an internal error while one source is served costs that source its connection, and the others nothing."""

from collections.abc import Callable
from typing import Any

import structlog
from sabot_service.control import Caller, Control
from sabot_service.daemons import GATEWAY
from sabot_service.messages import Answer
from sabot_service.moment import Moment
from sabot_service.rate_limit import LogLimiter

from sabot_gateway.ledger import LedgerError
from sabot_gateway.operator.requests import ParsedRequest
from sabot_gateway.own_entries import OwnEntries
from sabot_gateway.shoe.refusals import without_log
from sabot_gateway.table_lines import TableLines
from sabot_gateway.table_session import TableSession

_LINES_AT_ONCE = 10  # of the log, about one table
ALARM = (
    "gateway_error",
    "The gateway had an internal error and started again with this shoe. Nothing is lost: the shoe sends again what it "
    "logged. Report this with the gateway's log.",
)

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class Guard:
    """Runs what a source of the loop asks for."""

    def __init__(self, lines: TableLines, own: OwnEntries, control: Control[ParsedRequest]) -> None:
        self._lines, self._own, self._control = lines, own, control
        self._limiter = LogLimiter(_LINES_AT_ONCE)

    def run(self, act: Callable[[Any, Moment], None], source: object, at: Moment) -> None:
        """Call `act`; after an error lose the table's port, or answer the caller. LedgerError is passed on."""
        try:
            act(source, at)
        except LedgerError:
            raise
        except Exception as error:
            self.log_error(source.name if isinstance(source, TableSession) else "", at)
            if isinstance(source, TableSession):
                self._lines.lose(source, at, f"internal error in the gateway ({type(error).__name__}: {error})")
                name, say = ALARM
                self._own.raise_alarm(source, name, say if source.link.keeps_log else without_log(name, say), at)
            elif isinstance(source, Caller):
                self._control.answer(source, Answer(False, GATEWAY.internal_error))

    def log_error(self, table: str, at: Moment) -> None:
        """Log the current exception with its traceback, not more often than a person can read it."""
        left_out = self._limiter.take(table, at.now_s)
        if left_out is not None:
            log.exception("internal error; report it with this log", table=table, left_out=left_out)
