"""Every way to edit, cut, rewrite or launder a ledger: `verify` finds it and names the entry, and so does the start."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import two_processes
from ledger_entries import alarm, closed_ledger, play
from sabot_gateway.ledger import Ledger, LedgerError, audit, retention
from sabot_gateway.ledger.chain import links

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
FRAME = 4096 + 24  # of a write-ahead log


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """242 entries of one shoe."""
    return closed_ledger(tmp_path / "ledger.db")


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """74 entries, ten a transaction; the writer was killed, and all of it is in the write-ahead log."""
    code = KILLED.format(path=[str(Path(__file__).parent), *sys.path])
    ran = subprocess.run([sys.executable, "-c", code, str(tmp_path / "ledger.db")], check=False)
    assert ran.returncode == -signal.SIGKILL
    return tmp_path / "ledger.db"


def edit(path: Path, *statements: str) -> None:
    """Change a ledger as somebody with sqlite3 can."""
    db = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        db.execute(statement)
    db.close()


def faults(path: Path) -> list[str]:
    """What `sabot ledger verify` finds, with the key beside the ledger; the same in one process and in two."""
    key = retention.read(retention.key_path(path))
    found = audit.verify(path, key).faults
    assert two_processes.verify(path, key)[0].faults == found
    return found


def test_an_untouched_ledger_is_intact_closed_and_killed(closed: Path, tmp_path: Path) -> None:
    assert faults(closed) == []
    ledger = Ledger(closed)
    assert (ledger.behind, ledger.notes) == (None, [])
    ledger.close()


def test_a_killed_ledger_is_whole_and_goes_on(killed: Path) -> None:
    verdict = audit.verify(killed)
    assert (verdict.entries, verdict.faults) == (74, [])
    ledger = Ledger(killed)
    assert (ledger.verify_chain(), ledger.notes, ledger.behind) == (74, [], None)
    ledger.append(play(1000, 2, 1))
    ledger.close()
    assert faults(killed) == []


CUT = "entry {} is missing: it ends with entry {}, but entry {} was stored"


def cut_rows(path: Path) -> None:
    edit(path, "DELETE FROM entries WHERE seq > 200", "DELETE FROM coups WHERE seq > 200")


def empty(path: Path) -> None:
    os.truncate(path, 0)


def new_file(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize(("cut", "last"), [(cut_rows, 200), (empty, 0)])
def test_a_ledger_made_shorter_is_found_with_its_first_missing_entry(
    closed: Path, cut: Callable[[Path], None], last: int
) -> None:
    cut(closed)
    assert any(found.startswith(CUT.format(last + 1, last, 242)) for found in faults(closed))


@pytest.mark.parametrize("cut", [cut_rows, empty, new_file])
def test_the_next_start_does_not_launder_a_ledger_made_shorter(closed: Path, cut: Callable[[Path], None]) -> None:
    cut(closed)
    for _ in range(2):  # a second start finds it still
        ledger = Ledger(closed)
        assert ledger.behind is not None
        assert "was made shorter or replaced" in ledger.behind
        assert f"sabot ledger accept {closed} --by NAME --reason TEXT" in ledger.behind
        with pytest.raises(LedgerError, match="was made shorter or replaced"):
            ledger.append(play(1000, 2, 1))
        ledger.move_cursor("mqtt", ledger.last_seq())  # as the publisher does when the daemon stops
        ledger.close()


@pytest.mark.parametrize("keep_transactions", [0, 3, 7])
def test_a_log_that_is_gone_or_was_cut_at_a_transaction(killed: Path, keep_transactions: int) -> None:
    log = killed.with_name("ledger.db-wal")
    data = log.read_bytes()
    ends = [at + FRAME for at in range(32, len(data) - FRAME + 1, FRAME) if any(data[at + 4 : at + 8])]
    tables = len(ends) - 8  # transactions that made the tables
    if keep_transactions:
        os.truncate(log, ends[tables + keep_transactions - 1])
        last = 10 * keep_transactions
        assert any(found.startswith(CUT.format(last + 1, last, 74)) for found in faults(killed))
    else:
        log.unlink()
        assert faults(killed) != []
    ledger = Ledger(killed)
    assert ledger.behind is not None
    ledger.close()


def test_a_log_damaged_in_its_middle(killed: Path) -> None:
    log = killed.with_name("ledger.db-wal")
    data = bytearray(log.read_bytes())
    data[len(data) // 2] ^= 1
    log.write_bytes(data)
    assert any("is missing: it ends with entry" in found for found in faults(killed))


@pytest.mark.parametrize("moved", [1_000_000, 3, -3])
def test_a_cursor_that_was_moved_is_found_and_goes_back(closed: Path, moved: int) -> None:
    edit(closed, f"UPDATE cursors SET seq = seq + {moved}")
    where = "there is no such entry" if moved > 1000 else "it was not put there by the gateway"
    assert faults(closed) == [f"the cursor mqtt is at entry {5 + moved}, but {where}"]
    ledger = Ledger(closed)
    assert ledger.cursor("mqtt") == 5
    assert ledger.notes == [
        f"the cursor mqtt is at entry {5 + moved}, but {where}; everything after entry 5 is published again"
    ]
    ledger.close()
    assert faults(closed) == []


def test_a_cursor_that_was_moved_ahead_with_its_hash_goes_back(closed: Path) -> None:
    edit(closed, "UPDATE cursors SET seq = 9, hash = (SELECT hash FROM entries WHERE seq = 9)")
    ahead = "the cursor mqtt is at entry 9, but the head beside the ledger has it at entry 5"
    verdict = audit.verify(closed, retention.read(retention.key_path(closed)))
    assert (verdict.faults, verdict.notes) == ([], [f"{ahead}: the next start publishes again what is between"])
    ledger = Ledger(closed)
    assert ledger.cursor("mqtt") == 5
    assert ledger.notes == [f"{ahead}; everything after entry 5 is published again"]
    ledger.close()
    assert audit.verify(closed).notes == []


def test_a_cursor_that_was_moved_back_with_its_hash_goes_on_there_with_a_note(closed: Path) -> None:
    edit(closed, "UPDATE cursors SET seq = 3, hash = (SELECT hash FROM entries WHERE seq = 3)")
    ledger = Ledger(closed)
    assert ledger.cursor("mqtt") == 3
    assert ledger.notes == [
        "the cursor mqtt is at entry 3, but the head beside the ledger has it at entry 5; everything after entry 3 is "
        "published again"
    ]
    ledger.close()


@pytest.mark.parametrize(("version", "table"), [(1, "entries"), (2, "entries"), (4, "entries"), (7, "entries")])
def test_a_version_that_was_changed_is_found(closed: Path, version: int, table: str) -> None:
    edit(closed, f"PRAGMA user_version = {version}")
    wrong = f"it says that it is of version {version}, but its table '{table}' is not: its version was changed"
    assert wrong in faults(closed)
    with pytest.raises(LedgerError, match="its version was changed"):
        Ledger(closed)


def test_a_cursor_that_was_removed_publishes_everything_again(closed: Path) -> None:
    edit(closed, "DELETE FROM cursors")
    assert faults(closed) == ["the cursor mqtt is missing: the head beside the ledger has it at entry 5"]
    ledger = Ledger(closed)
    assert ledger.cursor("mqtt") == 5
    ledger.close()


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE entries SET payload = replace(payload, 'banker', 'player') WHERE seq = 7", "entry 7 is not what was"),
        ("UPDATE entries SET hash = zeroblob(32) WHERE seq = 100", "entry 100 is not what was written"),
        ("DELETE FROM entries WHERE seq = 100", "entry 100 is not what was written"),
        ("UPDATE entries SET seq = -seq WHERE seq IN (100, 101)", "entry 1 is not what was written"),
        ("UPDATE entries SET seq = seq + 1000 WHERE seq > 240", "entry 241 is not what was written"),
        ("UPDATE entries SET time = '2020-01-01T00:00:00.000Z' WHERE seq = 5", "entry 5 is not what was written"),
        ("UPDATE coups SET winner = 'player' WHERE seq = 7", "table coups: entry 7 gives something else"),
        ("DELETE FROM coups WHERE seq = 7", "table coups: entry 7 gives something else"),
        ("UPDATE shoes SET coups = 39", "table shoes: entry 242 gives something else"),
        ("UPDATE meta SET value = x'0102030405060708' WHERE name = 'gateway'", "ledger.db-head is of another ledger"),
        ("DELETE FROM meta WHERE name = 'gateway'", "ledger.db-head is of another ledger"),
        ("UPDATE meta SET value = 100 WHERE name = 'second_from'", "entry 1 is not what was written"),
        ("INSERT INTO meta VALUES ('checkpoint', '{}')", "the checkpoint of its pruned entries cannot be read"),
        ("DROP INDEX shoes_of_a_table", "it lacks the index 'shoes_of_a_table'"),
        ("CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM coups; END", "it has a trigger 't' that a ledger"),
        ("CREATE VIEW v AS SELECT * FROM entries", "it has a view 'v' that a ledger has not"),
        ("CREATE TABLE x (y)", "it has a table 'x' that a ledger has not"),
        ("PRAGMA user_version = 99", "it is of version 99, and this release knows up to 8"),
        ("UPDATE entries SET event_no = NULL WHERE seq = 3", "entry 3 is not what was written"),
        ("UPDATE entries SET unit = x'00' WHERE seq = 3", "entry 3 is not what was written"),
    ],
)
def test_what_somebody_with_sqlite3_can_change(closed: Path, statement: str, found: str) -> None:
    edit(closed, statement)
    problems = faults(closed)
    assert any(fault.removeprefix(f"ledger {closed}: ").startswith(found) for fault in problems), problems


def test_two_entries_that_changed_places(closed: Path) -> None:
    edit(
        closed,
        "UPDATE entries SET seq = -1 WHERE seq = 50",
        "UPDATE entries SET seq = 50 WHERE seq = 51",
        "UPDATE entries SET seq = 51 WHERE seq = -1",
    )
    assert faults(closed)[0] == "entry 50 is not what was written: the chain breaks there"


def test_an_older_copy_put_back_is_found_by_the_head_beside_it(closed: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    shutil.copy(closed, copy)
    ledger = Ledger(closed)
    ledger.append(play(1000, 2, 3))
    ledger.close()
    shutil.copy(copy, closed)
    assert faults(closed)[0].startswith(CUT.format(243, 242, 262))


def forge(path: Path) -> None:
    """Change a card and compute the whole chain anew, as somebody can who knows the formulas."""
    ledger = Ledger(path)
    entries = [entry._replace(payload=entry.payload.replace(b"8H", b"9H")) for entry in ledger.since(0, 1000)]
    head = bytes(32)
    for entry in entries:
        (head,) = links(head, entry.seq, [entry[:8]], ledger.origin.second_from)
        ledger._db.execute(
            "UPDATE entries SET payload = ?, hash = ? WHERE seq = ?", (bytes(entry.payload), head, entry.seq)
        )
    ledger._db.execute("UPDATE cursors SET hash = (SELECT hash FROM entries WHERE entries.seq = cursors.seq)")
    ledger._db.close()  # no new head is kept
    ledger._lock.close()


def test_a_consistent_forgery_is_found_by_the_head_that_was_kept(closed: Path) -> None:
    before = Ledger(closed)
    head = before.head()
    before.close()
    forge(closed)
    found = f"entry 242 is not the one that was stored: its hash was {head.hash}"
    assert any(fault.startswith(found) for fault in faults(closed))
    closed.with_name("ledger.db-head").unlink()
    assert faults(closed) == []  # only who kept the head elsewhere can know
    assert audit.verify(closed, known=[head]).faults[0].startswith(found)


def test_a_head_file_that_was_edited_or_removed(closed: Path) -> None:
    head = closed.with_name("ledger.db-head")
    text = head.read_bytes()
    head.write_bytes(text.replace(b'"entry":242', b'"entry":200'))
    assert faults(closed) != []
    head.write_bytes(b"nonsense\n")
    assert faults(closed) == [f"{head} is damaged: it does not hold the head of a ledger"]
    ledger = Ledger(closed)  # a new one is made, and logged
    assert ledger.notes == [f"{head} is damaged: it does not hold the head of a ledger"]
    ledger.close()
    assert faults(closed) == []


def test_what_is_no_ledger(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_bytes(b"to be or not to be " * 1000)
    with pytest.raises(LedgerError, match=r"cannot be used: .*file is not a database"):
        Ledger(tmp_path / "ledger.db")
    assert faults(tmp_path / "ledger.db") != []


def test_an_edited_entry_is_refused_at_the_start(closed: Path) -> None:
    edit(closed, "UPDATE entries SET payload = x'00' WHERE seq = 100")
    with pytest.raises(LedgerError, match="cannot be used: entry 100 is not what was written") as error:
        Ledger(closed)
    assert "starts a new ledger" in str(error.value)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM coups; END",
        "CREATE VIEW v AS SELECT * FROM entries",
        "DROP INDEX shoes_of_a_table",
    ],
)
def test_what_a_ledger_has_not_is_refused_at_the_start(closed: Path, statement: str) -> None:
    edit(closed, statement)
    with pytest.raises(LedgerError, match=r"cannot be used: it (has a|lacks the) (trigger|view|index)"):
        Ledger(closed)


def test_derived_tables_that_were_edited_are_rebuilt_at_the_start(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.append([*play(1, 1, 5), alarm(100, 9, "lid", "raised", "a")])
    ledger.close()
    edit(ledger.path, "UPDATE alarms SET state = 'cleared'")
    again = Ledger(tmp_path / "ledger.db")
    assert len(again.active_alarms("bac-01")) == 1
    assert "it was rebuilt from the entries" in again.notes[0]
    again.close()


def test_only_the_newest_entries_of_a_long_ledger_are_checked_at_the_start(
    closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "_AT_START", 100)
    edit(closed, "UPDATE entries SET payload = x'00' WHERE seq = 142")
    Ledger(closed).close()
    with pytest.raises(LedgerError, match="cannot be used: entry 142 is not what was written"):
        Ledger(closed, recheck=True)
    edit(closed, "UPDATE entries SET payload = x'00' WHERE seq = 143")
    with pytest.raises(LedgerError, match="cannot be used: entry 143 is not what was written"):
        Ledger(closed)


@pytest.mark.parametrize(
    "change",
    [
        "payload = CAST(payload AS TEXT)", "payload = 7", "frame = 'y'", "unit = CAST(unit AS BLOB)", "unit = ''",
        "event_no = NULL", "event_no = event_no + 0.5", "event_no = 'x'", "table_name = x'00'", "topic = topic || ' '",
        "time = x''", "rulebook = 'ab'", "hash = x''", "hash = 0", "hash = hex(hash)", "seq = 0", "seq = -5",
    ],
)  # fmt: skip
def test_a_changed_value_is_found_whatever_its_type(closed: Path, change: str) -> None:
    edit(closed, f"UPDATE entries SET {change} WHERE seq = 5")
    wrong = 1 if change.startswith("seq") else 5
    assert faults(closed)[0] == f"entry {wrong} is not what was written: the chain breaks there"


def test_a_check_that_is_ended_is_no_verdict(closed: Path) -> None:
    (fault,) = two_processes.verify_with_a_killed_process(closed).faults
    assert fault.startswith("its tables are not checked")
