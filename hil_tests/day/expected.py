"""Expected: the rows that the report of a period must have, from the truth alone."""

from collections import Counter
from collections.abc import Callable
from statistics import median
from typing import NamedTuple

from sabot_sim.world.truth import Alarm, Coup, Decision, Incident, Truth

from day import known
from day.compare import Clause, Line
from day.known import AT_THE_SHOE, utc

NOT_IRREGULAR = (  # alarms about the shoe or the course of play, not irregularities of the game
    "coup_void", "fault_card", "fault_decision", "fault_lid", "fault_composition", "exit_locked",
    "awaiting_authorisation", "reject",
)  # fmt: skip


class Period(NamedTuple):
    """From `begin` to before `end`, as messages have times."""

    begin: str
    end: str

    def holds(self, seconds: float) -> bool:
        """Return True if a moment of the day is in it."""
        return self.begin <= utc(seconds) < self.end


class Section(NamedTuple):
    """How to find the rows of a section, and the fields that name one row."""

    keys: tuple[str, ...]
    rows: Callable[[Truth, Period], list[Line]]


def _decision(one: Decision) -> Line:
    """Return who decided, with the role where the floor service knows it."""
    return {"by": one.by.name, "role": "" if one.local else one.by.role, "clause": Clause(one.clause)}


def _seconds(start_s: float, end_s: float) -> float | None:
    return round(end_s - start_s, 3) if end_s else None


def _decider(truth: Truth, table: str, time_s: float, by: str) -> Decision | None:
    """Return the request by which a coup was decided."""
    found = (one for one in truth.decisions if (one.table, one.time_s, one.by.name) == (table, time_s, by))
    return next(found, None)


def shoes(truth: Truth, period: Period) -> list[Line]:
    """Return the shoes that were opened, played or closed in the period, with their coups of the period."""
    rows = []
    for one in truth.shoes:
        played = [
            coup
            for coup in truth.coups
            if (coup.table, coup.shoe) == (one.table, one.shoe) and period.holds(coup.dealt_s or coup.ended_s)
        ]
        if played or period.holds(one.opened_s) or period.holds(one.closed_s):
            times = {"opened": utc(one.opened_s), "closed": utc(one.closed_s)}
            rows.append({"table": one.table, "shoe": one.shoe, **times, "decks": one.decks, "coups": len(played)})
    return rows


def coups(truth: Truth, period: Period) -> list[Line]:
    """Return how many coups of each kind each table had."""
    counted = Counter((one.table, one.kind) for one in truth.coups if period.holds(one.dealt_s or one.ended_s))
    return [{"table": table, "kind": kind, "coups": count} for (table, kind), count in counted.items()]


def irregularities(truth: Truth, period: Period) -> list[Line]:
    """Return the irregularities: alarms about the game."""
    return [
        {"time": utc(one.raised_s), **_place(one), "name": one.name, "clause": Clause(one.clause)}
        for one in truth.alarms
        if one.name not in NOT_IRREGULAR and period.holds(one.raised_s)
    ]


def _place(one: Alarm) -> Line:
    return {"table": one.table, "shoe": one.shoe, "coup": one.coup}


def voids(truth: Truth, period: Period) -> list[Line]:
    """Return the void coups, with who voided them."""
    rows = []
    for one in truth.coups:
        if one.status == "void" and period.holds(one.ended_s):
            by = _decider(truth, one.table, one.decided_s, one.by)
            place = {"time": utc(one.ended_s), "table": one.table, "shoe": one.shoe, "coup": one.coup}
            person = _decision(by) if by else {"by": one.by, "role": "", "clause": Clause("")}
            rows.append({**place, **person, "cards": sorted(one.player + one.banker)})
    return rows


def discrepancies(truth: Truth, period: Period) -> list[Line]:
    """Return the disputed coups and how they were decided."""
    return [
        {
            "raised": utc(one.raised_s),
            "table": one.table,
            "shoe": one.shoe,
            "coup": one.coup,
            "verdict": one.verdict,
            "winner": one.winner,
            **(_decision(one.decision) if one.decision else {}),
            "decided": utc(one.ended_s),
            "response_s": _seconds(one.raised_s, one.ended_s),
        }
        for one in truth.disputes
        if period.holds(one.raised_s)
    ]


def unwagered(truth: Truth, period: Period) -> list[Line]:
    """Return the coups without wagers, with the person who authorised or ordered each."""
    rows = []
    for one in truth.coups:
        if one.kind not in ("live", "void") and period.holds(one.dealt_s):
            place = {"time": utc(one.dealt_s), "table": one.table, "shoe": one.shoe, "coup": one.coup}
            person = _decision(one.authorised) if one.authorised else {"by": "", "role": "", "clause": Clause("")}
            rows.append({**place, "kind": one.kind, **person})
    return rows


