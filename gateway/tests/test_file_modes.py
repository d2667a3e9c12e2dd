"""Modes and owners of the files of both daemons: who could change or read what, and the command that mends it."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from sabot_floor import check as floor_check
from sabot_gateway import config as configs
from sabot_gateway.ops.files import file_facts
from sabot_service.facts import Fact

CONFIG = """\
site = "x"
ledger = "data/ledger.db"
broker = "mqtt://127.0.0.1:9"
keys = "keys"
jackpot_key = "jackpot.key"
[login]
user = "gateway"
password_file = "broker.password"
[[table]]
name = "bac-01"
port = "/dev/ttyACM0"
rulebook = "star-baccarat"
"""
RIGHT = {  # as the package makes them, and INSTALL.md
    "gateway.toml": 0o640,
    "broker.password": 0o600,
    "jackpot.key": 0o600,
    "data/ledger.db": 0o640,
    "data/ledger.db-key": 0o600,
    "keys": 0o700,
    "data": 0o750,
    ".": 0o750,
}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    """The files of a gateway, with the right modes."""
    for folder in ("keys", "data"):
        (tmp_path / folder).mkdir()
    for name, mode in RIGHT.items():
        if not (tmp_path / name).is_dir():
            (tmp_path / name).write_text(CONFIG if name.endswith(".toml") else "")
        (tmp_path / name).chmod(mode)
    yield tmp_path
    tmp_path.chmod(0o700)


def found(site: Path) -> list[Fact]:
    path = site / "gateway.toml"
    config, problems = configs.read(path)
    assert config is not None, problems
    return list(file_facts(path, config))


def test_what_the_package_makes_is_right(site: Path) -> None:
    assert found(site) == [Fact("ok", "files", "modes and owners are right; checked: 8")]


@pytest.mark.parametrize(
    ("name", "mode", "status", "says"),
    [
        ("gateway.toml", 0o660, "wrong", "others can change it (mode 0660): `sudo chmod 0640 "),
        ("gateway.toml", 0o646, "wrong", "others can change it (mode 0646): `sudo chmod 0644 "),
        (".", 0o777, "wrong", "others can change it (mode 0777): `sudo chmod 0755 "),
        ("broker.password", 0o640, "wrong", "others can read it (mode 0640): `sudo chmod 0600 "),
        ("jackpot.key", 0o604, "wrong", "others can read it (mode 0604): `sudo chmod 0600 "),
        ("keys", 0o750, "warning", "others can read it (mode 0750): `sudo chmod 0700 "),
        ("keys", 0o770, "wrong", "others can change it (mode 0770): `sudo chmod 0700 "),
        ("data", 0o775, "wrong", "others can change it (mode 0775): `sudo chmod 0755 "),
        ("data/ledger.db", 0o644, "warning", "others can read it (mode 0644): `sudo chmod 0640 "),
        ("data/ledger.db", 0o660, "wrong", "others can change it (mode 0660): `sudo chmod 0640 "),
        ("data/ledger.db-key", 0o640, "wrong", "others can read it (mode 0640): `sudo chmod 0600 "),
    ],
)
def test_a_mode_that_permits_too_much(site: Path, name: str, mode: int, status: str, says: str) -> None:
    (site / name).chmod(mode)
    (fact,) = found(site)
    assert (fact.status, fact.subject) == (status, "files")
    assert fact.says == f"{site / name}: {says}{site / name}`"


def test_the_command_mends_it(site: Path) -> None:
    (site / "gateway.toml").chmod(0o666)
    (fact,) = found(site)
    command = fact.says.split("`")[1].removeprefix("sudo ")
    subprocess.run(command.split(), check=True)
    assert [fact.status for fact in found(site)] == ["ok"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_file_of_another_account_is_wrong(site: Path) -> None:
    os.chown(site / "data", 4321, 0)
    os.chown(site / "broker.password", 4321, 0)
    assert [fact.status for fact in found(site)] == ["ok"]
    os.chown(site / "broker.password", 4322, 0)
    (fact,) = found(site)
    password = site / "broker.password"
    assert fact == Fact("wrong", "files", f"{password}: belongs to 4322: `sudo chown 4321 {password}`")


def test_the_floor_service_is_checked_too(tmp_path: Path) -> None:
    path = tmp_path / "floor.toml"
    path.write_text('site = "x"\nstore = "floor.db"\nbroker = "mqtt://127.0.0.1:9"\nfloor_key = "floor.key"\n')
    path.chmod(0o666)
    (tmp_path / "floor.key").write_text("")
    (tmp_path / "floor.key").chmod(0o640)
    says = [fact.says for fact in floor_check.facts(path) if fact.subject == "files"]
    assert says == [
        f"{path}: others can change it (mode 0666): `sudo chmod 0644 {path}`",
        f"{tmp_path}/floor.key: others can read it (mode 0640): `sudo chmod 0600 {tmp_path}/floor.key`",
    ]
