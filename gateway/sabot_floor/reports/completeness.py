"""Completeness: entries of the ledgers that are not in the store, and the warning that a report then carries."""

from collections.abc import Iterator
from itertools import pairwise

from sabot_floor.reports.gaming_day import Span
from sabot_floor.reports.rows import GapRow
from sabot_floor.reports.source import Source


def gaps(source: Source, span: Span) -> list[GapRow]:
    """Return what is missing and may be of this time."""
    return [gap for gap in _all(source) if _may_be_of(gap, span)]


def gaps_since(source: Source, table: str, begin: str) -> list[GapRow]:
    """Return what is missing since a time and may be about a table: what is decided about a coup may come late.

    An empty table means all tables.
    """
    found = [gap for gap in _all(source) if not gap.before or gap.before >= begin]
    if not table:
        return found
    return [gap for gap in found if table in (tables := source.tables_of(gap.gateway)) or not tables]


def _all(source: Source) -> Iterator[GapRow]:
    for gateway, intervals in source.covered().items():
        ends = [(0, 0), *intervals]
        for (_, last), (after, _) in pairwise(ends):
            if after > last:
                yield _gap(source, gateway, last + 1, after)


def _gap(source: Source, gateway: str, first: int, last: int) -> GapRow:
    return GapRow(
        gateway=gateway,
        first=first,
        last=last,
        after=source.time_beside(gateway, first - 1, before=True),
        before=source.time_beside(gateway, last, before=False),
    )


def _may_be_of(gap: GapRow, span: Span) -> bool:
    """Return True unless both entries beside a gap are on the same side of the time."""
    begins_before_end = not gap.after or gap.after < span.end
    ends_after_begin = not gap.before or gap.before >= span.begin
    return begins_before_end and ends_after_begin


def gap_warning(gap: GapRow) -> str:
    """Return what is missing and the next step, as one sentence each."""
    which = f"entry {gap.first} is" if gap.first == gap.last else f"entries {gap.first} to {gap.last} are"
    return (
        f"Of gateway {gap.gateway} {which} not in the store, so this report may be incomplete. Bring them in from its "
        "ledger: sabot floor rebuild --ledger FILE"
    )
