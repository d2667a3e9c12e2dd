"""The report of a gaming day, or of any period: everything at all or some tables."""

from datetime import date
from typing import Any

from sabot_floor.gaming_day import Span
from sabot_floor.projection.reading import Alarm
from sabot_floor.reports import jackpot_meters, jackpots, play
from sabot_floor.reports.alarms import (
    DISPUTES,
    alarm_row,
    discrepancy_row,
    irregularity_row,
    is_irregularity,
    responses,
)
from sabot_floor.reports.commands import command_rows
from sabot_floor.reports.completeness import gaps
from sabot_floor.reports.contents import DayReport
from sabot_floor.reports.coup_states import coup_states
from sabot_floor.reports.heads import head
from sabot_floor.reports.incidents import incident_row, notification_rows, step_rows
from sabot_floor.reports.people import People, decision_row
from sabot_floor.reports.people_rows import DecisionRow
from sabot_floor.reports.play import Tally, coup_row, shift
from sabot_floor.reports.source import Scope, Source
from sabot_floor.store.rows import Coup

_BEFORE_S, _AFTER_S = 3600, 4 * 3600  # a request may be made before the day, and a check end after it


def day_report(source: Source, scope: Scope, day: date) -> DayReport:
    """Return the report of one gaming day."""
    return period_report(source, scope.of(scope.calendar.day(day)), day.isoformat())


def period_report(source: Source, scope: Scope, about: str) -> DayReport:
    """Return the same report of any time."""
    with source.store.snapshot():
        return build(source, scope, about)


def build(source: Source, scope: Scope, about: str) -> DayReport:
    """Return the report of a time, inside a snapshot of the caller."""
    around = _around(scope)
    people, alarms = People(source, list(source.decisions(around))), list(source.alarms(scope))
    incidents = source.incidents(scope)
    tally, earlier = Tally(people, play.void_reasons(alarms)), list[Coup]()
    for state in coup_states(source, scope, earlier):
        tally.add(state)
    shoes = play.shoe_rows(source, source.shoe_changes(scope), tally.by_shoe)
    alarm_rows = [alarm_row(one) for one in alarms]
    sections: dict[str, Any] = {
        "gaps": gaps(source, scope.span),
        "played": play.played_rows(shoes, tally, scope.span, scope.made),
        "shoes": shoes,
        "coups": tally.count_rows(),
        "corrected": [coup_row(one, role=people.role(one)) for one in earlier],
        "irregularities": [irregularity_row(source, one, incidents) for one in alarms if is_irregularity(one)],
        "voids": tally.voids,
        "discrepancies": [discrepancy_row(source, one, people) for one in alarms if one.raised.name in DISPUTES],
        "unwagered": tally.unwagered,
        "deck_checks": _deck_checks(source, scope, around, people),
        "keyed_cards": play.keyed_card_rows(people, source.cards(scope)),
        "responses": responses(alarm_rows),
        "alarms": alarm_rows,
        "decisions": decision_rows(source, scope, people),
        "incidents": [incident_row(one, scope.made) for one in incidents],
        "steps": list(step_rows(incidents, scope.made)),
        "notifications": list(notification_rows(source.store, incidents, scope.made)),
        "wins": list(jackpots.wins(source, scope)),
        "jackpot_acts": list(jackpots.acts(source, scope)),
        "jackpot_faults": list(jackpots.faults(source, scope)),
        "increments": jackpots.increments(source, scope),
        "not_counted": list(jackpot_meters.not_counted(source, scope)),
        "meters": list(jackpot_meters.meters(source, scope)),
    }
    return DayReport(head=head(source, scope, "day", about, sections), **sections)


def decision_rows(source: Source, scope: Scope, people: People) -> list[DecisionRow]:
    """Return the requests of a time, at the gateways and at the floor, in its order."""
    rows = [decision_row(one) for one in people.between(*scope.span)]
    return sorted([*rows, *command_rows(source, scope, people.all())], key=lambda row: row.time)


def _around(scope: Scope) -> Scope:
    """Return the scope with the requests before and after that belong to it."""
    return scope.of(Span(shift(scope.span.begin, -_BEFORE_S), shift(scope.span.end, _AFTER_S)))


def _deck_checks(source: Source, scope: Scope, around: Scope, people: People) -> list[Any]:
    if not people.all_of("deck-check"):
        return []
    differences: list[Alarm] = [one for one in source.alarms(around) if one.raised.name == "decks_differ"]
    rows = play.deck_check_rows(people, differences, list(source.cards(around)))
    return [row for row in rows if scope.span.holds(row.time)]
