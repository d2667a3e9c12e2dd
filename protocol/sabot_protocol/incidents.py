"""Incidents: what people must settle, by [incident] of a rulebook; what opens one, its steps, and how they are done."""

from collections.abc import Container, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from msgspec.structs import replace

from sabot_protocol import authority, rulebooks, step_order
from sabot_protocol.authority import AuthorityError
from sabot_protocol.rulebooks.incidents import Incident, Proof, StepRule, catalogue
from sabot_protocol.rulebooks.people import Report, Rule
from sabot_protocol.topics import IncidentMessage, Step

Fact = str | int | bool
Facts = Mapping[str, Fact]
RECORDED = "recorded"  # the kind of an act that asks for no step
NOT_NEEDED = "not needed"
WITHDRAWN = "withdrawn"  # also the fact that has the reason
_CHOSEN = ("made_unwagered", "authorised", "card_keyed")  # proofs that a person gives
_OF_A_COUP = ("coup_decided", "coup_void")
_NO_ACT = ("never", "silent")
_NOTICE = "notice_given"
_RECORDED_FACTS = ("act", "report", "patron", "direction")  # one of them is in what a person opened


class Done(NamedTuple):
    """Who did a step, and when."""

    time: str
    by: str
    role: str = ""
    note: str = ""
    attempt: str = ""


class Opener(NamedTuple):
    """What opens an incident: an alarm with the code of its irregularity, an act, a report, or a verb."""

    alarm: str = ""
    code: str = ""
    act: str = ""
    report: str = ""
    verb: str = ""


def kinds(book: str) -> dict[str, Incident]:
    """Return the incidents of a book."""
    return rulebooks.load(book).incident


def kind_of(book: str, opener: Opener) -> str:
    """Return the kind that this opens; empty if it opens none in this book."""
    return next((kind for kind, incident in kinds(book).items() if _opens(incident, opener)), "")


def _opens(incident: Incident, opener: Opener) -> bool:
    if opener.alarm:
        return opener.alarm in incident.alarms and (not incident.codes or opener.code in incident.codes)
    if opener.verb:
        return opener.verb == incident.verb
    return opener.act in incident.acts if opener.act else opener.report in incident.reports


def title(kind: str) -> str:
    """Return what happened, in words."""
    return catalogue().kind[kind].title


def proofs(step: str) -> tuple[Proof, ...]:
    """Return what proves a step by itself."""
    entry = catalogue().step.get(step)
    return entry.proof if entry else ()


def needless(step: str) -> tuple[Proof, ...]:
    """Return what shows that nobody has to do a step any more."""
    entry = catalogue().step.get(step)
    return entry.needless if entry else ()


def steps(book: str, kind: str, opener: Opener, facts: Facts, time: str, clause: str = "") -> list[Step]:
    """Return the steps that an incident has by these facts; `clause` is that of a step with neither act nor report."""
    out = []
    incident = kinds(book)[kind]
    for rule in incident.step:
        report = authority.load(book).report.get(rule.report)
        act = _act_rule(book, rule.act, facts)
        if not _applies(incident, rule, report, opener, facts) or (rule.act and act is None):
            continue
        out.append(_step(book, rule, act, report, facts, time, clause))
    return out


def _applies(incident: Incident, rule: StepRule, report: Report | None, opener: Opener, facts: Facts) -> bool:
    """Return False for a step that the facts contradict, or that belongs to another act or report."""
    if any(fact in facts and facts[fact] is not value for fact, value in rule.when.items()):
        return False
    if report is None:
        return not opener.act or rule.act == opener.act or rule.act not in incident.acts
    if opener.report and opener.report != rule.report:
        return False
    if opener.act and report.after and opener.act not in report.after:
        return False
    amount = facts.get("amount_cents")
    return not (report.over_cents and isinstance(amount, int) and amount <= report.over_cents)


def _act_rule(book: str, act: str, facts: Facts) -> Rule | None:
    """Return the rule of an act that fits the facts; None if the book forbids the act or has none that fits.

    An act that needs a notice keeps its rule while the notice is not given: that step comes first.
    """
    given = {name: value for name, value in facts.items() if isinstance(value, bool)}
    rules = [rule for rule in authority.load(book).act[act].rules if rule.basis not in _NO_ACT] if act else []
    later = {name: value for name, value in given.items() if name != _NOTICE}
    return next((rule for known in (given, later) for rule in rules if rule.fits(known)), None)


def _step(
    book: str, rule: StepRule, act: Rule | None, report: Report | None, facts: Facts, time: str, clause: str
) -> Step:
    role = _role(book, act) if act else ""
    found = Step(name=rule.name, say=catalogue().step[rule.name].say, act=rule.act, role=role)
    if report is None:
        return replace(found, clause=act.clause if act else clause)
    to = [rule.to] if rule.to else list(report.to)
    return replace(found, clause=report.clause, to=to, due=report.due, until=_until(report, facts, time))


def _role(book: str, act: Rule) -> str:
    """Return the lowest role; where two people are needed, that of the one who approves."""
    if act.second_person:
        return act.second_person
    return next(iter(authority.lowest(book, act)), "")


def _until(report: Report, facts: Facts, time: str) -> str:
    """Return the time by which a report is due, where it is known."""
    if report.due == "within":
        return _shifted(time, report.minutes)
    at = facts.get("at", "")
    return _shifted(str(at), -report.minutes) if report.due == "ahead" and report.minutes and at else ""


def _shifted(time: str, minutes: int) -> str:
    try:
        moment = datetime.fromisoformat(time) + timedelta(minutes=minutes)
    except (ValueError, OverflowError):
        return ""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


# Progress


