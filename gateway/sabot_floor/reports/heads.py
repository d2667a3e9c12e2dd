"""Heads of reports: what each is about, its warnings, and sections that are too long cut to their bound."""

from collections.abc import Iterator
from typing import Any

from sabot_protocol.inputs.plain_text import counted

from sabot_floor.reports.completeness import doubts, gap_warning
from sabot_floor.reports.contents import Head, Kind
from sabot_floor.reports.source import Scope, Source

_MOST_WARNINGS = 20
_MOST_TABLES = 20  # in a warning
_NOT_DATA = ("gaps", "responses", "meters")  # sections that alone do not make a report


def head(
    source: Source,
    scope: Scope,
    report: Kind,
    about: str,
    sections: dict[str, list[Any]],
    *,
    empty: bool | None = None,
) -> Head:
    """Return the head of a report; sections beyond the bound are cut, with a warning. `empty`: found by the caller."""
    warnings = _unknown_tables(source, scope)
    warnings += [gap_warning(gap) for gap in sections["gaps"]][:_MOST_WARNINGS]
    if len(sections["gaps"]) > _MOST_WARNINGS:
        more = counted(len(sections["gaps"]) - _MOST_WARNINGS, "more gap")
        warnings.append(f"The section gaps has {more}.")
    doubtful = doubts(source, scope.span)
    warnings += doubtful
    warnings += _set_back(source, scope)
    warnings += _cut(sections, scope.most_rows)
    begin, end = scope.span
    uncovered = _uncovered(source, scope) if report in ("day", "month") else []
    warnings += uncovered
    if begin <= scope.made < end and report in ("day", "month"):
        warnings.append("This period is not over: the report holds what has come so far.")
    if empty is None:
        empty = not any(_is_data(name, row, scope) for name, rows in sections.items() for row in rows)
    if empty:
        warnings.append(_empty(source))
    return Head(
        report=report,
        about=about,
        site=scope.site,
        begin=begin,
        end=end,
        gaming_day=scope.calendar.hour,
        time_zone=scope.calendar.zone,
        tables=list(scope.tables),
        made=scope.made,
        empty=empty,
        complete=not sections["gaps"] and not uncovered and not doubtful,
        warnings=warnings,
    )


def _is_data(name: str, row: Any, scope: Scope) -> bool:
    """Return True unless a row alone does not make a report; an act on a jackpot may be about no table."""
    return name not in _NOT_DATA and not (name == "jackpot_acts" and scope.tables and not row.table)


def _unknown_tables(source: Source, scope: Scope) -> list[str]:
    """Return a warning if a table is asked for of which the store has nothing."""
    known = source.tables() if scope.tables else []
    unknown = [table for table in scope.tables if table not in known]
    if not unknown:
        return []
    word = "table" if len(unknown) == 1 else "tables"
    listed = ", ".join(known[:_MOST_TABLES]) + (", …" if len(known) > _MOST_TABLES else "")
    return [f"The store has nothing of {word} {', '.join(unknown)}; it has {listed or 'no table'}."]


def _uncovered(source: Source, scope: Scope) -> list[str]:
    """Return a warning if gaming days of the time are over before the store's first entry."""
    first, day_of = source.first_time(), scope.calendar.day_of
    if not first or day_of(scope.span.begin) >= day_of(first):
        return []
    return [f"The store has nothing before {scope.calendar.local(first)}: what came before is not covered."]


def _set_back(source: Source, scope: Scope) -> Iterator[str]:
    """Yield a warning if the clock of the floor service was set within the time."""
    logs = source.out_of_order(scope.span)
    if logs:
        yield (
            f"The floor service's clock was ahead or was set back: entries of {', '.join(logs)} do not have rising "
            "times. Each is in the report of its time, which may not be the day on which it happened; meters at the "
            "begin and the end have every entry that came before: compare with the reports of the days beside it."
        )


def _cut(sections: dict[str, list[Any]], most: int) -> Iterator[str]:
    for name, rows in sections.items():
        more = len(rows) - most
        if more > 0:
            del rows[most:]
            yield (
                f"Section {name} has {counted(more, 'more row')} that this report leaves out: give a shorter period "
                "with --from and --to, or one table with --table."
            )


def _empty(source: Source) -> str:
    newest = source.newest_time()
    if not newest:
        return (
            "There is no data: this store has no coup at all. Fill it with `sabot floor run`, or with `sabot floor "
            "rebuild --ledger FILE`."
        )
    return f"There is no data: the newest coup of this store is of {newest}. Check the date, the tables and the store."
