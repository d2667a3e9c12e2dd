"""Rows about people: decisions, what they had to settle and whom to notify, payments, misdeliveries."""

from sabot_sim.world.truth import Decision, Incident, Truth

from day import known
from day.compare import Clause, Line
from day.known import utc
from day.period import Period, decision_of


def decisions(truth: Truth, period: Period) -> list[Line]:
    """Return the requests of people that a gateway took; one of a lower role never becomes a request."""
    return [decision(one) for one in truth.decisions if not one.refused and period.holds(one.time_s)]


def decision(one: Decision) -> Line:
    """Return the row of a request."""
    asks = one.asks
    return {
        "time": utc(one.time_s),
        "table": one.table,
        "verb": one.verb,
        **decision_of(one),
        "asks": asks.name if asks else "",
        "asks_role": asks.role if asks else "",
        "origin": "local" if one.local else "floor",
        "ok": not one.refused,
    }


def incidents(truth: Truth, period: Period) -> list[Line]:
    """Return what people had to settle in the period."""
    return [known.incident(one) for one in _open_in(truth, period)]


def steps(truth: Truth, period: Period) -> list[Line]:
    """Return each step of those incidents."""
    return [line for one in _open_in(truth, period) for line in known.steps_of(one)]


def _open_in(truth: Truth, period: Period) -> list[Incident]:
    """Return the incidents that were open at some moment of the period."""
    return [
        one
        for one in truth.incidents
        if utc(one.opened_s) < period.end and (not one.closed_s or utc(one.closed_s) >= period.begin)
    ]


NOTIFIED = {  # whom a step notifies: P-75 to P-89
    "notify_surveillance": ["surveillance"],
    "notify_inspector": ["inspector"],
    "report_inspector": ["inspector"],
    "notify_nicc": ["nicc"],
    "enquire": ["case_file"],
    "rectify": ["case_file"],
    "identify_patron": ["case_file"],
    "notice": ["gaming_staff"],
    "advise_inspector": ["patron"],
    "advise_vgccc": ["patron"],
    "sign_closure": ["players"],
    "give_notice": ["players"],
}


def notifications(truth: Truth, period: Period) -> list[Line]:
    """Return whom people had to notify, and whether they did."""
    return [
        {
            "opened": utc(one.opened_s),
            "table": one.table,
            "shoe": one.shoe,
            "coup": one.coup,
            "kind": one.kind,
            "to": NOTIFIED[step.name],
            "clause": Clause(step.clause),
            "done": utc(step.done_s),
            **({"by": step.by, "state": "done late" if step.late else "done"} if step.done_s else {}),
        }
        for one in _open_in(truth, period)
        for step in one.steps
        if step.name in NOTIFIED
    ]


def payments(truth: Truth, period: Period) -> list[Line]:
    """Return the case files of wrong payments, for the report of a month."""
    return [
        {
            "opened": utc(one.incident.opened_s),
            "closed": utc(one.incident.closed_s),
            "table": one.incident.table,
            "shoe": one.incident.shoe,
            "coup": one.incident.coup,
            "direction": one.direction,
            "amount": one.amount_cents,
            "date": utc(one.incident.opened_s)[:10],
            "patron": one.patron,
            "intentional": one.intentional,
            "to_nicc": one.amount_cents > 100_000,
            **{name: _done(one.incident, step) for name, step in _PAYMENT_STEPS.items()},
        }
        for one in truth.payments
        if period.holds(one.incident.opened_s)
    ]


_PAYMENT_STEPS = {
    "enquired": "enquire",
    "rectified": "rectify",
    "identified": "identify_patron",
    "notified": "notify_nicc",
}


def _done(incident: Incident, name: str) -> str:
    return next((utc(step.done_s) for step in incident.steps if step.name == name), "")


def large_payments(truth: Truth, period: Period) -> list[Line]:
    """Return those above $1,000."""
    return [line for line in payments(truth, period) if line["to_nicc"]]


def misdeliveries(truth: Truth, period: Period) -> list[Line]:
    """Return every case of the monthly report to the inspector (Premium 14.12.7)."""
    return [
        {"time": utc(one.opened_s), "table": one.table, "shoe": one.shoe, "coup": one.coup}
        for one in truth.incidents
        if any(step.name == "report_inspector" for step in one.steps) and period.holds(one.opened_s)
    ]
