"""Jackpot meters: what they were at both ends of a time, and the contributions that are not on them."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal

from sabot_floor.jackpots.batch import log_name
from sabot_floor.jackpots.engine import Logged
from sabot_floor.jackpots.engine.entries import Increment, Proposed
from sabot_floor.reports.jackpots import PUBLISHED, currency_of, decoded, increments, jackpot_ids
from sabot_floor.reports.rows import MeterRow, NotCountedRow
from sabot_floor.reports.source import Scope, Source

_NOT_IN_THE_LOG = (
    "sent by the gateway, but not in the jackpot's log of this time: refused, lost, or under way at one end of it"
)
_Totals = Counter[tuple[str, str, str]]  # by jackpot, gateway and table


def meters(source: Source, scope: Scope) -> Iterator[MeterRow]:
    """Yield the meters of each jackpot at the begin and at the end of the time."""
    for jackpot in jackpot_ids(source):
        yield from _meter_row(source, jackpot, "begin", scope.span.begin)
        yield from _meter_row(source, jackpot, "end", scope.span.end)


def _meter_row(source: Source, jackpot: str, at: Literal["begin", "end"], time: str) -> Iterator[MeterRow]:
    entry = source.logged_before(log_name(jackpot), time, PUBLISHED)
    logged = decoded(entry, Logged) if entry else None
    if entry is not None and logged is not None:
        found = logged.meters
        yield MeterRow(
            jackpot=jackpot,
            at=at,
            time=entry.time,
            currency=currency_of(source, jackpot),
            base=found.base,
            came_in=found.in_,
            display=found.display,
            hits=found.hits,
            wins=found.wins,
            overflow=found.overflow,
            reserve=found.reserve,
        )


def not_counted(source: Source, scope: Scope) -> Iterator[NotCountedRow]:
    """Yield what was missed or not counted; the contributions less these are what came in by contributions."""
    logged, amounts = _Totals(), _Totals()
    for jackpot in jackpot_ids(source):
        currency = currency_of(source, jackpot)
        for entry in source.logged(log_name(jackpot), scope.span, ("increment", "proposed")):
            found = decoded(entry, Logged)
            if found is not None:
                yield from _of_entry(jackpot, currency, entry.time, found, scope, logged, amounts)
    yield from _not_in_the_logs(source, scope, logged, amounts)


def _of_entry(
    jackpot: str, currency: str, time: str, found: Logged, scope: Scope, logged: _Totals, amounts: _Totals
) -> Iterator[NotCountedRow]:
    """Add an increment to the totals; yield it if it is not on the meter, or a coup that has none."""
    entry = found.entry
    of_jackpot: dict[str, Any] = {"jackpot": jackpot, "time": time, "currency": currency}
    if isinstance(entry, Proposed) and scope.has(entry.table):
        where: dict[str, Any] = {"gateway": "", "table": entry.table, "shoe": entry.shoe, "coup": entry.coup}
        yield NotCountedRow(**of_jackpot, **where, count=0, amount=None, reason=entry.reason)
    if not isinstance(entry, Increment) or not scope.has(entry.message.table):
        return
    one = entry.message
    logged[jackpot, one.gateway, one.table] += 1
    amounts[jackpot, one.gateway, one.table] += one.amount
    if found.not_counted:
        where = {"gateway": one.gateway, "table": one.table, "shoe": one.shoe, "coup": one.coup}
        yield NotCountedRow(**of_jackpot, **where, count=1, amount=one.amount, reason=found.not_counted)


def _not_in_the_logs(source: Source, scope: Scope, logged: _Totals, amounts: _Totals) -> Iterator[NotCountedRow]:
    """Yield by how much the totals of the gateways differ from what the jackpots' logs have of them."""
    sent = {(row.jackpot, row.gateway, row.table): row for row in increments(source, scope)}
    for key in sorted({*sent, *logged}):
        row = sent.get(key)
        count = (row.count if row else 0) - logged[key]
        amount = (row.amount if row else 0) - amounts[key]
        if count or amount:
            jackpot, gateway, table = key
            yield NotCountedRow(
                jackpot=jackpot,
                time="",
                gateway=gateway,
                table=table,
                shoe=0,
                coup=0,
                count=count,
                amount=amount,
                currency=row.currency if row else currency_of(source, jackpot),
                reason=_NOT_IN_THE_LOG,
            )
