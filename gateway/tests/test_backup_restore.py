"""A ledger from a backup: made of the newest copy and the segments; heads prove what is missing."""

import os
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from ledger_entries import closed_ledger, play
from sabot_gateway.backup import backup, directory, shipping
from sabot_gateway.backup.drill import Drilled, drill
from sabot_gateway.backup.pace import Pace
from sabot_gateway.backup.restoring import restore
from sabot_gateway.ledger import Ledger, LedgerError, Reader, audit
from sabot_protocol.topics import LedgerMessage

STILL = Pace(clock=lambda: 0.0, sleep=lambda _seconds: None)
NIGHT, LATER = "2026-05-02T03:00:00.000Z", "2026-05-03T03:00:00.000Z"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "backups").mkdir()
    return tmp_path / "backups"


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(closed_ledger(tmp_path / "ledger.db", 50))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    (tmp_path / "new disk").mkdir()
    return tmp_path / "new disk" / "ledger.db"


def key(ledger: Ledger) -> Path:
    return ledger.path.with_name("ledger.db-key")


def test_the_newest_copy_and_the_segments_behind_it(ledger: Ledger, place: Path, out: Path) -> None:
    backup.backup(ledger.path, place, NIGHT, STILL)
    ledger.append(play(50_000, 2, 3))
    newest = backup.backup(ledger.path, place, LATER, STILL)
    ledger.append(play(60_000, 3, 3))
    shipping.ship(ledger.path, place, STILL)
    made = restore(place, out, key=key(ledger), known=[ledger.head()])
    assert (made.seq, made.hash, made.copy, made.from_segments) == (*ledger.newest(), newest.path, 20)
    assert made.proof.say().startswith("1 head compared, the newest of entry 342 of")
    assert made.proof.say().endswith(": no entry up to it is missing")
    assert audit.verify(out, bytes.fromhex(key(ledger).read_text())).faults == []
    assert {file.name for file in out.parent.iterdir()} == {"ledger.db", "ledger.db-head", "ledger.db-key"}
    assert out.with_name("ledger.db-key").stat().st_mode & 0o777 == 0o600
    again = Ledger(out)
    assert (again.behind, again.head()) == (None, ledger.head())
    again.append(play(70_000, 4, 1))


def test_a_copy_without_segments(ledger: Ledger, place: Path, out: Path) -> None:
    copy = backup.backup(ledger.path, place, NIGHT, STILL)
    made = restore(place, out, known=[])
    assert (made.copy, made.from_segments, made.entries) == (copy.path, 0, 302)
    assert made.proof.say() == "no head was compared: nothing proves that no entry is missing"
    assert {file.name for file in out.parent.iterdir()} == {"ledger.db"}


def test_a_damaged_copy_is_named_and_the_one_before_it_used(ledger: Ledger, place: Path, out: Path) -> None:
    first = backup.backup(ledger.path, place, NIGHT, STILL)
    shipping.ship(ledger.path, place, STILL)
    ledger.append(play(50_000, 2, 3))
    second = backup.backup(ledger.path, place, LATER, STILL)
    shipping.ship(ledger.path, place, STILL)
    second.path.write_bytes(second.path.read_bytes().replace(b'"event_no":7,', b'"event_no":8,'))
    made = restore(place, out, known=[ledger.head()])
    assert (made.seq, made.copy, made.from_segments) == (322, first.path, 20)
    assert made.notes == (f"{second.path.name} is not used: entry 7 is not what was written: the chain breaks there",)


def test_a_copy_whose_end_was_cut_off_is_not_used(ledger: Ledger, place: Path, out: Path) -> None:
    first = backup.backup(ledger.path, place, NIGHT, STILL)
    shorter = directory.copy_name(ledger.gateway(), LATER, 999, bytes(32))
    first.path.rename(place / shorter)
    with pytest.raises(LedgerError, match="holds no copy, and its segments do not begin with the first entry"):
        restore(place, out, known=[])


def test_heads_name_the_entries_that_are_missing_and_the_daemon_holds(ledger: Ledger, place: Path, out: Path) -> None:
    backup.backup(ledger.path, place, NIGHT, STILL)
    early = ledger.head()
    ledger.append(play(50_000, 2, 3))
    made = restore(place, out, key=key(ledger), known=[early, ledger.head()])
    assert made.proof.missing() == 20
    assert made.proof.say().endswith(": entries 303 to 322 are missing")
    again = Ledger(out)
    assert "entry 303 is missing: it ends with entry 302, but entry 322 was stored" in str(again.behind)
    again.accept("A. Smith", "disk lost", LATER)
    again.append(play(50_000, 2, 3))
    again.close()
    assert audit.verify(out).faults == []


def test_the_head_beside_a_lost_ledger_counts_and_stays(ledger: Ledger, place: Path) -> None:
    backup.backup(ledger.path, place, NIGHT, STILL)
    ledger.append(play(50_000, 2, 3))
    path = ledger.path
    ledger.close()
    path.unlink()
    made = restore(place, path, known=[])
    assert made.proof.say().endswith(": entries 303 to 322 are missing")
    assert "entry 303 is missing" in str(Ledger(path).behind)


