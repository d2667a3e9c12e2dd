"""gateway/ANGEL_EYE.md: its configs are valid, its commands exist, and its tables name what there is."""

import json
import re
import shlex
import subprocess
from itertools import takewhile
from pathlib import Path

import pytest
from sabot_gateway import config
from sabot_gateway.angel_eye import coup
from sabot_gateway.verify.alarms.catalogue import ALARMS
from sabot_tools.cli import app
from typer.testing import CliRunner

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "gateway" / "ANGEL_EYE.md").read_text()
COMMANDS = [
    line.split("sabot ", 1)[1]
    for block in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
    if "sabot " in line and not line.startswith(("sudo", "echo"))
]


def column(section: str) -> set[str]:
    """The code words in the first column of the tables of a section."""
    text = PAGE.partition(f"## {section}")[2].partition("\n## ")[0]
    return set(re.findall(r"^\| `([^`]+)`", text, re.MULTILINE))


@pytest.mark.parametrize("text", re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
def test_the_configs_are_valid(text: str, tmp_path: Path) -> None:
    path = tmp_path / "gateway.toml"
    path.write_text(text)
    read, found = config.read(path)
    assert read is not None
    assert found + config.problems(read) == []
    assert [table.driver for table in read.table] == ["angel-eye"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_exists(command: str) -> None:
    words = shlex.split(command)
    names = list(takewhile(lambda word: not word.startswith("--"), words))
    ran = CliRunner().invoke(app, [*names, "--help"])
    assert ran.exit_code == 0
    shared = CliRunner().invoke(app, [names[0], "--help"]).stdout
    assert all(word in ran.stdout + shared for word in words if word.startswith("--"))


def test_the_bytes_of_the_example_are_a_card() -> None:
    (line,) = re.findall(r"^echo '(.*)' \| sabot angel-eye decode$", PAGE, re.MULTILINE)
    ran = CliRunner().invoke(app, ["angel-eye", "decode"], input=line)
    assert json.loads(ran.stdout)["messages"][0]["card"] == "8S"


def test_the_keys_of_the_config_are_explained() -> None:
    assert column("4. Config") == {"driver", "port", "baud", "commands", "confirm", "resent_card"}


def test_every_flag_is_explained() -> None:
    words = {value for name, value in vars(coup).items() if name.isupper() and isinstance(value, str)}
    flags = words - {coup.FIRST_CARD}
    assert column("10. Coups in doubt") == flags | {"partial", "incomplete", "forced_end"}


def test_alarms_that_are_named_exist() -> None:
    named = {*re.findall(r"alarms? `([a-z_]+)`", PAGE), *column("11. Alarms")}
    assert len(named) > 10
    assert named <= ALARMS.keys()


@pytest.mark.parametrize(("options", "kinds"), [([], []), (["KIND=angel-eye"], ["angel-eye"])])
def test_make_demo_takes_the_kind_of_the_shoes(options: list[str], kinds: list[str]) -> None:
    ran = subprocess.run(["make", "-n", "demo", *options], cwd=ROOT, capture_output=True, text=True, check=True)
    assert re.findall(r"--kind (\S+)", ran.stdout) == kinds
