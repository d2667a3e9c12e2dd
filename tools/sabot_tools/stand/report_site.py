"""The site that a report is about: its store and its gaming days, from the floor's config or from options."""

import time
from pathlib import Path
from typing import NamedTuple

from sabot_floor import config as configs
from sabot_floor.gaming_day import HOUR, ZONE, Calendar, Span
from sabot_floor.reports.source import Scope
from sabot_protocol.inputs.config_file import ConfigError
from sabot_service.moment import utc


class Site(NamedTuple):
    """Where the store is, which days are meant, and the time now."""

    store: str
    calendar: Calendar
    name: str
    now: str

    def scope(self, tables: tuple[str, ...]) -> Scope:
        """Return the scope of a report on some tables; its time is set by the report."""
        return Scope(Span("", ""), tables, self.calendar, self.name, self.now)


def read_site(config: Path, store: str | None, hour: str | None, zone: str | None) -> Site:
    """Return the site; ConfigError or CalendarError if config, hour or time zone is wrong."""
    now = utc(time.time())
    if store is not None:
        return Site(store, Calendar(hour or HOUR, zone or ZONE), "", now)
    found, problems = configs.read(config)
    if found is None:
        lines = [f"{config}: {problem}" for problem in problems]
        raise ConfigError("\n".join([*lines, "or name the store itself: --store FILE"]))
    return Site(found.store, Calendar(hour or found.gaming_day, zone or found.time_zone), found.site, now)
