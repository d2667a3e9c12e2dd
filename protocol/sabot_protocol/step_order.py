"""Step order: what must come before a step of an incident by the text, and the notice that must have run by then."""

from datetime import datetime, timedelta

from sabot_protocol import authority, rulebooks
from sabot_protocol.rulebooks.incidents import StepRule
from sabot_protocol.rulebooks.people import Report
from sabot_protocol.topics import IncidentMessage, Step

NOTICE_COUPS = "coups_of_notice"  # fact: coups dealt since the notice was given
NOTICE_LAST = "last_coup_of_notice"  # fact: the newest of them, as 3/17
NOTICE_IN = "notice_given_in"  # fact: the coup in which it was given, as 3/17; that one does not count


def rule_of(book: str, kind: str, name: str) -> StepRule | None:
    """Return the book's rule of a step; None if the book in force has no such step."""
    incident = rulebooks.load(book).incident.get(kind)
    return next((rule for rule in incident.step if rule.name == name), None) if incident else None


def too_early(book: str, incident: IncidentMessage, name: str, time: str = "") -> str:
    """Return what must come first; empty if nothing must. Without a time a notice counts as run."""
    if waiting := _first_open(book, incident, name):
        return f"step {name} comes after step {waiting.name}, which is open"
    for before in _before(book, incident, name):
        if report := _ahead(book, incident, before):
            say = _notice_runs(incident, before, report, time)
            if say:
                return f"step {name} is too early: {say}"
    return ""


def _first_open(book: str, incident: IncidentMessage, name: str) -> Step | None:
    """Return the first open step of those that come before this one."""
    for before in _before(book, incident, name):
        if not before.done:
            return _first_open(book, incident, before.name) or before
    return None


def _before(book: str, incident: IncidentMessage, name: str) -> list[Step]:
    """Return the steps of the incident that come before this one, also through steps that it does not have."""
    rule = rule_of(book, incident.kind, name)
    there = {step.name: step for step in incident.steps}
    out: list[Step] = []
    for before in rule.after if rule else ():
        out += [there[before]] if before in there else _before(book, incident, before)
    return out


def _ahead(book: str, incident: IncidentMessage, step: Step) -> Report | None:
    """Return the report that a step is, if it must be out for a time before the act."""
    rule = rule_of(book, incident.kind, step.name)
    report = authority.load(book).report.get(rule.report) if rule else None
    return report if report is not None and report.due == "ahead" else None


def _notice_runs(incident: IncidentMessage, step: Step, report: Report, time: str) -> str:
    dealt = _dealt(incident)
    if dealt < report.coups:
        more = report.coups - dealt
        return f"{dealt} of the {report.coups} coups of notice are dealt ({report.clause}). Deal {more} more"
    if not time or datetime.fromisoformat(time) >= _runs_until(step, report):
        return ""
    ends = _runs_until(step, report).isoformat(timespec="seconds").replace("+00:00", "Z")
    return f"the notice must be out for {report.minutes} minutes ({report.clause}), until {ends}"


def _runs_until(step: Step, report: Report) -> datetime:
    return datetime.fromisoformat(step.done) + timedelta(minutes=report.minutes)


def _dealt(incident: IncidentMessage) -> int:
    dealt = incident.facts.get(NOTICE_COUPS, 0)
    return dealt if isinstance(dealt, int) else 0


def counts_coups(book: str, incident: IncidentMessage) -> bool:
    """Return True if coups of notice are to be counted: it is given, and not all of them are dealt."""
    if incident.state != "open":
        return False
    reports = [report for step in incident.steps if step.done and (report := _ahead(book, incident, step))]
    return any(_dealt(incident) < report.coups for report in reports)


def with_coup(incident: IncidentMessage, label: str) -> dict[str, str | int | bool]:
    """Return the facts with one more coup dealt; the coup in which the notice was given does not count."""
    if incident.facts.get(NOTICE_IN) == label:
        return incident.facts
    return {**incident.facts, NOTICE_COUPS: _dealt(incident) + 1, NOTICE_LAST: label}


def without_coup(incident: IncidentMessage, label: str) -> dict[str, str | int | bool]:
    """Return the facts with one coup fewer, if this one was counted: it has become void."""
    given, last = (str(incident.facts.get(name, "")) for name in (NOTICE_IN, NOTICE_LAST))
    if not _dealt(incident) or not _place(given) < _place(label) <= _place(last):
        return incident.facts
    return {**incident.facts, NOTICE_COUPS: _dealt(incident) - 1}


def _place(label: str) -> tuple[int, ...]:
    """Return shoe and coup of a label such as 3/17, in the order in which they are dealt."""
    return tuple(int(number) for number in label.split("/") if number)


def facts_of_notice(book: str, incident: IncidentMessage, name: str, label: str) -> dict[str, str | int | bool]:
    """Return the facts once a step is done: a notice in coups begins to be counted after this coup."""
    step = next((step for step in incident.steps if step.name == name), None)
    report = _ahead(book, incident, step) if step else None
    return {**incident.facts, NOTICE_IN: label, NOTICE_COUPS: 0} if report and report.coups else incident.facts
