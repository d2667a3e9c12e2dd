"""Writing: rows into the tables of the projection, so that order and repeats do not matter."""

from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Any

from sabot_floor.store import Store
from sabot_floor.store import tables as schema
from sabot_floor.store.rows import AnyRow
from sabot_floor.store.tables import Table

PROJECTION = "projection"  # the name under which a writer keeps out others


def insert(store: Store, rows: Iterable[AnyRow]) -> None:
    """Insert rows inside a transaction; a row that is there stays, or is replaced by one of a newer entry."""
    by_table: dict[Table, list[tuple[Any, ...]]] = defaultdict(list)
    for row in rows:
        by_table[schema.BY_ROW[type(row)]].append(row)
    for table, some in by_table.items():
        store.execute_many(upsert(table), some)


@cache
def upsert(table: Table) -> str:
    """Return the statement that inserts one row."""
    columns = ", ".join(f'"{name}"' for name in table.columns)
    marks = ", ".join("?" * len(table.columns))
    return f"INSERT INTO {table.name} ({columns}) VALUES ({marks}) ON CONFLICT ({', '.join(table.key)}) {_then(table)}"


def _then(table: Table) -> str:
    if not table.newest:
        return "DO NOTHING"
    changes = ", ".join(f'"{name}" = excluded."{name}"' for name in table.columns)
    return f"DO UPDATE SET {changes} WHERE excluded.entry > {table.name}.entry"
