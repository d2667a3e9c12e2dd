"""sabot report on the day written by hand: text, JSON, CSV, pages, words for days, periods and errors."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from report_day import write
from report_scene import Scene, at
from sabot_floor.store import open_store
from sabot_tools.cli import app
from typer.testing import CliRunner

ZONE = ("--time-zone", "Australia/Sydney")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of the day, and a name that a spreadsheet would take for a formula."""
    path = tmp_path_factory.mktemp("report") / "floor.db"
    with open_store(str(path)) as opened:
        write(opened)
        scene = Scene(opened, after=400)
        scene.coup("x1", at("23:30"), 9, 1, kind="void", by="=1+1", clause="\x1b[2J12.1.2", decided=at("23:30"))
        scene.save()
    return path


def run(store: Path, *words: str) -> Any:
    return CliRunner().invoke(app, ["report", *words, "--store", str(store)])


def test_a_day_as_text(store: Path) -> None:
    ran = run(store, "day", "2026-11-17", *ZONE)
    assert ran.exit_code == 0
    lines = ran.stdout.splitlines()
    assert lines[:2] == [
        "Report of day 2026-11-17",
        "from 2026-11-17 06:00:00 to 2026-11-18 06:00:00, Australia/Sydney",
    ]
    assert lines[2].startswith("! Of gateway gw-2 entries 2 to 3 are not in the store")
    assert "Void coups (3)" in lines
    assert "  bac-01  3:30:00 h  2026-11-17 06:05:00  2026-11-17 10:30:00  3      8" in lines
    assert "\x1b" not in ran.stdout
    assert any("AUD 25.00" in line and "M. Manager" in line for line in lines)
    assert any("2:30 min" in line and "A. Smith" in line for line in lines)
    assert lines[-1].startswith("  lucky-tie")


def test_a_day_as_json(store: Path) -> None:
    ran = run(store, "day", "2026-11-17", *ZONE, "--json")
    report = json.loads(ran.stdout)
    assert report["head"]["complete"] is False
    assert {row["status"]: row["coups"] for row in report["coups"] if row["table"] == "bac-01"}["confirmed"] == 1
    assert (report["voids"][0]["by"], report["voids"][0]["clause"]) == ("B. Jones", "12.1.2")
    assert "\x1b" not in ran.stdout  # escaped
    assert json.loads(run(store, "day", "2026-11-17", *ZONE, "--json", "--section", "voids").stdout) == report["voids"]


def test_a_section_as_csv_is_safe_for_a_spreadsheet(store: Path) -> None:
    ran = run(store, "day", "2026-11-17", *ZONE, "--csv", "--section", "voids")
    rows = list(csv.DictReader(ran.stdout.splitlines()))
    assert [row["by"] for row in rows] == ["B. Jones", "B. Jones", "'=1+1"]
    assert (rows[0]["coup"], rows[0]["cards"]) == ("43", "2S; KH")


def test_every_section_as_a_csv_file(store: Path, tmp_path: Path) -> None:
    ran = run(store, "day", "2026-11-17", *ZONE, "--csv", "--out", str(tmp_path / "csv"))
    assert (ran.exit_code, ran.stdout) == (0, "")
    files = {path.name: path.read_text().splitlines() for path in (tmp_path / "csv").iterdir()}
    assert len(files) == 23
    assert files["increments.csv"] == [
        '"jackpot","gateway","table","currency","count","amount"',
        '"lucky-tie","gw-1","bac-01","AUD",4,90',
    ]
    assert len(files["decisions.csv"]) == 15
    assert '"true"' in files["decisions.csv"][1]


def test_text_of_one_section_to_a_file(store: Path, tmp_path: Path) -> None:
    run(store, "day", "2026-11-17", *ZONE, "--section", "keyed_cards", "--out", str(tmp_path / "keyed.txt"))
    text = (tmp_path / "keyed.txt").read_text()
    assert "Cards keyed in (1)" in text
    assert "Void coups" not in text


@pytest.mark.parametrize("option", ["--html", "--pdf-ready"])
def test_a_page(store: Path, tmp_path: Path, option: str) -> None:
    ran = run(store, "day", "2026-11-17", *ZONE, option, str(tmp_path / "day.html"))
    assert (ran.exit_code, ran.stdout) == (0, "")
    assert (tmp_path / "day.html").read_text().startswith("<!DOCTYPE html>")


