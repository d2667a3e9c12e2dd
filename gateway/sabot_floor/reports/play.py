"""Play: rows of shoes, coups, voids, coups without wagers, checks of the decks and cards keyed in."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sabot_floor.gaming_day import Span
from sabot_floor.projection.reading import Alarm, Decision
from sabot_floor.reports.coup_states import UNWAGERED, CoupState
from sabot_floor.reports.people import People, args_of, seconds
from sabot_floor.reports.rows import (
    CardRow,
    CoupCountRow,
    CoupRow,
    DeckCheckRow,
    KeyedCardRow,
    PlayedRow,
    ShoeRow,
    UnwageredRow,
    VoidRow,
)
from sabot_floor.reports.source import Source
from sabot_floor.store.rows import Card, Coup, ShoeChange

_ORDERED = ("no-bet", "this-no-bet", "authorise")  # requests that lead to a coup without wagers
_LOOK_BACK_S = 3600  # for the request behind a coup or a card
_CHECK_S = 4 * 3600  # that a check of the decks lasts at most


class ShoeKey(NamedTuple):
    """A shoe: its number counts per unit."""

    table: str
    unit: str
    shoe: int


def shift(time: str, by_s: float) -> str:
    """Return a time moved by seconds."""
    moved = datetime.fromisoformat(time) + timedelta(seconds=by_s)
    return moved.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def cards_of(text: str) -> list[str]:
    """Return the cards of a hand as the projection keeps them: 8HTD is 8H, TD."""
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def coup_row(coup: Coup, *, confirmed: str = "", corrected_by: str = "", role: str = "") -> CoupRow:
    """Return the row of a message about a coup."""
    fields: dict[str, Any] = {"kind": coup.kind, "status": coup.status, "winner": coup.winner or None}
    return CoupRow(
        coup_id=coup.id,
        time=coup.time,
        table=coup.table,
        unit=coup.unit,
        shoe=coup.shoe,
        coup=coup.coup,
        player=cards_of(coup.player),
        banker=cards_of(coup.banker),
        player_points=coup.player_points,
        banker_points=coup.banker_points,
        player_pair="P" in coup.flags,
        banker_pair="B" in coup.flags,
        natural="N" in coup.flags,
        last_coup="L" in coup.flags,
        confirmed=confirmed,
        by=coup.by,
        role=role,
        clause=coup.clause,
        decided=coup.decided,
        attempt=coup.attempt,
        corrects=coup.corrects,
        corrected_by=corrected_by,
        began=coup.began,
        **fields,
    )


def card_row(card: Card) -> CardRow:
    """Return the row of a card."""
    return CardRow(
        time=card.time,
        table=card.table,
        unit=card.unit,
        shoe=card.shoe,
        coup=card.coup,
        slot=card.slot,
        card=card.card,
        notes=card.notes.split(),
    )


@dataclass
class Tally:
    """Counts the coups of a time one by one, and keeps those that a report lists."""

    people: People
    reasons: dict[tuple[ShoeKey, int], str]  # of void coups, by shoe and coup
    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)  # table, kind, status
    by_shoe: Counter[ShoeKey] = field(default_factory=Counter)
    times: dict[str, tuple[str, str]] = field(default_factory=dict)  # of the first and last coup, by table
    voids: list[VoidRow] = field(default_factory=list)
    unwagered: list[UnwageredRow] = field(default_factory=list)

    def add(self, state: CoupState) -> None:
        """Count a coup; they come in the order of time."""
        first, current = state.first, state.current
        self.counts[first.table, current.kind, current.status] += 1
        self.by_shoe[ShoeKey(first.table, first.unit, first.shoe)] += 1
        if state.is_void:
            self.voids.append(self._void(current))
        if current.kind in UNWAGERED or first.kind in UNWAGERED:
            self.unwagered.append(self._unwagered(state))
        begin, _ = self.times.get(first.table, (first.time, ""))
        self.times[first.table] = (begin, first.time)

    def _void(self, coup: Coup) -> VoidRow:
        decision = self.people.of(coup)
        reason = self.reasons.get((ShoeKey(coup.table, coup.unit, coup.shoe), coup.coup), "")
        asked = _reason(decision) if decision else ""
        return VoidRow(
            time=coup.time,
            table=coup.table,
            unit=coup.unit,
            shoe=coup.shoe,
            coup=coup.coup,
            by=coup.by,
            role=self.people.role(coup),
            clause=coup.clause,
            reason=reason or asked,
            cards=cards_of(coup.player + coup.banker),
            attempt=coup.attempt,
            coup_id=coup.id,
        )

    def _unwagered(self, state: CoupState) -> UnwageredRow:
        first, current = state.first, state.current
        fields: dict[str, Any] = {"kind": current.kind, "status": current.status}
        _, last = self.times.get(first.table, ("", shift(first.time, -_LOOK_BACK_S)))
        found = self.people.of(first) or self.people.newest(first.table, _ORDERED, last, first.time)
        return UnwageredRow(
            time=first.time,
            table=first.table,
            unit=first.unit,
            shoe=first.shoe,
            coup=first.coup,
            by=found.attempt.by if found else first.by,
            role=found.attempt.role if found else "",
            clause=found.attempt.clause if found else first.clause,
            attempt=found.attempt.id if found else first.attempt,
            coup_id=current.id,
            **fields,
        )

    def count_rows(self) -> list[CoupCountRow]:
        """Return how many coups there were, by table, kind and status."""
        rows = []
        for (table, kind, status), coups in sorted(self.counts.items()):
            fields: dict[str, Any] = {"kind": kind, "status": status}
            rows.append(CoupCountRow(table=table, coups=coups, **fields))
        return rows


def _reason(decision: Decision) -> str:
    """Return why a person voided a coup; a disputed coup is void because of its discrepancy."""
    given = "discrepancy" if decision.attempt.verb == "decide" else ""
    return str(args_of(decision.attempt.args).get("reason", given)).replace("_", " ")


def void_reasons(alarms: Iterable[Alarm]) -> dict[tuple[ShoeKey, int], str]:
    """Return why coups were void, as the shoe logged it."""
    return {
        (ShoeKey(one.raised.table, one.raised.unit, one.raised.shoe), one.raised.coup): one.raised.shoe_says
        for one in alarms
        if one.raised.name == "coup_void"
    }


def shoe_rows(source: Source, changes: Iterable[ShoeChange], by_shoe: Counter[ShoeKey]) -> list[ShoeRow]:
    """Return the shoes that were opened, closed or dealt from, by their opening."""
    keys = {ShoeKey(one.table, one.unit, one.shoe) for one in changes} | by_shoe.keys()
    rows = [shoe_row(source, key, by_shoe[key]) for key in keys]
    return sorted(rows, key=lambda row: (row.opened, row.table, row.unit, row.shoe))


def shoe_row(source: Source, key: ShoeKey, coups: int) -> ShoeRow:
    """Return the row of one shoe."""
    changes = source.changes_of_shoe(*key)
    opened = next((one for one in changes if one.state == "open"), None)
    closed = next((one for one in reversed(changes) if one.state == "closed"), None)
    known = opened or closed
    return ShoeRow(
        table=key.table,
        unit=key.unit,
        shoe=key.shoe,
        opened=opened.time if opened else "",
        closed=closed.time if closed else "",
        decks=known.decks if known else 0,
        card_set=known.card_set if known else 0,
        burn=known.burn if known else "",
        coups=coups,
    )


def played_rows(shoes: list[ShoeRow], tally: Tally, span: Span, now: str) -> list[PlayedRow]:
    """Return how long each table played."""
    by_table: dict[str, list[ShoeRow]] = defaultdict(list)
    for shoe in shoes:
        by_table[shoe.table].append(shoe)
    rows = []
    for table, found in sorted(by_table.items()):
        first, last = tally.times.get(table, ("", ""))
        coups = sum(shoe.coups for shoe in found)
        open_s = _open_s(found, span, min(span.end, now) if now else span.end, (first, last))
        rows.append(PlayedRow(table=table, open_s=open_s, first=first, last=last, shoes=len(found), coups=coups))
    return rows


def _open_s(shoes: list[ShoeRow], span: Span, end: str, coups: tuple[str, str]) -> float:
    """Return the seconds in which a shoe of the table was open; one that nobody closed ends with the next one.

    Of a shoe whose opening is not in the store, only the time from the first to the last coup is known.
    """
    total, listed = 0.0, sorted(shoes, key=lambda shoe: shoe.opened)
    first, last = coups
    for number, shoe in enumerate(listed):
        following = listed[number + 1].opened if number + 1 < len(listed) else end
        until = shoe.closed or (following if shoe.opened else last)
        begin = max(shoe.opened or first or span.end, span.begin)
        total += max(0.0, seconds(begin, min(until, following or end, end)) or 0.0)
    return round(total, 3)


def deck_check_rows(people: People, alarms: list[Alarm], cards: list[Card]) -> list[DeckCheckRow]:
    """Return the checks of the decks that were begun, each with its cards and the difference that was found."""
    asked = people.all_of("deck-check")
    begun = [one for one in asked if args_of(one.attempt.args).get("on")]
    return [_deck_check(one, asked, alarms, cards) for one in begun]


def _deck_check(begin: Decision, asked: list[Decision], alarms: list[Alarm], cards: list[Card]) -> DeckCheckRow:
    attempt = begin.attempt
    later = [one for one in asked if one.attempt.table == attempt.table and one.attempt.time > attempt.time]
    end = later[0] if later and not args_of(later[0].attempt.args).get("on") else None
    until = next(
        (one.attempt.time for one in later if args_of(one.attempt.args).get("on")), shift(attempt.time, _CHECK_S)
    )
    differs = next(
        (
            one.raised
            for one in alarms
            if one.raised.name == "decks_differ"
            and one.raised.table == attempt.table
            and attempt.time <= one.raised.time < until
        ),
        None,
    )
    fields: dict[str, Any] = {"result": _check_result(begin, end, found=differs is not None)}
    fed = Span(attempt.time, end.attempt.time if end else until)
    return DeckCheckRow(
        time=attempt.time,
        table=attempt.table,
        shoe=differs.shoe if differs else 0,
        cards=_fed(cards, attempt.table, fed) if fields["result"] != "refused" else 0,
        decks=_whole(args_of(begin.attempt.args).get("decks")),
        by=attempt.by,
        role=attempt.role,
        say=differs.say if differs else _said(end or begin),
        alarm=differs.alarm if differs else "",
        attempt=attempt.id,
        **fields,
    )


def _fed(cards: list[Card], table: str, time: Span) -> int:
    """Return how many cards in no hand were drawn at a table in a time."""
    return sum(card.table == table and card.slot in ("burn", "unused") and time.holds(card.time) for card in cards)


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0


def _check_result(begin: Decision, end: Decision | None, *, found: bool) -> str:
    if found:
        return "differs"
    if begin.outcome and not begin.outcome.ok:
        return "refused"
    return "complete" if end and end.outcome and end.outcome.ok else "open"


def _said(decision: Decision) -> str:
    return decision.outcome.say if decision.outcome else ""


def keyed_card_rows(people: People, cards: Iterable[Card]) -> list[KeyedCardRow]:
    """Return the cards that people keyed in, each with the request for it."""
    return [_keyed(people, card) for card in cards if "keyed" in card.notes.split()]


def _keyed(people: People, card: Card) -> KeyedCardRow:
    after = shift(card.time, -_LOOK_BACK_S)
    found = people.newest(card.table, ("key-card",), after, card.time, card=card.card)
    return KeyedCardRow(
        time=card.time,
        table=card.table,
        unit=card.unit,
        shoe=card.shoe,
        coup=card.coup,
        slot=card.slot,
        card=card.card,
        by=found.attempt.by if found else "",
        role=found.attempt.role if found else "",
        asks=found.attempt.asks if found else "",
        asks_role=found.attempt.asks_role if found else "",
        clause=found.attempt.clause if found else "",
        attempt=found.attempt.id if found else "",
    )
