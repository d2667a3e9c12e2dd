"""Inserts: rows of a table, many with one statement; a statement takes as long as half a row."""

import sqlite3
from collections.abc import Sequence
from itertools import chain
from typing import Any

_SIZES = (25, 5, 1)  # rows with one statement; SQLite allows 999 values in one, or more


class Insert:
    """A statement that writes rows in order; many at a time give what they give one by one."""

    def __init__(self, into: str, row: str, conflict: str = "") -> None:
        self.one_row = f"{into} VALUES {row}{conflict}"
        self._statements = [(size, f"{into} VALUES {', '.join([row] * size)}{conflict}") for size in _SIZES]

    def write(self, db: sqlite3.Connection, rows: Sequence[Sequence[Any]]) -> int:
        """Write rows and return how many were written; inside a transaction of the caller."""
        begin, written, values_of = 0, 0, chain.from_iterable
        for size, statement in self._statements:
            end = len(rows) - (len(rows) - begin) % size
            if end > begin:
                many = [list(values_of(rows[at : at + size])) for at in range(begin, end, size)]
                written += db.executemany(statement, many).rowcount
                begin = end
        return written


def places(columns: int) -> str:
    """Return a row of so many values, for an Insert."""
    return f"({', '.join('?' * columns)})"
