"""Source: what reports read of a store beside the questions of `Reading`, for one time and some tables."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple, Protocol, TypeVar

from sabot_floor.gaming_day import Calendar, Span
from sabot_floor.projection import coverage
from sabot_floor.projection.in_play import NO_BOOKS, NOTHING_KNOWN, Known
from sabot_floor.projection.reading import Alarm, Decision, Reading
from sabot_floor.store import Store, rows
from sabot_floor.store import tables as schema
from sabot_floor.store.tables import Table

MOST_ROWS = 10_000  # in a section; a warning counts the others
_BATCH = 1000  # entries of a log in one query
_BY = ("coups", "alarms", "attempts")  # tables in which people act
PART = 500  # ids in one query
_Row = TypeVar("_Row", bound=tuple[Any, ...])
_Any = TypeVar("_Any")


class NotFoundError(LookupError):
    """The store has no such shoe, coup, table or person; the message has the next step."""


class _OfTable(Protocol):
    @property
    def table(self) -> str: ...


_Placed = TypeVar("_Placed", bound=_OfTable)


class LogEntry(NamedTuple):
    """An entry of one of the store's own logs."""

    kind: str
    time: str
    payload: bytes
    seq: int


@dataclass(frozen=True)
class Scope:
    """What a report is about: a time, tables (none: all), and the site whose days are meant."""

    span: Span
    tables: tuple[str, ...] = ()
    calendar: Calendar = field(default_factory=Calendar)
    site: str = ""
    made: str = ""  # now
    most_rows: int = MOST_ROWS

    def of(self, span: Span) -> "Scope":
        """Return the same about another time."""
        return replace(self, span=span)

    def has(self, table: str) -> bool:
        """Return True if a table is asked for."""
        return not self.tables or table in self.tables

    @property
    def only(self) -> str:
        """Return the table if it is one, else an empty text."""
        return self.tables[0] if len(self.tables) == 1 else ""


