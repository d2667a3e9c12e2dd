"""The reports of one shoe and of one coup: every message, correction, alarm, decision and incident."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sabot_floor.gaming_day import Span
from sabot_floor.projection.reading import Alarm, Decision, ShoeRecord
from sabot_floor.reports.alarms import alarm_row, irregularity_row, is_irregularity
from sabot_floor.reports.completeness import gaps_since
from sabot_floor.reports.contents import CoupReport, ShoeReport
from sabot_floor.reports.coup_states import with_corrections
from sabot_floor.reports.heads import head
from sabot_floor.reports.incidents import incident_row, step_rows
from sabot_floor.reports.jackpots import wins_of
from sabot_floor.reports.people import People, args_of
from sabot_floor.reports.play import ShoeKey, card_row, coup_row, shift, shoe_row
from sabot_floor.reports.requests import About, decisions_about, request_rows
from sabot_floor.reports.rows import CoupRow, WinRow
from sabot_floor.reports.source import NotFoundError, Scope, Source
from sabot_floor.store.rows import Card, Confirmed, Coup, Dealt, Incident

_BEFORE_S = 900  # requests before the first card belong to the shoe


def shoe_report(source: Source, scope: Scope, key: ShoeKey) -> ShoeReport:
    """Return the report of one shoe."""
    with source.store.snapshot():
        return _shoe(source, scope, _found_unit(source, key))


def _shoe(source: Source, scope: Scope, key: ShoeKey) -> ShoeReport:
    record = _record(source, key)
    scope = replace(scope, tables=(key.table,), span=_span_of(record, scope.made))
    states = list(with_corrections(source, _firsts(record.coups)))
    during = Span(shift(scope.span.begin, -_BEFORE_S), scope.span.end)
    until = source.next_of_number(*key, scope.span.begin)
    about = About.of(str(key.shoe), during, until, record.coups, record.incidents)
    decisions = decisions_about(source, scope, about)
    people = People(source, decisions)
    rows = [_rows(state.messages, record.confirmed, people) for state in states]
    rows.sort(key=lambda messages: (messages[0].coup, messages[0].time))
    sections: dict[str, Any] = {
        "gaps": gaps_since(source, key.table, scope.span.begin),
        "shoes": [shoe_row(source, key, len(states))],
        "coups": [messages[-1] for messages in rows],
        "corrected": [row for messages in rows for row in messages[:-1]],
        "cards": [card_row(card) for card in _dealt_cards(source, scope, record)],
        "decisions": request_rows(source, scope, about, decisions),
        "wins": _wins(source, scope, key.table, record.confirmed),
        **_about(source, scope, record.alarms, record.incidents),
    }
    return ShoeReport(head=head(source, scope, "shoe", f"{key.table}/{key.shoe}", sections), **sections)


class CoupFacts(NamedTuple):
    """What the projection has about one coup, as rows of its tables."""

    key: ShoeKey
    coup: int
    scope: Scope  # of the coup's table and time
    messages: list[Coup]  # with corrections, the oldest first
    confirmed: list[Confirmed]
    cards: list[Card]
    dealt: list[Dealt]
    alarms: list[Alarm]
    incidents: list[Incident]
    about: About
    decisions: list[Decision]


def coup_report(source: Source, scope: Scope, key: ShoeKey, coup: int) -> CoupReport:
    """Return the report of one coup."""
    with source.store.snapshot():
        return coup_report_of(source, coup_facts(source, scope, key, coup))


def _wins(source: Source, scope: Scope, table: str, confirmed: Sequence[Confirmed]) -> list[WinRow]:
    """Return the jackpots that confirmed coups of a table have won."""
    ids = {one.id for one in confirmed}
    return wins_of(source, scope, table, ids, min((one.time for one in confirmed), default=""))


def coup_facts(source: Source, scope: Scope, key: ShoeKey, coup: int) -> CoupFacts:
    """Return what there is about one coup, inside a snapshot of the store; NotFoundError if there is nothing."""
    key = _found_unit(source, key)
    record = _record(source, key)
    messages = [one for one in record.coups if one.coup == coup]
    if not messages:
        numbers = sorted({one.coup for one in record.coups})
        known = f"it has coups {numbers[0]} to {numbers[-1]}" if numbers else "it has no coups"
        raise NotFoundError(f"shoe {key.table}/{key.shoe} has no coup {coup} in the store; {known}")
    messages = [one for state in with_corrections(source, _firsts(messages)) for one in state.messages]
    scope = replace(scope, tables=(key.table,), span=_coup_span(record, messages))
    incidents = [one for one in record.incidents if one.coup == coup]
    until = source.next_of_number(*key, scope.span.begin)
    about = About.of(f"{key.shoe}/{coup}", scope.span, until, messages, incidents)
    ids = {one.id for one in messages}
    return CoupFacts(
        key,
        coup,
        scope,
        messages,
        [one for one in record.confirmed if one.coup_id in ids],
        [card for card in record.cards if card.coup == coup],
        source.reading.dealt(messages[0], _entry_before(record, messages[0])),
        [one for one in record.alarms if one.raised.coup == coup],
        incidents,
        about,
        decisions_about(source, scope, about),
    )


def coup_report_of(source: Source, facts: CoupFacts) -> CoupReport:
    """Return the report of one coup from its rows."""
    key, scope = facts.key, facts.scope
    rows = _rows(facts.messages, facts.confirmed, People(source, facts.decisions))
    sections: dict[str, Any] = {
        "gaps": gaps_since(source, key.table, scope.span.begin),
        "final": rows[-1:],
        "messages": rows,
        "cards": [card_row(card) for card in facts.cards],
        "decisions": request_rows(source, scope, facts.about, facts.decisions),
        "wins": _wins(source, scope, key.table, facts.confirmed),
        **_about(source, scope, facts.alarms, facts.incidents),
    }
    about = f"{key.table}/{key.shoe}/{facts.coup}"
    return CoupReport(head=head(source, scope, "coup", about, sections), **sections)


def _entry_before(record: ShoeRecord, message: Coup) -> int:
    """Return the entry of the message on `coup` before this one in the same ledger, 0 if there is none."""
    entries = (one.entry for one in record.coups if one.gateway == message.gateway and one.coup != message.coup)
    return max((entry for entry in entries if entry < message.entry), default=0)


def _record(source: Source, key: ShoeKey) -> ShoeRecord:
    """Return everything of one shoe: what it logged, and what the gateway decided, raised and opened about it."""
    record = source.reading.shoe(*key)
    coups = [one for state in with_corrections(source, _firsts(record.coups)) for one in state.messages]
    alarms, incidents = list(record.alarms), list(record.incidents)
    for gateway in sorted({one.gateway for one in record.coups} - {key.unit}):
        more_alarms, more_incidents = source.of_gateway(key.table, gateway, key.shoe, _begin(record))
        alarms += more_alarms
        incidents += more_incidents
    return record._replace(
        coups=coups,
        confirmed=source.reading.confirmed_of(coups),
        alarms=sorted(alarms, key=lambda one: (one.raised.time, one.raised.entry)),
        incidents=sorted(incidents, key=lambda one: (one.opened, one.incident)),
    )


def _about(source: Source, scope: Scope, alarms: Sequence[Alarm], incidents: Sequence[Incident]) -> dict[str, Any]:
    """Return what was raised and opened, for both reports."""
    return {
        "irregularities": [irregularity_row(source, one, incidents) for one in alarms if is_irregularity(one)],
        "alarms": [alarm_row(one) for one in alarms],
        "incidents": [incident_row(one, scope.made) for one in incidents],
        "steps": list(step_rows(incidents, scope.made)),
    }


def _dealt_cards(source: Source, scope: Scope, record: ShoeRecord) -> list[Card]:
    """Return the cards of a shoe without those that were fed in a check of the decks after it was closed."""
    closed = record.shoe.closed
    after = [card for card in record.cards if closed and card.time > closed.time]
    if not closed or not after:
        return record.cards
    people = People(source, list(source.decisions(scope.of(Span(closed.time, shift(after[-1].time, 1))))))
    checked = {card.id for card in after if _is_checked(people, card, closed.time)}
    return [card for card in record.cards if card.id not in checked]


def _is_checked(people: People, card: Card, since: str) -> bool:
    """Return True if a check of the decks is going on when a card is drawn."""
    newest = people.newest(card.table, ("deck-check",), since, card.time)
    return newest is not None and bool(args_of(newest.attempt.args).get("on"))


def _found_unit(source: Source, key: ShoeKey) -> ShoeKey:
    """Return the key with its unit: the given one, or the only one that had a shoe of this number at the table."""
    units = source.units_of_shoe(key.table, key.shoe)
    if key.unit in units:
        return key
    if not units or key.unit:
        unit = f" of unit {key.unit}" if key.unit else ""
        raise NotFoundError(
            f"the store has no shoe {key.shoe}{unit} at table {key.table!r}; the shoes of a day are in "
            "`sabot report day DAY`"
        )
    if len(units) > 1:
        raise NotFoundError(
            f"table {key.table} had a shoe {key.shoe} of each of these units: {', '.join(units)}; give one with --unit"
        )
    return key._replace(unit=units[0])


def _firsts(coups: Iterable[Coup]) -> list[Coup]:
    """Return the messages that correct nothing that is here."""
    listed = sorted(coups, key=lambda coup: (coup.time, coup.entry))
    ids, firsts = {coup.id for coup in listed}, dict[str, Coup]()
    for coup in listed:
        if coup.corrects not in ids:
            firsts.setdefault(coup.id, coup)
    return list(firsts.values())


def _rows(messages: Sequence[Coup], confirmed: Iterable[Confirmed], people: People) -> list[CoupRow]:
    """Return the rows of one coup's messages, oldest first."""
    times = {one.coup_id: one.time for one in confirmed if one.status == "confirmed"}
    followers = [*(one.id for one in messages[1:]), ""]
    return [
        coup_row(one, confirmed=times.get(one.id, ""), corrected_by=after, role=people.role(one))
        for one, after in zip(messages, followers, strict=True)
    ]


def _span_of(record: ShoeRecord, now: str) -> Span:
    """Return the time of a shoe: from its opening to its closing, or to now."""
    begin, closed = _begin(record) or now, record.shoe.closed
    return Span(begin, shift(closed.time if closed else max(now, begin), 1))


def _begin(record: ShoeRecord) -> str:
    """Return the time of a shoe's first message; empty if it has none."""
    return min((one.time for one in (*record.shoe, *record.coups) if one is not None), default="")


def _coup_span(record: ShoeRecord, messages: Sequence[Coup]) -> Span:
    """Return the time of a coup: from the coup before it to its last message or confirmation."""
    ids = {one.id for one in messages}
    before = [one.time for one in record.coups if one.time < messages[0].time and one.id not in ids]
    ends = [messages[-1].time, *(one.time for one in record.confirmed if one.coup_id in ids)]
    return Span(max(before, default=shift(messages[0].time, -_BEFORE_S)), shift(max(ends), 1))
