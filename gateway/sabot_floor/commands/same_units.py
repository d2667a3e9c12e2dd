"""Same units: shoes that answer with one unit id at tables of several gateways, as the tables' statuses have it."""

from collections import defaultdict
from collections.abc import Iterable

import structlog
from sabot_protocol.service.plain_text import plain

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_CARRIED_S = 10.0  # a gateway misses a shoe that was carried to another one after half of it
_MOST_TEXT = 64


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


def _say(unit: str, tables: list[str]) -> str:
    return (
        f"two shoes answer with the unit id {plain(unit)[:_MOST_TEXT]}, at {' and '.join(sorted(map(plain, tables)))}: "
        "stop these tables; one is a copy, or one shoe is connected to two gateways. Call security, keep both shoes, "
        "and find out which has the controller with this id"
    )
