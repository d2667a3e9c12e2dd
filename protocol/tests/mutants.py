"""Mutation testing: every small change must fail a test. `make mutants`: evaluator, price files and jackpots.

`make mutants-angel`: decoder, repeat filter and tracker of an Angel Eye, with more kinds of changes. A mutant is one
change in one place of a copy of sabot_protocol, sabot_floor or sabot_gateway; the tests run against the copy.
"""

import ast
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import construct  # noqa: F401  what every process needs is imported once, before they are forked
import hypothesis.strategies  # noqa: F401
import msgspec  # noqa: F401
import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "protocol" / "sabot_protocol"
FLOOR = ROOT / "gateway" / "sabot_floor"
GATEWAY = ROOT / "gateway" / "sabot_gateway"
PACKAGES = (PACKAGE, FLOOR, GATEWAY)
MOST_S = 120  # for the tests of one mutant
OPTIONS = ["-x", "-q", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:anyio"]


class Suite(NamedTuple):
    """Modules of one folder, and the tests that should notice a change in them."""

    folder: Path
    modules: list[str]
    tests_folder: str
    tests: list[str]


BOOKS = Suite(
    PACKAGE / "wagers",
    ["bets", "facts", "table", "sequences", "roulette", "three_card", "lucky_tie", "money", "settled", "closing"],
    "protocol/tests",
    ["test_bets", "test_prices", "test_sequences", "test_other_games", "test_rulebooks", "test_money", "test_closing"],
)
JACKPOTS = Suite(
    PACKAGE / "jackpots",
    ["triggers", "contributions", "shares", "signing", "checking", "currency", "sign", "loading", "draws"],
    "protocol/tests",
    [f"test_jackpot_{name}" for name in ("triggers", "contributions", "shares", "rules", "loading", "sign", "draws")],
)
ENGINE = Suite(
    FLOOR / "jackpots" / "engine",
    sorted(file.stem for file in (FLOOR / "jackpots" / "engine").glob("[a-z]*.py")),
    "gateway/tests",
    [f"test_jackpot_{name}" for name in ("nz", "crown", "meters", "sequence", "wins", "bounds", "conservation")],
)
ANGEL_EYE_LINE = Suite(
    PACKAGE / "angel_eye",
    ["decoder", "repeats", "messages", "tables", "build"],
    "protocol/tests",
    [f"test_angel_eye_{name}" for name in ("messages", "decoder", "build", "vectors", "fuzz")],
)
ANGEL_EYE_TRACKER = Suite(
    GATEWAY / "angel_eye",
    ["tracker", "coup", "condition"],
    "gateway/tests",
    [f"test_angel_eye_{name}" for name in ("tracker", "tracker_rules", "tracker_steps", "edges")],
)
SETTLEMENT = (BOOKS, JACKPOTS, ENGINE)
ANGEL_EYE = (ANGEL_EYE_LINE, ANGEL_EYE_TRACKER)

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Add, ast.Mod: ast.Mult, ast.Div: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
    ast.FloorDiv: ast.Div,
}  # fmt: skip
CALLS = {"ceil": ("int", "round"), "min": ("max",), "max": ("min",)}  # a function and what it is exchanged for


class Mutant(NamedTuple):
    """One change: where, what, and the whole text with it."""

    file: Path
    what: str
    text: str


def of_python(file: Path, thorough: bool = False) -> Iterator[Mutant]:
    """Swapped operators, numbers one too large, negations dropped, branches and roundings exchanged.

    If thorough also: statements left out, conditions negated, True for False, other fractions, other bytes of patterns.
    """
    source = file.read_text()
    for number, node in enumerate(ast.walk(ast.parse(source))):
        for what in [*_changes(node), *(_more_changes(node) if thorough else ())]:
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
    elif isinstance(node, ast.Name):
        yield from (f"{node.id} becomes {other}" for other in CALLS.get(node.id, ()))


ESCAPE = re.compile(rb"\\\\x([0-9a-f]{2})")


def _more_changes(node: ast.AST) -> Iterator[str]:
    if _can_be_left_out(node):
        yield "left out"
    elif isinstance(node, ast.If | ast.While):
        yield "condition negated"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | float):
        yield f"{node.value} becomes {_other(node.value)}"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bytes):
        yield from (f"byte {at} of the pattern" for at, _ in enumerate(ESCAPE.findall(node.value)))


def _can_be_left_out(node: ast.AST) -> bool:
    if isinstance(node, ast.Assign):
        return isinstance(node.targets[0], ast.Attribute)
    return isinstance(node, ast.AugAssign | ast.Raise) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    )


def _other(value: float) -> float:
    return not value if isinstance(value, bool) else value + 0.1


