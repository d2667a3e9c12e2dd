"""Reports in which every text and every number is different, so that a test can look for each of them."""

from collections.abc import Iterator
from itertools import count
from typing import Any, Literal, get_args, get_origin, get_type_hints

from sabot_floor.reports.contents import REPORTS, Head, Kind, Report, sections
from sabot_floor.reports.rows import Row


def head(kind: Kind = "day", **changed: Any) -> Head:
    """Return the head of a report that is complete."""
    values: dict[str, Any] = {
        "report": kind,
        "about": "2026-11-17",
        "site": "sydney",
        "begin": "2026-11-16T19:00:00.000Z",
        "end": "2026-11-17T19:00:00.000Z",
        "gaming_day": "06:00",
        "time_zone": "Australia/Sydney",
        "tables": [],
        "made": "2026-11-17T21:04:11.000Z",
        "empty": False,
        "complete": True,
        "warnings": [],
    }
    return Head(**values | changed)


def report(kind: Kind, **filled: Any) -> Report:
    """Return a report with the sections that are given; the others are empty."""
    empty: dict[str, Any] = {section.name: [] for section in sections(REPORTS[kind])}
    return REPORTS[kind](**{"head": head(kind)} | empty | filled)


def row(kind: type[Row], numbers: Iterator[int], around: str = "{}") -> Row:
    """Return a row with a value of its own in each field; `around` is written around each text."""
    hints = get_type_hints(kind)
    return kind(**{name: _value(name, hint, numbers, around) for name, hint in hints.items()})


def full(kind: Kind, rows: int = 2, around: str = "{}") -> Report:
    """Return a report with some rows in each section."""
    numbers = count(101)
    filled = {
        section.name: [row(section.row, numbers, around) for _ in range(rows)] for section in sections(REPORTS[kind])
    }
    return report(kind, **filled)


def _value(name: str, hint: Any, numbers: Iterator[int], around: str) -> Any:
    options = [part for part in get_args(hint) if part is not type(None)]
    if get_origin(hint) is Literal:
        return options[0]
    if get_origin(hint) is list:
        return [_text(name, numbers, around), _text(name, numbers, around)]
    if options:
        return _value(name, options[0], numbers, around)
    if hint is str:
        return _text(name, numbers, around)
    return True if hint is bool else next(numbers)


def _text(name: str, numbers: Iterator[int], around: str) -> str:
    return around.format(f"{name.replace('_', ' ')} {next(numbers)}")
