"""Assertions are rewritten once for all workers: the copies are those that pytest itself looks for."""

from pathlib import Path

import pytest
from support import rewritten


def test_a_file_is_rewritten_when_it_is_new_or_changed(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    file = tmp_path / "test_new.py"
    file.write_text("def test_one():\n    assert 1 + 1 == 2\n")
    assert [rewritten.write([file], pytestconfig) for _ in range(2)] == [1, 0]
    file.write_text("def test_one():\n    assert 1 + 1 == 3\n")
    assert rewritten.write([file], pytestconfig) == 1
    assert rewritten.write([tmp_path / "test_none.py"], pytestconfig) == 0


def test_the_files_of_a_run_are_those_that_its_arguments_name(tmp_path: Path) -> None:
    for name in ("test_b.py", "test_a.py", "helper.py"):
        (tmp_path / name).touch()
    one = tmp_path / "test_b.py"
    assert list(rewritten.files([str(tmp_path)])) == [tmp_path / "test_a.py", one]
    assert list(rewritten.files([f"{one}::test_two[a::b]"])) == [one]
