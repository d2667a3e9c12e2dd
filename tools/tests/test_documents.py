"""Every command in a document works as it is written; only paths and amounts are smaller here."""

import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import typer
from sabot_gateway import config
from sabot_gateway.ledger import Entry, Ledger
from sabot_protocol.auth import TO_GATEWAY, TO_SHOE
from sabot_service.broker import Broker
from sabot_tools.cli import app

ROOT = Path(__file__).parents[2]
SABOT = f"{sys.executable} -m sabot_tools"
LESS = {"--reads 2000": "--reads 20", "--coups 1000000": "--coups 1000", "irregularities/*.shoe": "by_hand/*.shoe"}


def blocks(path: str, kind: str = "sh") -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", (ROOT / path).read_text(), re.MULTILINE | re.DOTALL)


def lines(path: str, word: str) -> list[str]:
    return [line for block in blocks(path) for line in block.splitlines() if word in line]


def run(command: str, folder: Path, tmp_path: Path) -> "subprocess.CompletedProcess[str]":
    for old, new in LESS.items():
        command = command.replace(old, new)
    command = re.sub(r"(\.venv/bin/)?\bsabot (?=[a-z])", f"{SABOT} ", command.replace("/tmp/", f"{tmp_path}/"))
    return subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False)


CHECKOUT = ("README.md", "tools/README.md", "sim/README.md", "protocol/README.md", "hil_tests/README.md")


