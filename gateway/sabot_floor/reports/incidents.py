"""Incidents: rows of incidents, their steps, notifications, and the case files of payments."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Literal

import msgspec
from sabot_protocol import rulebooks
from sabot_protocol.inputs.plain_text import counted
from sabot_protocol.topics import Step

from sabot_floor.notify.history import sent_about
from sabot_floor.reports.people_rows import IncidentRow, NotificationRow, StepRow
from sabot_floor.store import Store
from sabot_floor.store.rows import Incident

StepState = Literal["open", "late", "done", "done late"]
_steps = msgspec.json.Decoder(list[Step])


def steps_of(incident: Incident) -> list[Step]:
    """Return the steps of an incident; none if they cannot be read."""
    try:
        return _steps.decode(incident.steps or "[]")
    except (msgspec.MsgspecError, RecursionError):
        return []


def facts_of(incident: Incident) -> dict[str, Any]:
    """Return what a person recorded with an incident; empty if it cannot be read."""
    try:
        found = msgspec.json.decode(incident.facts or "{}")
    except (msgspec.DecodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def step_state(step: Step, now: str) -> StepState:
    """Return whether a step is done, and whether in time."""
    if step.done:
        return "done late" if step.late or (step.until and step.done > step.until) else "done"
    return "late" if step.late or (step.until and step.until < now) else "open"


def progress(incident: Incident) -> str:
    """Return how many steps are done: `2 of 3 steps done`."""
    steps = steps_of(incident)
    return f"{sum(bool(step.done) for step in steps)} of {counted(len(steps), 'step')} done"


def incident_row(incident: Incident, now: str) -> IncidentRow:
    """Return the row of an incident as it is now."""
    states = [step_state(step, now) for step in steps_of(incident)]
    return IncidentRow(
        incident=incident.incident,
        opened=incident.opened,
        closed=incident.time if incident.state == "closed" else "",
        table=incident.table,
        shoe=incident.shoe,
        coup=incident.coup,
        kind=incident.kind,
        state="closed" if incident.state == "closed" else "open",
        clause=incident.clause,
        say=incident.say,
        by=incident.by,
        steps=len(states),
        done=sum(state.startswith("done") for state in states),
        late=sum(state.endswith("late") for state in states),
        facts=incident.facts if incident.facts != "{}" else "",
        alarm=incident.alarm,
    )


def step_rows(incidents: Iterable[Incident], now: str) -> Iterator[StepRow]:
    """Yield every step."""
    for incident in incidents:
        for step in steps_of(incident):
            yield StepRow(
                incident=incident.incident,
                kind=incident.kind,
                table=incident.table,
                shoe=incident.shoe,
                coup=incident.coup,
                name=step.name,
                state=step_state(step, now),
                say=step.say,
                clause=step.clause,
                act=step.act,
                role=step.role,
                to=step.to,
                due=step.due,
                until=step.until,
                done=step.done,
                by=step.by,
                by_role=step.by_role,
                note=step.note,
            )


def notification_rows(store: Store, incidents: Sequence[Incident], now: str) -> Iterator[NotificationRow]:
    """Yield every step that notifies somebody, with what the notifications of the floor service have sent about it."""
    sent = sent_about(store, min(one.opened for one in incidents)) if incidents else {}
    for incident in incidents:
        for step in steps_of(incident):
            if step.to:
                yield NotificationRow(
                    row=_row(step.clause, tuple(step.to)),
                    opened=incident.opened,
                    table=incident.table,
                    shoe=incident.shoe,
                    coup=incident.coup,
                    kind=incident.kind,
                    to=step.to,
                    clause=step.clause,
                    due=step.due,
                    until=step.until,
                    state=step_state(step, now),
                    done=step.done,
                    by=step.by,
                    by_role=step.by_role,
                    note=step.note,
                    incident=incident.incident,
                    sent=sent.get((incident.table, incident.incident, step.name), []),
                )


@cache
def _row(clause: str, to: tuple[str, ...]) -> str:
    """Return the row of the requirements with this clause and these parties; empty if the books differ."""
    found = {
        report.row
        for book in rulebooks.ids()
        for report in rulebooks.load(book).authority.report.values()
        if report.clause == clause and set(to) <= set(report.to)
    }
    return found.pop() if len(found) == 1 else ""