def _apply(node: ast.AST, what: str) -> None:
    if what == "left out":
        _leave_out(node)
    elif isinstance(node, ast.If | ast.While):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | float):
        node.value = _other(node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bytes):
        node.value = _with_other_byte(node.value, int(what.split()[1]))
    elif isinstance(node, ast.Compare):
        node.ops[0] = SWAPS[type(node.ops[0])]()  # type: ignore[call-overload]
    elif isinstance(node, ast.BinOp | ast.BoolOp):
        node.op = SWAPS[type(node.op)]()  # type: ignore[assignment]
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        node.value += 1
    elif isinstance(node, ast.IfExp):
        node.body, node.orelse = node.orelse, node.body
    elif isinstance(node, ast.Name):
        node.id = what.split()[-1]
    elif isinstance(node, ast.UnaryOp):
        node.op = ast.UAdd()  # +x is as true as x


def _leave_out(statement: ast.AST) -> None:
    """Make a statement one that does nothing: it becomes `...`."""
    nothing = ast.Expr(ast.Constant(...))
    statement.__class__ = ast.Expr
    statement.__dict__.clear()
    statement.__dict__.update(ast.copy_location(nothing, nothing).__dict__)


def _with_other_byte(pattern: bytes, number: int) -> bytes:
    """Return the pattern with the byte of one escape one too large."""
    found = list(ESCAPE.finditer(pattern))[number]
    return pattern[: found.start(1)] + b"%02x" % (int(found[1], 16) + 1) + pattern[found.end(1) :]


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
    suite = next((one for one in (*SETTLEMENT, *ANGEL_EYE) if one.folder == mutant.file.parent), BOOKS)
    return [str(ROOT / suite.tests_folder / f"{name}.py") for name in suite.tests]


def survives(mutant: Mutant) -> bool:
    """Return True if the tests pass with the change; only for a process of its own, which has imported none of it."""
    signal.signal(signal.SIGALRM, _too_slow)
    signal.alarm(MOST_S)
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory() as work, open(os.devnull, "w") as nowhere:
        package = next(one for one in PACKAGES if mutant.file.is_relative_to(one))
        copy = Path(work) / package.name
        shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
        (copy / mutant.file.relative_to(package)).write_text(mutant.text)
        sys.path.insert(0, work)
        os.chdir(ROOT)
        with redirect_stdout(nowhere), redirect_stderr(nowhere):
            return pytest.main([*OPTIONS, *tests_of(mutant)]) == 0


def _too_slow(*_: object) -> None:
    raise TimeoutError(f"the tests take longer than {MOST_S} s with this change")


def mutants_of(suites: tuple[Suite, ...], thorough: bool) -> list[Mutant]:
    """Return every mutant of the modules of these suites."""
    files = [suite.folder / f"{name}.py" for suite in suites for name in suite.modules]
    return [mutant for file in files for mutant in of_python(file, thorough)]


def unchanged(mutants: list[Mutant]) -> list[Mutant]:
    """Return one file of each folder as it is: if its tests fail, every mutant would look killed."""
    files = {mutant.file.parent: mutant.file for mutant in mutants}
    return [Mutant(file, "unchanged", file.read_text()) for file in files.values()]


def main(angel_eye: bool, wanted: tuple[str, ...]) -> None:
    """Try them all, or those of the files named, two at a time; print the survivors and the score."""
    if angel_eye:
        mutants = mutants_of(ANGEL_EYE, thorough=True)
    else:
        mutants = mutants_of(SETTLEMENT, thorough=False)
        mutants += [mutant for file in sorted((PACKAGE / "rulebooks").glob("*.toml")) for mutant in of_toml(file)]
    mutants = [one for one in mutants if not wanted or str(one.file).endswith(wanted)]
    if not mutants:
        sys.exit(f"no mutant of {', '.join(wanted)}: give the end of a file's path, as decoder.py")
    killed = 0
    with get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        if not all(pool.map(survives, unchanged(mutants), 1)):
            sys.exit("a test fails without any change: see to that first")
        for number, (mutant, alive) in enumerate(zip(mutants, pool.imap(survives, mutants, 1), strict=True), 1):
            killed += not alive
            if alive:
                print(f"\rsurvived: {mutant.file.name} {mutant.what}", flush=True)
            print(f"\r{number}/{len(mutants)}, {killed} killed ", end="", file=sys.stderr, flush=True)
    print(f"\n{killed} of {len(mutants)} mutants killed, {killed / len(mutants):.1%}")


if __name__ == "__main__":
    main("--angel-eye" in sys.argv, tuple(word for word in sys.argv[1:] if word != "--angel-eye"))
