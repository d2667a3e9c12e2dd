"""sabot ledger, as a supervisor and as outside programs call it."""

import csv
import json
import os
import pty
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import forked_sabot
import pytest
from ledger_entries import BOOK, UNIT, alarm, at, coup, entry, message, play
from sabot_gateway.ledger import Entry, Ledger


def sabot(*args: str | Path) -> subprocess.CompletedProcess[str]:
    return forked_sabot.sabot("ledger", *args)


def output(*args: str | Path) -> str:
    """Run `sabot ledger`, which must succeed; return its stdout."""
    ran = sabot(*args)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A shoe of 30 coups, an alarm, a coup that was disputed and then confirmed."""
    ledger = Ledger(tmp_path / "ledger.db")
    decision = {"corrects": f"{UNIT}-1000", "by": "ann", "clause": "12.2"}
    ledger.append([*play(1, 1, 30), alarm(999, 40, "lid", "raised", "a")])
    ledger.append([coup(1000, 41, 2, 1, status="disputed"), coup(1001, 42, 2, 1, status="confirmed", **decision)])
    ledger.move_cursor("mqtt", 185)
    ledger.close()
    return tmp_path / "ledger.db"


@pytest.fixture
def live(path: Path) -> Iterator[Ledger]:
    ledger = Ledger(path)
    yield ledger
    ledger.close()


def test_verify_an_intact_ledger(path: Path) -> None:
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    ran = sabot("verify", path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"{path}: 185 entries, intact\n", "")
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before


def test_verify_names_the_first_bad_entry(path: Path) -> None:
    text = path.read_bytes()
    place = text.index(b'"event_no":70,')
    path.write_bytes(text[:place] + b"#" + text[place + 1 :])
    ran = sabot("verify", path)
    assert (ran.returncode, ran.stdout) == (1, "")
    lines = ran.stderr.splitlines()
    assert lines[0] == f"sabot ledger: {path}: entry 70 is not what was written: the chain breaks there"


def test_verify_a_file_that_sqlite_cannot_open(path: Path) -> None:
    text = path.read_bytes()
    path.write_bytes(b"X" + text[1:])
    ran = sabot("verify", path)
    assert ran.returncode == 1
    assert (
        ran.stderr
        == f"sabot ledger: {path}: file is not a database; give the path of the ledger, or put back a copy of it\n"
    )


def test_verify_and_show_work_while_the_daemon_runs_and_prune_and_rebuild_are_refused(path: Path, live: Ledger) -> None:
    live.append([coup(2000, 50, 2, 2)])
    assert output("verify", path) == f"{path}: 186 entries, intact\n"
    assert "shoe 2 coup 2" in output("show", path, "--last", "1")
    for command in (("prune", path, "--before", "2026-01-01"), ("rebuild", path)):
        ran = sabot(*command)
        assert ran.returncode == 1
        assert f"another gateway or command writes it (process {os.getpid()}); stop that one first" in ran.stderr


@pytest.mark.parametrize("command", [("verify",), ("show",), ("export", "--format", "csv"), ("rebuild",)])
def test_a_missing_file_is_not_created(tmp_path: Path, command: tuple[str, ...]) -> None:
    ran = sabot(*command, tmp_path / "none.db")
    assert ran.returncode == 1
    assert "no such file; give the path of the ledger" in ran.stderr
    assert list(tmp_path.iterdir()) == []


def test_show_prints_a_line_per_entry(path: Path) -> None:
    assert output("show", path, "--last", "5").splitlines() == [
        "    181  2026-05-01 00:30:00.000  bac-01  shoe 1 coup 30    "
        "Banker 6:7 (Player 4H 2S, Banker 3C 4D), live, verified",
        "    182  2026-05-01 00:31:00.000  bac-01  shoe 1 coup 0     shoe closed",
        "    183  2026-05-01 00:40:00.000  bac-01  shoe 1 coup 1     alarm lid raised under 12.2: lid is raised.",
        "    184  2026-05-01 00:41:00.000  bac-01  shoe 2 coup 1     "
        "Banker 6:7 (Player 4H 2S, Banker 3C 4D), live, disputed",
        "    185  2026-05-01 00:42:00.000  bac-01  shoe 2 coup 1     "
        "Banker 6:7 (Player 4H 2S, Banker 3C 4D), live, confirmed by ann under 12.2",
    ]


def test_show_prints_an_incident_and_what_is_left_of_it(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    steps = [{"name": "void", "say": "", "done": at(2)}, {"name": "check_cards", "say": ""}]
    fields = {"incident": "a", "kind": "foreign_card", "state": "open", "say": "Foreign.", "clause": "12.11"}
    ledger.append([entry(None, "incident", message(7, 3, 1, 9, **fields, opened=at(2), steps=steps))])
    ledger.append([entry(None, "incident", message(8, 4, 1, 9, **fields | {"state": "closed"}, steps=steps[:1]))])
    ledger.close()
    assert [line.partition(" coup 9 ")[2].strip() for line in output("show", tmp_path / "ledger.db").splitlines()] == [
        "incident foreign_card open under 12.11: Foreign. Open steps check_cards.",
        "incident foreign_card closed under 12.11: Foreign. Every step is done.",
    ]


ATTEMPT = {
    "id": "6a7e-9",
    "time": at(1),
    "table": "bac-01",
    "verb": "void",
    "by": "ann",
    "user": "floor",
    "clause": "12.6",
    "args": {"coup": None, "reason": "short_shoe", "then": "go_on"},
}
SENT = {"attempt": "6a7e-9", "unit": UNIT, "command_id": 12, "command": "void_coup"}
REFUSED = {"attempt": "6a7e-9", "ok": False, "say": "Void refused: " + "no card is on the table. " * 10}


def test_show_prints_requests_and_outcomes_in_full(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    keyed = {**ATTEMPT, "verb": "key-card", "clause": "", "args": {"card": "8H", "flags": {"face_up": True}}}
    done = {**REFUSED, "ok": True}
    command = {"id": "cmd-1", "role": "casino_supervisor", "asks": "bob"}
    floor = {**keyed, "origin": "floor", "user": "floor 33a4", "command": command}
    named = {"name": "cy", "role": "dealer", "verb": "void", "reason": "role", "say": "a Dealer may not do this"}
    refused = {"command": "cmd-2", "signed": True, "left_out": 3, **named}
    forged = {"command": "", "signed": False, "left_out": 0, "reason": "unreadable", "say": "this is no command"}
    stored = [("attempt", ATTEMPT), ("sent", SENT), ("outcome", REFUSED), ("outcome", done), ("attempt", keyed)]
    stored += [("attempt", floor), ("refused", refused), ("refused", forged)]
    for number, (topic, payload) in enumerate(stored, 1):
        ledger.append([Entry("6a7e", number, "bac-01", topic, json.dumps(payload).encode(), b"", at(number - 1))])
    ledger.close()
    lines = [line[60:] for line in output("show", tmp_path / "ledger.db").splitlines()]
    assert lines == [
        "request void (reason short_shoe, then go_on) by ann under 12.6, account floor, local [6a7e-9]",
        f"command void_coup to shoe {UNIT}, id 12 [6a7e-9]",
        f"not carried out: {REFUSED['say']} [6a7e-9]",
        f"carried out: {REFUSED['say']} [6a7e-9]",
        "request key-card (card 8H, flags face_up=true) by ann, account floor, local [6a7e-9]",
        "request key-card (card 8H, flags face_up=true) by ann, role casino_supervisor, asked by bob, floor, command "
        "cmd-1 [6a7e-9]",
        "command cmd-2 of cy (dealer), void: refused, role: a Dealer may not do this; 3 more before it",
        "command without id, not signed: refused, unreadable: this is no command",
    ]


def test_show_one_coup_and_another_table(path: Path) -> None:
    lines = output("show", path, "--table", "bac-01", "--shoe", "1", "--coup", "7").splitlines()
    assert len(lines) == 6
    assert all("shoe 1 coup 7 " in line for line in lines)
    assert output("show", path, "--table", "bac-02") == ""


def test_show_as_json(path: Path) -> None:
    (line,) = output("show", path, "--last", "1", "--json").splitlines()
    one = json.loads(line)
    assert (one["seq"], one["topic"], one["payload"]["by"], one["rulebook"]) == (185, "coup", "ann", BOOK)


def test_show_prints_other_entries_as_they_are_stored(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    health = message(1, 1, 1, 1, sensor="a", reads=416, margin_mean=0.834)
    strange = entry(2, "coup", {"table": "bac-01", "time": at(2), "n": 1})
    ledger.append([entry(1, "health", health), strange, Entry("u", 3, "bac-01", "", b"", b"no frame")])
    ledger.append([Entry("u", 4, "bac-01", "attempt", b'{"by":"bob"}', b"", at(4))])
    ledger.close()
    lines = output("show", tmp_path / "ledger.db").splitlines()
    assert [line.split("  ")[-1].strip() for line in lines] == [
        "sensor a: 416 reads, mean margin 83%",
        'coup {"table":"bac-01","time":"2026-05-01T00:02:00.000Z","n":1}',
        "event 3",
        'attempt {"by":"bob"}',
    ]


def test_export_csv(path: Path, tmp_path: Path) -> None:
    rows = list(csv.DictReader(output("export", path, "--format", "csv").splitlines()))
    assert len(rows) == 185
    assert (rows[0]["seq"], rows[0]["table"], rows[0]["time"]) == ("1", "bac-01", at(0))
    assert json.loads(rows[6]["payload"])["winner"] == "banker"
    assert output("export", path, "--format", "csv", "--what", "coups", "--out", tmp_path / "coups.csv") == ""
    with (tmp_path / "coups.csv").open(newline="") as file:
        coups = list(csv.DictReader(file))
    assert len(coups) == 32
    assert (coups[30]["status"], coups[30]["corrected_by"], coups[31]["by"]) == ("disputed", f"{UNIT}-1001", "ann")


FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\uff1d1")


def test_text_that_looks_like_a_formula_gets_a_quote(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    decisions = [{"corrects": "x", "by": by, "clause": "12.2;=1"} for by in (*FORMULAS, "A-B", "O'Brien")]
    ledger.append([coup(number, 41, 2, number, status="void", **more) for number, more in enumerate(decisions, 1)])
    ledger.close()
    out = output("export", tmp_path / "ledger.db", "--format", "csv", "--what", "coups", "--out", tmp_path / "out.csv")
    assert out == ""
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["by"] for row in rows] == [*(f"'{text}" for text in FORMULAS), "A-B", "O'Brien"]
    assert {row["clause"] for row in rows} == {"12.2;=1"}
    assert (tmp_path / "out.csv").read_text().count('"12.2;=1"') == len(rows)
    assert rows[0]["player_points"].isdigit()


def test_escape_sequences_in_an_old_ledger_do_not_reach_the_terminal(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    evil = "\x1b[2J\u202e\x9b31m\u2028"
    ledger.append([coup(1, 41, 2, 1, status="void", by=evil)])
    ledger.append([Entry(UNIT, 2, "bac\x1b[2J", "attempt", evil.encode(), b"", at(1), BOOK)])
    ledger.close()
    for words in ((), ("--json",)):
        shown = output("show", tmp_path / "ledger.db", *words)
        assert len(shown.splitlines()) == 2
        assert shown.replace("\n", "").isprintable()
    assert json.loads(output("show", tmp_path / "ledger.db", "--json").splitlines()[0])["payload"]["by"] == evil


def test_export_json_lines(path: Path) -> None:
    entries = [json.loads(line) for line in output("export", path, "--format", "jsonl").splitlines()]
    assert [one["seq"] for one in entries] == list(range(1, 186))
    assert entries[6]["payload"]["banker"] == ["3C", "4D"]
    shoes = [json.loads(line) for line in output("export", path, "--format", "jsonl", "--what", "shoes").splitlines()]
    assert [(one["shoe"], one["coups"], one["closed"]) for one in shoes] == [(1, 30, at(31)), (2, 1, "")]
    (one,) = output("export", path, "--format", "jsonl", "--what", "alarms").splitlines()
    assert json.loads(one)["state"] == "raised"


@pytest.mark.skipif(find_spec("pyarrow") is not None, reason="pyarrow is here")
def test_export_parquet_without_pyarrow_names_the_package(path: Path, tmp_path: Path) -> None:
    ran = sabot("export", path, "--format", "parquet", "--out", tmp_path / "out.parquet")
    assert ran.returncode == 1
    assert (
        ran.stderr == "sabot ledger: Parquet needs pyarrow: run `pip install pyarrow`, or use --format csv or jsonl\n"
    )
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize("what", ["entries", "coups", "shoes", "alarms"])
def test_export_parquet(path: Path, tmp_path: Path, what: str) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    output("export", path, "--format", "parquet", "--what", what, "--out", tmp_path / "out.parquet")
    lines = output("export", path, "--format", "csv", "--what", what).splitlines()
    rows = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert [{name: "" if value is None else str(value) for name, value in row.items()} for row in rows] == list(
        csv.DictReader(lines)
    )
    assert isinstance(rows[0]["seq"], int)


def test_rebuild_repairs_an_edited_table(path: Path) -> None:
    ledger = Ledger(path)
    ledger._db.execute("DELETE FROM coups")
    ledger.close()
    ran = sabot("verify", path)
    assert ran.returncode == 1
    assert f"table coups: entry 7 gives something else than the table has; `sabot ledger rebuild {path}`" in ran.stderr
    assert output("rebuild", path) == f"{path}: tables rebuilt from 185 entries\n"
    assert output("verify", path) == f"{path}: 185 entries, intact\n"


def test_rebuild_does_not_touch_a_broken_chain(path: Path) -> None:
    ledger = Ledger(path)
    ledger._db.execute("UPDATE entries SET time = '' WHERE seq = 9")
    ledger.close()
    before = path.read_bytes()
    ran = sabot("rebuild", path)
    assert ran.returncode == 1
    assert "cannot be used: entry 9 is not what was written" in ran.stderr
    assert path.read_bytes() == before


def test_prune_and_verify_with_and_without_the_key(path: Path, tmp_path: Path) -> None:
    printed = output("prune", path, "--before", "2026-05-01T00:20:00Z")
    assert printed == f"{path}: 115 entries removed, up to 115; the next one stays: it is of that time or later\n"
    ran = sabot("verify", path)
    assert (ran.returncode, ran.stdout) == (0, f"{path}: 70 entries, intact\n")
    assert f"entries up to 115 were pruned; the last was of {at(19)}; their checkpoint is signed" in ran.stderr
    Path(f"{path}-key").rename(tmp_path / "kept")
    assert "checkpoint was not checked" in sabot("verify", path).stderr
    assert "is signed by the gateway's key" in sabot("verify", path, "--key", tmp_path / "kept").stderr
    (tmp_path / "kept").write_text("00" * 32 + "\n")
    ran = sabot("verify", path, "--key", tmp_path / "kept")
    assert ran.returncode == 1
    assert "is not signed by this key" in ran.stderr


def test_prune_refuses_what_is_not_a_date(path: Path) -> None:
    ran = sabot("prune", path, "--before", "yesterday")
    assert ran.returncode == 1
    assert "'yesterday' is not a date; write 2026-01-31" in ran.stderr


@pytest.mark.parametrize("before", ["2199-01-01", "9999-12-31T23:59:59Z"])
def test_prune_refuses_a_date_in_the_future(path: Path, before: str) -> None:
    ran = sabot("prune", path, "--before", before)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert f"--before {before} is in the future: give a date in the past" in ran.stderr
    assert output("verify", path) == f"{path}: 185 entries, intact\n"


def test_a_dry_run_of_prune_works_while_the_daemon_runs(path: Path, live: Ledger) -> None:
    printed = output("prune", path, "--before", "2026-05-01T00:20:00Z", "--dry-run")
    assert (
        printed == f"{path}: 115 entries would be removed, up to 115; the next one stays: it is of that time or later\n"
    )
    assert live.verify_chain() == 185


def cut(path: Path, last: int) -> None:
    """Remove the newest entries with sqlite3."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("DELETE FROM entries WHERE seq > ?", (last,))
    db.close()


