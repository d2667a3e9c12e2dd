"""Summaries: of a flood of alarms a channel gets the first ones of a minute, and one notice about all others."""

from sabot_protocol.inputs.plain_text import counted
from sabot_protocol.topics import Severity
from sabot_service.moment import utc

from sabot_floor.gaming_day import Calendar
from sabot_floor.notify.notices import MOST_TEXT, Notice, notice_id, short
from sabot_floor.notify.state import Flood

MOST_SINGLE, WINDOW_S = 10, 60.0  # alarms of a channel one by one, in so many seconds
_MOST_HELD = 20  # different alarms and tables that a summary names
_SEVERITIES: tuple[Severity, ...] = ("info", "warning", "critical")


def is_due(flood: Flood, now_s: float) -> bool:
    """Return True if the minute is over; a clock that went back ends it too."""
    return not 0 <= now_s - flood.begin_s < WINDOW_S


def may_be_single(floods: dict[str, Flood], channel: str, now_s: float) -> bool:
    """Count one more alarm of a channel; return True if it is sent by itself."""
    flood = floods.get(channel)
    if flood is None or (is_due(flood, now_s) and not flood.held):
        flood = floods[channel] = Flood(begin_s=now_s)
    flood.single += 1
    return flood.single <= MOST_SINGLE and not flood.held


def hold(flood: Flood, notice: Notice) -> None:
    """Keep an alarm for the summary of its minute."""
    what = f"{notice.name} at {notice.table}"
    flood.first = flood.first or notice.id
    flood.severity = max(flood.severity, _SEVERITIES.index(notice.severity))
    if what in flood.held or len(flood.held) < _MOST_HELD:
        flood.held[what] = flood.held.get(what, 0) + 1
    else:
        flood.more += 1


def notice(flood: Flood, site: str, channel: str, calendar: Calendar, now_s: float) -> Notice:
    """Return the notice about everything that is held."""
    count = sum(flood.held.values()) + flood.more
    listed = ", ".join(f"{number} × {what}" for what, number in flood.held.items())
    others = f", {counted(flood.more, 'other')}" if flood.more else ""
    since = calendar.in_text(utc(flood.begin_s))
    text = f"Since {since}: {short(f'{listed}{others}', MOST_TEXT - 100)}. Look at the tables' alarms."
    return Notice(
        id=notice_id(site, channel, flood.first, "", "summary"),
        site=site,
        channel=channel,
        occasion="summary",
        time=utc(now_s),
        severity=_SEVERITIES[flood.severity],
        subject=f"{site}: {counted(count, 'more alarm')} in a minute",
        text=text,
        count=count,
    )
