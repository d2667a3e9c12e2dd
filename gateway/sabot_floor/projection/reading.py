"""Reading: the rows of the projection by time, table, shoe, coup or person; a query reads only its range."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from sabot_floor.projection.in_play import NO_BOOKS, NOTHING_KNOWN, InPlay, Known
from sabot_floor.projection.parts import in_parts
from sabot_floor.store import Store
from sabot_floor.store import tables as schema
from sabot_floor.store.rows import (
    AlarmChange,
    Attempt,
    Card,
    Confirmed,
    Coup,
    Dealt,
    EntryHash,
    Health,
    Incident,
    Increment,
    Outcome,
    ShoeChange,
)
from sabot_floor.store.tables import Table

_PAGE = 2000  # rows that a query returns at once
_OF_TABLE = "\"table\" || '' = ?"  # an expression: the index of times is used, not that of shoes
_MOST_IDS = 500  # in one query
_MOST_BETWEEN = 5000  # entries of a ledger between the first card of a coup and its message
_MOST_CARDS = 50  # of one coup
_Row = TypeVar("_Row", bound=tuple[Any, ...])


class Alarm(NamedTuple):
    """An alarm from its raising to its end; None where that has not come."""

    raised: AlarmChange
    acknowledged: AlarmChange | None
    cleared: AlarmChange | None


class Decision(NamedTuple):
    """A request of a person and its answer; None while it has none."""

    attempt: Attempt
    outcome: Outcome | None


class Shoe(NamedTuple):
    """A shoe from its opening to its closing; None where that is not in the projection."""

    opened: ShoeChange | None
    closed: ShoeChange | None


class ShoeRecord(NamedTuple):
    """Everything of one shoe, each list in the order of the ledger."""

    shoe: Shoe
    coups: list[Coup]
    confirmed: list[Confirmed]
    cards: list[Card]
    alarms: list[Alarm]
    incidents: list[Incident]


class Reading:
    """Reads a store. A range is [start, end) in UTC text, in full or shortened: 2026-03-01T05:30.

    An empty `table` means all tables. The coup in play has no cards here (`in_play.py`). Rows come in the order of
    time, those of the same time by gateway and entry.
    One class because every report asks several of these questions, and all of them share the same few queries.
    """

    def __init__(self, store: Store, books: frozenset[str] = NO_BOOKS, known: Known = NOTHING_KNOWN) -> None:
        self._store, self.in_play = store, InPlay(store, books, known)

    # By time

    def coups(self, start: str, end: str, table: str = "") -> Iterator[Coup]:
        """Yield the messages on `coup` of this time: one that `corrects` another replaces it."""
        return self._by_time(schema.COUPS, Coup, start, end, table)

    def confirmed(self, start: str, end: str, table: str = "") -> Iterator[Confirmed]:
        """Yield the messages on `confirmed` of this time."""
        return self._by_time(schema.CONFIRMED, Confirmed, start, end, table)

    def cards(self, start: str, end: str, table: str = "") -> Iterator[Card]:
        """Yield the cards of this time that are in no hand or have notes."""
        return self._by_time(schema.CARDS, Card, start, end, table)

    def shoe_changes(self, start: str, end: str, table: str = "") -> Iterator[ShoeChange]:
        """Yield when shoes were opened and closed in this time."""
        return self._by_time(schema.SHOES, ShoeChange, start, end, table)

    def alarms(self, start: str, end: str, table: str = "") -> Iterator[Alarm]:
        """Yield the alarms raised in this time, with their end, however late that came."""
        raised = self._by_time(schema.ALARMS, AlarmChange, start, end, table, "state = 'raised'")
        yield from self._with_ends(raised)

    def decisions(self, start: str, end: str, table: str = "") -> Iterator[Decision]:
        """Yield the requests of this time, each with its answer."""
        yield from self._with_outcomes(self._by_time(schema.ATTEMPTS, Attempt, start, end, table))

    def incidents(self, start: str, end: str, table: str = "") -> Iterator[Incident]:
        """Yield the incidents opened in this time, as they are now."""
        return self._by_time(schema.INCIDENTS, Incident, start, end, table, by="opened", tie="incident")

    def open_incidents(self, table: str = "") -> list[Incident]:
        """Return the incidents that are open now, oldest first."""
        where, values = ("state = 'open' AND \"table\" = ?", (table,)) if table else ("state = 'open'", ())
        return self.select(schema.INCIDENTS, Incident, f"{where} ORDER BY opened, gateway, incident", values)

    def incidents_by_id(self, ids: Sequence[str]) -> list[Incident]:
        """Return the incidents with these ids, oldest first."""
        found = self._of_ids(schema.INCIDENTS, Incident, "incident", ids)
        return sorted(found, key=lambda row: (row.opened, row.gateway, row.incident))

    def increments(self, start: str, end: str) -> list[Increment]:
        """Return the half hours of this time, in order of jackpot and time; count and total are running ones."""
        where = 'jackpot = ? AND half_hour >= ? AND half_hour < ? ORDER BY half_hour, gateway, "table"'
        bounds = (_bound(start)[:16], _bound(end)[:16])
        found: list[Increment] = []
        for jackpot in self._jackpots():
            found += self.select(schema.INCREMENTS, Increment, where, (jackpot, *bounds))
        return found

    def _jackpots(self) -> Iterator[str]:
        """Yield the jackpots that have increments, each found by the index: their rows are not read."""
        query, last = "SELECT min(jackpot) FROM increments WHERE jackpot > ?", ""
        while (found := self._store.select(query, (last,))[0][0]) is not None:
            last = str(found)
            yield last

    def increment_before(self, jackpot: str, gateway: str, table: str, time: str) -> Increment | None:
        """Return the newest half hour of a table before this time: its total is what was contributed until then."""
        where = 'gateway = ? AND jackpot = ? AND "table" = ? AND half_hour < ? ORDER BY half_hour DESC LIMIT 1'
        found = self.select(schema.INCREMENTS, Increment, where, (gateway, jackpot, table, _bound(time)[:16]))
        return found[0] if found else None

    # By shoe, coup, person

    def shoe(self, table: str, unit: str, shoe: int) -> ShoeRecord:
        """Return everything of one shoe at a table."""
        of_shoe, values = '"table" = ? AND unit = ? AND shoe = ? ORDER BY gateway, entry', (table, unit, shoe)
        changes = self.select(schema.SHOES, ShoeChange, of_shoe, values)
        coups = self.select(schema.COUPS, Coup, of_shoe, values)
        opened = next((change for change in changes if change.state == "open"), None)
        closed = next((change for change in changes if change.state == "closed"), None)
        alarms = self.select(schema.ALARMS, AlarmChange, of_shoe, values)
        incidents = of_shoe.replace("ORDER BY gateway, entry", "ORDER BY opened, incident")
        return ShoeRecord(
            Shoe(opened, closed),
            coups,
            self.confirmed_of(coups),
            self.select(schema.CARDS, Card, of_shoe, values),
            list(self._with_ends(iter([alarm for alarm in alarms if alarm.state == "raised"]))),
            self.select(schema.INCIDENTS, Incident, incidents, values),
        )

    def health(self, table: str, most: int) -> list[Health]:
        """Return the newest rows about a table's sensors, the oldest first; a shoe that is closed gives four."""
        where = '"table" = ? ORDER BY time DESC, gateway, entry DESC LIMIT ?'
        return self.select(schema.HEALTH, Health, where, (table, most))[::-1]

    def coup(self, table: str, unit: str, shoe: int, coup: int) -> list[Coup]:
        """Return every message about one coup, the oldest first."""
        where = '"table" = ? AND unit = ? AND shoe = ? AND coup = ? ORDER BY gateway, entry'
        return self.select(schema.COUPS, Coup, where, (table, unit, shoe, coup))

    def dealt(self, message: Coup, after: int) -> list[Dealt]:
        """Return when the cards of a coup left the shoe: entries of its ledger after this one, up to its message."""
        first = max(after, message.entry - _MOST_BETWEEN)
        where = 'gateway = ? AND entry > ? AND entry < ? AND "table" = ? AND shoe = ? AND coup = ? ORDER BY entry'
        of_coup = (message.gateway, first, message.entry, message.table, message.shoe, message.coup)
        return self.select(schema.DEALT, Dealt, f"{where} LIMIT {_MOST_CARDS}", of_coup)

    def hashes(self, gateway: str, entries: Sequence[int]) -> list[EntryHash]:
        """Return the hashes of these entries of a ledger as far as they are known, in order."""
        found: list[EntryHash] = []
        for some in in_parts(entries, _MOST_IDS):
            where = f"gateway = ? AND entry IN ({', '.join('?' * len(some))})"
            found += self.select(schema.HASHES, EntryHash, where, (gateway, *some))
        return sorted(found)

    def coup_by_id(self, own_id: str, table: str = "") -> Coup | None:
        """Return the coup message with this id, or None; an empty table means all."""
        where = f"id = ?{' AND ' + _OF_TABLE if table else ''} ORDER BY gateway, entry LIMIT 1"
        found = self.select(schema.COUPS, Coup, where, (own_id, table) if table else (own_id,))
        return found[0] if found else None

    def coups_by_id(self, own_id: str) -> list[Coup]:
        """Return the coup messages with this id, of all tables; more than one proves a copy, or a false name."""
        return self.select(schema.COUPS, Coup, f'id = ? ORDER BY "table", gateway, entry LIMIT {_MOST_IDS}', (own_id,))

    def corrections(self, coup: Coup) -> list[Coup]:
        """Return the messages of its table that replace a coup message, the oldest first."""
        where = f"corrects <> '' AND corrects = ? AND {_OF_TABLE} ORDER BY gateway, entry"
        return self.select(schema.COUPS, Coup, where, (coup.id, coup.table))

    def confirmed_of(self, coups: Sequence[Coup]) -> list[Confirmed]:
        """Return the messages on `confirmed` of their tables that name these coup messages, in order of the ledger."""
        of, ids = {(coup.table, coup.id) for coup in coups}, [coup.id for coup in coups]
        found = self._of_ids(schema.CONFIRMED, Confirmed, "coup_id", ids)
        return sorted(one for one in found if (one.table, one.coup_id) in of)

    def attempt(self, own_id: str, table: str) -> Decision | None:
        """Return the request with this id at a table and its answer, or None."""
        found = self._of_ids(schema.ATTEMPTS, Attempt, "id", [own_id])
        return next(self._with_outcomes(one for one in found if one.table == table), None)

    def decisions_by(self, person: str, start: str, end: str) -> list[Decision]:
        """Return the requests of a person in this time, each with its answer."""
        return list(self._with_outcomes(iter(self._by_person(schema.ATTEMPTS, Attempt, person, start, end))))

    def coups_by(self, person: str, start: str, end: str) -> list[Coup]:
        """Return the coup messages of this time that a person decided."""
        return self._by_person(schema.COUPS, Coup, person, start, end)

    def confirmed_by(self, person: str, start: str, end: str) -> list[Confirmed]:
        """Return the confirmations of this time by a person."""
        return self._by_person(schema.CONFIRMED, Confirmed, person, start, end)

    def alarms_by(self, person: str, start: str, end: str) -> list[AlarmChange]:
        """Return the alarms that a person acknowledged or cleared in this time."""
        return self._by_person(schema.ALARMS, AlarmChange, person, start, end)

    # Queries

    def _by_time(
        self,
        table: Table,
        row: type[_Row],
        start: str,
        end: str,
        name: str,
        condition: str = "",
        *,
        by: str = "time",
        tie: str = "entry",
    ) -> Iterator[_Row]:
        """Yield the rows of a range, a page at a time."""
        conditions = [
            f"{by} >= ?",
            f"{by} < ?",
            *([_OF_TABLE] if name else []),
            *([condition] if condition else []),
        ]
        values: list[Any] = [_bound(start), _bound(end), *([name] if name else [])]
        order = f"ORDER BY {by}, gateway, {tie} LIMIT {_PAGE}"
        after: tuple[Any, ...] = ()
        at = [table.columns.index(column) for column in (by, "gateway", tie)]
        while True:
            more = [f"({by}, gateway, {tie}) > (?, ?, ?)"] if after else []
            page = self.select(table, row, f"{' AND '.join([*conditions, *more])} {order}", (*values, *after))
            yield from page
            if len(page) < _PAGE:
                return
            after = tuple(page[-1][column] for column in at)
            values[0] = after[0]  # the index is entered here

    def _by_person(self, table: Table, row: type[_Row], person: str, start: str, end: str) -> list[_Row]:
        where = '"by" <> \'\' AND "by" = ? AND time >= ? AND time < ? ORDER BY time, gateway, entry'
        return self.select(table, row, where, (person, _bound(start), _bound(end)))

    def _of_ids(self, table: Table, row: type[_Row], column: str, ids: Sequence[str]) -> list[_Row]:
        found: list[_Row] = []
        for first in range(0, len(ids), _MOST_IDS):
            some = ids[first : first + _MOST_IDS]
            found += self.select(table, row, f"{column} IN ({', '.join('?' * len(some))})", some)
        return found

    def select(self, table: Table, row: type[_Row], where: str, values: Sequence[Any]) -> list[_Row]:
        """Return the rows of a table, without the cards of a coup whose result is not out."""
        columns = ", ".join(f'"{name}"' for name in table.columns)
        found = self._store.select(f"SELECT {columns} FROM {table.name} WHERE {where}", tuple(values))
        return [self.in_play.without_cards(tuple.__new__(row, one)) for one in found]

    def _with_ends(self, raised: Iterator[AlarmChange]) -> Iterator[Alarm]:
        for some in in_parts(raised, _MOST_IDS):
            ends: dict[tuple[str, str, str], AlarmChange] = {}
            found = self._of_ids(schema.ALARMS, AlarmChange, "alarm", [alarm.alarm for alarm in some])
            for change in sorted(found):
                ends.setdefault((change.table, change.alarm, change.state), change)
            for alarm in some:
                acknowledged, cleared = (
                    ends.get((alarm.table, alarm.alarm, state)) for state in ("acknowledged", "cleared")
                )
                yield Alarm(alarm, acknowledged, cleared)

    def _with_outcomes(self, attempts: Iterator[Attempt]) -> Iterator[Decision]:
        for some in in_parts(attempts, _MOST_IDS):
            found = self._of_ids(schema.OUTCOMES, Outcome, "attempt", [attempt.id for attempt in some])
            answers = {(outcome.table, outcome.attempt): outcome for outcome in sorted(found, reverse=True)}
            for attempt in some:
                outcome = answers.get((attempt.table, attempt.id))
                yield Decision(attempt, self.in_play.without_named_cards(attempt, outcome))


def _bound(time: str) -> str:
    """Return a bound that is before every time with the same beginning."""
    return time.removesuffix("Z")
