"""sabot keys: files that only the owner can read, no overwriting, no key printed unless asked for."""

import os
import stat
from pathlib import Path

import pytest
from sabot_gateway.shoe.keys import KeyRing
from sabot_protocol.auth import fingerprint
from sabot_tools.cli import app
from typer.testing import CliRunner, Result

UNIT, OTHER = "5ab0000000000001", "5ab0000000000002"


class KeysCommand:
    """`sabot keys` with a directory of its own."""

    def __init__(self, work_dir: Path) -> None:
        self.directory = work_dir / "keys"
        self.ring = KeyRing(self.directory)

    def run(self, *args: str) -> Result:
        return CliRunner().invoke(app, ["keys", *args, "--dir", str(self.directory)])

    def files(self) -> list[str]:
        return sorted(path.name for path in self.directory.iterdir())


@pytest.fixture
def keys(tmp_path: Path) -> KeysCommand:
    return KeysCommand(tmp_path)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_the_owner_can_read_a_new_key(keys: KeysCommand) -> None:
    before = os.umask(0)
    try:
        ran = keys.run("new", UNIT)
    finally:
        os.umask(before)
    assert (ran.exit_code, ran.stdout) == (0, "")
    assert (mode(keys.directory), mode(keys.ring.path(UNIT))) == (0o700, 0o600)
    text = keys.ring.path(UNIT).read_text()
    assert len(text) == 65
    assert text.endswith("\n")
    assert keys.ring.keys(UNIT) == [bytes.fromhex(text)]
    assert text.strip() not in ran.output
    assert fingerprint(bytes.fromhex(text)) in ran.stderr


