"""Old entries go, the chain stays: a signed checkpoint stands in their place."""

import hmac
import random
import stat
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ledger_entries import UNIT, alarm, at, confirmed, coup, play, shoe
from sabot_gateway.ledger import Entry, Ledger, LedgerError, audit, retention, writer

ALL = "2026-06-01"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


def two_shoes(path: Path, *, cursor: int = 10_000) -> Ledger:
    """Shoe 1 from 00:00 in entries 1 to 62, shoe 2 from 01:00 in 63 to 124; all published."""
    ledger = Ledger(path)
    ledger.append(play(1, 1, 10) + play(63, 2, 10, minute=60))
    ledger.move_cursor("mqtt", min(cursor, 124))
    return ledger


def test_the_first_shoe_goes_and_the_chain_goes_on(path: Path) -> None:
    ledger = two_shoes(path)
    last_removed = ledger.since(61, 1)[0]
    assert last_removed.time == at(11)
    plan = ledger.prune("2026-05-01T01:00:00Z")
    assert (plan.seq, plan.count, plan.kept_by) == (62, 62, "of that time or later")
    assert [entry.seq for entry in ledger.since(0, 1000)] == list(range(63, 125))
    assert ledger.verify_chain() == 62
    ledger.append([coup(900, 80, 3, 1)])
    ledger.close()
    again = Ledger(path)
    pruned = again.pruned()
    assert pruned == retention.Checkpoint(62, last_removed.hash.hex(), 62, at(11), {UNIT: 62})
    assert (again.verify_chain(), again.cursor("mqtt")) == (63, 124)
    assert [row["shoe"] for row in again.rows("shoes")] == [2, 3]
    assert {row["shoe"] for row in again.rows("coups")} == {2, 3}
    again.close()


def test_what_a_shoe_was_acknowledged_is_remembered(path: Path) -> None:
    ledger = two_shoes(path)
    own = ledger.gateway_id().hex()
    assert ledger.prune(ALL).count == 124
    assert ledger.durable_event_no(UNIT) == 124
    assert ledger.durable_event_no(own) == 0
    assert (ledger.newest()[0], ledger.verify_chain()) == (124, 0)
    ledger.append([coup(125, 80, 3, 1)])
    assert ledger.since(0, 9)[0].seq == 125
    ledger.close()
    verdict = audit.verify(path)
    assert (verdict.entries, verdict.faults) == (1, [])


def test_pruning_again_goes_on_from_the_checkpoint(path: Path) -> None:
    ledger = two_shoes(path)
    ledger.prune(at(5))
    assert ledger.prune(at(5)).count == 0
    plan = ledger.prune(at(60))
    pruned = ledger.pruned()
    assert pruned is not None
    assert (plan.count, pruned.seq, pruned.count, pruned.units) == (62 - 25, 62, 62 - 25, {UNIT: 62})
    assert ledger.verify_chain() == 62


@pytest.mark.parametrize("cursor", [0, 30])
def test_what_is_not_published_stays(path: Path, cursor: int) -> None:
    ledger = two_shoes(path, cursor=cursor)
    plan = ledger.prune(ALL)
    assert (plan.count, plan.kept_by) == (cursor, "not yet published")


def test_without_a_publisher_nothing_goes(path: Path) -> None:
    ledger = Ledger(path)
    ledger.append(play(1, 1, 10))
    assert ledger.prune(ALL).count == 0
    ledger.move_cursor("other", 5)
    assert ledger.prune(ALL).count == 0


def test_the_shoe_on_a_table_stays(path: Path) -> None:
    ledger = two_shoes(path)
    ledger.append(play(125, 3, 2, minute=90, closed=False))
    ledger.move_cursor("mqtt", 137)
    plan = ledger.prune(ALL)
    assert (plan.seq, plan.kept_by) == (124, "of the shoe on a table")
    assert [entry.seq for entry in ledger.this_shoe("bac-01")] == list(range(125, 138))


