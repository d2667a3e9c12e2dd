"""Record: a hash-chained log of what the projection holds, a digest of each row; what is changed beside it is found."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

import msgspec

from sabot_floor.projection.parts import in_parts
from sabot_floor.projection.writing import PROJECTION
from sabot_floor.store import Decision, Head, Store
from sabot_floor.store import Entry as LogEntry
from sabot_floor.store import tables as schema
from sabot_floor.store.rows import Covered
from sabot_floor.store.tables import Table

_ROWS = 250  # in one entry of the log
_PAGE = 2000


class Stored(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="stored"):
    """Rows by the name of their table: the key, for a row of `newest` its entry, and a digest; intervals covered."""

    time: str = ""
    rows: dict[str, list[list[str | int]]] = {}
    covered: list[Covered] = []


class Removed(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="removed"):
    """No row of these entries, the first and the last included, is in these tables any more."""

    time: str = ""
    gateway: str
    first: int
    last: int
    tables: list[str]


Entry = Stored | Removed


def digest(table: Table, row: Iterable[Any]) -> str:
    """Return what a row is recognised by; ValueError where a store gave something that no row has."""
    values = [table.name, *row]
    if any(isinstance(value, bytes) for value in values):  # JSON would have them as a text
        raise ValueError("bytes in place of a text")
    try:
        return sha256(msgspec.json.encode(values)).hexdigest()[:32]
    except (TypeError, UnicodeError, msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(str(error)) from None


def line(table: Table, row: tuple[Any, ...]) -> list[str | int]:
    """Return a row as the log has it."""
    key = [row[table.columns.index(name.strip('"'))] for name in table.key]
    entry = [row[table.columns.index("entry")]] if table.newest else []
    return [*key, *entry, digest(table, row)]


def write(
    store: Store, rows: Iterable[tuple[Any, ...]], covered: Iterable[Covered] = (), removed: Iterable[Removed] = ()
) -> None:
    """Append what a transaction has changed, inside it."""
    lines = ((schema.BY_ROW[type(row)], row) for row in rows)
    entries: list[Entry] = [*removed, *(_stored(some) for some in in_parts(lines, _ROWS))]
    listed = list(covered)
    entries += [Stored(covered=listed)] if listed else []
    _append(store, entries)


def _stored(lines: Iterable[tuple[Table, tuple[Any, ...]]]) -> Stored:
    by_table: dict[str, list[list[str | int]]] = {}
    for table, row in lines:
        by_table.setdefault(table.name, []).append(line(table, row))
    return Stored(rows=by_table)


def _append(store: Store, entries: Iterable[Entry]) -> None:
    def decide(head: Head) -> Decision:
        logged = [
            LogEntry(f"{PROJECTION}-{number}", str(entry.__struct_config__.tag), msgspec.json.encode(entry))
            for number, entry in enumerate(entries, head.seq + 1)
        ]
        return Decision(logged, head.state)

    store.append_within(PROJECTION, decide)


def begin(store: Store) -> None:
    """Begin the log, once: with the rows that a store of an earlier release has."""
    if store.head(PROJECTION) is not None:
        return
    with store.writing(PROJECTION):
        if store.head(PROJECTION) is None:
            for table in schema.BY_ROW.values():
                for some in in_parts(_rows_of(store, table), _PAGE):
                    write(store, some)
            covered = store.select('SELECT gateway, "after", entry FROM coverage ORDER BY gateway, "after"')
            _append(store, [Stored(covered=[Covered._make(one) for one in covered])])


def _rows_of(store: Store, table: Table) -> Iterator[tuple[Any, ...]]:
    return (tuple.__new__(table.row, row) for row in pages(store, table))


def pages(store: Store, table: Table) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a table in order of its key, a page at a time."""
    columns, key = ", ".join(f'"{name}"' for name in table.columns), ", ".join(table.key)
    at = [table.columns.index(name.strip('"')) for name in table.key]
    after: tuple[Any, ...] = ()
    while True:
        where = f"WHERE ({key}) > ({', '.join('?' * len(at))}) " if after else ""
        page = store.select(f"SELECT {columns} FROM {table.name} {where}ORDER BY {key} LIMIT {_PAGE}", after)
        yield from page
        if len(page) < _PAGE:
            return
        after = tuple(page[-1][column] for column in at)
