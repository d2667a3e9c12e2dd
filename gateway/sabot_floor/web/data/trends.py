"""Trends: what each sensor of a table saw over its last shoes, in columns as the page draws them."""

from collections.abc import Sequence

import msgspec
from sabot_protocol.sensors import LEAST_MARGIN_PCT, LEAST_READS, needs_cleaning

from sabot_floor.projection.reading import Reading
from sabot_floor.store.rows import Health

MOST_SHOES = 60
SENSORS = ("entry", "a", "b", "exit")


class Sensor(msgspec.Struct, frozen=True):
    """One sensor: a value of each column for each shoe, the oldest first."""

    sensor: str
    clean: bool  # its newest shoe is below the limit
    shoe: list[int]
    unit: list[str]
    time: list[str]
    reads: list[int]
    rejects: list[int]
    spikes: list[int]
    margin_mean_pct: list[int]
    margin_worst_pct: list[int]
    speed_mean_mm_s: list[int]
    speed_least_mm_s: list[int]
    speed_most_mm_s: list[int]


class Trends(msgspec.Struct, frozen=True):
    """The sensors of a table, and the limit at which one is to be cleaned."""

    table: str
    least_margin_pct: int
    least_reads: int
    sensors: list[Sensor]


_COLUMNS = tuple(name for name in Sensor.__struct_fields__ if name not in ("sensor", "clean"))


def read(reading: Reading, table: str) -> Trends:
    """Return the trends of a table as the projection has them."""
    return trends(table, reading.health(table, MOST_SHOES * len(SENSORS)))


def trends(table: str, rows: Sequence[Health]) -> Trends:
    """Return the sensors that have rows, in the order in which a card passes them."""
    by_sensor = {name: [row for row in rows if row.sensor == name] for name in SENSORS}
    found = [_sensor(name, some) for name, some in by_sensor.items() if some]
    return Trends(table, LEAST_MARGIN_PCT, LEAST_READS, found)


def _sensor(name: str, rows: list[Health]) -> Sensor:
    columns = {column: [getattr(row, column) for row in rows] for column in _COLUMNS}
    return Sensor(name, needs_cleaning(rows[-1].reads, rows[-1].margin_mean_pct), **columns)
