"""Rows about play: shoes, coups, irregularities, voids, discrepancies, checks, keyed cards, alarms."""

from collections import Counter
from datetime import datetime
from statistics import median

from sabot_sim.world.truth import Alarm, Coup, Decision, Shoe, Truth

from day.compare import Clause, Line
from day.known import AT_THE_SHOE, utc
from day.period import Period, decision_of, seconds

NOT_IRREGULAR = (  # alarms about the shoe or the course of play, not irregularities of the game
    "coup_void", "fault_card", "fault_decision", "fault_lid", "fault_composition", "exit_locked",
    "awaiting_authorisation", "reject",
)  # fmt: skip


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
            person = decision_of(by) if by else {"by": one.by, "role": "", "clause": Clause("")}
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
            **(decision_of(one.decision) if one.decision else {}),
            "decided": utc(one.ended_s),
            "response_s": seconds(one.raised_s, one.ended_s),
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
            person = decision_of(one.authorised) if one.authorised else {"by": "", "role": "", "clause": Clause("")}
            rows.append({**place, "kind": one.kind, **person})
    return rows


def deck_checks(truth: Truth, period: Period) -> list[Line]:
    """Return the checks of cards."""
    return [
        {
            "time": utc(one.begun.time_s),
            "table": one.begun.table,
            "by": one.begun.by.name,
            "role": decision_of(one.begun)["role"],
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
            **decision_of(one.decision),
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
    ends = ((one.raised_s, one.seen_s or (one.over_s if one.over_by else 0.0)) for one in alarms)  # by a person
    times = [end_s - raised_s for raised_s, end_s in ends if end_s]
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
        "acknowledged_s": seconds(one.raised_s, one.seen_s),
        "cleared_s": seconds(one.raised_s, one.over_s),
    }


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


def played(truth: Truth, period: Period) -> list[Line]:
    """Return how many shoes and coups each table had, its first and last coup, and how long a shoe was open."""
    rows = []
    for table in dict.fromkeys(one.table for one in truth.shoes):
        times = sorted(
            utc(one.dealt_s or one.ended_s)
            for one in truth.coups
            if one.table == table and period.holds(one.dealt_s or one.ended_s)
        )
        found = [one for one in shoes(truth, period) if one["table"] == table]
        if found:
            ends = {"first": times[0], "last": times[-1]} if times else {"first": "", "last": ""}
            open_s = sum(_open_s(one, period) for one in truth.shoes if one.table == table)
            rows.append({"table": table, "open_s": open_s, **ends, "shoes": len(found), "coups": len(times)})
    return rows


def _open_s(shoe: Shoe, period: Period) -> float:
    """Return for how long a shoe was open in the period."""
    begin, end = (datetime.fromisoformat(time).timestamp() for time in period)
    return max(0.0, min(shoe.closed_s, end) - max(shoe.opened_s, begin))
