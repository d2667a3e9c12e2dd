"""A changed byte is found, wherever it is: in the closed file, in what lies beside an open one."""

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from ledger_entries import closed_ledger, coup, play
from sabot_gateway.ledger import Ledger, LedgerError, Reader, audit, sums, wal

PAGE = 4096
KILLED = """
import os, sys
from pathlib import Path
sys.path[:0] = {path!r}
from ledger_entries import play
from sabot_gateway.ledger import Ledger
ledger = Ledger(Path(sys.argv[1]))
entries = play(1, 1, 12)
for place in range(0, len(entries), 10):
    ledger.append(entries[place:place + 10])
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    return closed_ledger(tmp_path / "ledger.db")


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A ledger whose writer was killed; its entries are in its write-ahead log."""
    code = KILLED.format(path=[str(Path(__file__).parent), *sys.path])
    ran = subprocess.run([sys.executable, "-c", code, str(tmp_path / "ledger.db")], check=False)
    assert ran.returncode == -signal.SIGKILL
    return tmp_path / "ledger.db"


@contextmanager
def flipped(path: Path, place: int, bit: int = 0) -> Iterator[None]:
    """One bit of a file is another, for a while."""
    with path.open("r+b", buffering=0) as file:
        (was,) = os.pread(file.fileno(), 1, place)
        os.pwrite(file.fileno(), bytes([was ^ 1 << bit]), place)
        yield
        os.pwrite(file.fileno(), bytes([was]), place)


def missed(path: Path, places: Iterator[int], wrong: Callable[[], bool]) -> list[int]:
    """The places at which a flipped bit goes unnoticed."""
    found = []
    for number, place in enumerate(places):
        with flipped(path, place, number % 8):
            if not wrong():
                found.append(place)
    return found


def byte_faults(path: Path) -> bool:
    return bool(list(audit._byte_faults(path, audit.Verdict())))


def test_a_closed_ledger_is_one_file_and_intact(closed: Path) -> None:
    verdict = audit.verify(closed)
    assert (verdict.entries, verdict.faults, verdict.notes) == (242, [], [])
    assert {file.name for file in closed.parent.iterdir()} == {"ledger.db", "ledger.db-lock"}


def test_every_byte_of_the_first_page_and_of_the_sums_and_many_others(closed: Path) -> None:
    size, pages = closed.stat().st_size, closed.stat().st_size // PAGE
    others = random.Random(1).sample(range(PAGE, pages * PAGE), 2000)
    places = [*range(PAGE), *range(pages * PAGE, size), *others]
    assert len(places) > 6400
    assert missed(closed, iter(places), lambda: byte_faults(closed)) == []
    assert not byte_faults(closed)


