"""Openings: which incident an alarm, a disputed coup or an event opens, with the facts that decide its steps."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from sabot_protocol import incidents, irregularities, rulebooks
from sabot_protocol.incidents import Fact, Opener
from sabot_protocol.rulebooks.incidents import UNWAGERED_COUP
from sabot_protocol.topics import AlarmMessage, CoupMessage, IncidentMessage

from sabot_gateway.incidents.evidence import dealing_units
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.records import Record, unit_of
from sabot_gateway.verify.state import ShoeState

# Acts that the shoe logs: by the reason of a void coup, and by a command that it has done.
_VOIDS = {"foreign_card": "void_foreign_card", "misdeal": "void_misdeal", "wrong_shoe": "void_wrong_shoe"}
_COMMANDS = {"no_bet": "deal_unwagered"}
_DISCREPANCY = "discrepancy"
_OF_A_COUP = (_DISCREPANCY, "not_confirmed")  # alarms that need a coup to be decided
_BY_VOID = ("missing_or_foreign_card",)  # alarms that a void coup raises
_THIS, _NEXT = "THIS_NO_BET", "NEXT_NO_BET"  # codes
_DELIVERIES = ("wrong_area", "wrong_recipient")


class Opening(NamedTuple):
    """An incident to be opened, unless this kind is open for the coup already."""

    kind: str
    opener: Opener
    unit: str
    shoe: int
    coup: int
    say: str
    facts: dict[str, Fact]
    clause: str = ""
    alarm: str = ""
    coup_id: str = ""
    done: tuple[str, ...] = ()  # steps that are done with it


def of_records(book: str, records: list[Record], event: Event | None, state: ShoeState) -> Iterator[Opening]:
    """Yield what alarms open, then what coups do that are disputed without an alarm, as in a flood."""
    for record in records:
        if isinstance(record.message, AlarmMessage) and record.message.state == "raised":
            yield from _of_alarm(book, record.message, records, event, state)
    for record in records:
        coup = record.message
        if isinstance(coup, CoupMessage) and coup.status == "disputed":
            yield from _of_dispute(book, coup)


def _of_alarm(
    book: str, alarm: AlarmMessage, records: list[Record], event: Event | None, state: ShoeState
) -> Iterator[Opening]:
    data = event.data if event and event.kind == "irregularity" and event.data["case"] == alarm.name else {}
    opener = Opener(alarm=alarm.name, code=data.get("code", ""))
    kind = incidents.kind_of(book, opener)
    if not kind or (alarm.name in _OF_A_COUP and not alarm.coup):
        return
    if event is not None and event.kind == "coup_void" and opener.alarm in _BY_VOID:
        return  # the void coup itself opens it
    if any(isinstance(one.message, IncidentMessage) and one.message.kind == kind for one in records):
        return  # a person's record has opened it
    facts = _facts(alarm.name, data) | {"coup_running": not state.none_to_void()}
    facts |= _of_unwagered(book, opener, alarm.coup, state)
    unit = unit_of(alarm.alarm)
    yield Opening(
        kind, opener, unit, alarm.shoe, alarm.coup, alarm.say, facts, alarm.clause, alarm.alarm,
        _coup_id(records, alarm),
    )  # fmt: skip


def _facts(case: str, data: dict[str, Any]) -> dict[str, Fact]:
    """Return the facts of an irregularity, those of its case and no others."""
    facts: dict[str, Fact] = {fact: data["facts"][fact] for fact in irregularities.CASES[case]} if data else {}
    return facts | ({"wrong_recipient": case == "wrong_recipient"} if case in _DELIVERIES else {})


def _of_unwagered(book: str, opener: Opener, coup: int, state: ShoeState) -> dict[str, Fact]:
    """Return which coup is to be dealt without wagers after an irregularity, and whether a rule orders it."""
    if opener.code not in (_THIS, _NEXT):
        return {}
    ordered = str(rulebooks.load(book).switch["dummy_ordered_by"].value).split()
    orders = {"ordered_by_rule": opener.alarm in ordered} if ordered else {}
    number = state.next_of_case(opener.alarm, coup) if opener.code == _NEXT else coup
    return {UNWAGERED_COUP: number, **orders}


def _coup_id(records: list[Record], alarm: AlarmMessage) -> str:
    for record in records:
        coup = record.message
        if isinstance(coup, CoupMessage) and (coup.shoe, coup.coup) == (alarm.shoe, alarm.coup):
            return coup.id
    return ""


def _of_dispute(book: str, coup: CoupMessage) -> Iterator[Opening]:
    opener = Opener(alarm=_DISCREPANCY)
    kind = incidents.kind_of(book, opener)
    if kind:
        say = f"Coup {coup.shoe}/{coup.coup} is disputed. Do not settle it."
        yield Opening(kind, opener, dealing_units(coup)[-1], coup.shoe, coup.coup, say, {}, coup_id=coup.id)


def of_event(book: str, event: Event, records: list[Record], state: ShoeState) -> Iterator[Opening]:
    """Yield what an act opens that the shoe has logged: a void coup, or a command."""
    if event.kind == "coup_void":
        yield from _of_void(book, event, records, state)
    elif event.kind == "command_done":
        act = _COMMANDS.get(event.data["command"], "")
        yield from _of_act(book, act, event.unit, state.shoe_no or 0, state.next_coup_no())


def _of_void(book: str, event: Event, records: list[Record], state: ShoeState) -> Iterator[Opening]:
    """A coup that was voided without a report of the error."""
    void, act = records[0].message, _VOIDS.get(event.data["reason"], "")
    if void is None:
        return
    facts: dict[str, Fact] = {"coup_running": True, "reconstructible": False, "notified_before_next": True}
    for opening in _of_act(book, act, event.unit, void.shoe, void.coup):
        yield opening._replace(facts=facts, coup_id=void.id, done=("void", "notice"))


def _of_act(book: str, act: str, unit: str, shoe: int, coup: int) -> Iterator[Opening]:
    opener = Opener(act=act)
    kind = incidents.kind_of(book, opener) if act else ""
    if kind:
        yield Opening(kind, opener, unit, shoe, coup, f"{incidents.title(kind)}.", {})
