"""Due times: the words of a rulebook for a time limit become a time, by the gaming days of the site."""

from datetime import UTC, datetime
from functools import lru_cache

from sabot_service.moment import utc

from sabot_floor.gaming_day import Calendar, month_days

_LEAST_S, _MOST_S = 946_684_800, 4_102_444_800  # the years 2000 to 2099


@lru_cache(maxsize=4096)  # the same limits are looked at every second
def seconds(time: str) -> float | None:
    """Return a time of somebody else in seconds since 1970; None if it is none."""
    try:
        found = datetime.fromisoformat(time)
        moment = (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return moment if _LEAST_S <= moment < _MOST_S else None


def until(calendar: Calendar, due: str, known: str, opened: str) -> str:
    """Return the time by which a step must be done, empty where no clock decides it.

    `known` is the time in the message itself. Of the other words only `daily` and `month_end` depend on a clock; for
    those that depend on play (`before_next_coup`, `end_of_shoe` …) the gateway reports that a step is late.
    """
    known_s, opened_s = seconds(known), seconds(opened)
    if known_s is not None:
        return utc(known_s)
    if due not in ("daily", "month_end") or opened_s is None:
        return ""
    day = calendar.day_of(utc(opened_s))
    last = day if due == "daily" else month_days(day.year, day.month)[-1]
    return calendar.day(last).end


def reminder_s(opened: str, limit: str, ahead_s: float) -> float | None:
    """Return when to remind of a limit: so long ahead of it, and not before half of the time is over."""
    end_s, begin_s = seconds(limit), seconds(opened)
    if end_s is None:
        return None
    half_s = (end_s - begin_s) / 2 if begin_s is not None else ahead_s
    return end_s - max(min(ahead_s, half_s), 0.0)
