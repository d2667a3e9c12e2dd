"""Same units: shoes that answer with one unit id at tables of several gateways, as the tables' statuses have it."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

import structlog
from sabot_protocol.inputs.plain_text import plain
from sabot_protocol.topics import AlarmMessage
from sabot_service.moment import Moment

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_CARRIED_S = 10.0  # a gateway misses a shoe that was carried to another one after half of it
_MOST_TEXT = 64
_ALARM = "unit_id_twice"  # as a gateway names it


class SameUnits:
    """Which tables have one unit id; the first time of each is logged."""

    def __init__(self) -> None:
        self._since_s: dict[str, float] = {}  # by the sentence about it
        self._logged: list[str] = []

    def look(self, online: Iterable[tuple[str, str]], now_s: float) -> None:
        """Take table and unit id of each shoe that is served now."""
        tables: dict[str, list[str]] = defaultdict(list)
        for table, unit in online:
            tables[unit].append(table)
        found = [_say(unit, names) for unit, names in tables.items() if len(names) > 1]
        self._since_s = {say: self._since_s.get(say, now_s) for say in found}
        problems = self.problems(now_s)
        for say in (say for say in problems if say not in self._logged):
            log.error(say)
        self._logged = problems

    def problems(self, now_s: float) -> list[str]:
        """Return a sentence for each unit id that more than one table has."""
        return [say for say, since_s in self._since_s.items() if now_s - since_s >= _CARRIED_S]


class Served(NamedTuple):
    """The unit id at a table, and since when it answers there."""

    unit: str
    since: Moment


class ServedUnits:
    """Unit ids at tables, for the alarms that people see."""

    def __init__(self) -> None:
        self._served: dict[str, Served] = {}

    def received(self, table: str, unit: str | None, at: Moment) -> None:
        """Note which shoe answers at a table; the same one counts from its first time."""
        if not unit:
            self._served.pop(table, None)
        elif table not in self._served or self._served[table].unit != unit:
            self._served[table] = Served(unit, at)

    def twice(self, at: Moment, gateway_of: Callable[[str], str | None]) -> dict[str, AlarmMessage]:
        """Return an alarm for each table with a unit id that is served by another gateway too.

        `gateway_of` has the gateway that serves a table now, None if none does.
        """
        tables: dict[str, list[str]] = defaultdict(list)
        for table, served in self._served.items():
            if at.now_s >= served.since.now_s + _CARRIED_S:
                tables[served.unit].append(table)
        found: dict[str, AlarmMessage] = {}
        for unit, names in tables.items():
            by_table = {name: gateway_of(name) for name in names} if len(names) > 1 else {}
            live = [name for name, gateway in by_table.items() if gateway is not None]
            if len({by_table[name] for name in live}) > 1:
                found.update((name, self._alarm(unit, name, live)) for name in live)
        return found

    def _alarm(self, unit: str, table: str, tables: list[str]) -> AlarmMessage:
        said, own_id = _say(unit, tables), f"{_ALARM}-{table}"
        return AlarmMessage(
            id=own_id,
            unit=unit,
            event_no=0,
            table=table,
            shoe=0,
            coup=0,
            time=max(self._served[one].since.time for one in tables),
            rulebook="",
            name=_ALARM,
            say=said[0].upper() + said[1:] + ".",
            clause="",
            shoe_says="",
            cards_say="",
            alarm=own_id,
            severity="critical",
            state="raised",
        )


def _say(unit: str, tables: list[str]) -> str:
    return (
        f"two shoes answer with the unit id {plain(unit)[:_MOST_TEXT]}, at {' and '.join(sorted(map(plain, tables)))}: "
        "stop these tables; one is a copy, or one shoe is connected to two gateways. Call security, keep both shoes, "
        "and find out which has the controller with this id"
    )