def test_an_alarm_that_is_not_cleared_stays_from_its_first_message(path: Path) -> None:
    ledger = Ledger(path)
    ledger.append(
        [alarm(1, 1, "lid", "raised", "a"), alarm(2, 2, "cut", "raised", "b"), alarm(3, 3, "lid", "cleared", "a")]
    )
    ledger.append([alarm(4, 4, "cut", "acknowledged", "b"), *play(5, 1, 1, minute=5)])
    ledger.move_cursor("mqtt", 12)
    plan = ledger.prune(ALL)
    assert (plan.seq, plan.kept_by) == (1, "of an alarm that is not cleared")
    assert len(ledger.active_alarms("bac-01")) == 1


def test_a_disputed_coup_stays(path: Path) -> None:
    ledger = Ledger(path)
    ledger.append([*play(1, 1, 1), coup(9, 5, 2, 1, status="disputed"), coup(10, 6, 2, 2)])
    ledger.move_cursor("mqtt", 10)
    ledger._db.execute("UPDATE shoes SET closed = opened || 'x'")
    assert (ledger.prune(ALL).seq, len(ledger.disputed("bac-01"))) == (8, 1)


def test_a_coup_that_was_confirmed_and_is_disputed_stays_with_its_first_message(path: Path) -> None:
    ledger = Ledger(path)
    again = coup(11, 7, 2, 1, status="disputed", corrects=f"{UNIT}-9")
    ledger.append([*play(1, 1, 1), coup(9, 5, 2, 1), confirmed(10, 6, f"{UNIT}-9"), again])
    ledger.move_cursor("mqtt", 11)
    ledger._db.execute("UPDATE shoes SET closed = opened || 'x'")
    assert ledger.prune(ALL).seq == 8
    assert ledger.confirmed("bac-01", 100) == {f"{UNIT}-11": f"{UNIT}-10"}


def test_entries_without_a_time_go_only_with_later_ones_that_have_one(path: Path) -> None:
    ledger = two_shoes(path)
    ledger._db.execute("UPDATE entries SET time = '' WHERE seq > 3")
    assert retention.plan(ledger._db, retention.moment(ALL), 0).seq == 3
    ledger._db.execute("UPDATE entries SET time = '' WHERE seq < 70")
    assert retention.plan(ledger._db, retention.moment(ALL), 0).kept_by == "of a time that is not known to be before"


def test_the_checkpoint_is_signed_and_verify_checks_it_with_the_key_alone(path: Path) -> None:
    ledger = two_shoes(path)
    ledger.prune(at(60))
    rows = dict(ledger._db.execute("SELECT name, value FROM meta").fetchall())
    ledger.close()
    key_file = retention.key_path(path)
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    key = bytes.fromhex(key_file.read_text())
    assert rows["signature"] == hmac.new(key, rows["checkpoint"], sha256).digest()
    signed, unchecked, forged = audit.verify(path, key), audit.verify(path), audit.verify(path, bytes(32))
    assert (signed.faults, unchecked.faults) == ([], [])
    assert "signed by the gateway's key" in signed.notes[0]
    assert "was not checked, for its key is not here" in unchecked.notes[0]
    assert "not signed by this key" in forged.faults[-1]


def test_a_forged_checkpoint_breaks_the_chain_or_its_signature(path: Path) -> None:
    ledger = two_shoes(path)
    ledger.prune(at(60))
    pruned = ledger.pruned()
    assert pruned is not None
    key = retention.make_key(retention.key_path(path))
    wrong: dict[str, Any]
    for wrong in ({"seq": 61}, {"hash": "00" * 32}, {"units": {}}, {"time": at(1)}):
        made = msgspec.json.encode(msgspec.structs.replace(pruned, **wrong))
        ledger._db.execute("UPDATE meta SET value = ? WHERE name = 'checkpoint'", (made,))
        assert "is not signed by this key" in str(ledger.unsigned_checkpoint(key))
    ledger._learn()
    with pytest.raises(LedgerError, match="is not signed by this key"):
        audit.start(path, key)
    assert ledger.verify_chain() == 62  # a time is not part of the chain: that is what the signature is for


