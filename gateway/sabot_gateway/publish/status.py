"""StatusTopics: what is told of tables and broker, each thing once: in the log, and retained on the status topics."""

import os
from collections.abc import Iterable

import structlog

from sabot_gateway.ops.moment import Moment
from sabot_gateway.ops.rate_limit import LogLimiter, TokenBucket
from sabot_gateway.publish.publisher import Publisher
from sabot_gateway.shoe.driver import Driver
from sabot_gateway.table_session import TableSession

log: structlog.stdlib.BoundLogger = structlog.get_logger()


_LINES_AT_ONCE = 20
_ALARMS_AT_ONCE, _ALARMS_EVERY_S = 8, 0.25
_PROBLEMS_AT_ONCE, _PROBLEMS_EVERY_S = 10, 5.0
Status = tuple[str, dict[str, str | bool | None]]  # a state, and what goes with it
_NOT_MET: Status = ("offline", {"problem": "the gateway has not met this table's shoe yet"})


class StatusTopics:
    """What was told last is not told again. While the gateway is held, every table's status says only that."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._broker: str | None = None
        self._lines = LogLimiter(_LINES_AT_ONCE)
        self._alarms: dict[str, TokenBucket] = {}  # by table
        self._problems: dict[str, TokenBucket] = {}  # by table
        self._held: str | None = None
        self._tables: dict[str, Status] = {}  # what holds of each table when the gateway is not held

    def connected(self, place: TableSession, keys: str | None, time: str) -> None:
        """A shoe is served; how, and what is to be done about its key."""
        link, unit = place.link, place.link.unit
        assert unit is not None
        log.info("shoe connected", table=place.name, unit=unit, authenticated="yes" if link.authenticated else "no")
        advice = _advice(unit, link, keys)
        if advice:
            log.warning(advice, table=place.name)
        self._say_online(place, time)

    def concern(self, place: TableSession, time: str) -> None:
        """A shoe is served, and what is wrong all the same, or that it holds its exit, is new."""
        if place.fault != place.told_fault:
            log.warning(place.held().get("next_step", "The shoe holds its exit no longer."), table=place.name)
        self._say_online(place, time)

    def _say_online(self, place: TableSession, time: str) -> None:
        link, place.told_fault = place.link, place.fault
        more = {"unit": link.unit, "authenticated": link.authenticated, "problem": place.concern(), **place.held()}
        self._say(place.name, ("online", more), time)

    def problem(self, place: TableSession, problem: str, at: Moment) -> None:
        """Why a table has no shoe. A peer that has another problem every time is not published every time."""
        if place.told == problem:
            return
        bucket = self._problems.setdefault(place.name, TokenBucket(_PROBLEMS_AT_ONCE, _PROBLEMS_EVERY_S))
        if not isinstance(place.told, str) or bucket.take(at.now_s):
            place.told = problem
            log.warning(problem, table=place.name)
            self._say(place.name, ("offline", {"problem": problem}), at.time)

    def alarms(self, place: TableSession, at: Moment) -> bool:
        """The alarms of a table that are not over, a few times a second at most; return whether they were published."""
        if not self._alarms.setdefault(place.name, TokenBucket(_ALARMS_AT_ONCE, _ALARMS_EVERY_S)).take(at.now_s):
            return False
        self._publisher.set_alarms(place.name, place.alarms(at.time))
        return True

    def closed(self, table: str, problem: str, time: str) -> None:
        """The gateway no longer serves this table; this is the last word of it."""
        log.warning(problem, table=table)
        self._say(table, ("offline", {"problem": problem}), time)
        self._tables.pop(table, None)
        self._alarms.pop(table, None)
        self._problems.pop(table, None)

    def hold(self, problem: str | None, tables: Iterable[str], time: str) -> None:
        """Say of the site and of every table that nothing is taken, and why; without a problem, what holds again."""
        self._held = problem
        self._publisher.set_gateway_status("online", time, problem=problem)
        for table in tables:
            self._say(table, self._tables.get(table, _NOT_MET), time)

    def _say(self, table: str, status: Status, time: str) -> None:
        self._tables[table] = status
        state, more = ("offline", {"problem": self._held}) if self._held else status
        self._publisher.set_table_status(table, state, time, **more)

    def broker(self, problem: str | None, now_s: float) -> None:
        """Why nothing is published; a broker that comes and goes does not fill the log."""
        if problem != self._broker:
            self._broker = problem
            if problem and self._lines.take("broker", now_s) is not None:
                log.warning(f"{problem}; the ledger keeps everything until then")


def _advice(unit: str, link: Driver, keys: str | None) -> str | None:
    """What is to be done about the key of a shoe that is served."""
    if not link.authenticated:
        return (
            f"shoe {unit} is not authenticated: who is on its line can speak for it; make a key with "
            f"`sabot keys new {unit} --dir {keys or 'DIR'} --shoe key.bin` and put key.bin into the shoe"
            + ("" if keys else ", and give `keys` in the config")
        )
    finish = f"`sabot keys rotate {unit} --finish --dir {keys}`"
    if link.rotation == "old":
        return f"shoe {unit} still uses its old key: put the new one into it, then end the rotation with {finish}"
    return f"shoe {unit} uses its new key: end the rotation with {finish}" if link.rotation == "new" else None


def configure_logging() -> None:
    """Plain lines on stderr."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            # A traceback without the values of variables: a key can be among them.
            structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
        ],
        logger_factory=structlog.PrintLoggerFactory(file=os.fdopen(os.dup(2), "w", buffering=1)),
    )
