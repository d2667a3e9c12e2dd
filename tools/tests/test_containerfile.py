"""The Containerfile of the floor service: locked files, no root, a health check, commands that there are."""

import json
import re
import tomllib
from pathlib import Path

from sabot_tools.cli import app
from typer.testing import CliRunner

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "gateway/package/Containerfile").read_text()
STEPS = [
    (line.split(None, 1)[0], line.split(None, 1)[1])
    for line in re.sub(r"^#.*\n", "", TEXT, flags=re.MULTILINE).replace("\\\n", "").splitlines()
    if line
]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def only(word: str) -> str:
    (found,) = (rest for name, rest in STEPS if name == word)
    return found


def test_what_is_copied_is_in_the_checkout_or_built_by_make_wheel() -> None:
    copied = [source for word, rest in STEPS if word == "COPY" and "--from" not in rest for source in rest.split()[:-1]]
    assert copied[-1] == f"dist/sabot-{VERSION}-py3-none-any.whl"
    assert [source for source in copied[:-1] if not (ROOT / source).is_file()] == []
    assert f"sabot-floor:{VERSION}" in TEXT


def test_everything_from_an_index_is_locked() -> None:
    installs = re.findall(r"pip install (.*?)(?=&&|$)", " && ".join(rest for word, rest in STEPS if word == "RUN"))
    assert len(installs) == 3
    assert [line for line in installs if "--require-hashes" not in line and "--no-index" not in line] == []


def test_it_runs_as_a_user_who_is_not_root() -> None:
    user, _ = only("USER").split(":")
    assert int(user) > 0
    assert f"--uid {user} " in TEXT
    last = max(number for number, (word, _) in enumerate(STEPS) if word == "RUN")
    assert [word for word, _ in STEPS].index("USER") > last


def test_its_commands_are_ones_that_there_are() -> None:
    assert json.loads(only("ENTRYPOINT")) == ["sabot"]
    started = json.loads(only("CMD"))
    checked = json.loads(only("HEALTHCHECK").partition("CMD ")[2])
    for words in (started[:2], checked[1:]):
        assert CliRunner().invoke(app, [*words, "--help"]).exit_code == 0
    assert started[2:] == ["--config", "/etc/sabot/floor.toml"]


def test_data_are_in_a_volume() -> None:
    assert json.loads(only("VOLUME")) == ["/var/lib/sabot-floor"]
