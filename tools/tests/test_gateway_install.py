"""gateway/INSTALL.md and the systemd unit: every command and option in them exists and works."""

import re
import shlex
import subprocess
from itertools import takewhile
from pathlib import Path

import pytest
from sabot_gateway import config
from sabot_gateway.ops import example
from sabot_tools.cli import app
from typer.testing import CliRunner

GATEWAY = example.directory().parent
CONFIG = "/etc/sabot/gateway.toml"
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```$", (GATEWAY / "INSTALL.md").read_text(), re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]
SABOT = sorted({line.split("/opt/sabot/bin/sabot ")[1] for line in COMMANDS if "/opt/sabot/bin/sabot " in line})


def test_the_edits_of_the_config_give_a_valid_config(tmp_path: Path) -> None:
    path = tmp_path / "gateway.toml"
    path.write_text(example.text([]))
    edits = [line.removeprefix("sudo ").replace(CONFIG, str(path)) for line in COMMANDS if line.startswith("sudo sed ")]
    for edit in edits:
        subprocess.run(shlex.split(edit), check=True)
    read, problems = config.read(path)
    assert problems == []
    assert read is not None
    assert (read.ledger, read.keys) == ("/var/lib/sabot/ledger.db", f"{tmp_path}/keys")


@pytest.mark.parametrize("command", SABOT)
def test_every_command_and_option_exists(command: str) -> None:
    words = command.split()
    names = list(takewhile(lambda word: not word.startswith("--"), words))
    ran = CliRunner().invoke(app, [*names, "--help"])
    assert ran.exit_code == 0
    of_all = CliRunner().invoke(app, [names[0], "--help"]).stdout  # options that its commands share
    assert all(word in ran.stdout + of_all for word in words if word.startswith("--"))


def test_the_service_runs_the_installed_program_and_reloads_with_sighup() -> None:
    unit = (example.directory() / "sabot-gateway.service").read_text()
    assert f"ExecStart=/opt/sabot/bin/sabot gateway run --config {CONFIG}\n" in unit
    assert 'ExecReload=/bin/sh -c "kill -HUP $MAINPID"\n' in unit
    assert "User=sabot\n" in unit
    assert len(SABOT) >= 3


@pytest.mark.parametrize("name", ["backup", "ship", "drill"])
def test_the_services_of_backups_run_a_command_that_exists_in_the_daemons_sandbox(name: str) -> None:
    unit = (example.directory() / f"sabot-{name}.service").read_text()
    words = unit.partition("ExecStart=/opt/sabot/bin/sabot ")[2].partition("\n")[0].split()
    shown = CliRunner().invoke(app, [*words[:2], "--help"]).stdout
    assert words[:2] == ["ledger", name]
    assert all(word in shown for word in words if word.startswith("--"))
    daemon = (example.directory() / "sabot-floor.service").read_text()
    kept = [line for line in daemon.partition("NoNewPrivileges")[2].splitlines() if line.startswith(("P", "R", "S"))]
    assert [line for line in kept if line not in unit] == []
    timer = (example.directory() / f"sabot-{name}.timer").read_text()
    assert "OnCalendar=" in timer
    assert "WantedBy=timers.target" in timer
