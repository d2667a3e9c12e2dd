"""Judge: compares the truth of a day, section by section, with what ledgers hold; every difference is a sentence."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from sabot_sim.world.truth import Truth

from day import known, ledgers
from day.compare import differences

_SECTIONS = {
    "shoes": ("table", "shoe"),
    "coups": ("table", "shoe", "coup"),
    "alarms": ("table", "raised", "name"),
    "decisions": ("table", "time", "verb"),
}


class Section(NamedTuple):
    """A section: how many lines the truth has, and what differs."""

    name: str
    lines: int
    differences: list[str]


def of_ledgers(truth: Truth, paths: Iterable[Path]) -> list[Section]:
    """Compare with the entries of all ledgers."""
    stored, found = ledgers.entries(paths), []
    for name, keys in _SECTIONS.items():
        lines = getattr(known, name)(truth)
        differ = differences(f"ledger: {name}", keys, lines, getattr(ledgers, name)(stored))
        found.append(Section(f"ledger: {name}", len(lines), differ))
    return found
