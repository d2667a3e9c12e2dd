"""sabot keys: files for their owner's eyes, nothing overwritten, nothing shown that was not asked for."""

import os
import stat
from pathlib import Path

import pytest
from sabot_gateway.shoe.keys import KeyRing
from sabot_protocol.auth import fingerprint
from sabot_tools.cli import app
from typer.testing import CliRunner, Result

UNIT, OTHER = "5ab0000000000001", "5ab0000000000002"


class Shop:
    """`sabot keys` in a directory of its own."""

    def __init__(self, work_dir: Path) -> None:
        self.directory = work_dir / "keys"
        self.ring = KeyRing(self.directory)

    def run(self, *args: str) -> Result:
        return CliRunner().invoke(app, ["keys", *args, "--dir", str(self.directory)])

    def files(self) -> list[str]:
        return sorted(path.name for path in self.directory.iterdir())


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_key_is_its_owners_alone(shop: Shop) -> None:
    before = os.umask(0)
    try:
        ran = shop.run("new", UNIT)
    finally:
        os.umask(before)
    assert (ran.exit_code, ran.stdout) == (0, "")
    assert (mode(shop.directory), mode(shop.ring.path(UNIT))) == (0o700, 0o600)
    text = shop.ring.path(UNIT).read_text()
    assert len(text) == 65
    assert text.endswith("\n")
    assert shop.ring.keys(UNIT) == [bytes.fromhex(text)]
    assert text.strip() not in ran.output
    assert fingerprint(bytes.fromhex(text)) in ran.stderr