def test_the_whole_verdict_and_the_start_find_what_the_bytes_show(closed: Path) -> None:
    places = random.Random(2).sample(range(closed.stat().st_size), 60)

    def refused() -> bool:
        try:
            Reader(closed).close()
            audit.start(closed)
        except LedgerError:
            return True
        return False

    assert missed(closed, iter(places), lambda: bool(audit.verify(closed).faults)) == []
    in_pages = [place for place in places if place < closed.stat().st_size // PAGE * PAGE]
    assert missed(closed, iter(in_pages), refused) == []


def test_an_edited_entry_is_named_first(closed: Path) -> None:
    text = closed.read_bytes()
    place = text.index(b'"event_no":100,')
    with flipped(closed, place):
        assert audit.verify(closed).faults[0] == "entry 100 is not what was written: the chain breaks there"
        with pytest.raises(LedgerError) as error:
            Ledger(closed)
    assert f"ledger {closed} cannot be used: page {place // PAGE + 1} is not what was written. Move ledger.db" in str(
        error.value
    )
    assert "starts a new ledger" in str(error.value)


def test_a_ledger_put_back_from_an_earlier_day_with_todays_sums(closed: Path, tmp_path: Path) -> None:
    earlier = tmp_path / "earlier.db"
    shutil.copy(closed, earlier)
    ledger = Ledger(closed)
    ledger.append(play(1000, 2, 3))
    ledger.close()
    now = sums.load(closed).sums
    assert now is not None
    assert now.seq == 242 + 20
    sums.open_file(earlier, now)
    sums.close_file(earlier)
    faults = audit.verify(earlier).faults
    assert faults[0] == "entry 243 is missing: the file ends with 242, but held 262"


@pytest.mark.parametrize("keep", [0.5, 0.99])
def test_a_file_that_was_cut_off(closed: Path, keep: float) -> None:
    os.truncate(closed, int(closed.stat().st_size * keep))
    assert audit.verify(closed).faults != []


def test_sums_that_are_gone_are_told_and_made_anew_after_a_full_check(closed: Path) -> None:
    loaded = sums.load(closed).sums
    assert loaded is not None
    os.truncate(closed, len(loaded) * PAGE)
    (fault,) = audit.verify(closed).faults
    assert "there are no page sums" in fault
    assert "its entries are intact; the daemon writes the sums anew" in fault
    ledger = Ledger(closed)
    assert "every entry was checked" in ledger.notes[0]
    ledger.close()
    assert audit.verify(closed).faults == []


def test_sums_that_are_torn(closed: Path) -> None:
    os.truncate(closed, closed.stat().st_size - 7)
    (fault,) = audit.verify(closed).faults
    assert "the page sums at its end are damaged; its entries are intact" in fault
    Ledger(closed).close()
    assert audit.verify(closed).faults == []


def test_without_sums_an_edited_entry_is_found_at_the_start(closed: Path) -> None:
    text = closed.read_bytes()
    place = text.index(b'"event_no":100,')
    os.truncate(closed, closed.stat().st_size - 7)
    with flipped(closed, place), pytest.raises(LedgerError, match="cannot be used: entry 100 is not what was written"):
        Ledger(closed)


def test_what_is_no_ledger(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_bytes(b"to be or not to be " * 1000)
    with pytest.raises(LedgerError, match=r"cannot be used: .*file is not a database"):
        Ledger(tmp_path / "ledger.db")
    assert audit.verify(tmp_path / "ledger.db").faults != []


def test_a_killed_ledger_is_whole_and_goes_on(killed: Path) -> None:
    assert wal.read(sums.beside(killed, "wal")).page_count > 0
    verdict = audit.verify(killed)
    assert (verdict.entries, verdict.faults) == (74, [])
    ledger = Ledger(killed)
    assert (ledger.verify_chain(), ledger.notes) == (74, [])
    ledger.close()
    assert audit.verify(killed).faults == []


def test_every_place_in_the_log_of_a_killed_ledger(killed: Path) -> None:
    log = sums.beside(killed, "wal")
    data, frame = log.read_bytes(), PAGE + 24
    starts = range(32, len(data), frame)
    last = sum(data[start + 8 : start + 16] == data[16:24] for start in starts)  # behind it: rests of an older log
    heads = [start + place for start in starts[:last] for place in range(24)]
    bodies = random.Random(3).sample(range(32, starts[last - 1] + frame), 150)
    assert (
        missed(log, iter([*range(32), *random.Random(4).sample(heads, 200), *bodies]), lambda: byte_faults(killed))
        == []
    )


def test_a_log_damaged_in_its_middle_is_refused_and_one_torn_at_its_end_is_not(killed: Path) -> None:
    log = sums.beside(killed, "wal")
    with flipped(log, 32 + 24 + 100):
        with pytest.raises(LedgerError, match=r"in ledger\.db-wal: frame 1 is not what was written, and whole"):
            Ledger(killed)
        assert "in ledger.db-wal: frame 1 is not what was written" in " ".join(audit.verify(killed).faults)
    with flipped(log, log.stat().st_size - 100):
        assert "is not whole" in " ".join(audit.verify(killed).faults)
        ledger = Ledger(killed)
        assert ledger.verify_chain() == 70  # the last transaction had four
        assert "was not acknowledged" in ledger.notes[0]
        ledger.close()
    assert audit.verify(killed).faults == []


def test_every_page_and_the_sums_of_a_killed_ledger(killed: Path) -> None:
    places = random.Random(5).sample(range(killed.stat().st_size), 100)
    assert missed(killed, iter(places), lambda: byte_faults(killed)) == []
    aside = sums.beside(killed, "sums")
    assert missed(aside, iter(range(aside.stat().st_size)), lambda: byte_faults(killed)) == []


def test_a_power_cut_while_the_log_is_brought_into_the_file(killed: Path) -> None:
    """Pages of the log that have come into the file, one of them in half."""
    log, frame = sums.beside(killed, "wal").read_bytes(), PAGE + 24
    frames = [log[place : place + frame] for place in range(32, len(log), frame)]
    newest = {int.from_bytes(each[:4], "big"): each[24:] for each in frames}
    numbers = sorted(newest)
    with killed.open("r+b") as file:
        for number in numbers[: len(numbers) // 2]:
            file.seek((number - 1) * PAGE)
            file.write(newest[number])
        file.seek((numbers[1] - 1) * PAGE)
        file.write(b"half a page" * 100)
    (fault,) = audit.verify(killed).faults
    mended = "the write-ahead log has it whole, and the daemon's next start mends it"
    assert fault == f"page {numbers[1]} is not what was written; {mended}"
    ledger = Ledger(killed)
    assert ledger.notes == [fault]
    assert ledger.verify_chain() == 74
    ledger.close()
    assert audit.verify(killed).faults == []


def test_a_ledger_that_has_brought_its_log_into_the_file_many_times(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    for number in range(6):
        ledger.append(play(1 + number * 1000, number + 1, 150))
        ledger._settle()
        ledger.append([coup(990 + number * 1000, 1, number + 1, 151)])  # into the log that begins anew
        assert audit.verify(tmp_path / "ledger.db").faults == []
    reader = Reader(tmp_path / "ledger.db")
    rows = reader.entries()
    next(rows)  # holds the log where it is
    ledger.append(play(9001, 9, 150))
    ledger._settle()
    ledger.append(play(10001, 10, 150))
    assert audit.verify(tmp_path / "ledger.db").faults == []
    ledger.close()
    del rows
    reader.close()
    assert audit.verify(tmp_path / "ledger.db").faults == []
    Ledger(tmp_path / "ledger.db").close()
    assert {file.name for file in tmp_path.iterdir()} == {"ledger.db", "ledger.db-lock"}