def deck_checks(truth: Truth, period: Period) -> list[Line]:
    """Return the checks of cards."""
    return [
        {
            "time": utc(one.begun.time_s),
            "table": one.begun.table,
            "by": one.begun.by.name,
            "role": _decision(one.begun)["role"],
            "result": "differs" if one.missing else "complete",
        }
        for one in truth.checks
        if period.holds(one.begun.time_s)
    ]


def keyed_cards(truth: Truth, period: Period) -> list[Line]:
    """Return the cards that were keyed in."""
    return [
        {
            "time": utc(one.decision.time_s),
            "table": one.decision.table,
            "shoe": one.shoe,
            "coup": one.coup,
            "card": one.card,
            **_decision(one.decision),
        }
        for one in truth.keyed
        if period.holds(one.decision.time_s)
    ]


def responses(truth: Truth, period: Period) -> list[Line]:
    """Return how fast people responded to the alarms of each name."""
    by_name: dict[str, list[Alarm]] = {}
    for one in truth.alarms:
        if period.holds(one.raised_s):
            by_name.setdefault(one.name, []).append(one)
    return [_response(name, alarms) for name, alarms in by_name.items()]


def _response(name: str, alarms: list[Alarm]) -> Line:
    times = [(one.seen_s or one.over_s) - one.raised_s for one in alarms if one.seen_s or one.over_s]
    return {
        "name": name,
        "raised": len(alarms),
        "acknowledged": sum(bool(one.seen_s) for one in alarms),
        "cleared": sum(bool(one.over_s) for one in alarms),
        "median_s": round(median(times), 3) if times else None,
        "longest_s": round(max(times), 3) if times else None,
    }


def alarms(truth: Truth, period: Period) -> list[Line]:
    """Return the alarms."""
    return [alarm(one) for one in truth.alarms if period.holds(one.raised_s)]


def alarm(one: Alarm) -> Line:
    """Return the row of an alarm."""
    return {
        "raised": utc(one.raised_s),
        **_place(one),
        "name": one.name,
        "clause": Clause(one.clause),
        "acknowledged": utc(one.seen_s),
        "acknowledged_by": one.seen_by,
        "cleared": utc(one.over_s),
        **({"cleared_by": one.over_by} if one.over_by else {}),
        "acknowledged_s": _seconds(one.raised_s, one.seen_s),
        "cleared_s": _seconds(one.raised_s, one.over_s),
    }


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
        **_decision(one),
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


def decided_by(one: Coup) -> str:
    """Return the person who decided the result of a coup, or that it went on without wagers."""
    ordered = one.authorised
    if not one.by and ordered and ordered.verb == "this-no-bet":
        return ordered.by.name
    return "" if one.by == AT_THE_SHOE else one.by


def coups_of_shoe(truth: Truth, table: str, shoe: int) -> list[Line]:
    """Return the coups of one shoe in their final state, as the report of a shoe has them."""
    return [
        {
            "table": one.table,
            "shoe": one.shoe,
            "coup": one.coup,
            "kind": one.kind,
            "winner": one.winner,
            "player": one.player,
            "banker": one.banker,
            "confirmed": utc(one.ended_s) if one.status == "confirmed" else "",
            "by": decided_by(one),
        }
        for one in truth.coups
        if (one.table, one.shoe) == (table, shoe)
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


MONTH = {
    "payments": Section(("table", "opened"), payments),
    "large_payments": Section(("table", "opened"), large_payments),
    "misdeliveries": Section(("table", "time"), misdeliveries),
}

DAY = {
    "shoes": Section(("table", "shoe"), shoes),
    "coups": Section(("table", "kind"), coups),
    "irregularities": Section(("table", "time", "name"), irregularities),
    "voids": Section(("table", "shoe", "coup"), voids),
    "discrepancies": Section(("table", "shoe", "coup"), discrepancies),
    "unwagered": Section(("table", "shoe", "coup"), unwagered),
    "deck_checks": Section(("table", "time"), deck_checks),
    "keyed_cards": Section(("table", "time"), keyed_cards),
    "responses": Section(("name",), responses),
    "alarms": Section(("table", "raised", "name"), alarms),
    "decisions": Section(("table", "time", "verb"), decisions),
    "incidents": Section(("table", "opened", "kind"), incidents),
    "steps": Section(("table", "shoe", "coup", "kind", "name"), steps),
}
