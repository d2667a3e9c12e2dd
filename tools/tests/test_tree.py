"""The tree stays readable: size of files, functions and classes, and plain English."""

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median
from typing import NamedTuple

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


class Part(NamedTuple):
    """A function or class: its file, its name, how many lines and methods it has, and its docstring in one line."""

    file: str
    name: str
    lines: int
    methods: int
    doc: str


@cache
def parts() -> tuple[list[Part], list[Part]]:
    """Return all functions and all classes; every file is parsed once."""
    functions: list[Part] = []
    classes: list[Part] = []
    for file, text in sources():
        for node in statements(ast.parse(text)):
            if isinstance(node, Function | ast.ClassDef):
                methods = sum(isinstance(part, Function) for part in node.body)
                size = (node.end_lineno or node.lineno) - node.lineno + 1
                doc = " ".join((ast.get_docstring(node) or "").split())
                (classes if isinstance(node, ast.ClassDef) else functions).append(
                    Part(file, node.name, size, methods, doc)
                )
    return functions, classes


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield every statement inside, at any depth; expressions, of which there are many more, hold none."""
    for branch in ("body", "orelse", "finalbody", "handlers", "cases"):
        inner = getattr(node, branch, ())
        for part in inner if isinstance(inner, list) else ():
            yield part
            yield from statements(part)


def test_no_file_is_longer_than_one_sitting() -> None:
    long = {name: text.count("\n") for name, text in sources() if text.count("\n") > MOST_FILE_LINES}
    assert long == {}


def test_functions_are_short() -> None:
    functions, _ = parts()
    assert len(functions) > 1000
    assert median(function.lines for function in functions) <= MOST_MEDIAN_LINES
    assert [f"{one.file}: {one.name}" for one in functions if one.lines > MOST_FUNCTION_LINES] == []


def test_a_large_class_gives_its_reason() -> None:
    _, classes = parts()
    large = [one for one in classes if one.methods > MOST_METHODS]
    assert large
    without = [f"{one.file}: {one.name} has {one.methods} methods" for one in large if REASON not in one.doc]
    assert without == []


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
