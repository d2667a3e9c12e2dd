"""Known: the truth of a day as lines, in the words of ledgers and reports."""

from datetime import UTC, datetime

from sabot_sim.world.truth import Incident, Truth

from day.compare import Clause, Line

AT_THE_SHOE = "the dealer, at the shoe"  # as the gateway writes it for a coup that needed no decision


def utc(seconds: float) -> str:
    """Return a time as messages have it; empty for 0."""
    if not seconds:
        return ""
    return datetime.fromtimestamp(round(seconds, 3), UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def shoes(truth: Truth) -> list[Line]:
    """Return a line for each shoe."""
    return [
        {
            "table": one.table,
            "shoe": one.shoe,
            "opened": utc(one.opened_s),
            "closed": utc(one.closed_s),
            "decks": one.decks,
        }
        for one in truth.shoes
    ]


def coups(truth: Truth) -> list[Line]:
    """Return a line for each coup, in its final state."""
    return [
        {
            "table": one.table,
            "shoe": one.shoe,
            "coup": one.coup,
            "kind": one.kind,
            "status": one.status,
            "winner": one.winner,
            "player": one.player,
            "banker": one.banker,
            "by": one.by or (AT_THE_SHOE if one.status == "confirmed" else ""),
            "clause": Clause(one.clause),
        }
        for one in truth.coups
    ]


def alarms(truth: Truth) -> list[Line]:
    """Return a line for each alarm."""
    return [
        {
            "table": one.table,
            "name": one.name,
            "raised": utc(one.raised_s),
            "shoe": one.shoe,
            "coup": one.coup,
            "clause": Clause(one.clause),
            "seen": utc(one.seen_s),
            "seen_by": one.seen_by,
            "over": utc(one.over_s),
        }
        for one in truth.alarms
    ]


def decisions(truth: Truth) -> list[Line]:
    """Return a line for each request of a person."""
    return [
        {
            "table": one.table,
            "time": utc(one.time_s),
            "verb": one.verb,
            "by": one.by.name,
            "role": "" if one.local else one.by.role,
            "asks": one.asks.name if one.asks else "",
            "clause": Clause(one.clause),
            "done": not one.refused,
        }
        for one in truth.decisions
    ]


def incidents(truth: Truth) -> list[Line]:
    """Return a line for everything that people had to settle."""
    return [incident(one) for one in truth.incidents]


def incident(one: Incident) -> Line:
    """Return the line of an incident."""
    return {
        "opened": utc(one.opened_s),
        "closed": utc(one.closed_s),
        "table": one.table,
        "shoe": one.shoe,
        "coup": one.coup,
        "kind": one.kind,
        "state": "closed" if one.closed_s else "open",
        "steps": len(one.steps),
        "done": sum(bool(step.done_s) for step in one.steps),
    }


def steps(truth: Truth) -> list[Line]:
    """Return a line for each step of each incident."""
    return [line for one in truth.incidents for line in steps_of(one)]


def steps_of(one: Incident) -> list[Line]:
    """Return the lines of an incident's steps; who did a step, where that was a person."""
    return [
        {
            "kind": one.kind,
            "table": one.table,
            "shoe": one.shoe,
            "coup": one.coup,
            "name": step.name,
            **({"state": "done late" if step.late else "done"} if step.done_s else {}),
            "clause": Clause(step.clause),
            "done": utc(step.done_s),
            **({"by": step.by} if step.by else {}),
        }
        for step in one.steps
    ]
