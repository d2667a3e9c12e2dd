"""Every test_* function of the vm_*.py files, each in a fresh MicroPython VM with a board-sized heap."""

import ast
import os
import subprocess
from pathlib import Path

import pytest
from sabot_sim.rigs.vm import HEAP, micropython
from support.patience import PATIENCE_S

TESTS = Path(__file__).parent
ROOT = TESTS.parents[1]
ROOM = {"vm_allocation": "heapsize=192wK"}  # the whole firmware and hundreds of samples: the heap is locked anyway


def cases() -> list[tuple[str, str]]:
    """Module and function of every test."""
    return [
        (file.stem, node.name)
        for file in sorted(TESTS.glob("vm_*.py"))
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]


@pytest.mark.parametrize(("module", "function"), cases())
def test_on_the_vm(module: str, function: str) -> None:
    ran = subprocess.run(
        [micropython(), "-X", ROOM.get(module, HEAP), "firmware/tests/vm.py", module, function],
        cwd=ROOT,
        env={**os.environ, "MICROPYPATH": "firmware:firmware/tests:.frozen"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_there_are_tests_and_a_failing_one_fails() -> None:
    assert len(cases()) > 20
    ran = subprocess.run(
        [micropython(), "firmware/tests/vm.py", "vm_coup", "no_such_test"], cwd=ROOT, capture_output=True, check=False
    )
    assert ran.returncode != 0