def test_the_file_is_its_owners_alone_from_the_first_byte(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, fdopen = [], os.fdopen

    def watched(descriptor: int, how: str) -> object:
        found = os.fstat(descriptor)
        seen.append((stat.S_IMODE(found.st_mode), found.st_size))
        return fdopen(descriptor, how)

    monkeypatch.setattr(os, "fdopen", watched)
    shop.run("new", UNIT)
    assert seen == [(0o600, 0)]


def test_two_keys_differ(shop: Shop) -> None:
    shop.run("new", UNIT)
    shop.run("new", OTHER)
    assert shop.ring.keys(UNIT) != shop.ring.keys(OTHER)


def test_a_key_is_not_overwritten(shop: Shop) -> None:
    shop.run("new", UNIT)
    before = shop.ring.keys(UNIT)
    ran = shop.run("new", UNIT)
    assert ran.exit_code == 1
    assert f"this shoe has a key; to replace it: sabot keys rotate {UNIT}" in ran.stderr
    assert shop.ring.keys(UNIT) == before


def test_an_upper_case_unit_is_the_same_unit(shop: Shop) -> None:
    assert shop.run("new", UNIT.upper()).exit_code == 0
    assert shop.files() == [f"{UNIT}.key"]


@pytest.mark.parametrize("unit", ["../../evil", "5ab0", UNIT + "00", "5ab000000000000g"])
@pytest.mark.parametrize("action", ["new", "show", "rotate"])
def test_a_unit_is_sixteen_hex_digits(shop: Shop, action: str, unit: str) -> None:
    shop.run("new", OTHER)
    ran = shop.run(action, unit)
    assert ran.exit_code == 1
    assert "is no unit id; give its 16 hex digits" in ran.stderr
    assert shop.files() == [f"{OTHER}.key"]


def test_the_shoes_copy_is_the_same_key(shop: Shop, tmp_path: Path) -> None:
    copy = tmp_path / "key.bin"
    shop.run("new", UNIT, "--shoe", str(copy))
    assert [copy.read_bytes()] == shop.ring.keys(UNIT)
    assert mode(copy) == 0o600


@pytest.mark.parametrize("place", ["key.bin", "nowhere/key.bin"])
@pytest.mark.parametrize("action", ["new", "rotate"])
def test_without_the_shoes_copy_no_key_is_made(shop: Shop, tmp_path: Path, action: str, place: str) -> None:
    (tmp_path / "key.bin").write_text("something dear")
    if action == "rotate":
        shop.run("new", UNIT)
    before = shop.ring.keys(UNIT) if action == "rotate" else []
    ran = shop.run(action, UNIT, "--shoe", str(tmp_path / place))
    assert ran.exit_code == 1
    assert str(tmp_path / place) in ran.stderr
    assert shop.ring.keys(UNIT) == before
    assert (tmp_path / "key.bin").read_text() == "something dear"


def test_a_disk_that_is_full_leaves_nothing_behind(shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def fsync(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 3:  # the shoe's copy, its directory, then the key
            raise OSError(28, "No space left on device", "the disk")

    monkeypatch.setattr(os, "fsync", fsync)
    ran = shop.run("new", UNIT, "--shoe", str(tmp_path / "key.bin"))
    assert ran.exit_code == 1
    assert "No space left on device" in ran.stderr
    assert shop.files() == []
    assert not (tmp_path / "key.bin").exists()


def test_keys_are_listed_by_fingerprint(shop: Shop) -> None:
    shop.run("new", OTHER)
    shop.run("new", UNIT)
    os.utime(shop.ring.path(UNIT), (1_800_000_000, 1_800_000_000))
    ran = shop.run("show")
    assert ran.exit_code == 0
    first, second = ran.stdout.splitlines()
    assert first == f"{UNIT}  {fingerprint(shop.ring.keys(UNIT)[0])}  made 2027-01-15T08:00:00Z"
    assert second.startswith(f"{OTHER}  {fingerprint(shop.ring.keys(OTHER)[0])}  made ")
    assert all(key.hex() not in ran.output for unit in (UNIT, OTHER) for key in shop.ring.keys(unit))
    assert shop.run("show", UNIT).stdout == first + "\n"


def test_the_key_itself_is_printed_only_when_asked_for_and_for_one_unit(shop: Shop) -> None:
    shop.run("new", UNIT)
    assert shop.run("show", UNIT, "--secret").stdout == shop.ring.keys(UNIT)[0].hex() + "\n"
    ran = shop.run("show", "--secret")
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert "no unit given: sabot keys show UNIT --secret" in ran.stderr


def test_a_bad_file_is_told_beside_the_good_ones(shop: Shop) -> None:
    shop.run("new", UNIT)
    shop.run("new", OTHER)
    shop.ring.path(UNIT).chmod(0o640)
    ran = shop.run("show")
    assert ran.exit_code == 1
    assert ran.stdout.startswith(OTHER)
    assert f"chmod 600 {shop.ring.path(UNIT)}" in ran.stderr
    assert shop.run("rotate", UNIT).exit_code == 1


def test_a_rotation_from_begin_to_end(shop: Shop, tmp_path: Path) -> None:
    shop.run("new", UNIT)
    (old,) = shop.ring.keys(UNIT)
    assert shop.run("rotate", UNIT, "--shoe", str(tmp_path / "key.bin")).exit_code == 0
    new = (tmp_path / "key.bin").read_bytes()
    assert shop.ring.keys(UNIT) == [new, old]
    assert new != old
    assert {mode(shop.ring.path(UNIT)), mode(shop.ring.old_path(UNIT))} == {0o600}
    assert f"rotation in progress, old key {fingerprint(old)}" in shop.run("show").stdout
    assert shop.run("show", UNIT, "--secret").stdout.strip() == new.hex()
    again = shop.run("rotate", UNIT)
    assert (again.exit_code, shop.ring.keys(UNIT)) == (1, [new, old])
    assert "a rotation is in progress" in again.stderr
    assert shop.run("rotate", UNIT, "--finish").exit_code == 0
    assert shop.ring.keys(UNIT) == [new]
    assert shop.files() == [f"{UNIT}.key"]


def test_a_rotation_that_was_cut_short_is_begun_again(shop: Shop) -> None:
    shop.run("new", UNIT)
    (shop.directory / f"{UNIT}.fresh").write_text("half a k")
    assert shop.run("rotate", UNIT).exit_code == 0
    assert len(shop.ring.keys(UNIT)) == 2
    assert shop.files() == [f"{UNIT}.key", f"{UNIT}.old.key"]


def test_what_is_not_there_cannot_be_rotated_finished_or_shown(shop: Shop) -> None:
    assert "make it with `sabot keys new UNIT" in shop.run("show").stderr
    shop.run("new", OTHER)
    for args in (("rotate", UNIT), ("rotate", UNIT, "--finish"), ("show", UNIT)):
        ran = shop.run(*args)
        assert ran.exit_code == 1
        assert f"no such key; make it with: sabot keys new {UNIT}" in ran.stderr
    ran = shop.run("rotate", OTHER, "--finish")
    assert (ran.exit_code, "no rotation is in progress" in ran.stderr) == (1, True)
    assert shop.run("rotate", OTHER, "--finish", "--shoe", "key.bin").exit_code == 2


@pytest.mark.parametrize("action", ["new", "show", "rotate"])
def test_the_example_of_the_help_works(
    action: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shop: Shop
) -> None:
    monkeypatch.chdir(tmp_path)
    if action != "new":
        shop.run("new", UNIT)
    shown = CliRunner().invoke(app, ["keys", action, "--help"]).stdout
    example = next(line for line in shown.splitlines() if "Example: sabot keys" in line)
    assert CliRunner().invoke(app, example.split()[2:]).exit_code == 0
