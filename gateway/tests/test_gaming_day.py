"""Gaming days by hand: ordinary days, days of 23 and 25 hours, months, and hours and zones that there are not."""

import zoneinfo
from datetime import date
from importlib.util import find_spec
from pathlib import Path

import pytest
from floor_rig import JACKPOTS
from sabot_floor.config import load
from sabot_floor.gaming_day import (
    Calendar,
    CalendarError,
    Span,
    hour_problem,
    month_days,
    read_day,
    read_month,
    zone_problem,
)
from sabot_protocol.inputs.config_file import ConfigError

SYDNEY = Calendar("06:00", "Australia/Sydney")


def test_a_day_begins_at_the_hour_of_the_site() -> None:
    # Summer time in Sydney is UTC+11: 6 in the morning is 19:00 UTC of the day before.
    assert SYDNEY.day(date(2026, 11, 17)) == Span("2026-11-16T19:00:00.000Z", "2026-11-17T19:00:00.000Z")


@pytest.mark.parametrize(
    ("at", "day"),
    [
        ("2026-11-16T18:59:59.999Z", date(2026, 11, 16)),
        ("2026-11-16T19:00:00.000Z", date(2026, 11, 17)),
        ("2026-11-17T18:59:59.999Z", date(2026, 11, 17)),
        ("2026-11-17T19:00:00.000Z", date(2026, 11, 18)),
        ("2026-11-17T05:59:59+11:00", date(2026, 11, 16)),
    ],
)
def test_the_day_of_a_time(at: str, day: date) -> None:
    assert SYDNEY.day_of(at) == day


def test_a_day_has_23_hours_when_the_clocks_go_forward() -> None:
    # Sydney, 4 October 2026, 02:00 becomes 03:00: the gaming day of 3 October ends an hour early.
    assert SYDNEY.day(date(2026, 10, 3)) == Span("2026-10-02T20:00:00.000Z", "2026-10-03T19:00:00.000Z")
    assert SYDNEY.day_of("2026-10-03T18:59:59.999Z") == date(2026, 10, 3)
    assert SYDNEY.day_of("2026-10-03T19:00:00.000Z") == date(2026, 10, 4)


def test_a_day_has_25_hours_when_the_clocks_go_back() -> None:
    # Sydney, 5 April 2026, 03:00 becomes 02:00: the gaming day of 4 April ends an hour late.
    assert SYDNEY.day(date(2026, 4, 4)) == Span("2026-04-03T19:00:00.000Z", "2026-04-04T20:00:00.000Z")
    assert SYDNEY.day_of("2026-04-04T19:59:59.999Z") == date(2026, 4, 4)


def test_an_hour_that_the_clocks_skip_or_repeat_leaves_no_gap_and_no_overlap() -> None:
    # 02:30 does not exist on 4 October 2026 (taken as 02:30 of the old time) and exists twice on 5 April 2026.
    night = Calendar("02:30", "Australia/Sydney")
    assert night.day(date(2026, 10, 4)) == Span("2026-10-03T16:30:00.000Z", "2026-10-04T15:30:00.000Z")
    assert night.day(date(2026, 4, 5)) == Span("2026-04-04T15:30:00.000Z", "2026-04-05T16:30:00.000Z")
    assert night.day_of("2026-10-03T16:29:59.000Z") == date(2026, 10, 3)
    assert night.day_of("2026-10-03T16:30:00.000Z") == date(2026, 10, 4)
    for zone in ("Australia/Sydney", "Australia/Lord_Howe", "America/New_York", "Pacific/Auckland"):
        calendar = Calendar("02:00", zone)
        for day in [*month_days(2026, 3), *month_days(2026, 4), *month_days(2026, 10), *month_days(2026, 11)]:
            span = calendar.day(day)
            assert calendar.day_of(span.begin) == day
            assert calendar.day_of(span.end) == day.fromordinal(day.toordinal() + 1)