class Source:
    """Reads a store; used by one thread.

    One class because every report asks several of these questions of the same store, in one snapshot.
    """

    def __init__(self, store: Store, books: frozenset[str] = NO_BOOKS, known: Known = NOTHING_KNOWN) -> None:
        self.store, self.reading = store, Reading(store, books, known)

    def coups(self, scope: Scope) -> Iterator[rows.Coup]:
        """Yield the messages on `coup`, in the order of time."""
        return _of_tables(self.reading.coups(*scope.span, scope.only), scope)

    def cards(self, scope: Scope) -> Iterator[rows.Card]:
        """Yield the cards in no hand, or with notes."""
        return _of_tables(self.reading.cards(*scope.span, scope.only), scope)

    def shoe_changes(self, scope: Scope) -> Iterator[rows.ShoeChange]:
        """Yield the openings and closings of shoes."""
        return _of_tables(self.reading.shoe_changes(*scope.span, scope.only), scope)

    def alarms(self, scope: Scope) -> Iterator[Alarm]:
        """Yield the alarms raised, each with its end."""
        return (one for one in self.reading.alarms(*scope.span, scope.only) if scope.has(one.raised.table))

    def decisions(self, scope: Scope) -> Iterator[Decision]:
        """Yield the requests of people, each with its answer."""
        return (one for one in self.reading.decisions(*scope.span, scope.only) if scope.has(one.attempt.table))

    def incidents(self, scope: Scope) -> list[rows.Incident]:
        """Return the incidents that were open at some moment of the time, by their opening."""
        where = "opened < ? AND (state = 'open' OR time >= ?) ORDER BY opened, gateway, incident"
        found = self._select(schema.INCIDENTS, rows.Incident, where, (scope.span.end, scope.span.begin))
        return list(_of_tables(found, scope))

    def corrections(self, ids: Sequence[str]) -> list[rows.Coup]:
        """Return the coup messages that replace one of these, the oldest first."""
        marks = ", ".join("?" * len(ids))
        where = f"corrects <> '' AND corrects IN ({marks}) ORDER BY time, gateway, entry"
        return self._select(schema.COUPS, rows.Coup, where, ids)

    def changes_of_shoe(self, table: str, unit: str, shoe: int) -> list[rows.ShoeChange]:
        """Return when one shoe was opened and closed."""
        where = '"table" = ? AND unit = ? AND shoe = ? ORDER BY time, gateway, entry'
        return self._select(schema.SHOES, rows.ShoeChange, where, (table, unit, shoe))

    def of_gateway(self, table: str, gateway: str, shoe: int, begin: str) -> tuple[list[Alarm], list[rows.Incident]]:
        """Return alarms and incidents that a gateway itself has about a shoe: their unit is the gateway's id."""
        record = self.reading.shoe(table, gateway, shoe)
        alarms = [one for one in record.alarms if one.raised.time >= begin]
        return alarms, [one for one in record.incidents if one.opened >= begin]

    def units_of_shoe(self, table: str, shoe: int) -> list[str]:
        """Return the units that had a shoe with this number at a table, the newest first."""
        found: dict[str, str] = {}
        for name, own in (("coups", " AND corrects = ''"), ("shoes", "")):  # a correction may have the gateway's id
            query = f'SELECT unit, max(time) FROM {name} WHERE "table" = ? AND shoe = ?{own} GROUP BY unit'
            for unit, time in self.store.select(query, (table, shoe)):
                found[unit] = max(time, found.get(unit, ""))
        return sorted(found, key=lambda unit: found[unit], reverse=True)

    def requests_that_name(self, table: str, begin: str) -> list[rows.Attempt]:
        """Return the requests at a table since a time that name a coup or an incident."""
        where = 'time >= ? AND "table" = ? AND (args LIKE ? OR args LIKE ?)'
        return self._select(schema.ATTEMPTS, rows.Attempt, where, (begin, table, '%"coup":%', '%"incident":%'))

    def next_of_number(self, table: str, unit: str, shoe: int, begin: str) -> str:
        """Return when another unit opened a shoe of the same number at a table since a time; `~` if none has."""
        query = 'SELECT min(time) FROM shoes WHERE "table" = ? AND unit <> ? AND shoe = ? AND time > ?'
        return str(self.store.select(query, (table, unit, shoe, begin))[0][0] or "~")

    def tables(self) -> list[str]:
        """Return the tables that the store has something of; each is found by an index."""
        found: set[str] = set()
        for name in ("coups", "shoes", "alarms", "incidents"):
            query, last = f'SELECT min("table") FROM {name} WHERE "table" > ?', ""
            while (table := self.store.select(query, (last,))[0][0]) is not None:
                last = str(table)
                found.add(last)
        return sorted(found)

    def tables_of(self, gateway: str) -> set[str]:
        """Return the tables of a gateway: those of its oldest and newest entries."""
        found: set[str] = set()
        for name in (table.name for table in schema.OF_MESSAGES if not table.newest):
            for order in ("ASC", "DESC"):
                query = f'SELECT "table" FROM {name} WHERE gateway = ? ORDER BY entry {order} LIMIT 1'
                found.update(row[0] for row in self.store.select(query, (gateway,)))
        return found

    def spellings(self, name: str) -> list[str]:
        """Return how a name is written in the store: large and small letters and spaces may differ."""
        found: set[str] = set()
        for table in _BY:
            rows = self.store.select(f'SELECT DISTINCT "by" FROM {table} WHERE "by" <> \'\'')
            found.update(row[0] for row in rows if same_name(row[0], name))
        return sorted(found)

    def names(self) -> set[str]:
        """Return every name of a person in the store, as it is written."""
        found: set[str] = set()
        for table, column in (*((name, "by") for name in _BY), ("attempts", "asks"), ("incidents", "by")):
            found.update(row[0] for row in self.store.select(f'SELECT DISTINCT "{column}" FROM {table}'))
        return found - {""}

    def coups_by(self, names: Sequence[str], scope: Scope) -> Iterator[rows.Coup]:
        """Yield the coup messages that a person decided, by any of these spellings."""
        return _of_tables((coup for name in names for coup in self.reading.coups_by(name, *scope.span)), scope)

    def alarms_by(self, names: Sequence[str], scope: Scope) -> Iterator[Alarm]:
        """Yield the alarms that a person acknowledged or cleared, by any of these spellings."""
        ended = _of_tables((one for name in names for one in self.reading.alarms_by(name, *scope.span)), scope)
        acted_on = ((change.table, change.alarm) for change in ended if change.state != "raised")
        for part in parts(dict.fromkeys(acted_on)):
            where = f"alarm IN ({', '.join('?' * len(part))}) ORDER BY time, gateway, entry"
            changes: dict[tuple[str, str], dict[str, rows.AlarmChange]] = {}
            for change in self._select(schema.ALARMS, rows.AlarmChange, where, [alarm for _, alarm in part]):
                if (change.table, change.alarm) in part:
                    changes.setdefault((change.table, change.alarm), {}).setdefault(change.state, change)
            for found in changes.values():
                raised = found.get("raised") or next(iter(found.values()))
                yield Alarm(raised, found.get("acknowledged"), found.get("cleared"))

    def logged(self, log: str, span: Span, kinds: tuple[str, ...]) -> Iterator[LogEntry]:
        """Yield the entries of some kinds of a log in a time, also where the clock was set; only that part is read."""
        first, last = self._numbers(log, span)
        marks = ", ".join("?" * len(kinds))
        query = (
            f"SELECT kind, time, payload, seq FROM entries WHERE log = ? AND seq > ? AND seq <= ? AND kind IN ({marks})"
        )
        for after in range(first - 1, last, _BATCH):
            until = min(after + _BATCH, last)
            found = map(LogEntry._make, self.store.select(f"{query} ORDER BY seq", (log, after, until, *kinds)))
            yield from (entry for entry in found if span.begin <= entry.time < span.end)

    def logged_before(self, log: str, time: str, without: tuple[str, ...]) -> LogEntry | None:
        """Return the newest entry of a log before a time that is of none of these kinds."""
        return self.logged_until(log, self._last_before(log, time), without)

    def logged_until(self, log: str, seq: int, without: tuple[str, ...]) -> LogEntry | None:
        """Return the newest entry of a log up to this one that is of none of these kinds."""
        where = f"log = ? AND seq <= ? AND kind NOT IN ({', '.join('?' * len(without))})"
        query = f"SELECT kind, time, payload, seq FROM entries WHERE {where} ORDER BY seq DESC LIMIT 1"
        found = self.store.select(query, (log, seq, *without))
        return LogEntry._make(found[0]) if found else None

    def _last_before(self, log: str, time: str) -> int:
        """Return the number of the last entry of a log before a time; 0 if there is none."""
        query = "SELECT coalesce(max(seq + 0), 0) FROM entries WHERE log = ? AND time < ?"  # + 0: by the index of times
        return int(self.store.select(query, (log, time))[0][0])

    def _numbers(self, log: str, span: Span) -> tuple[int, int]:
        """Return the numbers of the first and the last entry of a log in a time; 1 and 0 if there is none."""
        query = "SELECT min(seq + 0), max(seq + 0) FROM entries WHERE log = ? AND time >= ? AND time < ?"
        first, last = self.store.select(query, (log, *span))[0]
        return (int(first), int(last)) if first is not None else (1, 0)

    def out_of_order(self, span: Span) -> list[str]:
        """Return the logs in which entries in a time lie behind later ones, or before earlier ones."""
        return [log for log in self.store.logs() if self._is_out_of_order(log, span)]

    def _is_out_of_order(self, log: str, span: Span) -> bool:
        first, last = self._numbers(log, span)
        if last < first:
            return False
        query = "SELECT count(*) FROM entries WHERE log = ? AND time >= ? AND time < ?"
        beside = "SELECT time, kind FROM entries WHERE log = ? AND seq = ?"  # kind: by the key
        before, after = (next(iter(self.store.select(beside, (log, seq))), None) for seq in (first - 1, last + 1))
        split = self.store.select(query, (log, *span))[0][0] <= last - first
        return split or (before is not None and before[0] >= span.begin) or (after is not None and after[0] < span.end)

    def newest_time(self) -> str:
        """Return the time of the newest coup in the store; empty if it has none."""
        return str(self.store.select("SELECT max(time) FROM coups")[0][0] or "")

    def first_time(self) -> str:
        """Return the time of the oldest coup, shoe, card, alarm or request in the store; empty if it has none."""
        tables = ("coups", "shoes", "cards", "alarms", "attempts")
        found = [self.store.select(f"SELECT min(time) FROM {name} WHERE time > ''")[0][0] for name in tables]
        return min((str(time) for time in found if time), default="")

    def covered(self) -> dict[str, list[tuple[int, int]]]:
        """Return which entries of each gateway's ledger are in the store: after one number, up to another.

        A ledger of which only a head has come ends with an empty interval at that head.
        """
        found: dict[str, list[tuple[int, int]]] = {}
        for gateway, after, entry in self._select(schema.COVERAGE, rows.Covered, '1 = 1 ORDER BY gateway, "after"', ()):
            found.setdefault(gateway, []).append((after, entry))
        for gateway, head in self.store.select("SELECT gateway, max(entry) FROM ledger_heads GROUP BY gateway"):
            found.setdefault(gateway, [(head, head)])
        return dict(sorted(found.items()))

    def contradictions(self) -> list[rows.Contradiction]:
        """Return the entries for which two different messages came, until their ledger is read again."""
        return self._select(schema.CONTRADICTIONS, rows.Contradiction, "1 = 1 ORDER BY gateway, entry", ())

    def beyond(self, begin: str) -> list[tuple[str, int, int]]:
        """Return the gateways, with head and newest entry, of which entries older than the head are behind it.

        Only those with such an entry since a time.
        """
        query = "SELECT gateway, max(entry), max(time) FROM ledger_heads GROUP BY gateway ORDER BY gateway"
        return [
            (gateway, head, newest)
            for gateway, head, time in self.store.select(query)
            if (newest := coverage.newest_between(self.store, gateway, head, begin, time))
        ]

    def time_beside(self, gateway: str, entry: int, *, before: bool) -> str:
        """Return the time of the nearest stored entry up to this one, or after it; empty if there is none."""
        compare, order = ("<=", "DESC") if before else (">", "ASC")
        found: list[tuple[int, str]] = []
        for table in schema.OF_MESSAGES:
            if table.newest:
                continue
            query = f"SELECT entry, time FROM {table.name} WHERE gateway = ? AND entry {compare} ?"
            found += self.store.select(f"{query} ORDER BY entry {order} LIMIT 1", (gateway, entry))
        return (max(found) if before else min(found))[1] if found else ""

    def _select(self, table: Table, row: type[_Row], where: str, values: Sequence[Any]) -> list[_Row]:
        return self.reading.select(table, row, where, values)


def _of_tables(found: Iterable[_Placed], scope: Scope) -> Iterator[_Placed]:
    return (row for row in found if scope.has(row.table))


def parts(found: Iterable[_Any], size: int = PART) -> Iterator[list[_Any]]:
    """Yield everything in lists of at most this size."""
    left = iter(found)
    while part := list(islice(left, size)):
        yield part


def same_name(one: str, other: str) -> bool:
    """Return True if two names differ at most in spaces, and in large and small letters."""
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()
