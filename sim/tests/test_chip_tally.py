"""The last line of a test run says what ran on the emulated chip, with one process and with workers."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import sabot_sim
from sabot_sim.chip.emulators import chosen
from sabot_sim.chip.uf2 import HOW_TO_GET_UF2

PLUGIN_DIR = Path(__file__).parents[2] / "hil_tests"
# Of the installed plugins none but xdist has a part in this; to load the others takes longer than the tests.
ALONE: tuple[str, ...] = ()
WORKERS = ("-p", "xdist", "-n", "2")

TESTS = """
import pytest
from sabot_sim.chip.uf2 import HOW_TO_GET_UF2

on_chip = pytest.mark.skipif(False, reason=HOW_TO_GET_UF2)

@on_chip
@pytest.mark.parametrize("number", range(3))
def test_on_the_chip(number):
    pass

@on_chip
@pytest.mark.chip_full
def test_by_name_only():
    pass

@on_chip
def test_of_another_set():
    pytest.skip("not of the quick set; SABOT_ALL_RECORDINGS=1 replays all")

@on_chip
def test_that_fails():
    assert {passes}

def test_elsewhere():
    pass
"""


def run(folder: Path, *args: str, **env: str) -> list[str]:
    """The lines of a run of tests that are not of this project, with its plugin."""
    ours = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "SABOT_CHIP_TALLY": "", "PYTHONPATH": str(PLUGIN_DIR)}
    options = ("-q", "-p", "support.chip_tally", "-m", "not chip_full", "-p", "no:cacheprovider", "-W", "ignore")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *args],
        cwd=folder,
        env={**os.environ, **ours, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout.splitlines()


@pytest.mark.parametrize("how", [ALONE, WORKERS], ids=["alone", "workers"])
def test_the_last_line_says_what_ran(tmp_path: Path, how: tuple[str, ...]) -> None:
    on_chip = f"on the emulated RP2040 ({chosen()})"
    left = "1 are left to `make chip`; 1 are left to `make replay`"
    test = tmp_path / "test_some.py"
    test.write_text(TESTS.format(passes=True))
    assert run(tmp_path, *how)[-1] == f"{on_chip}: 4 tests ran, 0 skipped; {left}"
    test.write_text(TESTS.format(passes=False))
    assert run(tmp_path, *how)[-1] == f"{on_chip}: 4 tests ran, 1 failed, 0 skipped; {left}"


def test_runs_add_up(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(TESTS.format(passes=True))
    tally = str(tmp_path / "tally.json")
    run(tmp_path, SABOT_CHIP_TALLY=tally)
    last = run(tmp_path, "-k", "on_the_chip", SABOT_CHIP_TALLY=tally)[-1]
    assert last.startswith(f"on the emulated RP2040 ({chosen()}): 7 tests ran, 0 skipped; ")


@pytest.mark.parametrize("how", [ALONE, WORKERS], ids=["alone", "workers"])
def test_a_run_without_the_chip_prints_no_such_line(tmp_path: Path, how: tuple[str, ...]) -> None:
    (tmp_path / "test_some.py").write_text("def test_elsewhere():\n    pass\n")
    assert not any("RP2040" in text for text in run(tmp_path, *how))


def test_a_new_machine_shows_why_nothing_ran(tmp_path: Path) -> None:
    project = tmp_path / "project"  # there is no image beside it
    shutil.copytree(Path(sabot_sim.__file__).parent, project / "sim" / "sabot_sim")
    shutil.copy(Path(__file__).with_name("test_chip.py"), project)
    path = f"{project / 'sim'}:{PLUGIN_DIR}"
    lines = run(project, PYTHONPATH=path, XDG_CACHE_HOME=str(tmp_path), SABOT_UF2="")
    assert re.fullmatch(
        rf"nothing ran on the emulated RP2040: \d\d skipped, {re.escape(HOW_TO_GET_UF2)}; .*", lines[-1]
    )