def test_a_period_and_one_table(store: Path) -> None:
    ran = run(store, "day", "--from", "2026-11-16", "--to", "2026-11-17", "--table", "bac-02", *ZONE, "--json")
    report = json.loads(ran.stdout)
    assert (report["head"]["about"], report["head"]["tables"]) == ("2026-11-16 to 2026-11-17", ["bac-02"])
    assert [row["coups"] for row in report["coups"]] == [2]


def test_a_period_of_one_day_is_that_day(store: Path) -> None:
    heads = [run(store, "day", "--from", first, "--to", "2026-11-17").stdout.splitlines()[0] for first in _FIRST]
    assert heads == ["Report of days 2026-11-16 to 2026-11-17", "Report of day 2026-11-17"]


_FIRST = ("2026-11-16", "2026-11-17")


def test_text_has_words_and_no_json(store: Path) -> None:
    incidents = run(store, "day", "2026-11-17", *ZONE, "--section", "incidents").stdout
    assert "overpayment $1,000.01, date: 2026-11-17, intentional: no, patron: P. Patron" in incidents
    assert "{" not in incidents
    notifications = run(store, "day", "2026-11-17", *ZONE, "--section", "notifications").stdout
    for words in ("in the daily report", "at the end of the month", "within a reasonable time"):
        assert words in notifications


def test_a_day_without_data_says_it(store: Path) -> None:
    ran = run(store, "day", "2025-01-01")
    assert ran.exit_code == 0
    assert "! There is no data: the newest coup of this store is of 2026-11-17T20:00:00.000Z." in ran.stdout
    assert "Nothing under" not in ran.stdout


def test_the_other_reports(store: Path) -> None:
    period = ("--from", "2026-11-17", "--to", "2026-11-17")
    assert "Over- and underpayments above $1,000, for the NICC (1)" in run(store, "month", "2026-11", *ZONE).stdout
    assert "Coups, each in its current state (7)" in run(store, "shoe", "bac-01/3", *ZONE).stdout
    assert "Messages, oldest first (2)" in run(store, "coup", "bac-01/3/42", *ZONE).stdout
    assert "Requests that were refused (3)" in run(store, "person", "E. Low", *ZONE, *period).stdout


def test_the_gaming_day_and_the_store_of_a_config(store: Path, tmp_path: Path) -> None:
    config = tmp_path / "floor.toml"
    config.write_text(
        f'site = "sydney"\nstore = "{store}"\nbroker = "mqtt://127.0.0.1:9"\njackpots = "not-needed.toml"\n'
        'gaming_day = "06:00"\ntime_zone = "Australia/Sydney"\n'
    )
    ran = CliRunner().invoke(app, ["report", "day", "2026-11-17", "--config", str(config), "--json"])
    head = json.loads(ran.stdout)["head"]
    assert (head["site"], head["begin"], head["end"]) == ("sydney", at("19:00"), at("19:00", 17))


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("day",), "give one day, such as `sabot report day yesterday`, or a period with --from and --to"),
        (("day", "2026-11-31"), "'2026-11-31' is no day: expected a date of 2000 to 2999, such as 2026-11-17"),
        (("day", "today", "--to", "today"), "--to today needs --from: give --from today instead of the day"),
        (("day", "today", "--csv"), "a CSV file has one section: give --section NAME, or --out DIRECTORY"),
        (("day", "today", "--section", "zz"), "unknown section 'zz': choose one of gaps, played, shoes"),
        (("month", "november"), "'november' is no month: expected one of 2000 to 2999, such as 2026-11"),
        (("shoe", "bac-01"), "'bac-01' cannot be read: expected bac-01/3"),
        (("coup", "bac-01/3/99"), "shoe bac-01/3 has no coup 99 in the store; it has coups 40 to 46"),
    ],
)
def test_errors_name_the_next_step(store: Path, words: tuple[str, ...], problem: str) -> None:
    ran = run(store, *words)
    assert ran.exit_code == 1
    assert ran.stderr.startswith(f"sabot report: {problem}")


def test_yesterday_and_today(store: Path) -> None:
    days = [json.loads(run(store, "day", word, "--json").stdout)["head"] for word in ("yesterday", "today")]
    assert days[0]["end"] == days[1]["begin"]
    assert days[1]["begin"] <= days[1]["made"] < days[1]["end"]
