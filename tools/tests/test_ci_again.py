"""CI runs a failed test once more: one that passes then is named as unstable, all else stays a failure."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Fails at its first run only, as a file of the test's own shows.
ONCE = """
from pathlib import Path
def test_{name}():
    seen = Path(__file__).with_name("{name}.seen")
    first = not seen.exists()
    seen.touch()
    assert not first
"""
ALWAYS = "def test_always():\n    assert False\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with the script, and a pytest where `make test` has it."""
    binaries = tmp_path / ".venv/bin"
    binaries.mkdir(parents=True)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -q\n")
    (tmp_path / "conftest.py").write_text(
        "def pytest_addoption(parser):\n    parser.addoption('--bench', default='unix')\n"
    )
    for name, command in (("python", sys.executable), ("pytest", f"{sys.executable} -m pytest")):
        (binaries / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        (binaries / name).chmod(0o755)
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/again", tmp_path / ".ci/again")
    return tmp_path


def run_tests(tree: Path, *options: str) -> int:
    return subprocess.run([".venv/bin/pytest", *options], cwd=tree, capture_output=True, check=False).returncode


def run_again(tree: Path, tests: int, chip: int = 0) -> subprocess.CompletedProcess[str]:
    (tree / ".venv/test_outcome").write_text(f"{tests} {chip}\n")
    return subprocess.run(["sh", ".ci/again"], cwd=tree, capture_output=True, text=True, check=False)


def test_what_passes_alone_is_named_as_unstable(tree: Path) -> None:
    (tree / "test_some.py").write_text(ONCE.format(name="hasty") + "\ndef test_good():\n    pass\n")
    again = run_again(tree, run_tests(tree))
    assert again.returncode == 0, again.stdout + again.stderr
    assert again.stdout.splitlines()[-1] == "unstable: test_some.py::test_hasty"
    assert "1 passed" in again.stdout  # and nothing else was run


def test_what_fails_again_stays_a_failure(tree: Path) -> None:
    (tree / "test_some.py").write_text(ONCE.format(name="hasty") + ALWAYS)
    again = run_again(tree, run_tests(tree))
    assert again.returncode
    assert "unstable" not in again.stdout


def test_the_run_on_the_chip_has_its_own_list(tree: Path) -> None:
    (tree / "test_some.py").write_text(ONCE.format(name="chip"))
    chip = run_tests(tree, "--bench", "rp2040", "-o", "cache_dir=.venv/chip_cache")
    again = run_again(tree, 0, chip)
    assert (again.returncode, again.stdout.splitlines()[-1]) == (0, "unstable: test_some.py::test_chip")


def test_many_failures_are_no_bad_luck(tree: Path) -> None:
    (tree / "test_some.py").write_text("".join(ONCE.format(name=f"n{number}") for number in range(11)))
    again = run_again(tree, run_tests(tree))
    assert again.returncode
    assert "11 tests failed: too many to be run again" in again.stdout


@pytest.mark.parametrize("outcome", ["2 0", "0 2", "3 1", "0 0", ""])
def test_only_failed_tests_are_repeated(tree: Path, outcome: str) -> None:
    (tree / "test_some.py").write_text(ONCE.format(name="hasty"))
    run_tests(tree)
    (tree / ".venv/test_outcome").write_text(outcome)
    assert subprocess.run(["sh", ".ci/again"], cwd=tree, check=False).returncode


def test_without_an_outcome_nothing_is_repeated(tree: Path) -> None:
    assert subprocess.run(["sh", ".ci/again"], cwd=tree, check=False).returncode
