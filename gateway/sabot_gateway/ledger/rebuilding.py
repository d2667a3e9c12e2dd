"""Rebuilding: the derived tables of a whole ledger, made again from its entries, or compared with what they give."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from sabot_gateway.ledger.derived import (
    CONFIRMED,
    COUNTED,
    COUNTS,
    COUP,
    COUPS,
    NAMES,
    SOURCES,
    TABLES,
    Change,
    changes_of,
)
from sabot_gateway.ledger.files import REST_STEPS, Rest, read_only_uri

_PROGRESS_EVERY = 1000
_PIECE = 1000  # rows
_CONFIRMED_AT = 22  # column of a coup
_COUPS_AT = 3  # in the values of COUNTED, behind table, unit and number of the shoe

Row = tuple[Any, ...]


class Source(NamedTuple):
    """Of an entry, what derived tables are computed from."""

    seq: int
    topic: str
    payload: bytes


class _Coups:
    """Coups and confirmations that follow one another, written together: they give what they give one by one."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._coups: dict[str, list[Any]] = {}  # by id
        self._shoes: dict[Row, list[Any]] = {}  # by table, unit and number: values of COUNTED
        self._confirmed: list[Row] = []
        self._later: dict[str, Row] = {}  # by id: the last confirmation of a coup that was written before, or never

    def take(self, made: list[Change]) -> bool:
        """Take the changes of an entry; return False if they are of another kind."""
        (statement, values), *more = made
        if statement is CONFIRMED:
            self._confirm(values)
        elif statement is COUP and more[0][0] is COUNTED:
            self._add(values, more[0][1])
        else:
            return False
        return True

    def _add(self, coup: Row, counted: Row) -> None:
        if coup[0] in self._later or len(self._coups) >= _PIECE:  # a confirmation counts only behind its coup
            self.write()
        if coup[0] not in self._coups:
            self._coups[coup[0]] = list(coup)
        found = self._shoes.get(counted[:_COUPS_AT])
        if found is None:
            self._shoes[counted[:_COUPS_AT]] = list(counted)
        else:
            found[_COUPS_AT] += 1
            found[-1] = counted[-1]

    def _confirm(self, values: Row) -> None:
        message, coup_id = values
        coup = self._coups.get(coup_id)
        if coup is None:
            self._later[coup_id] = values
        else:
            coup[_CONFIRMED_AT] = message
            self._confirmed.append(values)

    def write(self) -> None:
        """Write what was taken."""
        written = COUPS.write(self._db, list(self._coups.values()))
        if written < len(self._coups):  # one has the id of an earlier coup, which is confirmed then
            self._db.executemany(CONFIRMED, self._confirmed)
        COUNTS.write(self._db, list(self._shoes.values()))
        self._db.executemany(CONFIRMED, self._later.values())
        self._coups, self._shoes, self._confirmed, self._later = {}, {}, [], {}


def rebuild(
    db: sqlite3.Connection, entries: Iterable[Source], progress: Callable[[int], None] = lambda done: None
) -> None:
    """Rebuild the tables from the entries; inside a transaction of the caller."""
    for name in NAMES:
        db.execute(f"DELETE FROM {name}")
    coups = _Coups(db)
    for seq, topic, payload in entries:
        made = changes_of(seq, topic, payload)
        if made and not coups.take(made):
            coups.write()
            for statement, values in made:
                db.execute(statement, values)
        if seq % _PROGRESS_EVERY == 0:
            progress(_PROGRESS_EVERY)
    coups.write()


def sources(db: sqlite3.Connection, of: str = "main") -> Iterator[Source]:
    """Return the entries that the tables are computed from, in order."""
    return iter(db.execute(f"SELECT seq, topic, payload FROM {of}.entries {SOURCES} ORDER BY seq"))


def difference(path: Path, rest: Rest | None = None) -> str | None:
    """Return where the tables of a file are not what its entries give; None where they are."""
    with closing(sqlite3.connect("file::memory:", uri=True, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = OFF")  # nothing of it is ever rolled back
        db.execute("ATTACH ? AS kept", (read_only_uri(path),))
        db.set_progress_handler(rest, REST_STEPS)
        db.execute("BEGIN")
        for statement in TABLES:
            db.execute(statement)
        rebuild(db, sources(db, "kept"))
        return next((found for name in NAMES if (found := None if _same(db, name) else _difference(db, name))), None)


def _same(db: sqlite3.Connection, name: str) -> bool:
    """Return True if SQLite finds no difference in a table that has a row for each entry; False leaves it open."""
    made, kept = (db.execute(f"PRAGMA {of}.table_info({name})").fetchall() for of in ("main", "kept"))
    if made != kept or ("seq", "INTEGER", 1) not in [(row[1], row[2], row[5]) for row in made]:
        return False
    different = " OR ".join(f"made.{row[1]} IS NOT kept.{row[1]}" for row in made)
    (rows_made,), (rows_kept,) = (db.execute(f"SELECT count(*) FROM {of}.{name}").fetchone() for of in ("main", "kept"))
    joined = f"main.{name} AS made LEFT JOIN kept.{name} AS kept ON kept.seq = made.seq"
    return rows_made == rows_kept and not db.execute(f"SELECT 1 FROM {joined} WHERE {different} LIMIT 1").fetchone()


def _difference(db: sqlite3.Connection, name: str) -> str | None:
    """Return the first entry of which a table has something else than the entries give."""
    for kept, given in zip_longest(_rows(db, f"kept.{name}"), _rows(db, f"main.{name}")):
        if kept != given:
            numbers = [row[-1] for row in (kept, given) if row]  # of a file, which can hold anything
            first = min((number for number in numbers if isinstance(number, int)), default=numbers[0])
            return f"table {name}: entry {first} gives something else than the table has"
    return None


def _rows(db: sqlite3.Connection, name: str) -> Iterator[Row]:
    """Yield one table in the order of its entries, whose numbers come last."""
    return iter(db.execute(f"SELECT *, seq FROM {name} ORDER BY seq, 1, 2, 3"))
