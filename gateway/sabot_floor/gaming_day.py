"""Gaming day: from the site's hour to the same hour of the next day, by the clock on the wall of the site."""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

HOUR: Final = "06:00"  # where nothing is configured
ZONE: Final = "UTC"
_HOUR = re.compile(r"([01][0-9]|2[0-3]):(00|30)")  # contributions to jackpots are kept by the half hour
_TIME_IN_TEXT = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_YEARS = range(2000, 3000)  # of a day that can be asked for
_DAY = timedelta(days=1)


class CalendarError(ValueError):
    """An hour, a time zone or a day that there is not; the message has the form that is expected."""


class Span(NamedTuple):
    """A time from `begin` to before `end`: ISO 8601, UTC, with milliseconds, as every message has it."""

    begin: str
    end: str

    def holds(self, at: str) -> bool:
        """Return True if a time is in it."""
        return self.begin <= at < self.end


class Calendar:
    """The gaming days of a site."""

    def __init__(self, hour: str = HOUR, zone: str = ZONE) -> None:
        self.hour, self.zone = hour, zone
        self._hour, self._zone = _hour(hour), _zone(zone)

    def day_of(self, at: str) -> date:
        """Return the gaming day of a time, which is ISO 8601 with an offset or Z."""
        moment = datetime.fromisoformat(at)
        day = moment.astimezone(self._zone).date()
        if moment < self._begin(day):
            return day - _DAY
        return day + _DAY if moment >= self._begin(day + _DAY) else day

    def day(self, day: date) -> Span:
        """Return the time of a gaming day: 24 hours, and 23 or 25 where the clocks are changed in it."""
        return self.days(day, day)

    def days(self, first: date, last: date) -> Span:
        """Return the time from the first to the last gaming day, both included."""
        if last < first:
            raise CalendarError(f"{last} is before {first}: give the earlier day first")
        return Span(_text(self._begin(first)), _text(self._begin(last + _DAY)))

    def local(self, at: str) -> str:
        """Return a time by the clock on the wall, such as `2026-11-17 06:00:00`; an empty text stays empty."""
        return datetime.fromisoformat(at).astimezone(self._zone).strftime("%Y-%m-%d %H:%M:%S") if at else ""

    def in_text(self, text: str) -> str:
        """Return a sentence whose times, which gateways write in UTC, are by the clock on the wall."""
        return _TIME_IN_TEXT.sub(lambda found: f"{self.local(found[0])} {self.zone}", text)

    def _begin(self, day: date) -> datetime:
        """Return when a gaming day begins; an hour that the clocks skip is that of the old time."""
        return datetime.combine(day, self._hour, self._zone).astimezone(UTC)


def month_days(year: int, month: int) -> list[date]:
    """Return the gaming days of a month: those that begin in it."""
    first = date(year, month, 1)
    following = date(year + month // 12, month % 12 + 1, 1)
    return [first + _DAY * number for number in range((following - first).days)]


def read_day(text: str) -> date:
    """Return the day of a text such as 2026-11-17."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = date.min
    if day.isoformat() != text or day.year not in _YEARS:
        raise CalendarError(f"{text!r} is no day: expected a date of {_YEARS[0]} to {_YEARS[-1]}, such as 2026-11-17")
    return day


def read_month(text: str) -> tuple[int, int]:
    """Return year and month of a text such as 2026-11."""
    try:
        day = read_day(f"{text}-01")
    except CalendarError:
        years = f"{_YEARS[0]} to {_YEARS[-1]}"
        raise CalendarError(f"{text!r} is no month: expected one of {years}, such as 2026-11") from None
    return day.year, day.month


def hour_problem(text: str) -> str:
    """Return what is wrong with the hour at which a gaming day begins, or an empty text."""
    try:
        _hour(text)
    except CalendarError as error:
        return str(error)
    return ""


def zone_problem(name: str) -> str:
    """Return what is wrong with a time zone, or an empty text."""
    try:
        _zone(name)
    except CalendarError as error:
        return str(error)
    return ""


def _hour(text: str) -> time:
    found = _HOUR.fullmatch(text)
    if found is None:
        raise CalendarError(
            f"{text!r} is no hour: expected a full or half hour from '00:00' to '23:30', such as {HOUR!r}"
        )
    return time(int(found[1]), int(found[2]))


def _zone(name: str) -> tzinfo:
    """Return a time zone; UTC also on a machine that has none."""
    try:
        return UTC if name == ZONE else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise CalendarError(
            f"{name!r:.60} is no time zone of this machine: expected one such as 'Australia/Sydney'. If it has none at "
            "all, install the package tzdata: `apt install tzdata`, or `pip install tzdata`"
        ) from None


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
