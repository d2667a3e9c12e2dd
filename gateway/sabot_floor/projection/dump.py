"""Dump: the projection in a canonical form, a JSON line a row, for comparison byte by byte."""

from collections.abc import Iterator

import msgspec

from sabot_floor.projection.record import pages
from sabot_floor.store import Store
from sabot_floor.store import tables as schema


def lines(store: Store) -> Iterator[bytes]:
    """Yield every row that ledgers give, in order of table and key; heads and coverage are not part of it."""
    for table in sorted(schema.TABLES, key=lambda table: table.name):
        for row in pages(store, table):
            yield msgspec.json.encode({"in": table.name, **dict(zip(table.columns, row, strict=True))})
