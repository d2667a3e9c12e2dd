"""Forecast: a robust trend, an alarm before cards are rejected, and none for a sensor that only varies."""

import random
from itertools import combinations
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sabot_gateway.forecast.series import LEAST_SHOES, MOST_SHOES, Series
from sabot_gateway.forecast.trend import mann_kendall, theil_sen
from sabot_gateway.forecast.wear import FLASH_EVENTS, SOON_SHOES, WearBook
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import Verifier
from sabot_protocol.topics import AlarmMessage
from shoe_events import BOOK, PROFILE, UNIT, event
from test_app import Bench

TIME = "2026-01-01T00:00:00.000Z"
JUMP = 5.0
_values = st.integers(-1000, 1000)


def by_definition(points: list[tuple[int, int]]) -> float:
    """Sen, Estimates of the regression coefficient based on Kendall's tau (1968): the median of all pairs' slopes."""
    slopes = []
    for i in range(len(points)):
        for j in range(i + 1, len(points)):
            run = points[j][0] - points[i][0]
            if run:
                slopes.append((points[j][1] - points[i][1]) / run)
    slopes.sort()
    middle = len(slopes) // 2
    return slopes[middle] if len(slopes) % 2 else (slopes[middle - 1] + slopes[middle]) / 2


@given(st.lists(st.tuples(st.integers(0, 60), _values), min_size=2, max_size=20, unique_by=lambda point: point[0]))
def test_the_slope_is_the_median_of_all_pairs(points: list[tuple[int, int]]) -> None:
    slope, level = theil_sen(points)
    assert slope == pytest.approx(by_definition(points))
    left = [y - slope * x - level for x, y in points]
    assert median(left) == pytest.approx(0, abs=1e-9)


@given(st.integers(-50, 50), _values, st.lists(_values, max_size=4))
def test_outliers_do_not_move_the_slope(slope: int, level: int, outliers: list[int]) -> None:
    points = [(x, slope * x + level) for x in range(20)]
    for place, value in zip((3, 9, 12, 17), outliers, strict=False):
        points[place] = (place, value)
    assert theil_sen(points)[0] == pytest.approx(slope)


def test_the_score_of_kendall() -> None:
    # Ten values that fall at every step: S = -45, its variance 10 * 9 * 25 / 18 = 125.
    assert mann_kendall(range(10, 0, -1)) == pytest.approx(-44 / 125**0.5)
    assert mann_kendall([1.0] * 10) == 0
    # Groups of two, three and three that are the same (Gilbert, Statistical Methods for Environmental Pollution, 16.4).
    tied = [23, 24, 29, 6, 29, 24, 24, 29, 23]
    s = sum((b > a) - (b < a) for a, b in combinations(tied, 2))
    variance = (9 * 8 * 23 - (2 * 1 * 9 + 2 * (3 * 2 * 11))) / 18
    assert mann_kendall(tied) == pytest.approx((s - (s > 0) + (s < 0)) / variance**0.5)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.floats(-1e6, 1e6)), max_size=60))
def test_a_series_is_bounded(values: list[tuple[int, float]]) -> None:
    series = Series(JUMP)
    for shoe, value in values:
        series.add(shoe, value)
    shoes = [shoe for shoe, _ in series.points()]
    assert len(shoes) <= MOST_SHOES
    assert shoes == sorted(set(shoes))


def test_a_straight_line_reaches_its_limit_where_it_does() -> None:
    series = Series(JUMP)
    for shoe in range(1, 21):
        series.add(shoe, 90 - shoe)
    assert series.shoes_until(40) == pytest.approx(30)


def test_few_shoes_have_no_trend() -> None:
    series = Series(JUMP)
    for shoe in range(LEAST_SHOES - 1):
        series.add(shoe, 90 - shoe)
    assert series.shoes_until(40) is None
    series.add(LEAST_SHOES, 70)
    assert series.shoes_until(40) is not None


# Alarms


# Mean margins of track A over shoes of 300 cards in the simulator, its window dirtier by 2 % of its light each shoe;
# the first cards were rejected in the shoe with 38 %.
DIRTYING = (
    *(84, 83, 83, 82, 82, 81, 80, 79, 79, 78, 77, 75, 74, 73, 72, 70, 68, 66, 64, 62, 60, 57, 55, 52, 49, 45, 41),
    38,
)
SPEEDS = {"speed_mean_mm_s": 900, "speed_least_mm_s": 300, "speed_most_mm_s": 2000}


def sensor(event_no: int, shoe: int, margin_pct: int, name: str = "a", reads: int = 400) -> Event:
    margins = {"margin_mean_pct": margin_pct, "margin_worst_pct": 0}
    return event(event_no, "sensor", shoe_no=shoe, sensor=name, reads=reads, rejects=0, spikes=0, **margins, **SPEEDS)


def health(event_no: int, heap: int = 90_000) -> Event:
    link = {"crc_errors": 0, "resends": 0, "refused": 0, "sample_overruns": 0}
    return event(event_no, "health", heap_free_bytes=heap, heap_least_bytes=heap, round_most_us=900, **link)


