"""Mutation testing of evaluator, price files and jackpots: every small change must fail a test: `make mutants`.

A mutant is one change in one place of a copy of sabot_protocol or sabot_floor; the tests run against the copy.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "protocol" / "sabot_protocol"
MODULES = ["bets", "facts", "table", "sequences", "roulette", "three_card", "lucky_tie", "money", "settled"]
TESTS = ["test_bets", "test_prices", "test_sequences", "test_other_games", "test_rulebooks"]
JACKPOT_MODULES = ["triggers", "contributions", "shares", "signing", "checking", "currency", "sign", "loading", "draws"]
JACKPOT_TESTS = [f"test_jackpot_{name}" for name in ("triggers", "contributions", "shares", "rules", "loading", "sign")]
JACKPOT_TESTS.append("test_jackpot_draws")
FLOOR = ROOT / "gateway" / "sabot_floor"
ENGINE = FLOOR / "jackpots" / "engine"
ENGINE_TESTS = [
    f"test_jackpot_{name}" for name in ("nz", "crown", "meters", "sequence", "wins", "bounds", "conservation")
]
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Add, ast.Mod: ast.Mult, ast.Div: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


class Mutant(NamedTuple):
    """One change: where, what, and the whole text with it."""

    file: Path
    what: str
    text: str


def of_python(file: Path) -> Iterator[Mutant]:
    """Swapped operators, whole numbers one too large, negations dropped, branches of a conditional exchanged."""
    source = file.read_text()
    for number, node in enumerate(ast.walk(ast.parse(source))):
        for what in _changes(node):
            tree = ast.parse(source)
            target = list(ast.walk(tree))[number]
            _apply(target, what)
            yield Mutant(
                file, f"line {getattr(node, 'lineno', 0)}: {what}", ast.unparse(ast.fix_missing_locations(tree))
            )


def _changes(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Compare | ast.BinOp | ast.BoolOp):
        operator = node.ops[0] if isinstance(node, ast.Compare) else node.op
        if type(operator) in SWAPS:
            yield f"{type(operator).__name__} becomes {SWAPS[type(operator)].__name__}"
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield f"{node.value} becomes {node.value + 1}"
    elif isinstance(node, ast.IfExp):
        yield "branches exchanged"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not dropped"


def _apply(node: ast.AST, what: str) -> None:
    if isinstance(node, ast.Compare):
        node.ops[0] = SWAPS[type(node.ops[0])]()  # type: ignore[call-overload]
    elif isinstance(node, ast.BinOp | ast.BoolOp):
        node.op = SWAPS[type(node.op)]()  # type: ignore[assignment]
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        node.value += 1
    elif isinstance(node, ast.IfExp):
        node.body, node.orelse = node.orelse, node.body
    elif isinstance(node, ast.UnaryOp):
        node.op = ast.UAdd()  # +x is as true as x


PRICES = re.compile(r"(win|push|odds|parts|exact_odds|commission|most_of_minimum|option\.option_\d)\b")


def of_toml(file: Path) -> Iterator[Mutant]:
    """Every price one higher, every share of a combined wager, every percentage of a jackpot."""
    text = file.read_text()
    for found in re.finditer(r'"(\d+)(/\d+)?"|(?<=[\[ ])(\d+)(?=[,\]])', text):
        line = text[text.rfind("\n", 0, found.start()) + 1 : text.find("\n", found.end())]
        if PRICES.match(line) and "clause" not in text[found.start() - 10 : found.start()]:
            changed = f'"{int(found[1]) + 1}{found[2] or ""}"' if found[1] else str(int(found[3]) + 1)
            where = text.count("\n", 0, found.start()) + 1
            yield Mutant(
                file,
                f"line {where}: {found[0]} becomes {changed}",
                text[: found.start()] + changed + text[found.end() :],
            )


def tests_of(mutant: Mutant) -> list[str]:
    """Return the tests that should notice the change."""
    if mutant.file.parent == ENGINE:
        return [str(ROOT / "gateway" / "tests" / f"{name}.py") for name in ENGINE_TESTS]
    names = JACKPOT_TESTS if mutant.file.parent.name == "jackpots" else TESTS
    return [str(ROOT / "protocol" / "tests" / f"{name}.py") for name in names]


def survives(mutant: Mutant) -> bool:
    """Return True if the tests pass with the change."""
    with tempfile.TemporaryDirectory() as work:
        package = FLOOR if mutant.file.is_relative_to(FLOOR) else PACKAGE
        copy = Path(work) / package.name
        shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
        (copy / mutant.file.relative_to(package)).write_text(mutant.text)
        tests = tests_of(mutant)
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": work, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            check=False,
            timeout=300,
        )
    return ran.returncode == 0


def main() -> None:
    """Try them all, or those of the files named, two at a time; print the survivors and the score."""
    files = [PACKAGE / "wagers" / f"{name}.py" for name in MODULES]
    files += [PACKAGE / "jackpots" / f"{name}.py" for name in JACKPOT_MODULES]
    files += sorted(ENGINE.glob("[a-z]*.py"))
    mutants = [mutant for file in files for mutant in of_python(file)]
    mutants += [mutant for file in sorted((PACKAGE / "rulebooks").glob("*.toml")) for mutant in of_toml(file)]
    mutants = [one for one in mutants if not sys.argv[1:] or str(one.file).endswith(tuple(sys.argv[1:]))]
    killed = 0
    with ThreadPoolExecutor(2) as pool:
        for number, (mutant, alive) in enumerate(zip(mutants, pool.map(survives, mutants), strict=True), 1):
            killed += not alive
            if alive:
                print(f"\rsurvived: {mutant.file.name} {mutant.what}", flush=True)
            print(f"\r{number}/{len(mutants)}, {killed} killed ", end="", file=sys.stderr, flush=True)
    print(f"\n{killed} of {len(mutants)} mutants killed, {killed / len(mutants):.1%}")


if __name__ == "__main__":
    main()
