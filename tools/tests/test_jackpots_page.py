"""JACKPOTS.md: its commands run, its example has the meters that it shows, and it names every parameter."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from sabot_protocol import authority
from sabot_protocol.jackpots.parameters import LuckyTie, Outcome, Parameters, Random
from sabot_tools.cli import app
from typer.testing import CliRunner

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "gateway/JACKPOTS.md").read_text()
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if line.startswith("sabot ")]


def run(command: str) -> "subprocess.CompletedProcess[str]":
    here = re.sub(r"(\.venv/bin/)?\bsabot (?=jackpot)", f"{sys.executable} -m sabot_tools ", command)
    return subprocess.run(["bash", "-c", here], cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_example_has_the_meters_of_the_page() -> None:
    (block,) = [block for block in BLOCKS if "jackpot replay" in block]
    ran = run(block)
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(answers) == 7, ran.stderr
    rows = re.findall(r"^\| (\d): .*?((?: \| [\d,]+){7}) \|$", TEXT, re.MULTILINE)
    shown = {int(line): [int(figure.replace(",", "")) for figure in row.split("|")[1:]] for line, row in rows}
    names = ("base", "in", "display", "hits", "wins", "overflow", "reserve")
    assert {line: [answers[line - 1]["meters"][name] for name in names] for line in shown} == shown
    assert sorted(shown) == [1, 2, 4, 5, 7]
    assert [part["amount"] for part in answers[3]["paid"]] == [75_038, 75_037]


def test_every_row_of_the_page_balances() -> None:
    rows = re.findall(r"^\| \d: .*?((?: \| [\d,]+){7}) \|$", TEXT, re.MULTILINE)
    for row in rows:
        base, into, display, _, wins, overflow, reserve = (int(one.replace(",", "")) for one in row.split("|")[1:])
        assert base + into == display + wins + overflow + reserve


def test_the_sign_is_printed() -> None:
    (command,) = [block for block in BLOCKS if "jackpot sign" in block]
    ran = run(command)
    assert ran.stdout.startswith("Lucky Tie Jackpot\n\nThe casino contributes AUD 2.50 for each completed coup")
    whole = run(command.replace(" --jackpot lucky-tie", " --json"))
    found = [json.loads(line) for line in whole.stdout.splitlines()]
    assert [one["id"] for one in found] == ["lucky-tie", "pairs-minor", "pairs-major", "lucky-seat"]
    assert found[0]["text"] == ran.stdout.rstrip("\n")


def test_a_jackpot_that_the_file_has_not() -> None:
    ran = run("sabot jackpot sign --config gateway/examples/jackpots.toml --jackpot x")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "no jackpot 'x' in this file; it has lucky-tie, pairs-minor" in ran.stderr


@pytest.mark.parametrize("command", [line for line in COMMANDS if line.startswith("sabot table ")])
def test_acts_of_dealers_get_as_far_as_looking_for_the_gateway(command: str, tmp_path: Path) -> None:
    _, table, name, *words = shlex.split(command)
    ran = CliRunner().invoke(app, [table, name, "--socket", str(tmp_path / "control.sock"), *words])
    assert (ran.exit_code, "no gateway answers" in ran.output) == (1, True), ran.output


@pytest.mark.parametrize("command", [line for line in COMMANDS if line.startswith("sabot jackpot ")])
def test_acts_get_as_far_as_looking_for_the_floor_service(command: str, tmp_path: Path) -> None:
    """Every option is taken, and a role is one of the book."""
    words = shlex.split(command)[1:]
    (tmp_path / "floor.toml").write_text(
        f'site = "s"\nstore = "{tmp_path}/floor.db"\nbroker = "mqtt://127.0.0.1:1"\njackpots = "j"\n'
    )
    ran = CliRunner().invoke(app, [*words, "--config", str(tmp_path / "floor.toml")], input="730155\n841266\n")
    assert ran.exit_code == 1
    assert "floor.db" in ran.output or "no floor service answers" in ran.output, ran.output
    if "--role" in words:
        book = "nz-baccarat" if "lucky-seat" in words else "crown-baccarat"
        act = words[1].replace("-", "_").replace("restore", "withdraw")
        assert authority.check(book, f"jackpot_{act}", words[words.index("--role") + 1]).allowed


def test_every_parameter_is_on_the_page() -> None:
    keys = {field.name for kind in (Parameters, LuckyTie, Outcome, Random) for field in msgspec.structs.fields(kind)}
    assert sorted(key for key in keys - {"tier"} if f"`{key}`" not in TEXT) == []
    assert "`<id>-<tier>`" in TEXT