def complete(incident: IncidentMessage, name: str, done: Done, *, opening: bool = False) -> IncidentMessage:
    """Return the incident with this step done, and closed if it was the last; `opening`: done when it was opened."""
    after = [_done(step, done, opening=opening) if step.name == name else step for step in incident.steps]
    return with_steps(incident, after)


def _done(step: Step, done: Done, *, opening: bool) -> Step:
    late = step.late or bool(step.until and done.time > step.until) or (step.due == "before" and not opening)
    fields = {"by": done.by, "by_role": done.role, "note": done.note, "attempt": done.attempt}
    return replace(step, done=done.time, late=late, **fields)


def drop_rest(incident: IncidentMessage, done: Done) -> IncidentMessage:
    """Return the incident closed: the steps that are open are not needed."""
    rest = done._replace(note=f"{NOT_NEEDED}: {done.note}" if done.note else NOT_NEEDED)
    after = [step if step.done else _done(step, rest, opening=True) for step in incident.steps]
    return with_steps(incident, after)


def opened_by_person(incident: IncidentMessage) -> bool:
    """Return True if a request of a person opened it, and neither an alarm nor the shoe's log."""
    return bool(incident.by) and not incident.alarm and any(fact in incident.facts for fact in _RECORDED_FACTS)


def withdrawn(incident: IncidentMessage, reason: str, done: Done) -> IncidentMessage:
    """Return the incident closed, because it was opened by mistake: no open step was ever due."""
    steps = [step if step.done else replace(step, late=False, until="") for step in incident.steps]
    without = replace(incident, steps=steps, facts={**incident.facts, WITHDRAWN: reason})
    return drop_rest(without, done._replace(note=f"{WITHDRAWN}: {reason}"))


def with_facts(incident: IncidentMessage, facts: Facts, apply: Container[str], done: Done) -> IncidentMessage:
    """Return the incident with these facts, by which only steps that still apply were ever due."""
    rest = done._replace(note=f"{NOT_NEEDED}: {done.note}")
    after = [
        step if step.done or step.name in apply else _done(replace(step, late=False, until=""), rest, opening=True)
        for step in incident.steps
    ]
    return with_steps(replace(incident, facts=dict(facts)), after)


def corrected(incident: IncidentMessage, now: list[Step], done: Done) -> IncidentMessage:
    """Return the incident with the steps that apply now; those that are open and apply no longer are not needed."""
    apply, rest = {step.name: step for step in now}, done._replace(note=f"{NOT_NEEDED}: {done.note}")
    after = [_corrected(step, apply.pop(step.name, None), rest) for step in incident.steps]
    return with_steps(incident, [*after, *apply.values()])


def _corrected(before: Step, now: Step | None, rest: Done) -> Step:
    if before.done and not (now and before.note.startswith(NOT_NEEDED)):
        return before
    return now or _done(before, rest, opening=True)


def with_steps(incident: IncidentMessage, after: list[Step]) -> IncidentMessage:
    """Return the incident with these steps; it is open while one of them is."""
    return replace(incident, steps=after, state="open" if any(not step.done for step in after) else "closed")


def mark_late(incident: IncidentMessage, time: str, *passed: str) -> IncidentMessage:
    """Return the incident with open steps marked late: their time is over, or their `due` is one that has passed."""
    return replace(incident, steps=[_marked(step, time, passed) for step in incident.steps])


def _marked(step: Step, time: str, passed: tuple[str, ...]) -> Step:
    over = step.due in passed or bool(step.until and time > step.until)
    return replace(step, late=True) if over and not step.done else step


def next_until(incident: IncidentMessage) -> str:
    """Return the next time at which an open step becomes late; empty if there is none."""
    times = [step.until for step in incident.steps if step.until and not step.done and not step.late]
    return min(times, default="")


def open_step(incident: IncidentMessage, name: str) -> Step | None:
    """Return the open step of this name, or None."""
    return next((step for step in incident.steps if step.name == name and not step.done), None)


def refusal(book: str, incident: IncidentMessage, name: str, by: str, role: str = "", time: str = "") -> str:
    """Return why this person may not do this step now; empty if nothing speaks against it."""
    step = open_step(incident, name)
    if step is None:
        return _no_such_step(incident, name)
    if early := step_order.too_early(book, incident, name, time):
        return early
    decided = next((other for other in incident.steps if other.name == "first"), None)
    if name == "review" and decided and authority.same_name(decided.by, by):
        return f"{by} decided first and cannot review that decision: another person must"
    return role_refusal(book, step, role)


def _no_such_step(incident: IncidentMessage, name: str) -> str:
    for step in incident.steps:
        if step.name == name:
            return f"step {name} was done at {step.done} by {step.by}"
    waiting = ", ".join(step.name for step in incident.steps if not step.done) or "none"
    return f"incident {incident.incident} has no step {name!r}; open steps: {waiting}"


def is_right_hand(book: str, incident: IncidentMessage, step: Step, proof: Proof, role: str) -> bool:
    """Return False for evidence of a lower role than that of the step; an empty role is not checked.

    Where the book names no role, what has become of the coup is proof enough, by whomever; a choice is not.
    """
    rule = _act_rule(book, step.act, incident.facts)
    asked = proof in _CHOSEN or (rule is not None and rule.basis == "role" and proof in _OF_A_COUP)
    return not (asked and role_refusal(book, step, role))


def role_refusal(book: str, step: Step, role: str) -> str:
    """Return why this role may not do the step; empty if it may, or if one of the two is not known."""
    if not step.role or not role:
        return ""
    try:
        if authority.includes(book, role, step.role):
            return ""
        return (
            f"the role {role} may not do this; the lowest role that may is {authority.party_title(book, step.role)} "
            f"({step.clause})"
        )
    except AuthorityError as error:
        return str(error)
