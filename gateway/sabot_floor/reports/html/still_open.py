"""Still open: what people have yet to decide, do or answer, counted at the head of a report."""

from collections.abc import Callable
from typing import Any

from sabot_floor.reports.contents import Report, filled
from sabot_floor.reports.people_rows import AlarmRow, DecisionRow, IncidentRow, NotificationRow, PaymentRow, StepRow
from sabot_floor.reports.rows import CoupRow, DiscrepancyRow, Row

_OPEN: dict[type[Row], tuple[str, Callable[[Any], bool]]] = {
    CoupRow: ("disputed coups", lambda row: row.status == "disputed" and not row.corrected_by),
    DiscrepancyRow: ("discrepancies not decided", lambda row: not row.verdict),
    IncidentRow: ("incidents", lambda row: row.state == "open"),
    StepRow: ("steps", lambda row: row.state in ("open", "late")),
    NotificationRow: ("notifications", lambda row: row.state in ("open", "late")),
    PaymentRow: ("payments", lambda row: row.state == "open"),
    AlarmRow: ("alarms not cleared", lambda row: row.state != "cleared"),
    DecisionRow: ("requests without an answer", lambda row: row.ok is None),
}


def still_open(report: Report) -> str:
    """Return a sentence about what is open, or an empty text; the same row in two sections counts once."""
    found: dict[type[Row], set[Any]] = {}
    for section, rows in filled(report):
        if section.row in _OPEN:
            found.setdefault(section.row, set()).update(_key(row) for row in rows if _OPEN[section.row][1](row))
    parts = [_part(_OPEN[row][0], keys) for row, keys in found.items() if keys]
    return f"Still open: {', '.join(parts)}." if parts else ""


def _key(row: Any) -> tuple[str, str, bool]:
    """Return what makes a row one, and whether it is late."""
    ids = (getattr(row, name, "") for name in ("incident", "alarm", "coup_id", "attempt"))
    return next(filter(None, ids), ""), getattr(row, "name", ""), getattr(row, "state", "") == "late"


def _part(name: str, keys: set[Any]) -> str:
    late = sum(is_late for *_, is_late in keys)
    return f"{name} {len(keys)}{f' ({late} late)' if late else ''}"
