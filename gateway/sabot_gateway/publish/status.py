"""Status: the state of every table and of the gateway; each change goes into the log and on its retained topic."""

from collections.abc import Callable, Iterable

import structlog
from sabot_service.moment import Moment
from sabot_service.rate_limit import LogLimiter, TokenBucket

from sabot_gateway.angel_eye.events import is_unit
from sabot_gateway.config import Table, setup_of
from sabot_gateway.incidents.listing import open_message
from sabot_gateway.publish.publisher import Publisher, StatusField
from sabot_gateway.shoe.driver import Driver
from sabot_gateway.table_session import TableSession

log: structlog.stdlib.BoundLogger = structlog.get_logger()


_LINES_AT_ONCE = 20
_ALARMS_AT_ONCE, _ALARMS_EVERY_S = 8, 0.25
_PROBLEMS_AT_ONCE, _PROBLEMS_EVERY_S = 10, 5.0
Status = tuple[str, dict[str, StatusField]]  # a state, and what goes with it
ConfigOf = Callable[[str], Table | None]  # the config of a table; None if it is not served
_NOT_CONNECTED: Status = ("offline", {"problem": "no shoe has answered at this table since the gateway started"})


class StatusTopics:
    """Publishes changes only. While the gateway is held, every table's status gives only the reason of that."""

    def __init__(self, publisher: Publisher, keys: str | None, config_of: ConfigOf = lambda table: None) -> None:
        self._publisher, self._config_of = publisher, config_of
        self.keys = keys  # the directory of the shoes' keys, for the advice about them
        self._broker: str | None = None
        self._limiter = LogLimiter(_LINES_AT_ONCE)
        self._alarms: dict[str, TokenBucket] = {}  # by table
        self._open: dict[str, tuple[str, ...]] = {}  # by table: ids of the messages of its open incidents, as published
        self._problems: dict[str, TokenBucket] = {}  # by table
        self._held: str | None = None
        self._tables: dict[str, Status] = {}  # of each table, when the gateway is not held

    def connected(self, table: TableSession, time: str) -> None:
        """Publish that a shoe is served; log what to do about its key."""
        link, unit = table.link, table.link.unit
        assert unit is not None
        log.info("shoe connected", table=table.name, unit=unit, authenticated="yes" if link.authenticated else "no")
        advice = _key_advice(unit, link, self.keys)
        if advice:
            log.warning(advice, table=table.name)
        self._set_online(table, time)

    def concern(self, table: TableSession, at: Moment) -> None:
        """Publish what is wrong with a shoe that is served, or that it locks its exit; log few lines of a shoe."""
        if table.fault != table.published_fault:
            left_out = self._limiter.take(f"fault of {table.name}", at.now_s)
            if left_out is not None:
                step = table.fault_fields().get("next_step", "The shoe no longer locks its exit.")
                log.warning(step, table=table.name, left_out=left_out)
        self._set_online(table, at.time)

    def _set_online(self, table: TableSession, time: str) -> None:
        link, table.published_fault = table.link, table.fault
        fields: dict[str, StatusField] = {
            "unit": link.unit,
            "authenticated": link.authenticated,
            "problem": table.concern(),
            "unknown": list(table.verifier.unknown()),
            **table.fault_fields(),
        }
        self._set(table.name, ("online", fields), time)

    def problem(self, table: TableSession, problem: str, at: Moment) -> None:
        """Publish why a table has no shoe; a peer that has another problem every time is not published every time."""
        if table.last_published == problem:
            return
        bucket = self._problems.setdefault(table.name, TokenBucket(_PROBLEMS_AT_ONCE, _PROBLEMS_EVERY_S))
        if not isinstance(table.last_published, str) or bucket.take(at.now_s):
            table.last_published = problem
            log.warning(problem, table=table.name)
            self._set(table.name, ("offline", {"problem": problem}), at.time)

    def alarms(self, table: TableSession, at: Moment, *, changed: bool = True) -> bool:
        """Publish incidents, and alarms if changed, a few times a second at most; return False if it is too early."""
        if not self._alarms.setdefault(table.name, TokenBucket(_ALARMS_AT_ONCE, _ALARMS_EVERY_S)).take(at.now_s):
            return False
        if changed:
            self._publisher.set_table_state(table.name, "alarms", table.alarms(at.time))
        listed = tuple(incident.id for incident in table.incidents.open())
        if self._open.get(table.name) != listed:
            self._open[table.name] = listed
            self._publisher.set_table_state(table.name, "open", open_message(table.name, table.incidents, at.time))
        return True

    def closed(self, table: str, problem: str, time: str) -> None:
        """Publish the last status of a table that the gateway no longer serves."""
        log.warning(problem, table=table)
        self._publisher.set_table_status(table, "offline", time, problem=problem)
        self._tables.pop(table, None)
        self._alarms.pop(table, None)
        self._open.pop(table, None)
        self._problems.pop(table, None)

    def hold(self, problem: str | None, tables: Iterable[str], time: str) -> None:
        """Publish for the site and every table why nothing is taken; without a problem, their own status again."""
        self._held = problem
        self._publisher.set_gateway_status("online", time, problem=problem)
        for table in tables:
            self._set(table, self._tables.get(table, _NOT_CONNECTED), time)

    def _set(self, table: str, status: Status, time: str) -> None:
        self._tables[table] = status
        state, fields = ("offline", {"problem": self._held}) if self._held else status
        config = self._config_of(table)
        book, setup = (config.rulebook, setup_of(config)) if config else (None, None)
        fields = fields | _driver(config)
        self._publisher.set_table_status(table, state, time, **fields, rulebook=book, setup=setup)

    def broker(self, problem: str | None, now_s: float) -> None:
        """Log why nothing is published; a broker that comes and goes does not fill the log."""
        if problem != self._broker:
            self._broker = problem
            if problem is None:
                if self._limiter.take("broker is back", now_s) is not None:
                    log.info("connected to the broker again")
            elif self._limiter.take("broker", now_s) is not None:
                log.warning(f"{problem}; the ledger keeps everything until then")


def _driver(config: Table | None) -> dict[str, StatusField]:
    """Return which shoe a table has, online or not, and whether it gets commands."""
    if config is None:
        return {}
    return {"driver": config.driver, "commands": config.driver == "sabot" or config.commands}


def _key_advice(unit: str, link: Driver, keys: str | None) -> str | None:
    """Return what to do about the key of a shoe that is served, or None."""
    if is_unit(unit):
        return None  # an Angel Eye has no key
    if not link.authenticated:
        return (
            f"shoe {unit} is not authenticated: any device on its line can pass for it; make a key with "
            f"`sabot keys new {unit} --dir {keys or 'DIR'} --shoe key.bin` and put key.bin into the shoe"
            + ("" if keys else ", and set `keys` in the config")
        )
    finish = f"`sabot keys rotate {unit} --finish --dir {keys}`"
    if link.rotation == "old":
        return f"shoe {unit} still uses its old key: put the new one into it, then end the rotation with {finish}"
    return f"shoe {unit} uses its new key: end the rotation with {finish}" if link.rotation == "new" else None
