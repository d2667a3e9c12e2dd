"""Units in the ledger: a number is stored once, a log is read backwards, and both survive pruning and older files."""

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from ledger_entries import UNIT, alarm, at, card, play, shoe
from sabot_gateway.ledger import Entry, EntryError, Ledger, audit

OLD = Path(__file__).parent / "ledgers"
OTHER = "5ab0000000000002"


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger.db")


def event(unit: str, number: int | None, table: str = "bac-01") -> Entry:
    return Entry(unit, number, table, "", b"{}", b"%s-%d" % (unit.encode(), number or 0), at(1), "")


def numbers(ledger: Ledger, unit: str) -> list[int | None]:
    return [one.event_no for one in ledger.entries("WHERE unit = ?", (unit,)) if one.event_no is not None]


def edited(path: Path, *statements: str) -> list[str]:
    """Change a closed ledger with SQLite; return what the check finds."""
    with closing(sqlite3.connect(path)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()
    return audit.verify(path).faults


@pytest.mark.parametrize("bad", [1, 2, 3])
def test_a_number_that_is_stored_or_passed_is_refused_with_all_beside_it(ledger: Ledger, bad: int) -> None:
    ledger.append([event(UNIT, 1), event(UNIT, 3), event(UNIT, None)])
    said = rf"the ledger refused 2 entries: event {bad} of {UNIT} is stored already, or a later one is \(3\)"
    with pytest.raises(EntryError, match=said):
        ledger.append([event(OTHER, 1), event(UNIT, bad)])
    ledger.append([event(OTHER, 1), event(UNIT, 4)])
    assert (numbers(ledger, UNIT), numbers(ledger, OTHER)) == ([1, 3, 4], [1])


def test_a_number_twice_in_one_commit_is_refused(ledger: Ledger) -> None:
    with pytest.raises(EntryError, match="event 7 of u is stored already"):
        ledger.append([event("u", 7), event("u", 7)])
    assert ledger.last_seq() == 0


def test_after_a_restart_and_after_a_pruning_a_number_is_still_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    ledger = Ledger(path)
    ledger.append(play(1, 1, 3))
    ledger.append([shoe(100, 30, 2, "open"), event(OTHER, 9)])
    ledger.move_cursor("mqtt", ledger.last_seq())
    assert ledger.prune(at(10)).count > 0
    for _ in range(2):
        with pytest.raises(EntryError):
            ledger.append([event(UNIT, 5)])
        assert audit.verify(path).faults == []
        ledger.close()
        ledger = Ledger(path)
    assert ledger.durable_event_no(UNIT) == 100
    ledger.close()


def test_random_commits_are_stored_once_and_every_log_reads_back_as_it_came(tmp_path: Path) -> None:
    """What is accepted is kept beside the ledger, by the rule that the numbers of a unit only rise."""
    chosen, path = random.Random(21), tmp_path / "ledger.db"
    ledger, accepted = Ledger(path), dict[str, list[int]]()
    for _ in range(300):
        batch = [event(f"u{chosen.randrange(5)}", chosen.choice([None, chosen.randrange(1, 900)])) for _ in range(3)]
        after = {unit: list(stored) for unit, stored in accepted.items()}
        fits = True
        for unit, number, *_ in batch:
            log = after.setdefault(unit, [])
            fits = fits and (number is None or number > max(log, default=0))
            log += [] if number is None else [number]
        try:
            ledger.append(batch)
            stored = True
        except EntryError:
            stored = False
        assert stored is fits
        accepted = after if fits else accepted
        if chosen.random() < 0.05:
            ledger.close()
            ledger = Ledger(path)
    assert sum(map(len, accepted.values())) > 20
    for unit, log in accepted.items():
        assert [one.event_no for one in ledger.log_of(unit, 0)] == log
        assert [one.event_no for one in ledger.log_of(unit, log[-2])] == log[-2:]
        assert all(ledger.frame_of(unit, number) == event(unit, number).frame for number in log)
        assert ledger.frame_of(unit, 901) is None
    assert ledger.derived_difference() is None
    ledger.close()


def test_frames_are_found_in_any_order_also_of_events_that_come_later(ledger: Ledger) -> None:
    ledger.append([event(UNIT, number) for number in (2, 3, 5, 8)] + [event(OTHER, 3)])
    asked = [8, 2, 4, 3, 9, 5, 1]
    found = [ledger.frame_of(UNIT, number) is not None for number in asked]
    assert found == [True, True, False, True, False, True, False]
    ledger.append([event(UNIT, 9), event(OTHER, 4)])
    assert ledger.frame_of(UNIT, 9) == event(UNIT, 9).frame
    assert ledger.frame_of(OTHER, 4) == event(OTHER, 4).frame
    assert ledger.frame_of(UNIT, 4) is None


def test_the_log_of_a_shoe_is_that_of_its_table(ledger: Ledger) -> None:
    """A shoe that was moved: its log goes on, and only a part of it is of the second table."""
    ledger.append(play(1, 1, 2, closed=False))
    ledger.append([card(50, 5, 1, 3, table="bac-02"), shoe(51, 6, 2, "open"), card(52, 7, 2, 1)])
    ledger.append([alarm(53, 8, "lid", "raised", "a"), card(54, 9, 2, 1, table="bac-02"), card(55, 9, 2, 1)])
    assert [one.event_no for one in ledger.this_shoe("bac-01")] == [51, 52, 55]
    assert [one.event_no for one in ledger.this_shoe("bac-01", 2)] == [51, 52]


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("UPDATE entries SET before = 3 WHERE seq = 7", "entry 7 names entry 3 as the one before it of its unit"),
        ("UPDATE entries SET before = 'x' WHERE seq = 7", "entry 7 names entry x as the one before it of its unit"),
        ("UPDATE units SET last_no = 2", "table units: entry 20 gives something else than the table has"),
        ("UPDATE units SET last_seq = 2", "table units: entry 20 gives something else than the table has"),
        ("DELETE FROM units", "table units: entry 20 gives something else than the table has"),
        ("INSERT INTO units VALUES ('zz', 1, 4)", "table units: entry 4 gives something else than the table has"),
    ],
)
def test_what_somebody_changes_there_is_found_and_the_next_start_rebuilds_it(
    tmp_path: Path, statement: str, fault: str
) -> None:
    path = tmp_path / "ledger.db"
    ledger = Ledger(path)
    ledger.append(play(1, 1, 3))
    ledger.close()
    assert [one.startswith(fault) for one in edited(path, statement)] == [True]
    ledger = Ledger(path)
    assert fault in ledger.notes[0]
    assert ledger.derived_difference() is None
    assert [one.event_no for one in ledger.log_of(UNIT, 0)] == list(range(1, 21))
    ledger.close()
    assert audit.verify(path).faults == []


@pytest.mark.parametrize(("name", "entries", "last"), [("closed", 58, 218), ("pruned", 13, 212)])
def test_version_7_is_verified_as_it_is_and_brought_up(tmp_path: Path, name: str, entries: int, last: int) -> None:
    path = tmp_path / "ledger.db"
    shutil.copy(OLD / f"version_7_{name}.db", path)
    verdict = audit.verify(path)
    assert (verdict.version, verdict.entries, verdict.faults) == (7, entries, [])
    with closing(sqlite3.connect(path)) as db:
        before = db.execute("SELECT seq, unit, event_no, hash FROM entries ORDER BY seq").fetchall()
    ledger = Ledger(path)
    assert (ledger.version, ledger.notes[0]) == (8, "it was brought from version 7 to version 8")
    assert [(one.seq, one.unit, one.event_no, one.hash) for one in ledger.entries()] == before
    assert (ledger.durable_event_no(UNIT), ledger.durable_event_no(OTHER)) == (last, 5 if name == "pruned" else 0)
    with pytest.raises(EntryError):
        ledger.append([event(UNIT, last)])
    ledger.append([event(UNIT, last + 1), event(OTHER, 6)])
    ledger.close()
    assert audit.verify(path).faults == []