def test_a_head_that_contradicts_is_a_fault_and_the_daemon_holds(ledger: Ledger, place: Path, out: Path) -> None:
    backup.backup(ledger.path, place, NIGHT, STILL)
    other = LedgerMessage(gateway=ledger.gateway(), entry=300, hash="00" * 32, time=LATER)
    made = restore(place, out, known=[other])
    assert "entry 300 is not the one that was stored" in made.proof.say()
    assert "entry 300 is not the one that was stored" in str(Ledger(out).behind)


def test_heads_of_another_ledger_or_with_a_wrong_signature_prove_nothing(
    ledger: Ledger, place: Path, out: Path
) -> None:
    backup.backup(ledger.path, place, NIGHT, STILL)
    forged = LedgerMessage(gateway=ledger.gateway(), entry=400, hash="00" * 32, time=LATER, signature="00" * 32)
    other = LedgerMessage(gateway="0000000000000001", entry=400, hash="00" * 32, time=LATER)
    made = restore(place, out, key=key(ledger), known=[forged, other])
    assert (made.proof.compared, made.proof.others) == (0, 2)
    assert Ledger(out).behind is None


@pytest.mark.parametrize("there", ["", "-wal", "-shm", "-journal"])
def test_nothing_is_overwritten(ledger: Ledger, place: Path, out: Path, there: str) -> None:
    backup.backup(ledger.path, place, NIGHT, STILL)
    out.with_name(f"ledger.db{there}").write_text("x")
    with pytest.raises(LedgerError, match=f"ledger.db{there} is there and is not overwritten"):
        restore(place, out, known=[])
    assert [file.read_text() for file in out.parent.iterdir()] == ["x"]


def test_a_directory_without_a_backup(place: Path, out: Path) -> None:
    with pytest.raises(LedgerError, match="holds no backup of a ledger"):
        restore(place, out, known=[])


def test_segments_that_went_another_way_than_the_copy_are_refused(ledger: Ledger, place: Path, out: Path) -> None:
    """A ledger was restored and went on; its copies and the old segments are in one directory."""
    backup.backup(ledger.path, place, NIGHT, STILL)
    ledger.append(play(50_000, 2, 3))
    shipping.ship(ledger.path, place, STILL)
    restore(place, out, to=302, known=[])
    other = Ledger(out)
    other.append(play(55_000, 2, 2))
    backup.backup(out, place, LATER, STILL)
    with pytest.raises(LedgerError, match=r"do not go on from ledger-.*: their entry 316 is another"):
        restore(place, out.with_name("again.db"), known=[])


def drilled(ledger: Ledger, place: Path, *heads: LedgerMessage, hours: int = 1) -> Drilled:
    oldest = datetime(2026, 5, 2, 3, tzinfo=UTC) + timedelta(hours=hours - 2)
    return drill(place, None, ledger=ledger.path, key=key(ledger), known=list(heads), oldest=oldest)


def test_a_drill_passes_and_counts_what_is_newer(ledger: Ledger, place: Path) -> None:
    backup.backup(ledger.path, place, NIGHT, STILL)
    early = ledger.head()
    ledger.append(play(50_000, 2, 3))
    found = drilled(ledger, place, early, ledger.head())
    assert (found.faults, found.newer, found.restored.proof.missing()) == ((), 20, 20)
    assert len(list(place.iterdir())) == 3  # the copy, its head and the lock


def test_a_drill_fails_if_the_backup_is_old_or_of_another_history(ledger: Ledger, place: Path, out: Path) -> None:
    backup.backup(ledger.path, place, NIGHT, STILL)
    assert "the newest backup is of 2026-05-02 03:00 UTC" in drilled(ledger, place, hours=3).faults[0]
    restore(place, out, to=None, known=[])
    with closing(Ledger(out)) as other:
        other.append(play(50_000, 2, 3))
        backup.backup(out, place, LATER, STILL)
    ledger.append(play(55_000, 2, 4))
    assert "entry 322 of the backup is not the one that" in drilled(ledger, place).faults[0]


def test_segments_that_are_written_count_as_a_backup(ledger: Ledger, place: Path) -> None:
    shipping.ship(ledger.path, place, STILL)
    (segment,) = directory.segments(place)
    at = datetime(2026, 5, 2, 3, tzinfo=UTC).timestamp()
    os.utime(segment.path, (at, at))
    assert drilled(ledger, place, hours=1).faults == ()
    assert drilled(ledger, place, hours=3).faults != ()


def test_an_old_release_wrote_the_copy(place: Path, out: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.db"
    old.write_bytes((Path(__file__).parent / "ledgers" / "version_6_closed.db").read_bytes())
    copy = backup.backup(old, place, NIGHT, STILL)
    assert audit.verify(copy.path).faults == []
    with closing(Reader(copy.path)) as reader:
        assert reader.version == 6
    made = restore(place, out, known=[])
    assert (made.seq, made.hash) == (copy.seq, copy.hash)
    assert audit.verify(out).faults == []
