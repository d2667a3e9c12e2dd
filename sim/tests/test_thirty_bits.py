"""Every number the reader computes is a small integer of a 32-bit board, which no interpreter here would notice."""

import ast
import random
import sys
from collections.abc import Callable, Iterator
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sabot_protocol import cardcode
from sabot_sim.optics import signals
from sabot_sim.optics.profiles import PROFILES
from sabot_sim.rigs import reader
from sabot_sim.rigs.vm import firmware_dir

LEAST, MOST = -(2**30), 2**30 - 1


def small(value: Any) -> Any:
    """The value, if a 32-bit MicroPython holds it without allocating."""
    if isinstance(value, int) and not LEAST <= value <= MOST:
        raise OverflowError(f"{value} is no small integer")
    return value


class Watched(ast.NodeTransformer):
    """Every result of an operator goes through small(), an intermediate one too."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return ast.Call(ast.Name("small", ast.Load()), [node], [])

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        read: Any = ast.parse(ast.unparse(node.target), mode="eval").body
        summed = ast.Call(ast.Name("small", ast.Load()), [ast.BinOp(read, node.op, node.value)], [])
        return ast.Assign([node.target], summed)


class Finder(MetaPathFinder, Loader):
    """Loads the firmware's modules watched."""

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        file = firmware_dir() / (name.replace(".", "/") + ".py")
        package = firmware_dir() / name.replace(".", "/") / "__init__.py"
        found = package if package.exists() else file
        if name.partition(".")[0] != "sabot":
            return None
        return ModuleSpec(name, self, origin=str(found), is_package=package.exists())

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__
        source = Path(str(module.__spec__.origin))
        if module.__spec__.submodule_search_locations is not None:
            module.__path__ = [str(source.parent)]
        tree = ast.fix_missing_locations(Watched().visit(ast.parse(source.read_text())))
        module.__dict__["small"] = small
        exec(compile(tree, str(source), "exec"), module.__dict__)


def firmware_modules() -> list[str]:
    return [name for name in sys.modules if name == "replay" or name.partition(".")[0] == "sabot"]


@pytest.fixture
def watched() -> Iterator[Callable[[], reader.CPythonReader]]:
    """Makes readers whose every operation is watched; the ordinary modules come back afterwards."""
    before = {name: sys.modules.pop(name) for name in firmware_modules()}
    finder = Finder()
    sys.meta_path.insert(0, finder)
    yield reader.CPythonReader
    sys.meta_path.remove(finder)
    for name in firmware_modules():
        del sys.modules[name]
    sys.modules.update(before)


def test_the_watch_would_notice(watched: Callable[[], reader.CPythonReader]) -> None:
    watched()
    with pytest.raises(OverflowError, match="is no small integer"):
        sys.modules["sabot.reading.trailing"].share_pct(2**29, 2**10)


def test_reads_of_every_profile(watched: Callable[[], reader.CPythonReader]) -> None:
    bench = watched()
    for profile in PROFILES:
        answers = bench.read(1, [signals.read(profile, 3, number).edges for number in range(300)])
        assert sum(map(bool, answers)) > 290  # and none of them took more than 30 bits


def test_reads_that_take_very_long_or_no_time_at_all(watched: Callable[[], reader.CPythonReader]) -> None:
    """Every stretch of a card lengthened or shortened by itself, up to the time-out."""
    bench, rng = watched(), random.Random(5)
    words = list(cardcode.set_words(1).values())
    for _ in range(500):
        edges, at_us, last_us = [], 0, 0
        for t_us, pins in signals.card_edges(rng.choice(words), rng.choice((100, 1000, 3000))):
            at_us += int((t_us - last_us) * 10 ** rng.choice((0, 0, 0, rng.uniform(-3, 3)))) % 4_900_000
            last_us = t_us
            edges.append((at_us, pins))
        (answers,) = bench.read(1, [edges])
        assert answers
