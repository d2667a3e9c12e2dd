"""The tree stays readable: size of files, functions and classes, and plain English."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parents[2]
MOST_FILE_LINES, MOST_FUNCTION_LINES, MOST_MEDIAN_LINES, MOST_METHODS = 400, 60, 10, 20
REASON = "One class because"
GENERATED = {"firmware/sabot/wire.py"}
DIALECT = re.compile(r"\b(told|borne|says so|who drives|is said)\b", re.IGNORECASE)
# Files whose use of these words is literal.
LITERAL = {"tools/tests/test_tree.py"}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def tracked(*patterns: str) -> list[str]:
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [name for name in listed.stdout.split("\n") if name and (ROOT / name).exists()]


def sources() -> Iterator[tuple[str, str]]:
    for name in tracked("*.py"):
        if name not in GENERATED:
            yield name, (ROOT / name).read_text()


def nodes(kind: type | tuple[type, ...]) -> Iterator[tuple[str, ast.AST]]:
    for name, text in sources():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, kind):
                yield name, node


def lines(node: ast.AST) -> int:
    assert isinstance(node, Function)
    return (node.end_lineno or node.lineno) - node.lineno + 1


def test_no_file_is_longer_than_one_sitting() -> None:
    long = {name: text.count("\n") for name, text in sources() if text.count("\n") > MOST_FILE_LINES}
    assert long == {}


def test_functions_are_short() -> None:
    found = list(nodes((ast.FunctionDef, ast.AsyncFunctionDef)))
    assert len(found) > 1000
    assert median(lines(node) for _, node in found) <= MOST_MEDIAN_LINES
    long = [f"{name}: {getattr(node, 'name', '')}" for name, node in found if lines(node) > MOST_FUNCTION_LINES]
    assert long == []


def test_a_large_class_gives_its_reason() -> None:
    large = []
    for name, node in nodes(ast.ClassDef):
        assert isinstance(node, ast.ClassDef)
        methods = sum(isinstance(part, Function) for part in node.body)
        reason = " ".join((ast.get_docstring(node) or "").split())
        if methods > MOST_METHODS and REASON not in reason:
            large.append(f"{name}: {node.name} has {methods} methods")
    assert large == []


@pytest.mark.parametrize("pattern", ["*.py", "*.md", "*.toml", "protocol/schemas/*.json"])
def test_plain_english(pattern: str) -> None:
    names = [name for name in tracked(pattern) if name not in LITERAL and "/recordings/" not in name]
    assert names
    odd = [
        f"{name}:{number}: {line.strip()[:100]}"
        for name in names
        for number, line in enumerate((ROOT / name).read_text().split("\n"), 1)
        if DIALECT.search(line)
    ]
    assert odd == []
