"""Completeness: entries of the ledgers that are not in the store, and the warning that a report then carries."""

from collections.abc import Iterator
from itertools import pairwise

from sabot_protocol.inputs.plain_text import counted

from sabot_floor.gaming_day import Span
from sabot_floor.reports.rows import GapRow
from sabot_floor.reports.source import Source
from sabot_floor.store.rows import Contradiction

_MOST_DOUBTS = 20


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


def doubts(source: Source, span: Span) -> list[str]:
    """Return what may be false of this time: entries with two messages, and entries behind the end of their ledger."""
    found = [
        one for one in source.contradictions() if _may_be_of(_gap(source, one.gateway, one.entry, one.entry), span)
    ]
    said = [_contradiction_warning(one) for one in found[:_MOST_DOUBTS]]
    if len(found) > _MOST_DOUBTS:
        said.append(f"{counted(len(found) - _MOST_DOUBTS, 'more entry has', 'more entries have')} two messages.")
    return [*said, *(_beyond_warning(*one) for one in source.beyond(span.begin))]


def _contradiction_warning(one: Contradiction) -> str:
    return (
        f"For entry {one.entry} of gateway {one.gateway} two different messages came: {one.kept} is in this report, "
        f"{one.other} is not, so it may be wrong. Let the ledger decide: sabot floor rebuild --ledger FILE"
    )


def _beyond_warning(gateway: str, head: int, entry: int) -> str:
    return (
        f"Of gateway {gateway} entries up to {entry} are in the store, but a later head of its ledger ends with entry "
        f"{head}: what is behind it may be forged. Compare it with its ledger: sabot floor rebuild --ledger FILE"
    )


def gap_warning(gap: GapRow) -> str:
    """Return what is missing and the next step, as one sentence each."""
    which = f"entry {gap.first} is" if gap.first == gap.last else f"entries {gap.first} to {gap.last} are"
    return (
        f"Of gateway {gap.gateway} {which} not in the store, so this report may be incomplete. Bring them in from its "
        "ledger: sabot floor rebuild --ledger FILE"
    )
