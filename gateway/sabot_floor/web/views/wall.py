"""The wall: all tables of the floor, each with a small big road, counts, streak, alarms and link."""

from collections import Counter

import msgspec
from sabot_protocol.table_states import BetsPhase, HistoryMessage, HistoryState
from sabot_protocol.topics import AlarmsMessage, CoupKind, Severity
from sabot_service.moment import Moment

from sabot_floor.web.site_state import Link, SiteState, TableState
from sabot_floor.web.views.shoe_roads import ShoeView, newest_columns, shoe_view

COLUMNS = 20  # of the big road on the wall
HOT_STREAK = 6  # results of one side in a row
HOT_CHOP = 6  # results in a row that each changed the side
SEVERITIES: tuple[Severity, ...] = ("critical", "warning", "info")


class WallAlarms(msgspec.Struct, frozen=True):
    """How many alarms are active, and how severe the worst is; their texts may name cards and are left out."""

    count: int = 0
    worst: str = ""


class WallTable(msgspec.Struct, kw_only=True, frozen=True):
    """A table on the wall."""

    name: str
    area: str
    link: Link
    state: HistoryState
    shoe: int
    coup: int
    phase: BetsPhase
    kind: CoupKind
    last_coup: bool
    big: str
    banker: int
    player: int
    tie: int
    streak_side: str
    streak: int
    hot: str  # streak, chop or empty
    alarms: WallAlarms


class Wall(msgspec.Struct, frozen=True):
    """All tables, by name, and the areas of the floor."""

    site: str
    link: Link
    areas: list[str]
    tables: list[WallTable]


def view(site: SiteState, _key: str, at: Moment) -> Wall:
    """Return all tables that are known to the broker or to the floor's config."""
    names = sorted({*site.tables, *site.floor_tables})
    twice = site.units_twice(at)
    tables = [_table(site, name, twice=name in twice) for name in names]
    areas = sorted({table.area for table in tables if table.area})
    return Wall(site.site, site.site_link(), areas, tables)


def _table(site: SiteState, name: str, *, twice: bool) -> WallTable:
    known, table = site.floor_tables.get(name), site.tables.get(name) or TableState(name)
    history = table.history or HistoryMessage(table=name, time="", state="unknown", phase="none")
    shoe = shoe_view(history.results)
    return WallTable(
        name=name,
        area=known.area if known else "",
        link=site.link(name),
        state=history.state,
        shoe=history.shoe,
        coup=history.coup,
        phase=history.phase,
        kind=history.kind,
        last_coup=history.last_coup,
        big=newest_columns(shoe.roads.big, COLUMNS),
        banker=shoe.counts.banker,
        player=shoe.counts.player,
        tie=shoe.counts.tie,
        streak_side=shoe.streak_side,
        streak=shoe.streak,
        hot=_hot(history, shoe),
        alarms=_alarms(table.alarms, twice=twice),
    )


def _hot(history: HistoryMessage, shoe: ShoeView) -> str:
    """Return whether the newest results are one long streak, or change the side every time."""
    if history.state != "open":
        return ""
    return "streak" if shoe.streak >= HOT_STREAK else "chop" if shoe.chop >= HOT_CHOP else ""


def _alarms(message: AlarmsMessage | None, *, twice: bool) -> WallAlarms:
    found = Counter(alarm.severity for alarm in message.alarms) if message else Counter[Severity]()
    found["critical"] += twice
    if not found.total():
        return WallAlarms()
    worst = next(severity for severity in SEVERITIES if found[severity])
    return WallAlarms(found.total() + (message.more if message else 0), worst)
