"""A ledger of several ranges is checked range by range, by one process or two, with the same verdict as in one go."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import two_processes
from ledger_entries import play
from sabot_gateway.ledger import Entry, Ledger, audit
from sabot_gateway.ledger.recompute import Range, SharedRanges, ranges

SIZE = 5000  # entries of a range
LAST = 2 * SIZE + 1234
UNITS = ("5ab0000000000001", "5ab0000000000002", "5ab0000000000003")


def entries() -> Iterator[Entry]:
    """Two units in turn; the third has an entry in the first range and in the last one."""
    for number, entry in enumerate(play(1, 1, LAST // 6 + 1)[:LAST], 1):
        yield entry._replace(unit=UNITS[2] if number in (7, LAST - 5) else UNITS[number % 2])


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ranges") / "ledger.db"
    with closing(Ledger(path)) as ledger:
        ledger.append(list(entries()))
    return path


@pytest.fixture
def path(written: Path, tmp_path: Path) -> Path:
    for file in written.parent.iterdir():
        shutil.copy(file, tmp_path)
    return tmp_path / written.name


def edit(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def faults(path: Path) -> list[str]:
    """Return what is found, the same by one process and by two."""
    found = audit.verify(path).faults
    assert two_processes.verify(path)[0].faults == found
    return found


def broken(seq: int) -> str:
    return f"entry {seq} is not what was written: the chain breaks there"


def test_every_entry_is_in_one_range() -> None:
    assert list(ranges(0, LAST)) == [Range(0, SIZE), Range(SIZE, 2 * SIZE), Range(2 * SIZE, LAST)]
    assert list(ranges(7, 7)) == []
    assert list(ranges(7, SIZE + 7)) == [Range(7, SIZE + 7)]
    many = list(ranges(3, 10**15))
    assert len(many) <= 2048
    assert (many[0].after, many[-1].last) == (3, 10**15)


def test_two_takers_share_the_ranges() -> None:
    with closing(SharedRanges()) as shared:
        shared.offer(0, LAST)
        one, two = shared.take(), shared.take()
        assert [next(one), next(two), next(one)] == list(ranges(0, LAST))
        assert (next(one, None), next(two, None)) == (None, None)
        shared.offer(3, 10**15)
        assert list(shared.take()) == list(ranges(3, 10**15))


@pytest.mark.parametrize("fork", [False, True])
def test_an_honest_ledger_is_intact_and_every_entry_is_progress(path: Path, fork: bool) -> None:
    done = list[int]()
    verdict = audit.verify(path, progress=done.append)
    if fork:
        verdict, done = two_processes.verify(path)
    assert (verdict.faults, verdict.notes, verdict.entries) == ([], [], LAST)
    assert sum(done) == LAST


@pytest.mark.parametrize("seq", [1, SIZE - 1, SIZE, SIZE + 1, 2 * SIZE, 2 * SIZE + 1, LAST])
@pytest.mark.parametrize(
    "change", ["UPDATE entries SET time = 'never'", "UPDATE entries SET hash = zeroblob(32)", "DELETE FROM entries"]
)
def test_the_first_bad_entry_is_named_wherever_it_is(path: Path, seq: int, change: str) -> None:
    edit(path, f"{change} WHERE seq = {seq}")
    if change.startswith("DELETE") and seq == LAST:
        assert faults(path)[0].startswith(f"entry {LAST} is missing: it ends with entry {LAST - 1}")
    else:
        assert faults(path)[0] == broken(seq)


def test_of_many_bad_entries_the_first_is_named(path: Path) -> None:
    edit(path, f"UPDATE entries SET frame = x'00' WHERE seq IN ({SIZE + 9}, {SIZE - 9}, {LAST}, {2 * SIZE})")
    assert faults(path)[0] == broken(SIZE - 9)


@pytest.mark.parametrize(("number", "first"), [(0, 1), (-9, 1), (-(2**63), 1), (10**15, LAST), (2**63 - 1, LAST)])
def test_a_number_outside_the_chain_is_found_at_once(path: Path, number: int, first: int) -> None:
    edit(path, f"UPDATE entries SET seq = {number} WHERE seq = {LAST}")
    assert faults(path)[0] == broken(first)


@pytest.mark.parametrize(
    ("seq", "right"),
    [(9, 6), (SIZE, SIZE - 2), (SIZE + 1, SIZE - 1), (2 * SIZE + 2, 2 * SIZE), (LAST - 5, 7), (LAST, LAST - 2)],
)
def test_a_wrong_pointer_is_named_wherever_it_is(path: Path, seq: int, right: int) -> None:
    right = 5 if seq == 9 else right
    edit(path, f"UPDATE entries SET before = 1 WHERE seq IN ({seq}, {LAST})")
    named = f"entry {seq} names entry 1 as the one before it of its unit, and that is entry {right}"
    assert faults(path) == [f"{named}; `sabot ledger rebuild {path}` rebuilds it"]


@pytest.mark.parametrize("unit", UNITS)
def test_a_wrong_number_of_a_unit_is_found(path: Path, unit: str) -> None:
    (newest,) = [LAST - 5] if unit == UNITS[2] else [LAST - (UNITS.index(unit) != LAST % 2)]
    edit(path, f"UPDATE units SET last_no = last_no - 1 WHERE unit = '{unit}'")
    named = f"table units: entry {newest} gives something else than the table has"
    assert faults(path) == [f"{named}; `sabot ledger rebuild {path}` rebuilds it"]


def test_a_bad_entry_and_a_wrong_pointer_behind_it_are_both_named(path: Path) -> None:
    edit(path, "UPDATE entries SET frame = x'00' WHERE seq = 77", f"UPDATE entries SET before = 1 WHERE seq = {LAST}")
    chain, pointer = faults(path)
    assert chain == broken(77)
    assert pointer.startswith(f"entry {LAST} names entry 1 as the one before it of its unit")
