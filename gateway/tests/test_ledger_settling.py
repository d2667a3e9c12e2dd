"""The write-ahead log is settled beside the appending: nothing is lost, and a crash in between is sound."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from ledger_entries import play
from sabot_gateway.ledger import Entry, Ledger, audit
from sabot_gateway.ledger.settling import Settling
from sabot_gateway.ledger.sums import beside

_MIB = 2**20


def filler(number: int) -> Entry:
    """A kilobyte, long ago."""
    return Entry(f"{number % 50:016x}", number, "t", "", b"x" * 700, b"y" * 100, "2020-01-01T00:00:00.000Z")


def many(ledger: Ledger, mib: int, first: int = 1) -> int:
    """Append so much and more, two hundred at a time; the number of the last."""
    number = first - 1
    while number - first < mib * 1000:
        ledger.append([filler(no) for no in range(number + 1, number + 201)])
        number += 200
    return number


def image(path: Path, to: Path) -> Path:
    """The files as a crash would leave them now."""
    to.mkdir()
    for part in (path, beside(path, "wal"), beside(path, "sums")):
        shutil.copy(part, to / part.name)
    return to / path.name


def test_the_log_is_settled_while_entries_come_and_keeps_its_size(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    last = many(ledger, 80)
    assert beside(ledger.path, "wal").stat().st_size < 80 * _MIB  # 200 without
    assert ledger.path.stat().st_size > 40 * _MIB
    assert ledger.verify_chain() == last
    ledger.close()
    verdict = audit.verify(tmp_path / "ledger.db")
    assert (verdict.entries, verdict.faults, verdict.notes) == (last, [], [])


def test_a_crash_when_the_pages_are_in_the_file_and_their_sums_are_not_kept(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.append(play(1, 1, 20))
    settling = Settling(ledger.path)
    settling.join()
    ledger.append(play(1000, 2, 20))
    crashed = image(ledger.path, tmp_path / "crashed")
    assert settling.release().frames > 0
    verdict = audit.verify(crashed)
    assert (verdict.entries, verdict.faults) == (244, [])
    again = Ledger(crashed)
    assert (again.verify_chain(), again.notes) == (244, [])
    again.close()
    assert audit.verify(crashed).faults == []


def test_a_byte_changed_in_such_a_crash_is_found(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.append(play(1, 1, 20))
    settling = Settling(ledger.path)
    settling.join()
    crashed = image(ledger.path, tmp_path / "crashed")
    settling.release()
    place = crashed.stat().st_size - 2000
    with crashed.open("r+b") as file:
        was = os.pread(file.fileno(), 1, place)
        os.pwrite(file.fileno(), bytes([was[0] ^ 1]), place)
    assert any("is not what was written" in fault for fault in audit.verify(crashed).faults)


def test_no_new_log_begins_until_the_settling_is_released(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.append(play(1, 1, 20))
    settling = Settling(ledger.path)
    settling.join()
    size = beside(ledger.path, "wal").stat().st_size
    ledger.append(play(1000, 2, 20))
    assert beside(ledger.path, "wal").stat().st_size > size
    settling.release()


@pytest.mark.parametrize("damage", [lambda data: data[:60] + bytes([data[60] ^ 1]) + data[61:], lambda data: data[:20]])
def test_sums_that_were_changed_beside_a_running_ledger_are_not_renewed(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    aside = beside(ledger.path, "sums")
    aside.write_bytes(damage(aside.read_bytes()))
    ledger.append(play(1, 1, 20))
    ledger.close()
    assert not aside.exists()
    (fault,) = audit.verify(ledger.path).faults
    assert "there are no page sums" in fault


def test_sums_of_a_ledger_that_becomes_shorter(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    many(ledger, 40)
    ledger.move_cursor("mqtt", ledger.last_seq())
    longest = ledger.path.stat().st_size
    ledger.prune("2099-01-01")
    ledger.close()
    assert ledger.path.stat().st_size < longest // 10
    assert audit.verify(ledger.path).faults == []


@pytest.mark.parametrize("after", [10, 18])
def test_a_ledger_closed_while_it_settles(tmp_path: Path, after: int) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    last = many(ledger, after)
    ledger.close()
    assert not beside(ledger.path, "wal").exists()
    verdict = audit.verify(ledger.path)
    assert (verdict.entries, verdict.faults, verdict.notes) == (last, [], [])
