"""Entries shipped to segments: nothing twice, nothing left out, and every damage of a segment is found."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from ledger_entries import closed_ledger, play
from sabot_gateway.backup import directory, segments, shipping
from sabot_gateway.backup.pace import Pace
from sabot_gateway.backup.restoring import Restored, restore
from sabot_gateway.backup.shipping import Shipped
from sabot_gateway.ledger import Ledger, LedgerError, Reader, Stored, audit

STILL = Pace(clock=lambda: 0.0, sleep=lambda _seconds: None)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "backups").mkdir()
    return tmp_path / "backups"


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(closed_ledger(tmp_path / "ledger.db", 300))


def ship(ledger: Ledger, place: Path) -> Shipped:
    """Ship with small segments, so that there are several."""
    return shipping.ship(ledger.path, place, STILL, most_bytes=200_000)


def shipped_entries(place: Path) -> list[Stored]:
    lines = [line for one in directory.segments(place) for line in segments.read(one, last=True)]
    return [line for line in lines if isinstance(line, Stored)]


def restored(place: Path, to: int | None = None) -> tuple[Restored, Path]:
    out = place.parent / f"restored-{to}.db"
    return restore(place, out, to=to, known=[]), out


def test_what_is_shipped_is_what_the_ledger_holds_and_a_second_time_nothing_is(ledger: Ledger, place: Path) -> None:
    before = ledger.path.read_bytes()
    assert ship(ledger, place) == (1802, 1802, ledger.newest()[1])
    assert ship(ledger, place) == (0, 1802, ledger.newest()[1])
    assert len(directory.segments(place)) > 3
    assert shipped_entries(place) == list(ledger.entries())
    assert ledger.path.read_bytes() == before


def test_the_segments_alone_give_the_ledger_back(ledger: Ledger, place: Path) -> None:
    ship(ledger, place)
    ledger.append(play(50_000, 2, 3))
    ledger.move_cursor("mqtt", 1810)
    ship(ledger, place)
    made, out = restored(place)
    assert (made.seq, made.hash, made.copy, made.from_segments) == (*ledger.newest(), None, 1822)
    assert audit.verify(out).faults == []
    with closing(Reader(out)) as copy:
        assert list(copy.entries()) == list(ledger.entries())
        assert (copy.gateway(), copy.cursor("mqtt")) == (ledger.gateway(), 1810)
        assert list(copy.rows("coups")) == list(ledger.rows("coups"))


def test_up_to_an_entry(ledger: Ledger, place: Path) -> None:
    ship(ledger, place)
    made, out = restored(place, to=777)
    assert (made.seq, made.hash) == (777, ledger.hash_of(777))
    assert audit.verify(out).faults == []
    with closing(Reader(out)) as copy:
        assert copy.cursor("mqtt") == 5
    with pytest.raises(LedgerError, match="ends with entry 1802: it holds no entry 1803"):
        restored(place, to=1803)


def test_a_shipping_that_was_cut_in_the_middle_of_a_line_goes_on(ledger: Ledger, place: Path) -> None:
    ship(ledger, place)
    last = directory.segments(place)[-1].path
    whole = last.read_bytes()
    for cut in (1, 20, len(whole) // 2, whole.index(b"\n") + 1, whole.index(b"\n") + 5):
        last.write_bytes(whole[: len(whole) - cut])
        assert ship(ledger, place).seq == 1802
        assert shipped_entries(place) == list(ledger.entries())


def test_a_long_half_line_is_removed(ledger: Ledger, place: Path) -> None:
    ship(ledger, place)
    last = directory.segments(place)[-1].path
    last.write_bytes(last.read_bytes() + b"[" + bytes(100_000))
    ledger.append(play(50_000, 2, 1))
    assert ship(ledger, place).added == 8
    assert last.read_bytes().endswith(b"\n")
    assert shipped_entries(place) == list(ledger.entries())


def test_pruning_does_not_break_the_shipped_chain(ledger: Ledger, place: Path) -> None:
    ship(ledger, place)
    ledger.append(play(50_000, 2, 3, minute=600))
    ledger.move_cursor("mqtt", ledger.last_seq())
    ledger.prune("2026-05-01T03:00:00Z")
    assert ledger.origin.seq > 1000
    assert ship(ledger, place).added == 20
    made, out = restored(place)
    assert (made.seq, made.hash, made.entries) == (*ledger.newest(), 1822)
    assert audit.verify(out).faults == []


def test_a_ledger_that_was_pruned_before_it_was_first_shipped(ledger: Ledger, place: Path) -> None:
    ledger.move_cursor("mqtt", ledger.last_seq())
    ledger.prune("2026-05-01T03:00:00Z")
    first = ledger.origin.seq
    ship(ledger, place)
    made, out = restored(place)
    assert (made.seq, made.entries) == (1802, 1802 - first)
    key = bytes.fromhex(ledger.path.with_name("ledger.db-key").read_text())
    verdict = audit.verify(out, key)
    assert verdict.faults == []
    assert "their checkpoint is signed by the gateway's key" in verdict.notes[0]


def test_entries_that_were_pruned_before_they_were_shipped_are_named(ledger: Ledger, place: Path) -> None:
    ship(ledger, place)
    ledger.append(play(50_000, 2, 3, minute=600))
    ledger.move_cursor("mqtt", ledger.last_seq())
    ledger.prune("2026-06-01")
    with pytest.raises(LedgerError, match="entries 1803 to 1822 were pruned before they were shipped"):
        ship(ledger, place)


def test_a_ledger_that_lost_shipped_entries_is_refused(ledger: Ledger, place: Path, tmp_path: Path) -> None:
    ship(ledger, place)
    _, shorter = restored(place, to=500)
    with pytest.raises(LedgerError, match="holds entries up to 1802, and this ledger has not the same entry 1802"):
        shipping.ship(shorter, place, STILL)


def remove_second(files: list[Path]) -> None:
    files[1].unlink()


def cut_second(files: list[Path]) -> None:
    lines = files[1].read_bytes().splitlines(keepends=True)
    files[1].write_bytes(b"".join(lines[:-2]))


def cut_a_line(files: list[Path]) -> None:
    files[1].write_bytes(files[1].read_bytes()[:-10])


def exchange(files: list[Path]) -> None:
    second, third = files[1].read_bytes(), files[2].read_bytes()
    files[1].write_bytes(third)
    files[2].write_bytes(second)


def change_an_entry(files: list[Path]) -> None:
    lines = files[1].read_bytes().splitlines(keepends=True)
    fields = msgspec.json.decode(lines[5])
    fields[2] = "bac-02"
    lines[5] = msgspec.json.encode(fields) + b"\n"
    files[1].write_bytes(b"".join(lines))


def drop_an_entry(files: list[Path]) -> None:
    lines = files[1].read_bytes().splitlines(keepends=True)
    files[1].write_bytes(b"".join([*lines[:5], *lines[6:]]))


def newer_version(files: list[Path]) -> None:
    files[1].write_bytes(files[1].read_bytes().replace(b'"version":1', b'"version":2', 1))


def scribble(files: list[Path]) -> None:
    files[1].write_bytes(b"\xff\x00" * 1000)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (remove_second, "entries 501 to 1000 are missing before .*: a segment was removed or cut"),
        (cut_second, "entries 999 to 1000 are missing before"),
        (cut_a_line, "entries 1000 to 1000 are missing before"),
        (exchange, "its name is not what its first line has"),
        (change_an_entry, "entry 505 is not what was written: the chain breaks there"),
        (drop_an_entry, "entry 505 is not what was written: the chain breaks there"),
        (newer_version, "it is of version 2, and this release knows up to 1; use the release that wrote it"),
        (scribble, "is damaged"),
    ],
)
def test_every_damage_of_a_segment_is_found(
    ledger: Ledger, place: Path, damage: Callable[[list[Path]], None], words: str
) -> None:
    ship(ledger, place)
    damage([one.path for one in directory.segments(place)])
    with pytest.raises(LedgerError, match=words):
        restored(place)
    assert not list(place.parent.glob("restored*"))
    assert not list(place.parent.glob(".restore*"))


def test_what_is_before_a_gap_can_be_restored(ledger: Ledger, place: Path) -> None:
    ship(ledger, place)
    remove_second([one.path for one in directory.segments(place)])
    made, _ = restored(place, to=500)
    assert (made.seq, made.hash) == (500, ledger.hash_of(500))
    with pytest.raises(LedgerError, match="restore what is before it with --to 500"):
        restored(place, to=501)


def test_a_damaged_ledger_is_not_shipped(ledger: Ledger, place: Path) -> None:
    ledger._db.execute("UPDATE entries SET topic = 'x' WHERE seq = 700")
    with pytest.raises(LedgerError, match="entry 700 is not what was written"):
        ship(ledger, place)
    assert shipped_entries(place) == list(ledger.entries("WHERE seq <= 500"))
