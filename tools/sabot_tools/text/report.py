"""A report as text for a terminal: its head, and each section as a table."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from sabot_floor.gaming_day import Calendar
from sabot_floor.reports.contents import Head, Report, Section, filled
from sabot_floor.reports.rows import Row
from sabot_floor.reports.wording import facts_text, typed
from sabot_protocol.due import step_due
from sabot_protocol.inputs.plain_text import printable
from sabot_protocol.jackpots.currency import written

# Ids are for programs: JSON and CSV have them.
_IDS: Final = frozenset(
    ("alarm", "attempt", "coup_id", "corrects", "corrected_by", "incident", "unit", "user", "win", "currency")
)
# At the end of a line; cut, as JSON and CSV have the whole text.
_LONG: Final = ("followed", "reason", "note", "shoe_says", "cards_say", "args", "facts", "say")
_MOST_LONG = 90
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


_WORDS: Final[dict[str, Callable[[Any], str]]] = {
    "args": lambda row: facts_text(row.args),
    "facts": lambda row: facts_text(row.facts),
    "verb": lambda row: typed(row.verb),
    "due": lambda row: step_due(row.due, row.clause, row.to),
}


def lines(report: Report, only: str = "") -> Iterator[str]:
    """Yield the lines of a report, or of one section."""
    calendar = Calendar(report.head.gaming_day, report.head.time_zone)
    yield from _head(report.head, calendar)
    empty = []
    for section, rows in filled(report):
        if only not in ("", section.name):
            continue
        if rows:
            yield ""
            yield f"{section.title} ({len(rows)})"
            yield from table(section, rows, calendar)
        else:
            empty.append(section.title)
    if empty and not report.head.empty:
        yield ""
        yield f"Nothing under: {'; '.join(empty)}."


def _head(head: Head, calendar: Calendar) -> Iterator[str]:
    site = f" at {head.site}" if head.site else ""
    tables = f", {'table' if len(head.tables) == 1 else 'tables'} {', '.join(head.tables)}" if head.tables else ""
    kind = "days" if head.report == "day" and " to " in head.about else head.report
    yield printable(f"Report of {kind} {head.about}{site}{tables}")
    yield f"from {calendar.local(head.begin)} to {calendar.local(head.end)}, {head.time_zone}"
    for warning in head.warnings:
        yield printable(f"! {warning}")


def table(section: Section, rows: Sequence[Row], calendar: Calendar) -> Iterator[str]:
    """Yield the rows as lines of equal columns; columns without any value are left out."""
    columns = [name for name in section.columns if name not in _IDS and name not in _LONG]
    columns += [name for name in _LONG if name in section.columns]
    cells = {name: [_cut(_text(row, name, calendar), name) for row in rows] for name in columns}
    shown = [name for name in columns if any(cells[name])]
    widths = {name: max(len(_header(name)), *map(len, cells[name])) for name in shown}
    for texts in ([_header(name) for name in shown], *zip(*(cells[name] for name in shown), strict=True)):
        line = "  ".join(f"{text:{widths[name]}}" for name, text in zip(shown, texts, strict=True))
        yield f"  {line.rstrip()}"


def _cut(text: str, name: str) -> str:
    return f"{text[: _MOST_LONG - 1]}…" if name in _LONG and len(text) > _MOST_LONG else text


def _header(name: str) -> str:
    return name.removesuffix("_s").replace("_", " ")


def _text(row: Row, name: str, calendar: Calendar) -> str:
    value = getattr(row, name)
    if value is None:
        return ""
    if name in _WORDS:
        return printable(_WORDS[name](row))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return printable(" ".join(value) if all(len(text) == 2 for text in value) else "; ".join(value))
    if name == "amount":
        return written(value, getattr(row, "currency", "")).strip()
    if isinstance(value, str) and _TIME.fullmatch(value):
        return calendar.local(value)
    return _duration(value) if name.endswith("_s") else printable(str(value))


def _duration(value: float) -> str:
    """Return seconds as people write them: 12.5 s, 3:05 min, 1:02:03 h."""
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} h" if hours else f"{minutes}:{rest:02} min"
