"""A copy of a ledger that is written at the same time: whole, verified, and harmless to the ledger."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from ledger_entries import closed_ledger, play
from sabot_gateway.backup import backup, directory
from sabot_gateway.backup.pace import Pace
from sabot_gateway.ledger import Ledger, LedgerError, Reader, audit

NIGHT = "2026-05-02T03:00:00.123Z"
LATER = "2026-05-03T03:00:00.123Z"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "backups").mkdir()
    return tmp_path / "backups"


def ledger_of(tmp_path: Path, coups: int = 400) -> Ledger:
    return Ledger(closed_ledger(tmp_path / "ledger.db", coups))


def pace(between: Callable[[], None] = lambda: None) -> Pace:
    """A pace that does something in each pause instead of waiting."""
    return Pace(clock=lambda: 0.0, sleep=lambda _seconds: between())


def rows(path: Path, table: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(f"SELECT * FROM {table}").fetchall()


def test_the_copy_of_a_ledger_at_rest_holds_the_same(tmp_path: Path, place: Path) -> None:
    source = closed_ledger(tmp_path / "ledger.db")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()}
    made = backup.backup(source, place, NIGHT, pace())
    with closing(Reader(source)) as reader:
        seq, digest = reader.newest()
        gateway = reader.gateway()
    assert made.path.name == f"ledger-{gateway}-20260502T030000Z-{seq}-{digest.hex()[:16]}.db"
    assert (made.seq, made.hash, made.entries) == (seq, digest, 242)
    for table in ("entries", "coups", "shoes", "cursors", "meta", "units"):
        assert rows(made.path, table) == rows(source, table)
    assert audit.verify(made.path).faults == []
    assert made.path.stat().st_mode & 0o777 == 0o640 & ~_umask()
    names = {file.name for file in place.iterdir()}
    assert names == {made.path.name, f"{made.path.name}-head", "copies.lock"}
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()} == before


def _umask() -> int:
    found = os.umask(0)
    os.umask(found)
    return found


def appends(ledger: Ledger) -> Callable[[], None]:
    """Return what appends a shoe each time it is called."""
    shoes: Iterator[int] = iter(range(2, 1000))

    def append() -> None:
        shoe = next(shoes)
        ledger.append(play(shoe * 10_000, shoe, 3))
        ledger.move_cursor("mqtt", ledger.last_seq())

    return append


def test_a_copy_made_while_entries_are_appended_is_one_moment_of_the_ledger(tmp_path: Path, place: Path) -> None:
    ledger = ledger_of(tmp_path)
    first = ledger.last_seq()
    made = backup.backup(ledger.path, place, NIGHT, pace(appends(ledger)))
    assert first < made.seq < ledger.last_seq() + 1
    assert ledger.hash_of(made.seq) == made.hash
    assert audit.verify(made.path).faults == []
    with closing(Reader(made.path)) as copy:
        assert copy.cursor("mqtt") == made.seq
        assert copy.count("coups") == sum(entry.topic == "coup" for entry in copy.entries())
    assert audit.verify(ledger.path).faults == []


def test_entries_pruned_while_the_copy_is_made_are_pruned_in_the_copy(tmp_path: Path, place: Path) -> None:
    ledger = ledger_of(tmp_path)
    ledger.append(play(50_000, 2, 3, minute=1000))
    ledger.move_cursor("mqtt", ledger.last_seq())
    pieces = list[int]()
    made = backup.backup(ledger.path, place, NIGHT, pace(lambda: _prune(ledger)), pieces.append)
    assert sum(pieces) < ledger.last_seq()  # at the first try
    with closing(Reader(made.path)) as copy:
        assert copy.origin.seq == ledger.origin.seq == 1000
        assert copy.entries().__next__().seq == 1001
    verdict = audit.verify(made.path)
    assert verdict.faults == []
    assert "entries up to 1000 were pruned" in verdict.notes[0]


def _prune(ledger: Ledger) -> None:
    ledger.prune_slice(1000)


def test_everything_pruned(tmp_path: Path, place: Path) -> None:
    ledger = ledger_of(tmp_path, 20)
    ledger.move_cursor("mqtt", ledger.last_seq())
    ledger.prune("2027-01-01")
    assert ledger.count() == 0
    made = backup.backup(ledger.path, place, NIGHT, pace())
    assert (made.seq, made.entries) == (122, 0)
    assert audit.verify(made.path).faults == []


def test_an_empty_ledger_can_be_copied(tmp_path: Path, place: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    made = backup.backup(ledger.path, place, NIGHT, pace())
    assert (made.seq, made.entries) == (0, 0)
    assert audit.verify(made.path).faults == []


def test_a_copy_has_a_signed_head_of_its_own_and_no_key(tmp_path: Path, place: Path) -> None:
    ledger = ledger_of(tmp_path, 10)
    made = backup.backup(ledger.path, place, NIGHT, pace())
    key = ledger.path.with_name("ledger.db-key")
    assert not list(place.glob("*-key"))
    assert audit.verify(made.path, bytes.fromhex(key.read_text())).faults == []
    with closing(sqlite3.connect(made.path, isolation_level=None)) as db:  # the end of the copy is cut off
        db.execute("DELETE FROM entries WHERE seq > 60")
    assert any("entry 61 is missing" in fault for fault in audit.verify(made.path).faults)


def test_a_damaged_ledger_is_not_copied_and_the_entry_is_named(tmp_path: Path, place: Path) -> None:
    source = closed_ledger(tmp_path / "ledger.db")
    with closing(sqlite3.connect(source, isolation_level=None)) as db:
        db.execute("UPDATE entries SET payload = x'00' WHERE seq = 7")
    with pytest.raises(LedgerError, match="is not intact: entry 7 is not what was written"):
        backup.backup(source, place, NIGHT, pace())
    assert [file.name for file in place.iterdir()] == ["copies.lock"]


def test_only_the_newest_copies_are_kept(tmp_path: Path, place: Path) -> None:
    ledger = ledger_of(tmp_path, 5)
    made = [backup.backup(ledger.path, place, f"2026-05-0{day}T03:00:00.000Z", pace()) for day in (1, 2, 3)]
    assert backup.rotate(place, 2) == [made[0].path]
    assert [copy.path for copy in directory.copies(place)] == [made[2].path, made[1].path]
    assert len(list(place.glob("*-head"))) == 2


def test_backups_of_two_gateways_do_not_share_a_directory(tmp_path: Path, place: Path) -> None:
    backup.backup(ledger_of(tmp_path, 5).path, place, NIGHT, pace())
    (tmp_path / "other").mkdir()
    other = ledger_of(tmp_path / "other", 5)
    with pytest.raises(LedgerError, match="give each gateway a directory of its own"):
        backup.backup(other.path, place, LATER, pace())


def test_two_at_once_and_a_missing_directory_are_refused(tmp_path: Path, place: Path) -> None:
    ledger = ledger_of(tmp_path, 5)
    with directory.only_one(place, "copies"), pytest.raises(LedgerError, match="another process writes copies here"):
        backup.backup(ledger.path, place, NIGHT, pace())
    with pytest.raises(LedgerError, match="no such directory; make it, or mount it"):
        backup.backup(ledger.path, place / "nothing", NIGHT, pace())


SLOW = """
import sys, time
from pathlib import Path
from sabot_gateway.backup import backup
from sabot_gateway.backup.pace import Pace
pace = Pace(sleep=lambda _seconds: print("piece", flush=True) or time.sleep(0.02))
backup.backup(Path(sys.argv[1]), Path(sys.argv[2]), "2026-05-02T03:00:00.000Z", pace)
"""


@pytest.mark.parametrize("pieces", [1, 3, 7])
def test_a_kill_in_the_middle_harms_nothing_and_the_next_run_clears_up(
    tmp_path: Path, place: Path, pieces: int
) -> None:
    ledger = ledger_of(tmp_path)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    args = [sys.executable, "-c", SLOW, str(ledger.path), str(place)]
    with subprocess.Popen(args, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for _ in range(pieces):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert [path.suffix for path in place.glob("ledger-*")] == [".part"]
    assert directory.copies(place) == []
    ledger.append(play(50_000, 2, 3))
    assert audit.verify(ledger.path).faults == []
    made = backup.backup(ledger.path, place, LATER, pace())
    assert list(place.glob("*.part")) == []
    assert (made.seq, audit.verify(made.path).faults) == (ledger.last_seq(), [])


def test_the_pause_is_as_long_as_the_work() -> None:
    now, slept = [10.0], list[float]()
    paced = Pace(clock=lambda: now[0], sleep=slept.append)
    now[0] += 0.25
    paced.rest()
    now[0] += 0.5
    paced.rest()
    assert slept == [0.25, 0.5]