def test_the_clock_on_the_wall() -> None:
    assert SYDNEY.local("2026-11-16T19:00:00.000Z") == "2026-11-17 06:00:00"
    assert SYDNEY.local("") == ""


def test_days_of_a_month() -> None:
    assert [len(month_days(2026, month)) for month in (2, 11, 12)] == [28, 30, 31]
    assert month_days(2026, 12)[-1] == date(2026, 12, 31)
    assert SYDNEY.days(date(2026, 11, 1), date(2026, 11, 30)) == Span(
        "2026-10-31T19:00:00.000Z", "2026-11-30T19:00:00.000Z"
    )


def test_texts_of_days_and_months() -> None:
    assert read_day("2026-11-17") == date(2026, 11, 17)
    assert read_month("2026-11") == (2026, 11)
    for text in ("2026-11-31", "20261117", "2026-1-7", "zz", "", "1999-12-31", "9999-12-31"):
        with pytest.raises(CalendarError, match="such as 2026-11-17"):
            read_day(text)
    for text in ("2026-13", "2026", "2026-11-17", "zz"):
        with pytest.raises(CalendarError, match=r"such as 2026-11$"):
            read_month(text)


def test_wrong_hours_and_zones() -> None:
    assert hour_problem("06:00") == zone_problem("Australia/Sydney") == ""
    for hour in ("24:00", "6:00", "06:60", "06:15", "06:00:00", "zz", ""):
        assert "such as '06:00'" in hour_problem(hour)
    for zone in ("Sydney", "", "../etc/passwd", "/etc/passwd", "Australia", "a\0b"):
        assert "such as 'Australia/Sydney'" in zone_problem(zone), zone


def test_a_machine_without_time_zones_has_utc() -> None:
    zoneinfo.reset_tzpath(to=())
    zoneinfo.ZoneInfo.clear_cache()
    try:
        assert Calendar().day(date(2026, 11, 17)).begin == "2026-11-17T06:00:00.000Z"
        assert "install the package tzdata" in zone_problem("Pacific/Fiji") or find_spec("tzdata")
    finally:
        zoneinfo.reset_tzpath()


def test_days_in_the_wrong_order() -> None:
    with pytest.raises(CalendarError, match="give the earlier day first"):
        SYDNEY.days(date(2026, 11, 2), date(2026, 11, 1))


@pytest.fixture
def config_file(tmp_path: Path) -> Path:
    """The config of a floor service without a gaming day."""
    (tmp_path / "jackpots.toml").write_text(JACKPOTS)
    path = tmp_path / "floor.toml"
    path.write_text('site = "x"\nstore = "floor.db"\nbroker = "mqtt://127.0.0.1:9"\njackpots = "jackpots.toml"\n')
    return path


def test_the_hour_and_the_zone_of_a_config(config_file: Path) -> None:
    assert (load(config_file).calendar().hour, load(config_file).calendar().zone) == ("06:00", "UTC")
    config_file.write_text(f'{config_file.read_text()}gaming_day = "04:30"\ntime_zone = "Pacific/Auckland"\n')
    calendar = load(config_file).calendar()
    # Summer time in Auckland is UTC+13.
    assert calendar.day(date(2026, 11, 17)) == Span("2026-11-16T15:30:00.000Z", "2026-11-17T15:30:00.000Z")


def test_a_config_with_a_wrong_hour_and_zone_names_both_keys(config_file: Path) -> None:
    config_file.write_text(f'{config_file.read_text()}gaming_day = "6 am"\ntime_zone = "Sydney"\n')
    with pytest.raises(ConfigError, match=r"gaming_day: '6 am' is no hour") as error:
        load(config_file)
    assert "time_zone: 'Sydney' is no time zone" in str(error.value)
    config_file.write_text(config_file.read_text().replace('"6 am"', "6"))
    with pytest.raises(ConfigError, match="gaming_day"):
        load(config_file)
