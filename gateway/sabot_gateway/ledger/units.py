"""Units: the log of each unit in the ledger: its last number and entry, and from each entry the one before it.

An index of every entry by unit and number had each entry change a page of its own. Here an entry names the one before
it of the same unit (`before`), and the table `units` has the newest of each: a log is read backwards from there.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sabot_gateway.ledger.chain import Entry
from sabot_gateway.ledger.inserts import Insert, places

TABLE = "CREATE TABLE units (unit TEXT PRIMARY KEY, last_no INTEGER, last_seq INTEGER) WITHOUT ROWID"
_STORE = Insert("INSERT OR REPLACE INTO units", places(3))
_POINT = "UPDATE entries SET before = ? WHERE seq = ?"
_ALL = "SELECT seq, unit, event_no, before FROM entries ORDER BY seq"
_NEWEST = "SELECT last_seq FROM units WHERE unit = ?"

# Entries of one unit back from ?1, the newest first, as far as the event ?2; what follows from an event has no number.
_BACK = """WITH RECURSIVE log (at, number, earlier) AS (
    SELECT seq, event_no, before FROM entries WHERE seq = ?1
    UNION ALL SELECT seq, event_no, before FROM log CROSS JOIN entries ON seq = earlier
    WHERE number IS NULL OR number > ?2)"""
_NUMBERS = f"{_BACK} SELECT number, at FROM log WHERE number >= ?2"
# Of these the events in order: of one table, or of all if ?3 is empty, and at most ?4, or all if that is negative.
EVENTS = f"""{_BACK} SELECT {{columns}} FROM log CROSS JOIN entries ON seq = at
    WHERE number >= ?2 AND (?3 = '' OR table_name = ?3) ORDER BY seq LIMIT ?4"""


Last = tuple[int, int]  # the newest of a unit: its number, 0 where none has one, and its entry, 0 where it was pruned
_NOTHING: Last = (0, 0)


class Pruned(NamedTuple):
    """What the checkpoint of a pruning has: the last entry that was removed, and the last number of each unit."""

    seq: int = 0
    numbers: Mapping[str, int] = {}

    def newest(self) -> dict[str, Last]:
        """Return the newest of each unit before any entry that is left."""
        return {unit: (number, 0) for unit, number in self.numbers.items()}

    def fits(self, given: int, right: int) -> bool:
        """Return True if a pointer is right; the first of a unit that is left may name one that was removed."""
        return given == right or (right == 0 and isinstance(given, int) and 0 < given <= self.seq)


class Pointer(NamedTuple):
    """An entry, the one that it names as the one before it of its unit, and the right one."""

    seq: int
    given: int
    right: int


class Run(NamedTuple):
    """What a run of entries has: how many, and by unit its first entry, its last one and its last number."""

    entries: int
    first: dict[str, tuple[int, int]]  # and the entry before it that the first one names
    newest: dict[str, int]
    numbers: dict[str, int]
    wrong: list[Pointer]  # within the run: the first one, if any


class Units:
    """The newest of each unit, of the only writer; a number is stored once, for the numbers of a unit only rise."""

    def __init__(self, db: sqlite3.Connection, pruned: Pruned) -> None:
        self._last = pruned.newest() | _kept(db)

    def place(self, seq: int, entries: Iterable[Entry]) -> tuple[list[int], dict[str, Last]]:
        """Return the entry before each of these, the first of which is `seq`, and what they make the newest."""
        before, changed = list[int](), dict[str, Last]()
        find = self._last.get
        for unit, event_no, _, _, _, _, _, _ in entries:
            last_no, last_seq = changed.get(unit) or find(unit, _NOTHING)
            if event_no is None:
                event_no = last_no
            elif event_no <= last_no:
                used = f"event {event_no} of {unit} is stored already, or a later one is ({last_no})"
                raise sqlite3.IntegrityError(used)
            before.append(last_seq)
            changed[unit] = event_no, seq
            seq += 1
        return before, changed

    def stored(self, changed: Mapping[str, Last]) -> None:
        """Take note of what is durable."""
        self._last |= changed


def store(db: sqlite3.Connection, changed: Mapping[str, Last]) -> None:
    """Write the newest of these units; inside a transaction of the caller."""
    _STORE.write(db, [(unit, *last) for unit, last in changed.items()])


class Numbers(NamedTuple):
    """Entries of a unit by the numbers of their events, from one event to another."""

    unit: str
    first: int
    last: int
    entries: dict[int, int]

    def covers(self, unit: str, event_no: int) -> bool:
        """Return True if this event of this unit is among them, or is not in the ledger."""
        return unit == self.unit and self.first <= event_no <= self.last


NO_NUMBERS = Numbers("", 1, 0, {})


def numbers(db: sqlite3.Connection, unit: str, first: int) -> Numbers:
    """Return the entries of a unit from this event on."""
    entries = dict(db.execute(_NUMBERS, (newest(db, unit), first)))
    return Numbers(unit, first, max(entries, default=first), entries)


def newest(db: sqlite3.Connection, unit: str) -> int:
    """Return the newest entry of a unit, 0 where there is none."""
    row = db.execute(_NEWEST, (unit,)).fetchone()
    return int(row[0]) if row else 0


def number_at(db: sqlite3.Connection, seq: int) -> int:
    """Return the number of the event that an entry has or follows from, 0 where it was pruned."""
    while row := db.execute("SELECT event_no, before FROM entries WHERE seq = ?", (seq,)).fetchone():
        event_no, seq = row
        if event_no is not None:
            return int(event_no)
    return 0


def rebuild(db: sqlite3.Connection, pruned: Pruned) -> None:
    """Make table and pointers what the entries give; inside a transaction of the caller."""
    newest_of = pruned.newest()
    wrong = [(right, seq) for seq, given, right in _followed(db, newest_of) if not pruned.fits(given, right)]
    db.executemany(_POINT, wrong)
    db.execute("DELETE FROM units")
    store(db, _held(newest_of))


def trim(db: sqlite3.Connection, seq: int) -> None:
    """Forget units of which no entry is left after `seq`; inside a transaction of the caller."""
    db.execute("DELETE FROM units WHERE last_seq <= ?", (seq,))


def difference(db: sqlite3.Connection, pruned: Pruned) -> str | None:
    """Return where table or pointers are not what the entries give; None where they are."""
    newest_of = pruned.newest()
    followed = _followed(db, newest_of)
    return _wrong_pointer(followed, pruned) or _table_difference(db, newest_of)


def difference_by_runs(db: sqlite3.Connection, pruned: Pruned, runs: Iterable[Run]) -> str | None:
    """Return the same, from runs of entries that follow one another and are all of the ledger."""
    newest_of = pruned.newest()
    for run in runs:
        found = _wrong_pointer(_pointers(run, newest_of), pruned)
        if found:
            return found
        for unit, seq in run.newest.items():
            last_no, _ = newest_of.get(unit, _NOTHING)
            newest_of[unit] = run.numbers.get(unit, last_no), seq
    return _table_difference(db, newest_of)


def _pointers(run: Run, newest_of: Mapping[str, Last]) -> list[Pointer]:
    """Return the pointers of a run that are not right in themselves, in order."""
    firsts = (Pointer(*first, newest_of.get(unit, _NOTHING)[1]) for unit, first in run.first.items())
    return sorted([*firsts, *run.wrong], key=lambda pointer: pointer.seq)


def _wrong_pointer(pointers: Iterable[Pointer], pruned: Pruned) -> str | None:
    for seq, given, right in pointers:
        if not pruned.fits(given, right):
            return f"entry {seq} names entry {given} as the one before it of its unit, and that is entry {right}"
    return None


def _table_difference(db: sqlite3.Connection, newest_of: Mapping[str, Last]) -> str | None:
    expected, kept = _held(newest_of), _kept(db)
    for unit in sorted(kept.keys() | expected.keys(), key=str):
        if kept.get(unit) != expected.get(unit):
            _, entry = expected[unit] if unit in expected else kept[unit]
            return f"table units: entry {entry} gives something else than the table has"
    return None


def _held(newest_of: Mapping[str, Last]) -> dict[str, Last]:
    return {unit: last for unit, last in newest_of.items() if last[1]}


def _kept(db: sqlite3.Connection) -> dict[str, Last]:
    return {unit: (last_no, last_seq) for unit, last_no, last_seq in db.execute("SELECT * FROM units")}


def _followed(db: sqlite3.Connection, newest_of: dict[str, Last]) -> Iterator[Pointer]:
    """Yield of each entry its number, the pointer that it has and the right one; fill in the newest of each unit."""
    find = newest_of.get
    for seq, unit, event_no, before in db.execute(_ALL):
        last_no, last_seq = find(unit, _NOTHING)
        yield Pointer(seq, before, last_seq)
        newest_of[unit] = last_no if event_no is None else event_no, seq
