"""Audit: whether the projection holds what was stored, row by row, by the record of it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec
from sabot_protocol.inputs.plain_text import counted

from sabot_floor.projection import coverage, record
from sabot_floor.projection.record import Entry, Removed, Stored
from sabot_floor.projection.writing import PROJECTION
from sabot_floor.store import Store, StoreError, audit
from sabot_floor.store import tables as schema
from sabot_floor.store.recompute import Verdict
from sabot_floor.store.rows import Covered
from sabot_floor.store.tables import Table

_MOST_FAULTS = 20
_decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)
_ONCE = {table.name: table for table in schema.BY_ROW.values() if not table.newest}
_NEWEST = {table.name: table for table in schema.BY_ROW.values() if table.newest}
Key = tuple[Any, ...]


def verify(store: Store) -> Verdict:
    """Compare every row with the record; what is wrong names the table, the entry and its gateway."""
    verdict = Verdict()
    tables = (*schema.BY_ROW.values(), schema.COVERAGE)
    verdict.faults += [said for table in tables if (said := _unreadable(store, table))]
    try:
        if not verdict.faults:
            known = PROJECTION in store.logs()
            verdict.faults += audit.verify_log(store, PROJECTION).faults if known else _without_record(store)
        if not verdict.faults:
            with store.snapshot():
                _Check(store, verdict).run()
    except StoreError as error:
        verdict.faults.append(str(error))
    return verdict


def _unreadable(store: Store, table: Table) -> str:
    """Return that a table is gone, or has other columns."""
    columns = ", ".join(f'"{name}"' for name in table.columns)
    try:
        store.select(f"SELECT {columns} FROM {table.name} LIMIT 1")
    except StoreError as error:
        return f"table {table.name} cannot be read: {error}"
    return ""


def _without_record(store: Store) -> list[str]:
    """Return which tables have rows, though there is no record of them."""
    return [
        f"table {table.name} has rows, but the log {PROJECTION}, which says what was stored, is gone"
        for table in (*schema.BY_ROW.values(), schema.COVERAGE)
        if store.select(f"SELECT 1 FROM {table.name} LIMIT 1")
    ]


@dataclass
class _Expected:
    """What the record says must be there, beside the rows that are compared one by one."""

    removed: list[tuple[int, Removed]] = field(default_factory=list)  # with the number of the log's entry
    newest: dict[str, dict[Key, tuple[int, str]]] = field(default_factory=lambda: {name: {} for name in _NEWEST})
    covered: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    count: Counter[tuple[str, str]] = field(default_factory=Counter)  # rows by table and gateway

    def add(self, seq: int, entry: Entry) -> None:
        """Follow one entry of the record."""
        if isinstance(entry, Removed):
            self.removed.append((seq, entry))
            for name in _NEWEST.keys() & set(entry.tables):
                held = self.newest[name]
                self.newest[name] = {key: row for key, row in held.items() if not _holds(entry, key[0], row[0])}
            return
        for name in _NEWEST.keys() & entry.rows.keys():
            for *key, number, digest in entry.rows[name]:
                before = self.newest[name].get(tuple(key), (-1, ""))
                self.newest[name][tuple(key)] = max(before, (int(number), str(digest)), key=lambda row: row[0])
        by_gateway: dict[str, list[tuple[int, int]]] = {}
        for gateway, after, last in entry.covered:
            by_gateway.setdefault(gateway, []).append((after, last))
        for gateway, intervals in by_gateway.items():
            self.covered[gateway] = coverage.merged([*self.covered.get(gateway, []), *intervals])


def _holds(removed: Removed, gateway: object, entry: int) -> bool:
    return removed.gateway == gateway and removed.first <= entry <= removed.last


class _Check:
    """Compares a store with its record, in a snapshot; stops at so many faults."""

    def __init__(self, store: Store, verdict: Verdict) -> None:
        self._store, self._verdict, self._expected = store, verdict, _Expected()

    def run(self) -> None:
        """Compare everything."""
        for seq, entry in self._record():
            self._expected.add(seq, entry)
        for said in self._faults():
            self._verdict.faults.append(said)
            if len(self._verdict.faults) >= _MOST_FAULTS:
                return

    def _record(self) -> Iterator[tuple[int, Entry]]:
        for entry in self._store.entries(PROJECTION):
            try:
                yield entry.seq, _decoder.decode(entry.payload)
            except (msgspec.MsgspecError, RecursionError) as error:
                raise StoreError(f"entry {entry.seq} of log {PROJECTION} cannot be read: {error}") from None

    def _faults(self) -> Iterator[str]:
        for seq, entry in self._record():
            if isinstance(entry, Stored):
                for name in sorted(_ONCE.keys() & entry.rows.keys()):
                    yield from self._compare(_ONCE[name], self._there(seq, name, entry.rows[name]))
        for name, rows in self._expected.newest.items():
            yield from self._compare(_NEWEST[name], [(key, digest) for key, (_, digest) in rows.items()])
        for table in schema.BY_ROW.values():
            yield from self._added(table)
        yield from self._coverage()

    def _there(self, seq: int, name: str, lines: Iterable[list[Any]]) -> list[tuple[Key, str]]:
        """Return the keys and digests of rows that nothing has taken away since."""
        later = [entry for at, entry in self._expected.removed if at > seq and name in entry.tables]
        found = [(tuple(key), str(digest)) for *key, digest in lines]
        return [row for row in found if not any(_holds(one, row[0][0], row[0][1]) for one in later)]

    def _compare(self, table: Table, lines: list[tuple[Key, str]]) -> Iterator[str]:
        """Yield which of these rows are missing or changed."""
        by_gateway: dict[str, dict[Key, str]] = {}
        for key, digest in lines:
            by_gateway.setdefault(str(key[0]), {})[key] = digest
        for gateway, wanted in by_gateway.items():
            found = self._rows(table, gateway, wanted)
            self._expected.count[table.name, gateway] += len(wanted)
            self._verdict.entries += len(wanted)
            for key, digest in wanted.items():
                if key not in found:
                    yield f"table {table.name}: the row of {_place(table, key)} is gone"
                elif not _is(table, found[key], digest):
                    yield f"table {table.name}: the row of {_place(table, key, found[key])} is not what was stored"

    def _rows(self, table: Table, gateway: str, wanted: Iterable[Key]) -> dict[Key, tuple[Any, ...]]:
        """Return rows by their key: all of a table of which the record has the newest, else those of these entries."""
        if table.newest:
            return {_key(table, row): row for row in record.pages(self._store, table)}
        entries = [key[1] for key in wanted]
        columns = ", ".join(f'"{name}"' for name in table.columns)
        where = f"gateway = ? AND entry IN ({', '.join('?' * len(entries))})"
        found = self._store.select(f"SELECT {columns} FROM {table.name} WHERE {where}", (gateway, *entries))
        return {_key(table, row): row for row in found}

    def _added(self, table: Table) -> Iterator[str]:
        """Yield the rows that nothing has stored: the first of each gateway that has more than it should."""
        for gateway, count in self._store.select(f"SELECT gateway, count(*) FROM {table.name} GROUP BY gateway"):
            expected = self._expected.count[table.name, gateway]
            if count > expected:
                key = self._first_added(table, gateway)
                place = _place(table, key) if key else f"gateway {gateway}"
                more = counted(count - expected, "more row")
                yield f"table {table.name} has {more} than were stored: one is of {place}"

    def _first_added(self, table: Table, gateway: str) -> Key | None:
        known: set[Key] = set(self._expected.newest.get(table.name, {}))
        for seq, entry in self._record() if table.name in _ONCE else ():
            if isinstance(entry, Stored) and table.name in entry.rows:
                known.update(key for key, _ in self._there(seq, table.name, entry.rows[table.name]))
        keys = (_key(table, row) for row in record.pages(self._store, table))
        return next((key for key in keys if key[0] == gateway and key not in known), None)

    def _coverage(self) -> Iterator[str]:
        found: dict[str, list[tuple[int, int]]] = {}
        query = 'SELECT gateway, "after", entry FROM coverage ORDER BY gateway, "after"'
        for gateway, after, entry in map(Covered._make, self._store.select(query)):
            found.setdefault(gateway, []).append((after, entry))
        for gateway in sorted({*found, *self._expected.covered}, key=str):
            there, wanted = found.get(gateway, []), self._expected.covered.get(gateway, [])
            if there != wanted:
                yield (
                    f"table coverage: gateway {gateway} is not covered as was stored: {_shown(there)} in the table, "
                    f"{_shown(wanted)} by the record"
                )


def _key(table: Table, row: tuple[Any, ...]) -> Key:
    return tuple(row[table.columns.index(name.strip('"'))] for name in table.key)


def _shown(intervals: list[tuple[int, int]]) -> str:
    listed = [f"{after} to {entry}" for after, entry in intervals[:3]]
    return ", ".join(listed) + (", …" if len(intervals) > 3 else "") or "nothing"


def _is(table: Table, row: tuple[Any, ...], digest: str) -> bool:
    try:
        return record.digest(table, row) == digest
    except ValueError:
        return False


def _place(table: Table, key: Key, row: tuple[Any, ...] = ()) -> str:
    """Return where a row belongs: the entry and its gateway, and the table of the casino where it is known."""
    names = [name.strip('"') for name in table.key]
    known = dict(zip(names, key, strict=True)) | dict(zip(table.columns, row, strict=False))
    what = f"{names[1]} {key[1]}"
    where = f" (table {known['table']})" if known.get("table") else ""
    return f"{what} of gateway {known['gateway']}{where}"
