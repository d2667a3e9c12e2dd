"""Taking: entries of ledgers as they came are compared with what is stored; what is new, and what contradicts it."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sabot_floor.projection import coverage, record
from sabot_floor.projection.parts import in_parts
from sabot_floor.projection.record import Removed
from sabot_floor.projection.writing import insert
from sabot_floor.store import Store
from sabot_floor.store import tables as schema
from sabot_floor.store.rows import AnyRow, Contradiction, Covered, Head
from sabot_floor.store.tables import Table

MOST_CONTRADICTIONS = 1000  # of one gateway that are kept
MOST_BEYOND = 1_000_000  # entries behind the newest head of a ledger, which comes once a minute
_MOST_IDS = 500  # in one query
_ONCE = tuple(table for table in schema.TABLES if not table.newest)  # a row of an entry stays as it is
# An entry on these topics has had a row in every release; where it has none the store was given another one before.
_ALWAYS = (schema.COUPS, schema.CONFIRMED, schema.SHOES, schema.ALARMS, schema.ATTEMPTS, schema.OUTCOMES)
Rank = Callable[[str, str], tuple[int, int]]  # table and gateway; of two messages the smaller one counts


class Placed(NamedTuple):
    """An entry of a ledger as it came, and its rows: none, one, or one and its hash."""

    gateway: str
    entry: int
    after: int
    table: str
    topic: str
    rows: tuple[AnyRow, ...]

    def shown(self) -> str:
        """Return which message it is, for people."""
        own_id = next((getattr(row, "id", "") for row in self.rows), "")
        return f"{self.table}/{self.topic}{f' {own_id}' if own_id else ''}"


@dataclass
class Taken:
    """What a transaction changes."""

    rows: list[AnyRow] = field(default_factory=list)
    covered: list[Covered] = field(default_factory=list)
    replaced: list[tuple[str, int]] = field(default_factory=list)  # entries whose rows are taken away
    contradictions: list[Contradiction] = field(default_factory=list)
    beyond: int = 0  # entries so far behind the newest head that no ledger has them
    gaps: dict[str, list[tuple[int, int]]] = field(default_factory=dict)  # of each gateway concerned, afterwards


def take(store: Store, placed: Iterable[Placed], heads: Iterable[Head], rank: Rank) -> Taken:
    """Store inside a transaction what is new; return what that was."""
    taken = Taken()
    by_gateway: dict[str, list[Placed]] = defaultdict(list)
    for one in placed:
        by_gateway[one.gateway].append(one)
    for gateway, some in by_gateway.items():
        _settle(store, gateway, some, rank, taken)
    removed = [_take_away(store, gateway, entry) for gateway, entry in taken.replaced]
    taken.contradictions = list(_new_contradictions(store, taken.contradictions))
    rows = [*taken.rows, *_newest(store, heads), *taken.contradictions]
    insert(store, rows)
    taken.gaps = coverage.add(store, taken.covered)
    record.write(store, rows, taken.covered, removed)
    return taken


def _settle(store: Store, gateway: str, placed: list[Placed], rank: Rank, taken: Taken) -> None:
    """Find out what is new of one gateway's entries."""
    intervals, head = coverage.intervals_of(store, gateway), coverage.newest_head(store, gateway)
    possible = [one for one in placed if not head or one.entry <= head + MOST_BEYOND]
    taken.beyond += len(placed) - len(possible)
    chosen = _chosen(possible, rank, taken)
    stored = _stored(store, gateway, list(chosen))
    newest: list[AnyRow] = []
    for entry, one in sorted(chosen.items()):
        before, known = stored.get(entry, {}), _holds(intervals, entry)
        other = _contradicts(one, before, known)
        if not known:  # what comes again, or against another, covers nothing
            denies = _passes_over(one, intervals, chosen)
            taken.covered.append(Covered(gateway, one.entry - 1 if denies else one.after, one.entry))
            other = other or (f"entries between {one.after} and {one.entry}, which it denies" if denies else "")
        _choose(one, before, other, rank, taken)
        newest += [row for row in one.rows if schema.BY_ROW[type(row)].newest]
    taken.rows += _newest(store, newest)


def _chosen(placed: list[Placed], rank: Rank, taken: Taken) -> dict[int, Placed]:
    """Return one message for each entry; of two different ones that whose table the gateway speaks for."""
    chosen: dict[int, Placed] = {}
    for one in placed:
        other = chosen.setdefault(one.entry, one)
        if other.rows != one.rows or (other.table, other.topic) != (one.table, one.topic):
            first, second = sorted((other, one), key=lambda each: rank(each.table, each.gateway))
            chosen[one.entry] = first
            taken.contradictions.append(Contradiction(one.gateway, one.entry, first.shown(), second.shown()))
    return chosen


