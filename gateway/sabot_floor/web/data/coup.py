"""Coup: everything that the store has about one coup, as evidence; NotThereError with what is missing."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

import msgspec
from sabot_protocol import rulebooks
from sabot_protocol.cards import POINTS
from sabot_protocol.jackpots.messages import IncrementMessage
from sabot_protocol.rulebooks.model import Draw
from sabot_protocol.table_of_play import SLOTS
from sabot_protocol.topics import CoupStatus

from sabot_floor.gaming_day import Span
from sabot_floor.jackpots.engine.entries import Increment
from sabot_floor.projection.coverage import heads_of
from sabot_floor.reports.completeness import gaps_since
from sabot_floor.reports.coup_states import first_message
from sabot_floor.reports.jackpots import logged_increments, wins_of
from sabot_floor.reports.people import People
from sabot_floor.reports.play import ShoeKey, cards_of, shift
from sabot_floor.reports.rows import WinRow
from sabot_floor.reports.shoe import CoupFacts, coup_facts, coup_report_of
from sabot_floor.reports.source import NotFoundError, Scope, Source
from sabot_floor.store.rows import Card, Confirmed, Coup, Dealt
from sabot_floor.web.data.cells import Cell, cells
from sabot_floor.web.data.coup_events import events
from sabot_floor.web.data.evidence import (
    Book,
    Confirmation,
    Contribution,
    Evidence,
    EvidenceCard,
    Ledger,
    LedgerHash,
    LedgerHead,
    Missing,
    Other,
    Place,
)
from sabot_floor.web.views.jackpot import digits

ID = re.compile(r"\A[A-Za-z0-9_-]{1,64}(/[A-Za-z0-9_-]{1,64}){0,3}\Z")
_SHAPES = "the id of a message on `coup`, or table/shoe/coup such as bac-01/3/17"
_CONTRIBUTED_S = 3600  # after a confirmation, within which its contribution is looked for
_MOST_OTHERS = 20


class NotThereError(LookupError):
    """The store has no such coup; `missing` has the sentence and the entries that are missing."""

    def __init__(self, missing: Missing) -> None:
        super().__init__(missing.say)
        self.missing = missing


def evidence(source: Source, scope: Scope, wanted: str) -> Evidence:
    """Return everything about a coup by its address: the id of a message, table/shoe/coup, table/unit/shoe/coup."""
    with source.store.snapshot():
        key, coup = _address(source, wanted)
        try:
            facts = coup_facts(source, scope, key, coup)
        except NotFoundError as error:
            raise _not_there(source, str(error), key, coup) from error
        return _evidence(source, facts)


def _address(source: Source, wanted: str) -> tuple[ShoeKey, int]:
    """Return the shoe and the number of the coup that is meant; the unit may be empty."""
    if not ID.match(wanted):
        raise NotThereError(Missing(say=f"This is no address of a coup: give {_SHAPES}."))
    match wanted.split("/"):
        case [own_id]:
            found = source.reading.coup_by_id(own_id)
            if found is None:
                say = f"The store has no coup message with the id {own_id}. Check the id: give {_SHAPES}."
                raise NotThereError(Missing(say=say, gaps=gaps_since(source, "", "")))
            _refuse_several(source, own_id)
            first = first_message(source, found)
            return ShoeKey(first.table, first.unit, first.shoe), first.coup
        case [table, shoe, coup] if shoe.isdigit() and coup.isdigit():
            return ShoeKey(table, "", int(shoe)), int(coup)
        case [table, unit, shoe, coup] if shoe.isdigit() and coup.isdigit():
            return ShoeKey(table, unit, int(shoe)), int(coup)
    raise NotThereError(Missing(say=f"This is no address of a coup: give {_SHAPES}."))


def _refuse_several(source: Source, own_id: str) -> None:
    """Refuse an id that coups of several tables have."""
    coups = source.reading.coups_by_id(own_id)
    tables = list(dict.fromkeys(one.table for one in coups))
    if len(tables) > 1:
        say = f"Coups of several tables have the id {own_id}: {', '.join(tables)}. Choose one, as {_SHAPES}."
        others = [Other(one.unit, f"{one.table}/{one.unit}/{one.shoe}/{one.coup}", one.time) for one in coups]
        raise NotThereError(Missing(say=say, others=others[:_MOST_OTHERS]))


def _not_there(source: Source, say: str, key: ShoeKey, coup: int) -> NotThereError:
    units = source.units_of_shoe(key.table, key.shoe)
    if not key.unit and len(units) > 1:
        say = f"Several units had a shoe {key.shoe} at table {key.table}: choose the coup of one."
        return NotThereError(Missing(say=say, others=list(_others(source, key, units, coup))))
    return NotThereError(Missing(say=f"{say[:1].upper()}{say[1:]}.", gaps=gaps_since(source, key.table, "")))


def _others(source: Source, key: ShoeKey, units: Sequence[str], coup: int) -> Iterator[Other]:
    for unit in units[:_MOST_OTHERS]:
        messages = source.reading.coup(key.table, unit, key.shoe, coup)
        yield from (Other(unit, one.id, one.time) for one in messages[:1])


def _evidence(source: Source, facts: CoupFacts) -> Evidence:
    key, final = facts.key, facts.messages[-1]
    book = _book(final.rulebook)
    address = f"{key.table}/{key.shoe}/{facts.coup}"
    listed = events(facts)
    contributions, wins = _contributions(source, facts), _wins(source, facts)
    unit = f" --unit {key.unit}" if len(source.units_of_shoe(key.table, key.shoe)) > 1 else ""
    return Evidence(
        id=final.id,
        table=key.table,
        unit=key.unit,
        shoe=key.shoe,
        coup=facts.coup,
        state=_state(final, facts.confirmed),
        report=coup_report_of(source, facts),
        rulebook=book,
        cards=list(_cards(final, facts.cards, facts.dealt)),
        cells=_cells(final, book),
        events=listed,
        confirmed=_confirmations(source, facts),
        contributions=contributions,
        wins=wins,
        digits={
            code: digits(code) for code in {*(one.currency for one in contributions), *(win.currency for win in wins)}
        },
        ledgers=list(_ledgers(source, (event.place for event in listed))),
        verify=[
            f"sabot report coup {address}{unit} --config /etc/sabot/floor.toml",
            "sabot ledger verify LEDGER --heads heads.jsonl",
            f"sabot ledger show LEDGER --table {key.table} --shoe {key.shoe} --coup {facts.coup} --last 100 --json",
        ],
    )


def _state(final: Coup, confirmed: Sequence[Confirmed]) -> CoupStatus:
    """Return the state of a coup: its newest message keeps its own, the confirmation comes after it."""
    found = [one.status for one in confirmed if one.coup_id == final.id]
    state: CoupStatus = msgspec.convert(found[-1] if found else final.status, CoupStatus)
    return state


# The hands


def _cards(final: Coup, rows: Sequence[Card], dealt: Sequence[Dealt]) -> Iterator[EvidenceCard]:
    """Yield the cards of the hands in the order of play, then those in no hand."""
    by_slot: dict[str, Card | Dealt] = {row.slot: row for row in dealt}
    by_slot |= {row.slot: row for row in rows}
    used: set[str] = set()
    for slot, card in _places(final, by_slot).items():
        own = by_slot.get(slot)
        own = own if own is not None and own.card == card else None
        used |= {own.id} if isinstance(own, Card) else set()
        yield _card(slot.partition("_")[0], slot, card, own)
    for row in rows:
        if row.id not in used:
            yield _card("", row.slot, row.card, row)


def _places(final: Coup, by_slot: dict[str, Card | Dealt]) -> dict[str, str]:
    """Return the cards of the hands by slot; if cards are missing, each where the shoe reported it."""
    if _is_partial(final):
        return {slot: by_slot[slot].card for slot in SLOTS if slot in by_slot}
    hands = {"player": cards_of(final.player), "banker": cards_of(final.banker)}
    places = ((slot, *slot.split("_")) for slot in SLOTS)
    return {slot: hands[side][int(no) - 1] for slot, side, no in places if len(hands[side]) >= int(no)}


def _is_partial(final: Coup) -> bool:
    return "partial" in final.flags.split(" ")[1:]


def _card(side: str, slot: str, card: str, row: Card | Dealt | None) -> EvidenceCard:
    place = Place(row.gateway, row.entry) if row else Place()
    return EvidenceCard(
        side=side,  # type: ignore[arg-type]
        slot=slot,
        card=card,
        points=POINTS.get(card, 0),
        time=row.time if row else "",
        notes=row.notes.split() if isinstance(row, Card) else [],
        place=place,
    )


def _cells(final: Coup, book: Book) -> list[Cell]:
    """Return the cells of the hands; without clauses if the rulebook is not known: the tables are the same in all."""
    draw = rulebooks.load(book.id).draw if book.id else Draw("", "", "", "")
    player, banker = cards_of(final.player), cards_of(final.banker)
    known = all(card in POINTS for card in player + banker) and not _is_partial(final)
    return cells(draw, player, banker) if known else []


def _book(found: str) -> Book:
    own = _books().get(found)
    return Book(hash=found, id=own or "", title=rulebooks.load(own).title if own else "")


@cache
def _books() -> dict[str, str]:
    """Return the rulebooks of this software by their hashes."""
    return {rulebooks.load(name).digest().hex(): name for name in rulebooks.ids()}


# People and money


def _confirmations(source: Source, facts: CoupFacts) -> list[Confirmation]:
    people = People(source, facts.decisions)
    return [_confirmation(one, people.role(one)) for one in facts.confirmed]


def _confirmation(one: Confirmed, role: str) -> Confirmation:
    return Confirmation(
        time=one.time,
        status=one.status,
        by=one.by,
        role=role,
        clause=one.clause,
        coup_id=one.coup_id,
        corrects=one.corrects,
        place=Place(one.gateway, one.entry),
    )


def _contributions(source: Source, facts: CoupFacts) -> list[Contribution]:
    """Return what followed from each confirmation; the logs of the jackpots are read for an hour after it."""
    ids = {one.id for one in facts.confirmed}
    found: dict[str, Contribution] = {}
    for one in facts.confirmed:
        for counted, logged in logged_increments(source, Span(one.time, shift(one.time, _CONTRIBUTED_S))):
            assert isinstance(logged.entry, Increment)
            message = logged.entry.message
            if message.table == facts.key.table and message.coup_id in ids:
                found[f"{message.jackpot} {message.id}"] = _contribution(message, counted, logged.not_counted)
    return sorted(found.values(), key=lambda one: (one.time, one.jackpot))


def _contribution(message: IncrementMessage, counted: str, not_counted: str) -> Contribution:
    return Contribution(
        jackpot=message.jackpot,
        time=message.time,
        amount=message.amount,
        currency=message.currency,
        coup_id=message.coup_id,
        reverses=message.reverses,
        trigger=message.trigger,
        counted="" if not_counted else counted,
        not_counted=not_counted,
    )


def _wins(source: Source, facts: CoupFacts) -> list[WinRow]:
    """Return the wins of the coup, however late they were paid."""
    ids = {one.id for one in facts.confirmed}
    return wins_of(source, facts.scope, facts.key.table, ids, facts.confirmed[0].time if ids else "")


# Ledgers


def _ledgers(source: Source, places: Iterable[Place]) -> Iterator[Ledger]:
    """Yield where the coup stands in each ledger, and the first head of it that covers all its entries."""
    entries: dict[str, set[int]] = {}
    for place in places:
        if place.entry:
            entries.setdefault(place.gateway, set()).add(place.entry)
    for gateway, numbers in sorted(entries.items()):
        last = max(numbers)
        heads = (one for one in heads_of(source.store, gateway) if one.entry >= last)
        head = min(heads, key=lambda one: one.entry, default=None)
        yield Ledger(
            gateway=gateway,
            first=min(numbers),
            last=last,
            entries=sorted(numbers),
            hashes=[LedgerHash(one.entry, one.hash) for one in source.reading.hashes(gateway, sorted(numbers))],
            head=head
            and LedgerHead(gateway=gateway, entry=head.entry, hash=head.hash, time=head.time, signature=head.signature),
        )
