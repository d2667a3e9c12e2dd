"""A small day, one table for each rulebook: what ledgers hold is what the simulator knows it caused."""

from pathlib import Path

from day.__main__ import START_S, play, report
from sabot_sim.world.day import seeded_day

TABLES, IRREGULARITIES = 5, 25


def test_a_small_day(tmp_path: Path) -> None:
    """Every line agrees. `make day` plays a day of 20 tables and 200 irregularities."""
    day = seeded_day(7, TABLES, IRREGULARITIES, START_S)
    assert len(day.truth.irregularities) == IRREGULARITIES
    assert {one.rulebook for one in day.truth.irregularities} == set(day.tables.values())
    said, sections = play(day, tmp_path, "cpython")
    assert not said
    assert not any(section.differences for section in sections), report(said, sections)
    assert all(section.lines > TABLES for section in sections)
