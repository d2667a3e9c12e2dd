"""The report of a person: what he or she did, approved, asked for and was refused in a period."""

from typing import Any

from sabot_floor.reports import jackpots
from sabot_floor.reports.alarms import alarm_row
from sabot_floor.reports.completeness import gaps
from sabot_floor.reports.contents import PersonReport
from sabot_floor.reports.day import decision_rows
from sabot_floor.reports.heads import head
from sabot_floor.reports.incidents import incident_row, step_rows
from sabot_floor.reports.people import People
from sabot_floor.reports.play import coup_row
from sabot_floor.reports.site_people import name_of, unknown_person
from sabot_floor.reports.source import NotFoundError, Scope, Source, same_name


def person_report(source: Source, scope: Scope, name: str) -> PersonReport:
    """Return the report of a person by name or id; letters may be large or small. NotFoundError if nobody has it."""
    with source.store.snapshot():
        report = _report(source, scope, name_of(source, name))
        unknown = unknown_person(source, name) if report.head.empty else ""
    if unknown:
        raise NotFoundError(unknown)
    return report


def _report(source: Source, scope: Scope, name: str) -> PersonReport:
    spellings, incidents = source.spellings(name), source.incidents(scope)
    people = People(source, list(source.decisions(scope)))
    rows = [row for row in decision_rows(source, scope, people) if _is(name, row.by, row.asks)]
    sections: dict[str, Any] = {
        "gaps": gaps(source, scope.span),
        "decisions": [row for row in rows if row.ok is not False],
        "refused": [row for row in rows if row.ok is False],
        "coups": [coup_row(one, role=people.role(one)) for one in source.coups_by(spellings, scope)],
        "alarms": [alarm_row(one) for one in source.alarms_by(spellings, scope)],
        "incidents": [incident_row(one, scope.made) for one in incidents if _is(name, one.by)],
        "steps": [row for row in step_rows(incidents, scope.made) if _is(name, row.by) and scope.span.holds(row.done)],
        "wins": [row for row in jackpots.wins(source, scope) if _is(name, row.by)],
        "jackpot_acts": [row for row in jackpots.acts(source, scope) if _is(name, *row.by)],
    }
    return PersonReport(head=head(source, scope, "person", name, sections), **sections)


def _is(name: str, *names: str) -> bool:
    return any(same_name(name, one) for one in names)
