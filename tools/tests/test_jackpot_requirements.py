"""Every requirement about jackpots, NJ-01 to NJ-24 and CJ-01 to CJ-21, has a test named after it."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
WANTED = {f"nj_{n:02}" for n in range(1, 25)} | {f"cj_{n:02}" for n in range(1, 22)}
_NAMED = re.compile(r"(?:nj|cj)_[0-9]{2}")


def named() -> set[str]:
    """Return the requirements in the names of all test functions."""
    found = set[str]()
    for file in ROOT.glob("*/tests/**/test_*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found |= set(_NAMED.findall(node.name))
    return found


def test_every_requirement_about_jackpots_has_a_test() -> None:
    assert WANTED - named() == set()


def test_no_test_is_named_after_a_requirement_that_is_not_there() -> None:
    assert named() - WANTED == set()