def test_a_key_that_others_can_read_signs_nothing(path: Path) -> None:
    two_shoes(path).close()
    retention.key_path(path).chmod(0o644)
    with pytest.raises(LedgerError, match="others than its owner can use it"):
        Ledger(path)


def test_what_was_removed_is_no_longer_in_the_file(path: Path) -> None:
    ledger = two_shoes(path)
    ledger.close()
    before = path.stat().st_size
    assert f'"time":"{at(7)}"'.encode() in path.read_bytes()
    ledger = Ledger(path)
    ledger.prune(at(60))
    ledger.close()
    assert f'"time":"{at(7)}"'.encode() not in path.read_bytes()
    assert path.stat().st_size < before


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2026-05-01", "2026-05-01T00:00:00.000Z"),
        ("2026-05-01T08:30:00+08:00", "2026-05-01T00:30:00.000Z"),
        ("2026-05-01T08:30:00Z", "2026-05-01T08:30:00.000Z"),
    ],
)
def test_a_moment(text: str, written: str) -> None:
    assert retention.moment(text) == written


def test_what_is_no_date(path: Path) -> None:
    with pytest.raises(LedgerError, match="'last year' is not a date; write 2026-01-31"):
        two_shoes(path).prune("last year")


def busy_floor(seed: int) -> list[Entry]:
    """Shoes and alarms of three tables mixed: what is cut in the middle is the rule, not the exception."""
    chance, made = random.Random(seed), []
    number, shoe_no, minute = 0, dict.fromkeys(("a", "b", "c"), 0), 0
    open_shoe: dict[str, bool] = {}
    alarms: dict[str, str] = {}
    for _ in range(400):
        table, number, minute = chance.choice("abc"), number + 1, minute + chance.randint(0, 1)
        more = {"table": table, "unit": f"{ord(table):016x}", "id": f"{table}-{number}"}
        turn = chance.random()
        if not open_shoe.get(table) or turn < 0.03:
            open_shoe[table] = not open_shoe.get(table)
            shoe_no[table] += open_shoe[table]
            made.append(shoe(number, minute, shoe_no[table], "open" if open_shoe[table] else "closed", **more))
        elif turn < 0.15:
            raised = alarms.pop(table, None)
            if raised is None:
                alarms[table] = more["id"]
            state = "cleared" if raised and turn < 0.1 else "acknowledged" if raised else "raised"
            if state == "acknowledged":
                alarms[table] = raised or ""
            made.append(alarm(number, minute, "lid", state, raised or more["id"], **more))
        else:
            status = "disputed" if turn < 0.2 else "verified"
            made.append(coup(number, minute, shoe_no[table], number, status=status, **more))
    return [each._replace(unit=f"{ord(each.table):016x}", event_no=number) for number, each in enumerate(made, 1)]


@pytest.mark.parametrize("seed", range(8))
def test_slices_of_any_size_leave_the_tables_that_the_rest_gives(
    path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger(path)
    ledger.append(busy_floor(seed))
    assert ledger.derived_difference() is None
    chance = random.Random(seed)
    while ledger.origin.seq < 380:
        monkeypatch.setattr(writer, "SLICE", chance.randint(1, 40))
        before = ledger.origin.seq
        assert ledger.prune_slice(390) == ledger.origin.seq - before
        assert ledger.derived_difference() is None
    ledger.close()
    assert audit.verify(path).faults == []


def test_a_pruning_goes_in_slices_while_entries_come(path: Path) -> None:
    ledger = Ledger(path)
    for number in range(1, 11):
        ledger.append(play(number * 1000, number, 50, minute=number))
    ledger.move_cursor("mqtt", ledger.last_seq())
    plan = ledger.plan("2026-05-02")
    slices = 0
    while ledger.prune_slice(plan.seq):
        slices += 1
        ledger.append([coup(20_000 + slices, 1300, 11, slices)])
        assert ledger.verify_chain() == ledger.count()
    assert slices == -(-3020 // 500)
    assert ledger.derived_difference() is None
    assert ledger.durable_event_no(UNIT) == 20_000 + slices
