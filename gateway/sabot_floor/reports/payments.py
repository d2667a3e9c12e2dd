"""Payments and misdeliveries: the registers that The Star 12.18-12.20 and Premium 14.12.7, 14.15-14.17 ask for."""

from collections.abc import Iterable, Iterator

from sabot_protocol.incidents import NOT_NEEDED, WITHDRAWN
from sabot_protocol.topics import Step

from sabot_floor.reports.incidents import facts_of, progress, steps_of
from sabot_floor.reports.people_rows import PaymentRow
from sabot_floor.reports.rows import IrregularityRow
from sabot_floor.store.rows import Incident

PAYMENT, MISDELIVERY = "wrong_payment", "misdelivery"  # kinds of incidents
_NICC = "notify_nicc"  # the step that the book's limit gives a payment (12.20.2, 14.17.2)
_MONTHLY = "14.12.7"  # Premium: every case in the monthly report to the inspector


def payment_rows(incidents: Iterable[Incident]) -> Iterator[PaymentRow]:
    """Yield the case file of each over- or underpayment."""
    return (_payment(one) for one in incidents if one.kind == PAYMENT)


def _payment(incident: Incident) -> PaymentRow:
    facts, steps = facts_of(incident), {step.name: step for step in steps_of(incident)}
    amount, intentional = facts.get("amount_cents"), facts.get("intentional")
    amount = amount if isinstance(amount, int) and not isinstance(amount, bool) else None
    return PaymentRow(
        incident=incident.incident,
        opened=incident.opened,
        closed=incident.time if incident.state == "closed" else "",
        table=incident.table,
        shoe=incident.shoe,
        coup=incident.coup,
        direction=str(facts.get("direction", "")),
        amount=amount,
        date=str(facts.get("date", "")),
        patron=str(facts.get("patron", "")),
        intentional=intentional if isinstance(intentional, bool) else None,
        to_nicc=amount is not None and _NICC in steps and WITHDRAWN not in facts,
        enquired=_done(steps, "enquire"),
        rectified=_done(steps, "rectify"),
        identified=_done(steps, "identify_patron"),
        notified=_done(steps, _NICC),
        state="closed" if incident.state == "closed" else "open",
        clause=incident.clause,
        note="; ".join(step.note for step in steps.values() if step.note),
    )


def _done(steps: dict[str, Step], name: str) -> str:
    """Return when a step was done; empty if it was not, or was not needed."""
    return steps[name].done if name in steps and not steps[name].note.startswith(NOT_NEEDED) else ""


def misdelivery_rows(incidents: Iterable[Incident]) -> Iterator[IrregularityRow]:
    """Yield every case that goes into the monthly report to the inspector."""
    for one in incidents:
        if one.kind == MISDELIVERY and any(_MONTHLY in step.clause for step in steps_of(one)):
            yield IrregularityRow(
                time=one.opened,
                table=one.table,
                shoe=one.shoe,
                coup=one.coup,
                name=one.kind,
                case=str(facts_of(one).get("case", "")),
                clause=one.clause,
                say=one.say,
                followed=[f"{step.name}: {step.note or 'done'}" for step in steps_of(one) if step.done]
                + [progress(one)],
                alarm=one.alarm,
            )
