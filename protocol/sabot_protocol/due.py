"""Due: when a notification or report is due, in words; documents, reports and `sabot table T open` share them."""

from collections.abc import Sequence
from functools import cache

from sabot_protocol import rulebooks
from sabot_protocol.rulebooks.people import Report

_WORDS = {
    "before": "before it is done",
    "daily": "in the daily report",
    "month_end": "at the end of the month",
    "soon": "as soon as possible",
    "reasonable_time": "within a reasonable time",
    "before_next_coup": "before the next coup",
    "before_collection": "before wagers are collected",
    "end_of_shoe": "at the end of the shoe",
    "approval": "before, and approval is needed",
    "kept": "retained",
}


def due_text(report: Report) -> str:
    """Return when a report of a rulebook is due, in words."""
    text = _words(report.due, f"{report.coups} coups" if report.coups else _duration(report.minutes))
    return text + (f", above ${report.over_cents // 100:,}" if report.over_cents else "")


def step_due(due: str, clause: str, to: Sequence[str]) -> str:
    """Return when a step is due, in words; empty if it has no limit. Clause and parties show which report it is."""
    return _step_due(due, clause, tuple(to))


@cache
def _step_due(due: str, clause: str, to: tuple[str, ...]) -> str:
    limits = {
        f"{report.coups} coups" if report.coups else _duration(report.minutes)
        for book in rulebooks.ids()
        for report in rulebooks.load(book).authority.report.values()
        if (report.due, report.clause) == (due, clause) and set(to) <= set(report.to)
    }
    return _words(due, limits.pop() if len(limits) == 1 else "")


def _words(due: str, limit: str) -> str:
    if due == "ahead":
        return f"at least {limit} before" if limit else "some time before"
    if due == "within":
        return f"within {limit}" if limit else "within its time"
    return _WORDS.get(due, due.replace("_", " "))


def _duration(minutes: int) -> str:
    return f"{minutes // 60} hours" if minutes >= 60 else f"{minutes} minutes"
