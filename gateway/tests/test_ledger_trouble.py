"""A disk that is full or cannot be written: nothing is half stored, and the ledger goes on when there is room again."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from ledger_entries import UNIT, closed_ledger, coup, play
from sabot_gateway.ledger import Ledger, LedgerError, Reader, audit

_MEBIBYTE = 2**20


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 8 MiB."""
    directory = tmp_path / "small"
    directory.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", directory], check=False).returncode:
        pytest.skip("a file system cannot be mounted here: that needs root")
    yield directory
    subprocess.run(["umount", "-l", directory], check=True)


def fill(directory: Path) -> Path:
    """Leave no room."""
    ballast = directory / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
    return ballast


def append_until_refused(ledger: Ledger) -> tuple[int, str]:
    """Return how many shoes were taken, and the error then."""
    for number in range(1, 1000):
        try:
            ledger.append(play(number * 1000, number, 100))
        except LedgerError as error:
            return number - 1, str(error)
    pytest.fail("the disk is never full")


def test_a_full_disk_refuses_whole_groups_and_the_ledger_recovers(small: Path) -> None:
    ledger = Ledger(small / "ledger.db")
    ledger.append(play(1, 1, 5))
    ballast = fill(small)
    taken, error = append_until_refused(ledger)
    assert error == "the ledger refused 602 entries: database or disk is full"
    assert ledger.verify_chain() == 32 + taken * 602
    assert ledger.durable_event_no(UNIT) == (taken * 1000 + 601 if taken else 32)
    with pytest.raises(LedgerError, match="refused 602 entries"):
        ledger.append(play((taken + 1) * 1000, taken + 1, 100))
    ballast.unlink()
    ledger.append(play((taken + 1) * 1000, taken + 1, 100))
    assert ledger.verify_chain() == 32 + (taken + 1) * 602
    ledger.close()
    assert audit.verify(small / "ledger.db").faults == []


def test_a_disk_that_fills_up_by_the_ledger_itself(small: Path) -> None:
    ledger = Ledger(small / "ledger.db")
    taken, _ = append_until_refused(ledger)
    assert taken > 5
    assert ledger.verify_chain() == taken * 602
    ledger.close()
    reader = Reader(small / "ledger.db")
    assert reader.verify_chain() == taken * 602
    reader.close()
    subprocess.run(["mount", "-o", "remount,size=64m", small], check=True)
    again = Ledger(small / "ledger.db")
    assert again.verify_chain() == taken * 602
    again.append([coup(999_999, 1, 999, 1)])
    again.close()
    assert audit.verify(small / "ledger.db").faults == []


def test_a_full_disk_with_no_room_for_the_sums(small: Path) -> None:
    ledger = Ledger(small / "ledger.db")
    ledger.append(play(1, 1, 100))
    ballast = fill(small)
    ledger.close()
    assert Reader(small / "ledger.db").verify_chain() == 602
    ballast.unlink()
    again = Ledger(small / "ledger.db")
    assert again.verify_chain() == 602
    again.close()
    assert audit.verify(small / "ledger.db").faults == []


def test_a_ledger_on_a_read_only_disk_is_refused_and_can_be_read(small: Path) -> None:
    path = closed_ledger(small / "ledger.db", coups=3)
    subprocess.run(["mount", "-o", "remount,ro", small], check=True)
    with pytest.raises(LedgerError, match="Read-only file system"):
        Ledger(path)
    assert audit.verify(path).faults == []
    subprocess.run(["mount", "-o", "remount,rw", small], check=True)
    ledger = Ledger(path)
    ledger.append([coup(900, 9, 2, 1)])
    assert ledger.verify_chain() == 21


def test_files_that_are_never_bigger_than_a_limit(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.append(play(1, 1, 5))
    (limit,) = ledger._db.execute("PRAGMA max_page_count = 40").fetchone()
    assert limit == 40
    taken, error = append_until_refused(ledger)
    assert "database or disk is full" in error
    ledger._db.execute("PRAGMA max_page_count = 1000000")
    ledger.append(play(500_000, 500, 5))
    assert ledger.verify_chain() == 64 + taken * 602


def test_the_log_stays_small(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    most = 0
    for number in range(60):
        ledger.append(play(1 + number * 1000, number + 1, 100))
        most = max(most, os.stat(tmp_path / "ledger.db-wal").st_size)
    assert _MEBIBYTE < most < 12 * _MEBIBYTE
    assert (tmp_path / "ledger.db").stat().st_size > 10 * _MEBIBYTE
