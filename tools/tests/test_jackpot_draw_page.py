"""The page's program for auditors: it finds every draw right, and a changed one wrong, without any code of Sabot."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import forked_sabot
import pytest
from sabot_floor.jackpots.batch import Batch, DrawRequest
from sabot_floor.jackpots.draws import new_secret
from sabot_floor.jackpots.engine import Applied
from sabot_floor.jackpots.logs import JackpotLogs
from sabot_floor.jackpots.opening import open_jackpots
from sabot_floor.store import open_store
from sabot_protocol.jackpots import loading

PAGE = Path(__file__).parents[2] / "gateway" / "JACKPOTS.md"
TIME = "2026-11-17T12:00:00.000Z"
JACKPOTS = """
[[jackpot]]
id = "lucky-seat"
title = "Lucky Seat"
rulebook = "nz-baccarat"
currency = "NZD"
tables = ["nz-01", "nz-02", "nz-03"]
increment = 10
base = 50_000
unreasonable = 100
rounding = 100
equipment = ["console", "display"]
[jackpot.trigger]
kind = "random"
percent = 1
draws = DRAWS
"""
AXES = {
    "table": '["table"]',
    "seat": '["seat"]\nseats = 12',
    "location": '["location"]\nlocations = ["café", "player"]',
    "all": '["table", "seat", "location"]\nseats = 5\nlocations = ["1 player", "1 banker"]',
}


def history(store: Path, draws: str, count: int = 6) -> str:
    """The log of a jackpot with so many draws, as the command prints it."""
    parameters, problems = loading.parse(tomllib.loads(JACKPOTS.replace("DRAWS", draws)))
    assert problems == []
    with open_store(str(store)) as opened:
        logs = JackpotLogs(opened)
        assert open_jackpots(logs, parameters, TIME) == []
        for number in range(count):
            request = DrawRequest(f"draw-{number}", "A. Smith", "casino_supervisor")
            batch = Batch("lucky-seat", TIME, [request], secret=new_secret())
            logs.commit([batch])
            assert isinstance(batch.results[0], Applied)
    arguments = ["jackpot", "history", "lucky-seat", "--last", "1000000", "--json", "--store", str(store)]
    return forked_sabot.sabot(*arguments).stdout


def checked(lines: str) -> list[str]:
    """The last word that the page's program prints for each draw."""
    (program,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    done = subprocess.run([sys.executable, "-c", program], input=lines, capture_output=True, text=True)
    return [line.split()[-1] for line in done.stdout.splitlines()] if not done.returncode else [done.stderr.strip()]


@pytest.mark.parametrize("draws", AXES.values(), ids=AXES)
def test_every_draw_is_right(draws: str, tmp_path: Path) -> None:
    assert checked(history(tmp_path / "floor.db", draws)) == ["right"] * 6


def test_a_changed_draw_is_wrong(tmp_path: Path) -> None:
    lines = history(tmp_path / "floor.db", AXES["all"])
    index = re.search(r'"index":(\d+)', lines)
    assert index is not None
    assert checked(lines.replace(index[0], f'"index":{(int(index[1]) + 1) % 30}', 1)) == ["WRONG"] + ["right"] * 5
    assert checked(lines.replace('"nz-02","nz-03"]', '"nz-03"]')) != ["right"] * 6
    secret = re.search(r'"secret":"([0-9a-f]{64})"', lines)
    assert secret is not None
    assert checked(lines.replace(secret[1], "ab" * 32, 1))[0] == "WRONG"


def test_a_history_without_its_first_entries_is_refused(tmp_path: Path) -> None:
    lines = history(tmp_path / "floor.db", AXES["table"])
    refused = ["entry 1 is not there: give all entries, from the first on"]
    assert checked(lines.split("\n", 1)[1]) == refused
