"""Start time: when a change of a sign begins, from a text by the clock of the site."""

import re
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sabot_service.moment import utc

_HOUR, _DAY_HOUR = (
    re.compile(r"[0-2][0-9]:[0-5][0-9]"),
    re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-2][0-9]:[0-5][0-9]"),
)
_SOON = timedelta(hours=12)
_LATEST = timedelta(days=31)


class StartTimeError(ValueError):
    """A text that is no time, or one that cannot be meant; the message has the form that is expected."""


def start_time(text: str, zone: str, now: str) -> str:
    """Return the time, UTC, of `21:30` or `2026-11-17 21:30`; an hour alone is the next one, within 12 hours."""
    here, at = ZoneInfo(zone), datetime.fromisoformat(now)
    try:
        found = _parsed(text.strip(), at.astimezone(here))
    except ValueError:
        raise StartTimeError(f'{text!r:.40} is no time; write it as "21:30" or "2026-11-17 21:30"') from None
    found = found.astimezone(UTC)
    if _HOUR.fullmatch(text.strip()) and found - at > _SOON:
        raise StartTimeError(f"{text.strip()} has passed today; write the day, too, if you mean tomorrow")
    if found - at > _LATEST:
        raise StartTimeError(f"{text.strip()} is more than {_LATEST.days} days ahead; write an earlier time")
    return utc(found.timestamp())


def _parsed(text: str, local: datetime) -> datetime:
    if _DAY_HOUR.fullmatch(text):
        return datetime.fromisoformat(text).replace(tzinfo=local.tzinfo)
    if not _HOUR.fullmatch(text):
        raise ValueError
    found = datetime.combine(local.date(), time.fromisoformat(text), local.tzinfo)
    return found if found >= local else datetime.combine(local.date() + timedelta(days=1), found.timetz())


def next_minute(time_: str) -> str:
    """Return a time rounded up to the full minute."""
    at = datetime.fromisoformat(time_)
    return utc((at + timedelta(seconds=-at.timestamp() % 60)).timestamp())
