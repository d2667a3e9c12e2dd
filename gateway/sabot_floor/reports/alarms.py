"""Alarms: rows of alarms, response times, irregularities and discrepancies with what followed."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from sabot_protocol.irregularities import CASES

from sabot_floor.projection.reading import Alarm
from sabot_floor.reports.coup_states import is_void, with_corrections
from sabot_floor.reports.incidents import progress
from sabot_floor.reports.people import People, seconds
from sabot_floor.reports.people_rows import AlarmRow, ResponseRow
from sabot_floor.reports.rows import DiscrepancyRow, IrregularityRow
from sabot_floor.reports.source import Source
from sabot_floor.store.rows import Coup, Incident

_CAUSES = ("a new shoe", "crowded out", "the check of the decks")  # that clear alarms without a person
DISPUTES = ("discrepancy", "not_confirmed")  # alarms that make a coup disputed
# Alarms about play that no rulebook has as a case; all others are about shoes, lines and clocks.
_ABOUT_PLAY = frozenset(
    (
        *DISPUTES,
        "ordered_set",
        "decks_differ",
        "shoe_void",
        "cards_left",
        "unwagered_by_order",
        "decided_by_word",
        "outcome_invalid",
        "drawn_while_locked",
        "cards_too_fast",
        "handed_over",
        "coup_came",
        "card_outside_game",
        "card_kept",
        "card_sent_again",
        "result_not_used",
    )
)


def alarm_row(alarm: Alarm) -> AlarmRow:
    """Return the row of an alarm."""
    raised, acknowledged, cleared = alarm
    fields: dict[str, Any] = {"severity": raised.severity, "state": _state(alarm)}
    return AlarmRow(
        alarm=raised.alarm,
        raised=raised.time,
        table=raised.table,
        shoe=raised.shoe,
        coup=raised.coup,
        name=raised.name,
        clause=raised.clause,
        say=raised.say,
        acknowledged=acknowledged.time if acknowledged else "",
        acknowledged_by=acknowledged.by if acknowledged else "",
        cleared=cleared.time if cleared else "",
        cleared_by=cleared.by if cleared else "",
        acknowledged_s=seconds(raised.time, acknowledged.time) if acknowledged else None,
        cleared_s=seconds(raised.time, cleared.time) if cleared else None,
        **fields,
    )


def _state(alarm: Alarm) -> str:
    if alarm.cleared:
        return "cleared"
    return "acknowledged" if alarm.acknowledged else "raised"


def responses(alarms: Iterable[AlarmRow]) -> list[ResponseRow]:
    """Return how fast people responded, by name: until a person acknowledged the alarm, or decided what it is about."""
    by_name: dict[str, list[AlarmRow]] = defaultdict(list)
    for alarm in alarms:
        by_name[alarm.name].append(alarm)
    return [_response(name, found) for name, found in sorted(by_name.items())]


def _response(name: str, alarms: Sequence[AlarmRow]) -> ResponseRow:
    times = [time for one in alarms if (time := _response_s(one)) is not None]
    return ResponseRow(
        name=name,
        severity=alarms[0].severity,
        raised=len(alarms),
        acknowledged=sum(bool(one.acknowledged) for one in alarms),
        cleared=sum(bool(one.cleared) for one in alarms),
        median_s=round(median(times), 3) if times else None,
        longest_s=max(times, default=None),
    )


def _response_s(alarm: AlarmRow) -> float | None:
    """Return how long it took until a person responded; None if nobody did, whatever cleared the alarm."""
    cleared_s = alarm.cleared_s if _is_person(alarm.cleared_by) else None
    return min((value for value in (alarm.acknowledged_s, cleared_s) if value is not None), default=None)


def _is_person(by: str) -> bool:
    """Return True unless an alarm was cleared by its cause: the shoe, the gateway, a new shoe."""
    return bool(by) and by not in _CAUSES and not by.startswith(("the shoe", "the gateway"))


def is_irregularity(alarm: Alarm) -> bool:
    """Return True if an alarm is about play: a case of the rulebooks, or one that they do not name."""
    return alarm.raised.name in CASES or alarm.raised.name in _ABOUT_PLAY


def irregularity_row(source: Source, alarm: Alarm, incidents: Sequence[Incident]) -> IrregularityRow:
    """Return the row of an irregularity, with what followed."""
    raised = alarm.raised
    return IrregularityRow(
        time=raised.time,
        table=raised.table,
        shoe=raised.shoe,
        coup=raised.coup,
        name=raised.name,
        case=raised.name if raised.name in CASES else "",
        clause=raised.clause,
        say=raised.say,
        followed=_followed(source, alarm, incidents),
        alarm=raised.alarm,
    )


def _followed(source: Source, alarm: Alarm, incidents: Sequence[Incident]) -> list[str]:
    found = []
    coup = last_message(source, alarm)
    if coup is not None:
        found.append(f"coup {coup_state(coup)}")
    for verb, change in (("acknowledged", alarm.acknowledged), ("cleared", alarm.cleared)):
        if change is not None:
            found.append(f"{verb} by {change.by}" if change.by else verb)
    found += [
        f"incident {one.kind} {one.state}, {progress(one)}"
        for one in incidents
        if (one.table, one.alarm) == (alarm.raised.table, alarm.raised.alarm)
    ]
    return found


def coup_state(coup: Coup) -> str:
    """Return the state of a coup as text: `confirmed by A. Smith (12.13)`."""
    word = "void" if is_void(coup) else f"{coup.kind} {coup.status}"
    by = f" by {coup.by}" if coup.by else ""
    return f"{word}{by} ({coup.clause})" if coup.clause else f"{word}{by}"


def last_message(source: Source, alarm: Alarm) -> Coup | None:
    """Return the newest message about the coup of an alarm, also one of the gateway; None if it is about no coup."""
    raised = alarm.raised
    if not raised.coup:
        return None
    of_shoe = source.reading.coup(raised.table, raised.unit, raised.shoe, raised.coup)
    found = [one for state in with_corrections(source, of_shoe) for one in state.messages]
    return max(found, key=lambda one: (one.time, one.entry), default=None)


def discrepancy_row(source: Source, alarm: Alarm, people: People) -> DiscrepancyRow:
    """Return the row of a disputed coup, and how it was decided."""
    raised, coup = alarm.raised, last_message(source, alarm)
    decided = coup if coup is not None and coup.decided and (is_void(coup) or coup.status == "confirmed") else None
    fields: dict[str, Any] = {"verdict": "", "winner": None, "by": "", "role": "", "decided": "", "response_s": None}
    if decided is not None:
        fields = {
            "verdict": "void" if is_void(decided) else "confirmed",
            "winner": decided.winner or None,
            "by": decided.by,
            "role": people.role(decided),
            "decided": decided.decided,
            "response_s": seconds(raised.time, decided.decided),
        }
    return DiscrepancyRow(
        raised=raised.time,
        table=raised.table,
        shoe=raised.shoe,
        coup=raised.coup,
        name=raised.name,
        clause=raised.clause,
        shoe_says=raised.shoe_says,
        cards_say=raised.cards_say,
        alarm=raised.alarm,
        **fields,
    )