def test_the_file_is_private_before_the_key_is_written(keys: KeysCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, fdopen = [], os.fdopen

    def watched(descriptor: int, how: str) -> object:
        found = os.fstat(descriptor)
        seen.append((stat.S_IMODE(found.st_mode), found.st_size))
        return fdopen(descriptor, how)

    monkeypatch.setattr(os, "fdopen", watched)
    keys.run("new", UNIT)
    assert seen == [(0o600, 0)]


def test_two_keys_differ(keys: KeysCommand) -> None:
    keys.run("new", UNIT)
    keys.run("new", OTHER)
    assert keys.ring.keys(UNIT) != keys.ring.keys(OTHER)


def test_a_key_is_not_overwritten(keys: KeysCommand) -> None:
    keys.run("new", UNIT)
    before = keys.ring.keys(UNIT)
    ran = keys.run("new", UNIT)
    assert ran.exit_code == 1
    assert f"this shoe has a key; to replace it: sabot keys rotate {UNIT}" in ran.stderr
    assert keys.ring.keys(UNIT) == before


def test_an_upper_case_unit_is_the_same_unit(keys: KeysCommand) -> None:
    assert keys.run("new", UNIT.upper()).exit_code == 0
    assert keys.files() == [f"{UNIT}.key"]


@pytest.mark.parametrize("unit", ["../../evil", "5ab0", UNIT + "00", "5ab000000000000g"])
@pytest.mark.parametrize("action", ["new", "show", "rotate"])
def test_a_unit_is_sixteen_hex_digits(keys: KeysCommand, action: str, unit: str) -> None:
    keys.run("new", OTHER)
    ran = keys.run(action, unit)
    assert ran.exit_code == 1
    assert "is not a unit id; give its 16 hex digits" in ran.stderr
    assert keys.files() == [f"{OTHER}.key"]


def test_the_shoes_copy_is_the_same_key(keys: KeysCommand, tmp_path: Path) -> None:
    copy = tmp_path / "key.bin"
    keys.run("new", UNIT, "--shoe", str(copy))
    assert [copy.read_bytes()] == keys.ring.keys(UNIT)
    assert mode(copy) == 0o600


@pytest.mark.parametrize("place", ["key.bin", "nowhere/key.bin"])
@pytest.mark.parametrize("action", ["new", "rotate"])
def test_no_key_is_made_if_the_shoes_copy_cannot_be_written(
    keys: KeysCommand, tmp_path: Path, action: str, place: str
) -> None:
    (tmp_path / "key.bin").write_text("something dear")
    if action == "rotate":
        keys.run("new", UNIT)
    before = keys.ring.keys(UNIT) if action == "rotate" else []
    ran = keys.run(action, UNIT, "--shoe", str(tmp_path / place))
    assert ran.exit_code == 1
    assert str(tmp_path / place) in ran.stderr
    assert keys.ring.keys(UNIT) == before
    assert (tmp_path / "key.bin").read_text() == "something dear"


def test_a_full_disk_leaves_no_file_behind(keys: KeysCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def fsync(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 3:  # the shoe's copy, its directory, then the key
            raise OSError(28, "No space left on device", "the disk")

    monkeypatch.setattr(os, "fsync", fsync)
    ran = keys.run("new", UNIT, "--shoe", str(tmp_path / "key.bin"))
    assert ran.exit_code == 1
    assert "No space left on device" in ran.stderr
    assert keys.files() == []
    assert not (tmp_path / "key.bin").exists()


def test_keys_are_listed_by_fingerprint(keys: KeysCommand) -> None:
    keys.run("new", OTHER)
    keys.run("new", UNIT)
    os.utime(keys.ring.path(UNIT), (1_800_000_000, 1_800_000_000))
    ran = keys.run("show")
    assert ran.exit_code == 0
    first, second = ran.stdout.splitlines()
    assert first == f"{UNIT}  {fingerprint(keys.ring.keys(UNIT)[0])}  made 2027-01-15T08:00:00Z"
    assert second.startswith(f"{OTHER}  {fingerprint(keys.ring.keys(OTHER)[0])}  made ")
    assert all(key.hex() not in ran.output for unit in (UNIT, OTHER) for key in keys.ring.keys(unit))
    assert keys.run("show", UNIT).stdout == first + "\n"


def test_the_key_is_printed_only_with_secret_and_for_one_unit(keys: KeysCommand) -> None:
    keys.run("new", UNIT)
    assert keys.run("show", UNIT, "--secret").stdout == keys.ring.keys(UNIT)[0].hex() + "\n"
    ran = keys.run("show", "--secret")
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert "no unit given: sabot keys show UNIT --secret" in ran.stderr


def test_a_bad_file_is_reported_and_the_others_are_listed(keys: KeysCommand) -> None:
    keys.run("new", UNIT)
    keys.run("new", OTHER)
    keys.ring.path(UNIT).chmod(0o640)
    ran = keys.run("show")
    assert ran.exit_code == 1
    assert ran.stdout.startswith(OTHER)
    assert f"chmod 600 {keys.ring.path(UNIT)}" in ran.stderr
    assert keys.run("rotate", UNIT).exit_code == 1


def test_a_complete_rotation(keys: KeysCommand, tmp_path: Path) -> None:
    keys.run("new", UNIT)
    (old,) = keys.ring.keys(UNIT)
    assert keys.run("rotate", UNIT, "--shoe", str(tmp_path / "key.bin")).exit_code == 0
    new = (tmp_path / "key.bin").read_bytes()
    assert keys.ring.keys(UNIT) == [new, old]
    assert new != old
    assert {mode(keys.ring.path(UNIT)), mode(keys.ring.old_path(UNIT))} == {0o600}
    assert f"rotation in progress, old key {fingerprint(old)}" in keys.run("show").stdout
    assert keys.run("show", UNIT, "--secret").stdout.strip() == new.hex()
    again = keys.run("rotate", UNIT)
    assert (again.exit_code, keys.ring.keys(UNIT)) == (1, [new, old])
    assert "a rotation is in progress" in again.stderr
    assert keys.run("rotate", UNIT, "--finish").exit_code == 0
    assert keys.ring.keys(UNIT) == [new]
    assert keys.files() == [f"{UNIT}.key"]


def test_an_interrupted_rotation_can_begin_again(keys: KeysCommand) -> None:
    keys.run("new", UNIT)
    (keys.directory / f"{UNIT}.fresh").write_text("half a k")
    assert keys.run("rotate", UNIT).exit_code == 0
    assert len(keys.ring.keys(UNIT)) == 2
    assert keys.files() == [f"{UNIT}.key", f"{UNIT}.old.key"]


def test_a_missing_key_cannot_be_rotated_finished_or_shown(keys: KeysCommand) -> None:
    assert "make it with `sabot keys new UNIT" in keys.run("show").stderr
    keys.run("new", OTHER)
    for args in (("rotate", UNIT), ("rotate", UNIT, "--finish"), ("show", UNIT)):
        ran = keys.run(*args)
        assert ran.exit_code == 1
        assert f"no such key; make it with: sabot keys new {UNIT}" in ran.stderr
    ran = keys.run("rotate", OTHER, "--finish")
    assert (ran.exit_code, "no rotation is in progress" in ran.stderr) == (1, True)
    assert keys.run("rotate", OTHER, "--finish", "--shoe", "key.bin").exit_code == 2


@pytest.mark.parametrize("action", ["new", "show", "rotate"])
def test_the_example_of_the_help_works(
    action: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: KeysCommand
) -> None:
    monkeypatch.chdir(tmp_path)
    if action != "new":
        keys.run("new", UNIT)
    shown = CliRunner().invoke(app, ["keys", action, "--help"]).stdout
    example = next(line for line in shown.splitlines() if "Example: sabot keys" in line)
    assert CliRunner().invoke(app, example.split()[2:]).exit_code == 0
