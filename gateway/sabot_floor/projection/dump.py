"""Dump: the projection in a canonical form, a JSON line a row, for comparison byte by byte."""

from collections.abc import Iterator
from typing import Any

import msgspec

from sabot_floor.projection import schema
from sabot_floor.projection.schema import Table
from sabot_floor.store import Store

_PAGE = 2000


def lines(store: Store) -> Iterator[bytes]:
    """Yield every row that ledgers give, in order of table and key; heads and coverage are not part of it."""
    for table in sorted(schema.TABLES, key=lambda table: table.name):
        for row in _rows(store, table):
            yield msgspec.json.encode({"in": table.name, **dict(zip(table.columns, row, strict=True))})


def _rows(store: Store, table: Table) -> Iterator[tuple[Any, ...]]:
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
