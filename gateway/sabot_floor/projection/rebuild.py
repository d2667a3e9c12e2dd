"""Rebuild: the rows of one gateway made again from its ledger, in batches that each leave the projection whole."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from sabot_floor.projection import coverage, record
from sabot_floor.projection.changes import UnreadableError, changes, with_hash
from sabot_floor.projection.parts import in_parts
from sabot_floor.projection.record import Removed
from sabot_floor.projection.writing import PROJECTION, insert
from sabot_floor.store import Store
from sabot_floor.store import tables as schema
from sabot_floor.store.rows import AnyRow, Covered
from sabot_floor.store.tables import Table

_BATCH = 2000  # entries; a running floor service waits no longer than for one
_MOST_NAMED = 5
_IMMUTABLE = (*(table for table in schema.TABLES if not table.newest), schema.CONTRADICTIONS)
_NEWEST = tuple(table for table in schema.TABLES if table.newest)


class LedgerEntry(NamedTuple):
    """A published entry of a ledger."""

    entry: int
    table: str
    topic: str
    payload: bytes
    hash: str = ""  # in the chain, hex


class LedgerSpan(NamedTuple):
    """A ledger: its gateway, the last entry that was pruned (0 for none), and its newest one."""

    gateway: str
    origin: int
    last: int


@dataclass
class Rebuilt:
    """What came of a rebuild."""

    entries: int = 0
    rows: int = 0
    unreadable: int = 0
    first_unreadable: list[int] = field(default_factory=list)  # entries


def rebuild(
    store: Store, span: LedgerSpan, entries: Iterable[LedgerEntry], progress: Callable[[int], None] = lambda entry: None
) -> Rebuilt:
    """Replace the rows of a gateway by those of its ledger's published entries, given in order.

    Rows of pruned entries stay, and rows of entries newer than the ledger. A rebuild that is killed is begun again:
    until its end only rows of which every entry has one of its own are replaced, and the coverage is as it was.
    """
    record.begin(store)
    done, newest, start = Rebuilt(), dict[tuple[object, ...], AnyRow](), span.origin + 1
    for batch in in_parts(entries, _BATCH):
        rows = list(_rows(span.gateway, batch, done))
        last = batch[-1].entry
        _replace(store, _IMMUTABLE, span.gateway, (start, last), [row for row in rows if not _table(row).newest])
        for row in rows:
            if _table(row).newest:
                newest[_key(row)] = row  # entries come in order
        start = last + 1
        progress(last)
    _replace(store, _IMMUTABLE, span.gateway, (start, span.last), [])
    _replace(store, _NEWEST, span.gateway, (span.origin + 1, span.last), list(newest.values()), covered=span)
    return done


def _rows(gateway: str, batch: list[LedgerEntry], done: Rebuilt) -> Iterator[AnyRow]:
    for entry, table, topic, payload, digest in batch:
        done.entries += 1
        try:
            row = changes(gateway, entry, table, topic, payload)
        except UnreadableError:
            done.unreadable += 1
            done.first_unreadable += [entry] if done.unreadable <= _MOST_NAMED else []
            continue
        done.rows += row is not None
        yield from with_hash(row, digest)


def _table(row: AnyRow) -> Table:
    return schema.BY_ROW[type(row)]


def _key(row: AnyRow) -> tuple[object, ...]:
    table = _table(row)
    return table.name, *(getattr(row, name.strip('"')) for name in table.key)


def _replace(
    store: Store,
    tables: Iterable[Table],
    gateway: str,
    between: tuple[int, int],
    rows: list[AnyRow],
    covered: LedgerSpan | None = None,
) -> None:
    """Replace the rows of these entries, the first and the last included, in one transaction."""
    tables, (first, last) = tuple(tables), between
    with store.writing(PROJECTION):
        for table in tables:
            store.execute(
                f"DELETE FROM {table.name} WHERE gateway = ? AND entry >= ? AND entry <= ?", (gateway, *between)
            )
        insert(store, rows)
        new = (
            [Covered(covered.gateway, covered.origin, covered.last)]
            if covered and covered.last > covered.origin
            else []
        )
        coverage.add(store, new)
        removed = Removed(gateway=gateway, first=first, last=last, tables=[table.name for table in tables])
        record.write(store, rows, new, [removed])
