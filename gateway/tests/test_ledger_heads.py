"""Heads: kept beside the ledger with each commit, compared at the start, accepted by a person where there is a loss."""

import os
import sqlite3
from pathlib import Path

import msgspec
import pytest
from ledger_entries import UNIT, at, closed_ledger, coup, play
from msgspec.structs import replace
from sabot_gateway.ledger import Ledger, LedgerError, Reader, audit, heads, retention
from sabot_protocol.topics import LedgerMessage


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return closed_ledger(tmp_path / "ledger.db")


def cut(path: Path, last: int) -> None:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("DELETE FROM entries WHERE seq > ?", (last,))
    db.execute("DELETE FROM coups WHERE seq > ?", (last,))
    db.close()


def test_the_head_is_the_newest_entry_and_signed_by_the_ledgers_key(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    assert (ledger.head().entry, ledger.head().hash, ledger.head().time) == (0, "00" * 32, "")
    ledger.append(play(1, 1, 2))
    head, newest = ledger.head(), ledger.since(13, 1)[0]
    assert (head.entry, head.hash, head.time) == (14, newest.hash.hex(), newest.time)
    assert head.gateway == ledger.gateway_id().hex()
    assert ledger.is_own_head(head)
    assert not any(ledger.is_own_head(replace(head, **change)) for change in ({"entry": 13}, {"hash": "00"}))
    assert not any(ledger.is_own_head(replace(head, signature=other)) for other in ("", "00", "é", "\ud800"))


def test_each_commit_keeps_its_head_beside_the_ledger(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    for number in (1, 2, 3):
        ledger.append([coup(number, 1, 1, number)])
        kept = heads.read(tmp_path / "ledger.db-head")
        assert kept is not None
        assert kept.head == ledger.head()
    ledger.move_cursor("mqtt", 2)
    ledger.append([coup(4, 1, 1, 4)])
    kept = heads.read(tmp_path / "ledger.db-head")
    assert kept is not None
    assert kept.cursors == {"mqtt": 2}


def test_a_head_file_that_the_power_left_empty_is_no_reason_to_hold(path: Path) -> None:
    os.truncate(path.with_name("ledger.db-head"), 0)
    ledger = Ledger(path)
    assert (ledger.behind, ledger.notes) == (None, [])


def test_a_person_accepts_a_ledger_that_was_made_shorter(path: Path) -> None:
    cut(path, 200)
    ledger = Ledger(path)
    lost = ledger.next_own_no()
    ledger.accept("A. Smith", "disk exchanged", at(700))
    assert ledger.behind is None
    (entry,) = ledger.since(200, 10)
    accepted = msgspec.json.decode(entry.payload, type=heads.Accepted)
    assert (accepted.by, accepted.reason, accepted.after, accepted.lost.entry) == (
        "A. Smith",
        "disk exchanged",
        200,
        242,
    )
    assert entry.topic == "accepted"
    assert entry.event_no is not None
    assert entry.event_no >= lost + 42  # no number of a lost entry is given a second time
    assert ledger.next_own_no() > entry.event_no
    ledger.append(play(1000, 2, 20))
    ledger.close()
    again = Ledger(path)
    assert again.behind is None
    again.close()
    assert audit.verify(path).faults == []


def test_what_was_accepted_excuses_the_heads_that_were_lost_and_no_other(path: Path) -> None:
    ledger = Ledger(path)
    lost = ledger.head()
    ledger.close()
    cut(path, 200)
    ledger = Ledger(path)
    ledger.accept("A. Smith", "disk exchanged", at(700))
    ledger.append(play(1000, 2, 20))
    later = ledger.head()
    ledger.close()
    verdict = audit.verify(path, known=[lost])
    assert verdict.faults == []
    assert any("a person accepted that" in note for note in verdict.notes)
    cut(path, 250)
    assert "entry 251 is missing" in audit.verify(path, known=[lost, later]).faults[0]


def test_nothing_is_accepted_that_is_not_lost(path: Path) -> None:
    ledger = Ledger(path)
    with pytest.raises(LedgerError, match="there is nothing to accept"):
        ledger.accept("A. Smith", "why not", at(700))


def test_a_head_of_long_ago_is_compared_and_one_of_a_pruned_part_is_not(path: Path) -> None:
    ledger = Ledger(path)
    early = LedgerMessage(gateway=ledger.gateway_id().hex(), entry=50, hash=ledger.since(49, 1)[0].hash.hex(), time="")
    wrong = replace(early, hash="00" * 32)
    assert heads.contradiction(ledger, early) is None
    assert str(heads.contradiction(ledger, wrong)).startswith("entry 50 is not the one that was stored")
    ledger.move_cursor("mqtt", 242)
    ledger.prune("2026-05-02")
    assert ledger.origin.seq > 50
    assert heads.contradiction(ledger, wrong) is None
    ledger.compare(ledger.head())
    assert ledger.behind is None


def test_heads_of_others_are_counted_not_compared(path: Path) -> None:
    reader = Reader(path)
    own = LedgerMessage(gateway=reader.gateway(), entry=242, hash=reader.newest()[1].hex(), time="")
    reader.close()
    other = replace(own, gateway="ff" * 8, entry=999)
    verdict = audit.verify(path, known=[own, other])
    assert verdict.faults == []
    assert verdict.notes[0].startswith("1 of 2 heads are of another ledger")
    assert audit.verify(path, known=[other]).faults[0].startswith("1 of 1 heads are of another ledger")
    key = retention.read(retention.key_path(path))
    forged = replace(own, entry=999)  # by somebody at the broker: with the key it is not believed
    assert audit.verify(path, key, known=[heads.sign(own, key or b""), forged]).faults == []


def test_a_file_of_heads(tmp_path: Path) -> None:
    head = LedgerMessage(gateway="00" * 8, entry=1, hash="aa", time=at(1))
    file = tmp_path / "heads.jsonl"
    kept = msgspec.json.encode(heads.Kept(head))
    file.write_bytes(msgspec.json.encode(head) + b"\n\n" + kept + b"\n")
    assert list(heads.load(file)) == [head, head]
    file.write_bytes(msgspec.json.encode(head) + b"\n[1]\n")
    with pytest.raises(LedgerError, match=r"heads\.jsonl, line 2 is not a head of a ledger"):
        list(heads.load(file))
    file.write_bytes(b'{"deep":' + b"[" * 5000)
    with pytest.raises(LedgerError, match=r"line 1 is not a head of a ledger"):
        list(heads.load(file))
    with pytest.raises(LedgerError, match="is damaged"):
        heads.read(file)
    with pytest.raises(LedgerError, match="No such file or directory; give a file of heads"):
        list(heads.load(tmp_path / "none"))


def test_a_key_that_was_lost_is_replaced_with_a_note(path: Path) -> None:
    path.with_name("ledger.db-key").unlink()
    ledger = Ledger(path)
    assert "ledger.db-key was missing and a new one was made" in ledger.notes[0]
    assert ledger.behind is None
    assert ledger.durable_event_no(UNIT) == 242
