"""Screens: publishes `history` and `hand` of tables that changed, a few times a second at most."""

from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec
import structlog
from msgspec.structs import replace
from sabot_protocol.table_states import HandMessage, HistoryMessage
from sabot_service.moment import Moment
from sabot_service.rate_limit import LogLimiter, TokenBucket

from sabot_gateway.publish.publisher import Publisher
from sabot_gateway.screens.hand import hand_message
from sabot_gateway.screens.history import history_message
from sabot_gateway.table_session import TableSession

_AT_ONCE, _EVERY_S = 8, 0.1  # of a table
_ALL_AT_ONCE, _ALL_EVERY_S = 200, 0.005  # of all tables
_TOGETHER_S = 0.05  # after a publication: tables share the next, and the broker's answers come together
_encode = msgspec.json.Encoder().encode

log: structlog.stdlib.BoundLogger = structlog.get_logger()
Name = Literal["history", "hand"]
Messages = dict[Name, HistoryMessage | HandMessage]  # of a table, without their times


class ScreenTopics:
    """Many changes make one message; what is the same as before is not published again."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._due: dict[str, None] = {}  # tables, in the order to be published
        self._published: dict[str, Messages] = {}  # by table
        self._tables: dict[str, TokenBucket] = {}
        self._all, self._limiter = TokenBucket(_ALL_AT_ONCE, _ALL_EVERY_S), LogLimiter()
        self._next_s = 0.0

    def changed(self, tables: Iterable[str]) -> None:
        """Publish these tables when they are due."""
        self._due |= dict.fromkeys(tables)

    def step(self, tables: Mapping[str, TableSession], at: Moment) -> None:
        """Publish what is due now; what is too early waits."""
        if not self._due or at.now_s < self._next_s:
            return
        self._next_s = at.now_s + _TOGETHER_S
        for name in list(self._due):
            table = tables.get(name)
            if table is None:
                del self._due[name]
            elif self._tables.setdefault(name, TokenBucket(_AT_ONCE, _EVERY_S)).take(at.now_s):
                if not self._all.take(at.now_s):
                    return
                del self._due[name]
                self._publish(table, at)

    def _publish(self, table: TableSession, at: Moment) -> None:
        """Publish both topics where they differ; an internal error here must not stop events."""
        try:
            now = _messages(table)
        except Exception:
            left_out = self._limiter.take(table.name, at.now_s)
            if left_out is not None:
                log.exception("what screens show of a table is not known; report it with this log", table=table.name)
            return
        before, self._published[table.name] = self._published.get(table.name, {}), now
        for name, message in now.items():
            if message != before.get(name):
                self._publisher.set_table_state(table.name, name, _encode(replace(message, time=at.time)))

    def closed(self, table: str) -> None:
        """Forget a table that the gateway no longer serves."""
        self._due.pop(table, None)
        self._published.pop(table, None)
        self._tables.pop(table, None)

    def idle(self) -> bool:
        """Return True if nothing is due."""
        return not self._due


def _messages(table: TableSession) -> Messages:
    verifier, screens = table.verifier, table.screens
    return {
        "history": history_message(table.name, verifier, screens, ""),
        "hand": hand_message(table.name, verifier, screens, table.fault_fields(), ""),
    }
