"""What people read of jackpots at a gateway: its status, the ledger's entries and exports, and the dealer's options."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from jackpot_edge import SUITED, TIE, Edge, from_wagers, lucky_tie
from sabot_tools.actions import table
from sabot_tools.cli import app
from sabot_tools.text.status import status_lines
from typer.testing import CliRunner

STATUS: dict[str, Any] = {
    "site": "sydney",
    "time": "t",
    "gateway": "g",
    "ledger": {"entries": 1, "problem": None},
    "broker": {
        "url": "u",
        "connected": True,
        "behind": 0,
        "overwritten": 0,
        "problem": None,
        "latency": {"entries": 0},
    },
    "tables": [],
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    edge = Edge(tmp_path / "ledger.db", lucky_tie(), tables=("bac-01",))
    edge.ask("stakes", stakes={"tie": [100, 300]})
    edge.one.play(SUITED, *TIE, player_pair=True, banker_pair=True)
    edge.ask("record-win", jackpot="lucky-tie")
    edge.one.play()
    edge.one.void(2)
    edge.ledger.close()
    return edge.path


def output(*arguments: object) -> str:
    ran = CliRunner().invoke(app, ["ledger", *map(str, arguments)])
    assert ran.exit_code == 0, ran.stderr
    return ran.stdout


def test_the_ledger_shows_them_in_words(path: Path) -> None:
    shown = output("show", path, "--last", 100)
    digest = lucky_tie().digest
    for words in (
        f"jackpot lucky-tie: parameters {digest}, version 1, are in force",
        "stakes recorded: tie=[100, 300] (minor units) by D. Ealer",
        "increment of jackpot lucky-tie: AUD 2.50, number 1, total AUD 2.50, suited",
        "win of jackpot lucky-tie recorded: suited, stakes tie=[100, 300] (minor units) by D. Ealer",
        "increment of jackpot lucky-tie: AUD 2.50, number 2, total AUD 5.00\n",
        "increment taken back of jackpot lucky-tie: AUD -2.50, number 3, total AUD 2.50",
    ):
        assert words in shown


def test_the_carry_is_shown(tmp_path: Path) -> None:
    edge = Edge(tmp_path / "ledger.db", from_wagers(), book="nz-baccarat")
    edge.ask("stakes", stakes={"tie": [150]})
    edge.one.play()
    edge.ledger.close()
    assert "increment of jackpot pairs: NZD 0.02, number 1, total NZD 0.02, carry 1/4" in output("show", edge.path)


def test_increments_and_recorded_wins_are_exported(path: Path) -> None:
    rows = list(csv.DictReader(output("export", path, "--format", "csv", "--what", "increments").splitlines()))
    assert [(row["table"], row["amount"], row["count"], row["total"]) for row in rows] == [
        ("bac-01", "250", "1", "250"),
        ("bac-01", "250", "2", "500"),
        ("bac-01", "-250", "3", "250"),
    ]
    (win,) = map(json.loads, output("export", path, "--format", "jsonl", "--what", "recorded_wins").splitlines())
    assert (win["jackpot"], win["outcome"], win["by"], win["coup_id"]) == (
        "lucky-tie",
        "suited",
        "D. Ealer",
        rows[0]["coup_id"],
    )


def of_jackpot(**changes: Any) -> dict[str, Any]:
    in_force = {"version": 1, "digest": "a" * 16}
    return {"jackpot": "lucky-tie", "title": "T", "in_force": in_force, "waiting": None, "floor": "a" * 16, **changes}


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, f"jackpot lucky-tie: version 1 ({'a' * 16}) in force"),
        ({"floor": None}, f"jackpot lucky-tie: version 1 ({'a' * 16}) in force; no meter of the floor has come"),
        (
            {"waiting": {"version": 2, "digest": "b" * 16}},
            f"jackpot lucky-tie: version 1 ({'a' * 16}) in force; version 2 ({'b' * 16}) waits until the floor uses it",
        ),
        (
            {"waiting": {"version": 1, "digest": "b" * 16}},
            f"jackpot lucky-tie: version 1 ({'a' * 16}) in force; version 1 ({'b' * 16}) is in the file, and never "
            "used: give it a version above 1",
        ),
        (
            {"floor": "c" * 16},
            f"jackpot lucky-tie: version 1 ({'a' * 16}) in force; the floor uses {'c' * 16}: give both the same file",
        ),
        ({"in_force": None, "floor": None}, "jackpot lucky-tie: not in force yet; no meter of the floor has come"),
    ],
)
def test_the_status_names_the_parameters_in_force_and_those_that_wait(changes: dict[str, Any], line: str) -> None:
    counted = {"jackpot": "lucky-tie", "count": 5, "total": 1300, "currency": "AUD"}
    lines = status_lines({**STATUS, "tables": [{**TABLE, "jackpots": [counted]}], "jackpots": [of_jackpot(**changes)]})
    assert lines[-2:] == [line, "  bac-01: 5 increments, total AUD 13.00"]


TABLE: dict[str, Any] = {
    "table": "bac-01", "state": "online", "unit": "u", "authenticated": True, "shoe": 1, "coup": 5, "alarms": [],
    "more_alarms": 0, "disputed": [], "more_disputed": 0, "rulebook": "crown-baccarat", "problem": None,
    "next_step": None, "disputes": [], "jackpots": [],
}  # fmt: skip


def test_the_status_counts_what_it_does_not_list() -> None:
    lines = status_lines({**STATUS, "tables": [TABLE | {"more_alarms": 1, "more_disputed": 2}], "jackpots": []})
    assert lines[-2:] == [
        "bac-01: 1 more active alarm, older or less severe: see `sabot ledger show`",
        "bac-01: 2 older disputed coups, in the ledger; listed once these are decided",
    ]


@pytest.mark.parametrize(("book", "clause"), [("star-baccarat", "12.13"), ("crown-baccarat", "N"), ("other", "N")])
def test_the_status_has_the_clause_by_which_a_coup_is_decided(book: str, clause: str) -> None:
    coup = {"id": "u-5", "shoe": 1, "coup": 2, "time": "2026-11-17T21:00:00.000Z"}
    lines = status_lines({**STATUS, "tables": [TABLE | {"rulebook": book, "disputes": [coup]}], "jackpots": []})
    command = f"`sabot table bac-01 decide --coup 1/2 --verdict confirmed|void --by NAME --clause {clause}`"
    assert lines[-1].endswith(f"decide it with {command}")


def test_the_status_names_what_an_angel_eye_has_not_reported() -> None:
    angel_eye = TABLE | {"authenticated": False, "driver": "angel-eye", "unknown": ["lock", "error"]}
    lines = status_lines({**STATUS, "tables": [angel_eye], "jackpots": []})
    assert "u (Angel Eye)" in lines[-3]
    assert lines[-1] == "bac-01: the Angel Eye has not reported whether it is locked, whether it is in error"
    assert status_lines({**STATUS, "tables": [angel_eye | {"unit": None}], "jackpots": []})[-1].startswith("bac-01  ")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        *((given, "write each wager once, as tie=100,300") for given in ("tie", "tie=", "=5")),
        *(
            (f"tie={stakes}", "write each stake as a whole number of minor units, 1 or more")
            for stakes in ("1,", "-1", "1.5", "x", "٣", "0")
        ),
    ],
)
def test_stakes_are_whole_numbers_by_wager(given: str, says: str) -> None:
    ran = CliRunner().invoke(app, ["table", "bac-01", "stakes", "--wager", given, "--by", "D. Lee"])
    assert ran.exit_code == 2
    assert says in " ".join(ran.stderr.replace("│", "").split())
    assert table._by_wager(["tie=100,300", "pair=5"], "--wager") == {"tie": [100, 300], "pair": [5]}