def _stored(store: Store, gateway: str, entries: list[int]) -> dict[int, dict[Table, Any]]:
    """Return the rows that these entries have already, by their table."""
    found: dict[int, dict[Table, Any]] = defaultdict(dict)
    for some in in_parts(entries, _MOST_IDS):
        marks = ", ".join("?" * len(some))
        for table in _tables_with(store, gateway, some, marks):
            columns = ", ".join(f'"{name}"' for name in table.columns)
            query = f"SELECT {columns} FROM {table.name} WHERE gateway = ? AND entry IN ({marks})"
            for row in store.select(query, (gateway, *some)):
                found[int(row[1])][table] = tuple.__new__(table.row, row)
    return found


def _tables_with(store: Store, gateway: str, entries: Sequence[int], marks: str) -> Iterator[Table]:
    """Yield the tables that have rows of these entries; of new ones, as most are, one query finds that none has."""
    one_of = " UNION ALL ".join(
        f"SELECT '{table.name}' WHERE EXISTS (SELECT 1 FROM {table.name} WHERE gateway = ? AND entry IN ({marks}))"
        for table in _ONCE
    )
    for (name,) in store.select(one_of, (gateway, *entries) * len(_ONCE)):
        yield schema.BY_NAME[str(name)]


def _contradicts(one: Placed, before: dict[Table, Any], known: bool) -> str:
    """Return what stands in the store against a message, for people; empty if nothing does."""
    own = {schema.BY_ROW[type(row)]: row for row in one.rows}
    message = next((row for table, row in before.items() if table is not schema.HASHES), None)
    if message is not None:
        same = all(before.get(table, row) == row for table, row in own.items()) and type(message) in map(type, one.rows)
        return "" if same else f"{message.table}: {_name(message)} {getattr(message, 'id', '')}".strip()
    first = next((table for table in own if table is not schema.HASHES), None)
    return "an entry without a row" if known and first in _ALWAYS else ""


def _name(row: Any) -> str:
    return schema.BY_ROW[type(row)].name


def _holds(intervals: list[tuple[int, int]], entry: int) -> bool:
    at = bisect_right(intervals, (entry, 0)) - 1
    return at >= 0 and intervals[at][0] < entry <= intervals[at][1]


def _passes_over(one: Placed, intervals: list[tuple[int, int]], chosen: dict[int, Placed]) -> bool:
    """Return True if a message denies entries that came: between `after` and its own."""
    at = bisect_right(intervals, (one.entry, 0)) - 1
    if at >= 0 and intervals[at][1] > one.after:
        return True
    span = one.entry - one.after
    some = chosen if len(chosen) < span else range(one.after + 1, one.entry)
    return any(one.after < entry < one.entry and entry in chosen for entry in some)


def _choose(one: Placed, before: dict[Table, Any], other: str, rank: Rank, taken: Taken) -> None:
    """Add the rows of a message that are new; of two messages those of the better one."""
    rows = [row for row in one.rows if not schema.BY_ROW[type(row)].newest]
    if not other:
        taken.rows += [row for row in rows if schema.BY_ROW[type(row)] not in before]
        return
    holder = next((row for table, row in before.items() if table is not schema.HASHES), None)
    keeps = holder is not None and rank(holder.table, one.gateway) <= rank(one.table, one.gateway)
    kept, left = (other, one.shown()) if keeps else (one.shown(), other)
    taken.contradictions.append(Contradiction(one.gateway, one.entry, kept, left))
    if not keeps:
        taken.replaced += [(one.gateway, one.entry)] if before else []
        taken.rows += rows


def _newest(store: Store, rows: Iterable[AnyRow]) -> list[AnyRow]:
    """Return of each key the row of the newest entry, if it is newer than that in the store."""
    newest: dict[tuple[Any, ...], Any] = {}
    for row in rows:
        table = schema.BY_ROW[type(row)]
        key = table.name, *(getattr(row, name.strip('"')) for name in table.key)
        if key not in newest or newest[key].entry < row.entry:
            newest[key] = row
    return [row for (name, *key), row in newest.items() if _entry_of(store, schema.BY_NAME[name], key) < row.entry]


def _entry_of(store: Store, table: Table, key: list[Any]) -> int:
    where = " AND ".join(f"{name} = ?" for name in table.key)
    found = store.select(f"SELECT entry FROM {table.name} WHERE {where}", key)
    return int(found[0][0]) if found else -1


def _take_away(store: Store, gateway: str, entry: int) -> Removed:
    for table in _ONCE:
        store.execute(f"DELETE FROM {table.name} WHERE gateway = ? AND entry = ?", (gateway, entry))
    return Removed(gateway=gateway, first=entry, last=entry, tables=[table.name for table in _ONCE])


def _new_contradictions(store: Store, found: list[Contradiction]) -> Iterator[Contradiction]:
    """Yield the contradictions about entries that had none, as many as can be kept."""
    for gateway in sorted({one.gateway for one in found}):
        query = "SELECT entry FROM contradictions WHERE gateway = ? ORDER BY entry"
        known = {int(entry) for (entry,) in store.select(query, (gateway,))}
        for one in found:
            if one.gateway == gateway and one.entry not in known and len(known) < MOST_CONTRADICTIONS:
                known.add(one.entry)
                yield one
