"""A small day, one table for each rulebook: ledgers and reports have what the simulator knows it caused."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from shutil import rmtree

import pytest
from day.__main__ import START_S, Played, compare, fast_directory, play, report
from sabot_sim.world.day import Day, seeded_day
from sabot_sim.world.truth import Truth

SEED, TABLES, IRREGULARITIES = 648, 5, 25


@pytest.fixture(scope="module")
def day() -> Day:
    """A day with disputes, a wrong payment, a surplus card, a void coup and one without wagers."""
    return seeded_day(SEED, TABLES, IRREGULARITIES, START_S)


@pytest.fixture(scope="module")
def played(day: Day) -> Iterator[Played]:
    """`make day` plays a day of 20 tables and 200 irregularities."""
    work_dir = fast_directory()
    yield play(day, work_dir, "cpython")
    rmtree(work_dir)


def test_every_line_agrees(day: Day, played: Played) -> None:
    """What the fixture of the day promises is in it."""
    truth = day.truth
    assert len(truth.irregularities) == IRREGULARITIES
    assert {one.rulebook for one in truth.irregularities} == set(day.tables.values())
    assert truth.disputes
    assert truth.keyed
    assert any(one.status == "void" for one in truth.coups)
    sections = compare(truth, played)
    assert not played.said
    assert not any(section.differences for section in sections), report(played.said, sections)
    assert sum(section.lines for section in sections) > 800


def _change_winner(truth: Truth) -> None:
    truth.coups[5].winner = "tie" if truth.coups[5].winner != "tie" else "player"


def _change_person(truth: Truth) -> None:
    (one, *_) = (one for one in truth.coups if one.status == "void")
    one.by = "Nobody"


CHANGES: dict[str, Callable[[Truth], object]] = {
    "coups": _change_winner,
    "voids": _change_person,
    "shoes": lambda truth: truth.shoes.pop(),
    "alarms": lambda truth: truth.alarms.pop(),
    "decisions": lambda truth: truth.decisions.pop(3),
    "discrepancies": lambda truth: truth.disputes.pop(),
    "keyed_cards": lambda truth: truth.keyed.pop(),
    "deck_checks": lambda truth: truth.checks.pop(),
    "incidents": lambda truth: truth.incidents.pop(),
    "other reports": lambda truth: truth.payments.pop(),
    "steps": lambda truth: truth.incidents[0].do(truth.incidents[0].steps[0].name, START_S),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_line_that_is_not_so_is_found(day: Day, played: Played, name: str) -> None:
    """The other way round: the truth is changed, and the report is not."""
    other = deepcopy(day.truth)
    CHANGES[name](other)
    assert any(section.differences for section in compare(other, played) if section.name.split(": ")[-1] == name)
