"""The command: lazy, helpful, and its generated files current."""

import json
import subprocess
import sys
from importlib.metadata import version

import forked_sabot
import pytest
from sabot_tools.actions import generate
from sabot_tools.cli import ACTIONS, EXTRAS


def sabot(*args: str) -> "subprocess.CompletedProcess[str]":
    return forked_sabot.sabot(*args)


def test_help_lists_every_action() -> None:
    ran = sabot("--help")
    assert ran.returncode == 0
    assert all(f"  {name} " in ran.stdout for name in ACTIONS)


def test_help_imports_no_action() -> None:
    code = (
        "import sys, json, atexit\n"
        "atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))\n"
        "sys.argv = ['sabot', '--help']\n"
        "from sabot_tools.cli import main\n"
        "main()\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(json.loads(ran.stderr))
    assert "sabot_tools.cli" in modules
    assert not modules & {
        "construct",
        "paho.mqtt.client",
        "serial",
        "structlog",
        "msgspec",
        "rich",
        "sabot_tools.actions.demo",
    }


@pytest.mark.parametrize("name", ACTIONS)
def test_every_action_has_help(name: str) -> None:
    ran = sabot(name, "--help")
    assert ran.returncode == 0, ran.stderr
    assert "Usage:" in ran.stdout


@pytest.mark.parametrize(
    "args",
    [
        ("demo",),
        ("flash",),
        ("shoe",),
        ("watch",),
        ("generate",),
        ("gateway", "run"),
        ("bench", "figures"),
        ("odds",),
        ("simulate",),
        ("irregularity",),
        ("authority",),
    ],
)
def test_help_shows_an_example(args: tuple[str, ...]) -> None:
    assert f"Example: sabot {' '.join(args)}" in sabot(*args, "--help").stdout


def test_an_unknown_action() -> None:
    ran = sabot("shuffle")
    assert ran.returncode == 2
    assert "No such command 'shuffle'" in ran.stderr


def test_generated_files_are_current() -> None:
    for path, text in generate.GENERATED.items():
        assert path.read_text() == text(), f"{path.name} is stale: run `sabot generate`"


def test_a_gateway_without_a_config_is_an_error() -> None:
    ran = sabot("gateway", "run", "--config", "/nowhere.toml")
    assert ran.returncode == 1
    assert ran.stderr == (
        "sabot gateway: /nowhere.toml: No such file or directory; give the path of a gateway's TOML file, "
        "or make one: `sabot gateway init --config /nowhere.toml`\n"
    )


def test_a_missing_library_is_an_error_that_names_the_extra() -> None:
    code = (
        "import sys\n"
        "sys.modules['numpy'] = None\n"
        "sys.argv = ['sabot', 'odds', '--rulebook', 'star-baccarat']\n"
        "from sabot_tools.cli import main\n"
        "main()\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    how = "pip install -c constraints.txt -e '.[gateway,odds]'"
    assert ran.stderr == f"sabot odds: numpy is not installed; in a checkout of Sabot: {how}\n"
    assert set(EXTRAS) == set(ACTIONS)


def test_version_prints_the_version_of_the_package() -> None:
    ran = sabot("--version")
    assert ran.returncode == 0
    assert ran.stdout == f"sabot {version('sabot')}\n"
