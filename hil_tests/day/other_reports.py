"""Other reports: of every shoe, coup that was not plain, person and month, compared with the truth."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from sabot_floor.gaming_day import Calendar, Span, month_days
from sabot_floor.reports.contents import Report
from sabot_floor.reports.month import month_report
from sabot_floor.reports.person import person_report
from sabot_floor.reports.play import ShoeKey
from sabot_floor.reports.shoe import coup_report, shoe_report
from sabot_floor.reports.source import Scope, Source
from sabot_floor.store import open_store
from sabot_sim.world.truth import Coup, Truth

from day import expected, expected_people, expected_play, known
from day.compare import Line, differences
from day.judge import Section
from day.known import utc
from day.period import Period

ALL_TIME = Period("2000-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z")
Part = tuple[tuple[str, ...], list[Line]]  # keys, and the lines that a section must have
Parts = dict[str, Part]
_ALARM = ("raised", "name")
_DECISION = ("table", "time", "verb")
_STEP = ("table", "shoe", "coup", "kind", "name")


def of_store(truth: Truth, store: Path) -> Section:
    """Compare the reports of all shoes, coups, people and months; `lines` counts the reports."""
    with open_store(str(store), read_only=True) as opened:
        made_at = utc(max(one.time_s for one in truth.decisions) + 3600)
        made = list(_reports(truth, Source(opened), Scope(Span(*ALL_TIME), made=made_at)))
    return Section("other reports", len(made), [line for one in made for line in _compare(*one)])


def _reports(truth: Truth, source: Source, scope: Scope) -> Iterator[tuple[str, Report, Parts]]:
    """Yield each report with its title, and what its sections must have."""
    for shoe in truth.shoes:
        key = ShoeKey(shoe.table, "", shoe.shoe)
        yield f"shoe {shoe.table}/{shoe.shoe}", shoe_report(source, scope, key), _shoe(truth, shoe.table, shoe.shoe)
    for coup in filter(_is_special, truth.coups):
        key = ShoeKey(coup.table, "", coup.shoe)
        yield f"coup {coup.table}/{coup.label}", coup_report(source, scope, key, coup.coup), _coup(truth, coup)
    for name in sorted({one.by.name for one in truth.decisions if not one.refused}):
        yield name, person_report(source, scope, name), _person(truth, name)
    for year, month in sorted({_month(one.opened_s) for one in truth.shoes}):
        days = month_days(year, month)
        period = Period(*Calendar().days(days[0], days[-1]))
        parts = {name: (one.keys, one.rows(truth, period)) for name, one in expected.MONTH.items()}
        yield f"{year}-{month:02}", month_report(source, scope, year, month), parts


def _month(time_s: float) -> tuple[int, int]:
    """Return year and month of the gaming day."""
    day = Calendar().day_of(utc(time_s))
    return day.year, day.month


def _is_special(coup: Coup) -> bool:
    return coup.status == "void" or coup.kind != "live" or bool(coup.by)


def _compare(title: str, made: Report, parts: Parts) -> list[str]:
    printed: dict[str, Any] = msgspec.to_builtins(made)
    return [
        line
        for name, (keys, lines) in parts.items()
        for line in differences(f"report of {title}: {name}", keys, lines, printed[name])
    ]


def _shoe(truth: Truth, table: str, shoe: int) -> Parts:
    def here(one: Any) -> bool:
        return (one.table, one.shoe) == (table, shoe)

    return {"coups": (("coup",), expected_play.coups_of_shoe(truth, table, shoe)), **_about(truth, here)}


def _coup(truth: Truth, coup: Coup) -> Parts:
    def here(one: Any) -> bool:
        return (one.table, one.shoe, one.coup) == (coup.table, coup.shoe, coup.coup)

    final = [line for line in expected_play.coups_of_shoe(truth, coup.table, coup.shoe) if line["coup"] == coup.coup]
    return {"final": (("coup",), final), **_about(truth, here)}


def _about(truth: Truth, here: Callable[[Any], bool]) -> Parts:
    """Return the alarms and what was to be settled about a shoe or a coup."""
    alarms = [expected_play.alarm(one) for one in truth.alarms if here(one)]
    incidents = [one for one in truth.incidents if here(one)]
    return {
        "alarms": (_ALARM, alarms),
        "incidents": (("opened", "kind"), [known.incident(one) for one in incidents]),
        "steps": (_STEP, [line for one in incidents for line in known.steps_of(one)]),
    }


def _person(truth: Truth, name: str) -> Parts:
    """Return what a person asked for or approved, saw, decided and did."""
    asked = [one for one in truth.decisions if name in (one.by.name, one.asks.name if one.asks else "")]
    seen = [expected_play.alarm(one) for one in truth.alarms if name in (one.seen_by, one.over_by)]
    decided = [one for one in truth.coups if expected_play.decided_by(one) == name]
    steps = [line for line in known.steps(truth) if line.get("by") == name]
    return {
        "decisions": (_DECISION, [expected_people.decision(one) for one in asked if not one.refused]),
        "alarms": (_ALARM, seen),
        "coups": (("table", "shoe", "coup"), [_decided(one) for one in decided]),
        "steps": (_STEP, steps),
    }


def _decided(one: Coup) -> Line:
    place = {"table": one.table, "shoe": one.shoe, "coup": one.coup}
    decided_s = one.decided_s or (one.authorised.time_s if one.authorised else 0.0)
    return {**place, "winner": one.winner, "decided": utc(decided_s)}
