"""The report of a month: the sums of its gaming days, and the monthly registers."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from sabot_floor.gaming_day import month_days
from sabot_floor.reports import jackpot_meters, jackpots
from sabot_floor.reports.alarms import responses
from sabot_floor.reports.completeness import gaps
from sabot_floor.reports.contents import DayReport, MonthReport
from sabot_floor.reports.coup_states import UNWAGERED
from sabot_floor.reports.day import build
from sabot_floor.reports.heads import head
from sabot_floor.reports.incidents import notification_rows
from sabot_floor.reports.payments import misdelivery_rows, payment_rows
from sabot_floor.reports.people_rows import AlarmRow, PaymentRow
from sabot_floor.reports.rows import CoupCountRow, DaySumRow
from sabot_floor.reports.source import Scope, Source


def month_report(source: Source, scope: Scope, year: int, month: int) -> MonthReport:
    """Return the report of the gaming days of a month."""
    days = month_days(year, month)
    with source.store.snapshot():
        return _report(source, scope.of(scope.calendar.days(days[0], days[-1])), year, month)


def _report(source: Source, scope: Scope, year: int, month: int) -> MonthReport:
    sums, counts, alarms = list[DaySumRow](), Counter[tuple[str, str, str]](), list[AlarmRow]()
    for day in month_days(year, month):
        report = build(source, scope.of(scope.calendar.day(day)), day.isoformat())
        sums.append(_sums(report))
        alarms += report.alarms
        for row in report.coups:
            counts[row.table, row.kind, row.status] += row.coups
    incidents = source.incidents(scope)
    opened = [one for one in incidents if one.opened >= scope.span.begin]
    payments = list(payment_rows(incidents))
    sections: dict[str, Any] = {
        "gaps": gaps(source, scope.span),
        "days": [row for row in sums if scope.calendar.day_of(scope.made).isoformat() >= row.day],
        "coups": list(_count_rows(counts)),
        "responses": responses(alarms),
        "payments": payments,
        "large_payments": [row for row in payments if row.to_nicc and _is_due(row, scope.span.begin)],
        "misdeliveries": list(misdelivery_rows(opened)),
        "notifications": list(notification_rows(source.store, incidents, scope.made)),
        "wins": list(jackpots.wins(source, scope)),
        "jackpot_acts": list(jackpots.acts(source, scope)),
        "jackpot_faults": list(jackpots.faults(source, scope)),
        "increments": jackpots.increments(source, scope),
        "not_counted": list(jackpot_meters.not_counted(source, scope)),
        "meters": list(jackpot_meters.meters(source, scope)),
    }
    about = f"{year:04}-{month:02}"
    return MonthReport(head=head(source, scope, "month", about, sections, empty=not _has_data(sums)), **sections)


def _is_due(row: PaymentRow, begin: str) -> bool:
    """Return True for a case of this month, and for an earlier one of which the NICC was never notified."""
    return row.opened >= begin or not row.notified


def _has_data(sums: Iterable[DaySumRow]) -> bool:
    return any(row.shoes or row.coups or row.alarms or row.decisions or row.incidents or row.wins for row in sums)


def _count_rows(counts: Counter[tuple[str, str, str]]) -> Iterable[CoupCountRow]:
    for (table, kind, status), coups in sorted(counts.items()):
        fields: dict[str, Any] = {"kind": kind, "status": status}
        yield CoupCountRow(table=table, coups=coups, **fields)


def _sums(report: DayReport) -> DaySumRow:
    span = report.head.begin, report.head.end
    return DaySumRow(
        day=report.head.about,
        shoes=sum(span[0] <= row.opened < span[1] for row in report.shoes),
        coups=sum(row.coups for row in report.coups),
        live=sum(row.coups for row in report.coups if row.kind == "live" and row.status != "void"),
        unwagered=sum(row.coups for row in report.coups if row.kind in UNWAGERED and row.status != "void"),
        voids=len(report.voids),
        irregularities=len(report.irregularities),
        discrepancies=len(report.discrepancies),
        deck_checks=sum(row.result != "refused" for row in report.deck_checks),
        keyed_cards=len(report.keyed_cards),
        alarms=len(report.alarms),
        decisions=len(report.decisions),
        refused=sum(row.ok is False for row in report.decisions),
        incidents=sum(span[0] <= row.opened < span[1] for row in report.incidents),
        notifications=sum(span[0] <= row.opened < span[1] for row in report.notifications),
        late=sum(row.state.endswith("late") and span[0] <= row.opened < span[1] for row in report.notifications),
        wins=len(report.wins),
        open_s=round(sum(row.open_s for row in report.played), 3),
        complete=report.head.complete,
    )