class Log:
    """A verifier, and the alarms of wear that its shoe has raised and cleared: shoe, name and state."""

    def __init__(self) -> None:
        self.verifier, self.next_no, self.shoe = Verifier("bac-01", BOOK, PROFILE), 1, 0
        self.alarms: list[tuple[int, str, str]] = []
        self.says: list[str] = []

    def take(self, one: Event) -> None:
        self.next_no = one.event_no + 1
        for record in self.verifier.take(one, TIME):
            if isinstance(record.message, AlarmMessage) and record.message.name.startswith("wear_"):
                self.alarms.append((self.shoe, record.message.name, record.message.state))
                self.says.append(record.message.say)

    def close_shoe(self, margin_pct: int, name: str = "a", reads: int = 400) -> None:
        self.shoe += 1
        self.take(sensor(self.next_no, self.shoe, margin_pct, name, reads))


def test_a_sensor_that_becomes_dirty_is_an_alarm_long_before_a_card_is_rejected() -> None:
    log = Log()
    for margin in DIRTYING:
        log.close_shoe(margin)
    assert [(name, state) for _, name, state in log.alarms] == [("wear_a", "raised")]
    raised_at = log.alarms[0][0]
    assert len(DIRTYING) - raised_at >= 10
    assert log.says[0].startswith("By its trend the sensor of track A rejects cards in about ")
    assert log.says[0].endswith(" shoes: clean it between two shoes.")


@pytest.mark.parametrize("after", [84, 78])
def test_cleaning_ends_the_alarm_after_two_shoes(after: int) -> None:
    log = Log()
    for margin in (*DIRTYING[:20], *[after] * 10):
        log.close_shoe(margin)
    raised, cleared = log.alarms
    assert (raised[1:], cleared) == (("wear_a", "raised"), (22, "wear_a", "cleared"))


def test_one_good_shoe_does_not_end_the_alarm() -> None:
    log = Log()
    for margin in (*DIRTYING[:18], 84, *DIRTYING[18:24]):
        log.close_shoe(margin)
    assert [state for *_, state in log.alarms] == ["raised"]


@pytest.mark.parametrize("level", [84, 93, 73, 62])
@pytest.mark.parametrize("seed", range(3))
def test_a_sensor_that_only_varies_raises_nothing_in_1000_shoes(level: int, seed: int) -> None:
    rng, log = random.Random(f"{level}-{seed}"), Log()
    for _ in range(1000):
        log.close_shoe(round(rng.gauss(level, 1.2)))
    assert log.alarms == []


def test_shoes_with_few_cards_do_not_count() -> None:
    log = Log()
    for margin in DIRTYING:
        log.close_shoe(margin, reads=49)
    assert log.alarms == []


def test_a_heap_that_becomes_smaller_is_an_alarm_and_a_restart_ends_it() -> None:
    log = Log()
    for number in range(1, 30):
        log.take(event(log.next_no, "shoe_opened", shoe_no=number, card_set=1, decks=6, burn="none"))
        log.take(health(log.next_no, 60_000 - 2000 * number if number < 20 else 90_000))
    assert [(name, state) for _, name, state in log.alarms] == [("wear_heap", "raised"), ("wear_heap", "cleared")]
    assert "restart the shoe" in log.says[0]


def test_a_worn_flash_is_an_alarm() -> None:
    log = Log()
    log.take(health(FLASH_EVENTS * 8 // 10))
    assert log.alarms == []
    log.take(health(FLASH_EVENTS * 9 // 10 + 1))
    assert log.alarms == [(0, "wear_flash", "raised")]
    assert "90% of its erases are used" in log.says[0]


def test_the_life_of_the_flash_is_that_of_the_firmware() -> None:
    readme = (Path(__file__).parents[2] / "firmware/README.md").read_text(encoding="utf-8")
    assert "| sectors of 4 KiB | 22, a ring |" in readme
    assert "111 slots of 36 bytes" in readme
    assert "100,000 cycles" in readme
    assert FLASH_EVENTS == 22 * 111 * 100_000


def test_a_book_keeps_the_newest_units_only() -> None:
    book = WearBook()
    for number in range(10):
        book.sensor(f"unit-{number}", "a", 1, 400, 80)
    assert [bool(book.outlooks(f"unit-{number}")) for number in range(10)] == [False] * 6 + [True] * 4


# Restarts


def test_a_restart_recalls_the_trend(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.greet()
    number = 1
    for shoe, margin in enumerate(DIRTYING[:14], 1):
        logged = [
            event(number, "shoe_opened", shoe_no=shoe, card_set=1, decks=6, burn="none"),
            event(number + 1, "shoe_closed", shoe_no=shoe, coups=0, reason="last_coup"),
            sensor(number + 2, shoe, margin),
            sensor(number + 3, shoe, 84, "b"),
            health(number + 4),
        ]
        number += 5
        assert ("ack", number - 1) in bench.send(*map(bench.shoe.logged, logged))
    table = bench.app._tables["bac-01"]
    before = table.verifier.wear.outlooks(UNIT)
    assert any(outlook.part == "a" and outlook.soon for outlook in before)
    within = f"rejects cards in about {before[1].shoes} shoes"
    assert table.forecast() == f"By its trend the sensor of track A {within}: clean it between two shoes."
    assert table.status()["forecast"] == table.forecast()
    bench.app.close()
    again = Bench(tmp_path).app
    recalled = again._tables["bac-01"]
    assert recalled.verifier.wear.outlooks(UNIT) == before
    assert [alarm.name for alarm in recalled.verifier.active()] == ["wear_a"]
    assert recalled.counts.sensors["a"]["margin_mean_pct"] == DIRTYING[13]
    assert before[1].shoes is not None
    assert before[1].shoes <= SOON_SHOES
    again.close()