def test_verify_and_accept_a_ledger_with_missing_entries(path: Path) -> None:
    cut(path, 180)
    ran = sabot("verify", path)
    assert ran.returncode == 1
    first = "entry 181 is missing: it ends with entry 180, but entry 185 was stored"
    assert ran.stderr.splitlines()[0].startswith(f"sabot ledger: {path}: {first}")
    printed = output("accept", path, "--by", "A. Smith", "--reason", "disk exchanged")
    assert printed == f"{path}: accepted; the daemon goes on from entry 181 at its next start\n"
    ran = sabot("verify", path)
    assert (ran.returncode, ran.stdout) == (0, f"{path}: 181 entries, intact\n")
    assert output("show", path, "--last", "1").endswith(
        "ledger accepted without entries 181 to 185 by A. Smith: disk exchanged\n"
    )
    again = sabot("accept", path, "--by", "A. Smith", "--reason", "disk exchanged")
    assert again.returncode == 1
    assert "there is nothing to accept" in again.stderr


def test_verify_with_heads_that_were_kept_elsewhere(path: Path, tmp_path: Path) -> None:
    kept = tmp_path / "heads.jsonl"
    kept.write_bytes(Path(f"{path}-head").read_bytes())
    ran = sabot("verify", path, "--heads", kept)
    assert ran.returncode == 0
    assert "1 head compared, the newest of entry 185" in ran.stderr
    cut(path, 180)
    Path(f"{path}-head").unlink()
    ran = sabot("verify", path, "--heads", kept)
    assert ran.returncode == 1
    assert "entry 181 is missing: it ends with entry 180" in ran.stderr
    ran = sabot("verify", path, "--heads", tmp_path / "none")
    assert (ran.returncode, "none: No such file or directory" in ran.stderr) == (1, True)


def test_the_progress_bar_is_on_the_terminal_and_not_on_stdout(path: Path) -> None:
    main, terminal = pty.openpty()
    command = [sys.executable, "-m", "sabot_tools", "ledger", "verify", str(path)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=terminal, check=True)
    os.close(terminal)
    shown = os.read(main, 65_536).decode()
    os.close(main)
    assert "verifying" in shown
    assert ran.stdout.decode() == f"{path}: 185 entries, intact\n"


@pytest.mark.parametrize("action", ["verify", "show", "export", "rebuild", "prune", "accept"])
def test_help_shows_an_example(action: str) -> None:
    assert f"Example: sabot ledger {action}" in output(action, "--help")
