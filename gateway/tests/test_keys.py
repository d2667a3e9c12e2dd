"""Key files: found by unit, refused with the reason when others could have read or changed them."""

import os
from pathlib import Path

import pytest
from sabot_gateway.shoe.keys import KeyRing
from sabot_protocol.inputs.secret_file import SecretError
from shoe_events import KEY, OTHER_KEY, UNIT


def put(path: Path, text: str, mode: int = 0o600) -> None:
    path.write_text(text)
    path.chmod(mode)


@pytest.fixture
def ring(tmp_path: Path) -> KeyRing:
    directory = tmp_path / "keys"
    directory.mkdir(mode=0o700)
    return KeyRing(directory)


def test_a_unit_without_a_file_has_no_key(ring: KeyRing) -> None:
    assert ring.keys(UNIT) == []
    assert ring.units() == []


def test_the_newest_key_is_first(ring: KeyRing) -> None:
    put(ring.path(UNIT), KEY.hex() + "\n")
    assert ring.keys(UNIT) == [KEY]
    put(ring.old_path(UNIT), OTHER_KEY.hex())
    assert ring.keys(UNIT) == [KEY, OTHER_KEY]
    assert ring.units() == [UNIT]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o644])
def test_a_file_that_others_can_use_serves_nobody(ring: KeyRing, mode: int) -> None:
    put(ring.path(UNIT), KEY.hex() + "\n", mode)
    with pytest.raises(SecretError) as refused:
        ring.keys(UNIT)
    assert f"chmod 600 {ring.path(UNIT)}" in str(refused.value)
    assert f"mode {mode:04o}" in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        KEY.hex()[:-1] + "\n",
        KEY.hex() + "0\n",
        KEY.hex() + "\n\n",
        KEY.hex()[:-1] + "g\n",
        "ü" * 32,
        "a" * 999,
    ],
)
@pytest.mark.parametrize("old", [False, True])
def test_a_file_that_is_no_key_serves_nobody_and_is_not_shown(ring: KeyRing, text: str, old: bool) -> None:
    put(ring.path(UNIT), KEY.hex() + "\n")
    bad = ring.old_path(UNIT) if old else ring.path(UNIT)
    put(bad, text)
    with pytest.raises(SecretError) as refused:
        ring.keys(UNIT)
    assert str(bad) in str(refused.value)
    assert "64 hex digits" in str(refused.value)
    assert KEY.hex()[:16] not in str(refused.value)
    assert refused.value.__cause__ is None


def test_an_old_key_alone_is_not_a_unit_without_a_key(ring: KeyRing) -> None:
    put(ring.old_path(UNIT), KEY.hex())
    with pytest.raises(SecretError, match="an old key, but no"):
        ring.keys(UNIT)


def test_what_is_no_file_is_refused_and_not_waited_for(ring: KeyRing) -> None:
    os.mkfifo(ring.path(UNIT), 0o600)
    with pytest.raises(SecretError, match="not a plain file"):
        ring.keys(UNIT)


@pytest.mark.parametrize(
    "unit", ["", "../../etc/passwd", UNIT + "0", UNIT[:-1], UNIT.upper(), UNIT + "\n", "5ab0/00000000001"]
)
def test_a_unit_is_sixteen_hex_digits(ring: KeyRing, unit: str) -> None:
    with pytest.raises(SecretError, match="is not a unit id"):
        ring.keys(unit)


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o722])
def test_a_directory_that_others_can_write_serves_nobody(ring: KeyRing, mode: int) -> None:
    put(ring.path(UNIT), KEY.hex())
    ring.directory.chmod(mode)
    with pytest.raises(SecretError, match=f"chmod 700 {ring.directory}"):
        ring.keys(UNIT)


def test_no_directory_is_not_no_key(tmp_path: Path) -> None:
    for place, says in (("nowhere", "No such file"), ("file", "not a directory")):
        (tmp_path / "file").write_text("")
        with pytest.raises(SecretError, match=says):
            KeyRing(tmp_path / place).keys(UNIT)


def test_nothing_of_a_key_is_shown(ring: KeyRing) -> None:
    put(ring.path(UNIT), KEY.hex())
    ring.keys(UNIT)
    assert repr(ring) == f"KeyRing('{ring.directory}')"
    assert KEY.hex() not in str(vars(ring))