@pytest.mark.parametrize("command", [line for path in CHECKOUT for line in lines(path, ".venv/bin/sabot")])
def test_commands_of_a_checkout(command: str, tmp_path: Path) -> None:
    ran = run(command, ROOT, tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout or ran.stderr


def _as_this_user(command: str) -> str:
    """Return a command of INSTALL.md without another user and without the installed program's directory."""
    return re.sub(r"/var/lib/sabot(-floor)?/", "", re.sub(r"^(sudo -u sabot )?/opt/sabot/bin/", "", command))


def test_keys_are_made_shown_and_rotated(tmp_path: Path) -> None:
    commands = lines("gateway/INSTALL.md", "sabot keys")
    assert len(commands) == 7
    for command in commands:
        ran = run(_as_this_user(command).replace("/etc/sabot/keys", "keys"), tmp_path, tmp_path)
        assert ran.returncode == 0, ran.stderr


def test_a_backup_is_made_restored_and_drilled(tmp_path: Path) -> None:
    (tmp_path / "backup").mkdir()
    with closing(Ledger(tmp_path / "ledger.db")) as ledger:
        ledger.append([Entry("u", 1, "bac-01", "", b"{}", b"frame")])
    table = '[[table]]\nname = "bac-01"\nport = "/dev/null"\nrulebook = "star-baccarat"\n'
    (tmp_path / "gateway.toml").write_text(f'site = "s"\nledger = "ledger.db"\nbroker = "mqtt://localhost"\n{table}')
    backup, restore, drill = (_here(line) for line in lines("gateway/BACKUP.md", "/opt/sabot/bin/sabot ledger"))
    assert run(backup, tmp_path, tmp_path).returncode == 0
    assert run(drill.replace(_BROKER, ""), tmp_path, tmp_path).returncode == 0
    (tmp_path / "ledger.db").unlink()
    ran = run(restore.replace(_BROKER, ""), tmp_path, tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.endswith("no entry up to it is missing\n")  # the head beside the lost ledger


_BROKER = " --config gateway.toml"  # which the broker's head comes from; hil_tests/test_7_backup.py has one


def _here(command: str) -> str:
    """Return a command of BACKUP.md with the paths of this test."""
    here = {"/mnt/backup/sabot": "backup", "/etc/sabot/": "", "/media/safe/": "", "--keep 14": "--keep 2"}
    for path, name in here.items():
        command = command.replace(path, name)
    return _as_this_user(command)


def test_the_smallest_config_works(tmp_path: Path) -> None:
    path = tmp_path / "gateway.toml"
    (text,) = blocks("gateway/INSTALL.md", "toml")
    path.write_text(text)
    read, found = config.read(path)
    assert read is not None
    assert found + config.problems(read) == []


def test_options_of_the_daemons_commands_are_taken(tmp_path: Path) -> None:
    """Without a daemon each of them gets as far as looking for it."""
    (tmp_path / "gateway.toml").write_text(
        blocks("gateway/INSTALL.md", "toml")[0].replace("/var/lib/sabot", str(tmp_path))
    )
    commands = [_as_this_user(line) for line in lines("gateway/INSTALL.md", "/opt/sabot/bin/sabot table")]
    assert len(commands) > 1
    for command in commands:
        ran = run(f"{command} --config gateway.toml", tmp_path, tmp_path)
        expected = "PIN, password or badge of bjones" if " --floor " in command else "no gateway answers"
        assert (ran.returncode, expected in ran.stderr) == (1, True), ran.stderr


def test_the_login_of_mqtt_md_can_be_used(tmp_path: Path) -> None:
    (text,) = blocks("gateway/MQTT.md", "toml")
    (site,) = blocks("gateway/INSTALL.md", "toml")
    path = tmp_path / "gateway.toml"
    path.write_text('site = "sydney"\nledger = "ledger.db"\n' + text + site.partition("\n\n")[2])
    read, found = config.read(path)
    assert found == []
    assert read is not None
    assert read.login.user == "gateway-sydney"


def test_the_certificates_of_mqtt_md_are_taken_by_the_strictest(tmp_path: Path) -> None:
    for command in blocks("gateway/MQTT.md")[0].splitlines():
        subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, check=True)
    strict = ["openssl", "verify", "-x509_strict", "-CAfile", "ca.pem", "-verify_hostname", "broker.example"]
    subprocess.run([*strict, "broker.pem"], cwd=tmp_path, check=True)


def test_the_watch_of_mqtt_md_takes_its_options(tmp_path: Path) -> None:
    (command,) = lines("gateway/MQTT.md", "sabot watch")
    (tmp_path / "pit.password").touch(mode=0o600)
    (tmp_path / "pit.password").write_text("brass-rail\n")
    ran = run(command, tmp_path, tmp_path)
    assert (ran.returncode, "--ca-file ca.pem: No such file or directory; give a PEM file" in ran.stderr) == (2, True)
    assert Broker.from_url(command.split("--broker ")[1].split()[0]).tls


# Every command that a text names

_LABELS = {label.decode().removeprefix("sabot ") for label in (TO_GATEWAY, TO_SHOE)}  # of the protocol


def named() -> list[str]:
    """Each `sabot …` in a document, an alarm, an error or a help text; what is filled in later is X."""
    folders = [ROOT / part for part in ("firmware", "gateway", "protocol", "sim", "tools", "hil_tests")]
    files = [*ROOT.glob("*.md"), *(file for folder in folders for file in folder.rglob("*.md"))]
    files += [file for part in ("gateway/sabot_gateway", "tools/sabot_tools") for file in (ROOT / part).rglob("*.py")]
    found = [
        words for file in files for words in re.findall(r"`(?:\.venv/bin/)?sabot ([^`]*)`", _joined(file.read_text()))
    ]
    return sorted({re.sub(r"\{[^}]*\}", "X", words) for words in found} - _LABELS)


def _joined(text: str) -> str:
    """A string that goes on in the next line, as one."""
    return re.sub(r'"\n\s+f?"', "", text)


@pytest.mark.parametrize("words", named())
def test_a_command_that_a_text_names_is_one_that_there_is(words: str) -> None:
    _follow(typer.main.get_command(app), [word for word in words.split() if word != "\\"], words)


def _follow(command: Any, rest: list[str], words: str) -> None:
    """Option by option and word by word; a group may take an argument before its command, as `sabot table` does."""
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = {option: one for one in command.params for option in (*one.opts, *one.secondary_opts)}
    while rest:
        word, *rest = rest
        word = word.strip("[]")
        if word.startswith("--"):
            assert {*word.partition("=")[0].split("|")} <= {*options, "--help", "--version"}, words
            if word in options and not options[word].is_flag:
                rest = rest[1:]
        elif arguments:
            choices = getattr(arguments.pop(0).type, "choices", None)
            assert choices is None or word in choices, words
        elif hasattr(command, "get_command") and word != "…":
            for choice in word.split("|"):
                chosen = command.get_command(None, choice)
                assert chosen is not None, words
            _follow(chosen, rest, words)
            return


@pytest.mark.parametrize(
    "words", ["table X burn-card", "table X tell burn-cards", "gateway status --jsn", "ledger verfy"]
)
def test_one_that_there_is_not_is_found(words: str) -> None:
    with pytest.raises(AssertionError):
        _follow(typer.main.get_command(app), words.split(), words)


def test_the_next_steps_are_among_them() -> None:
    assert {"table X tell burn-card --by NAME", "table X clear-fault decision --by NAME"} <= {*named()}
