"""Assertions rewritten once: pytest keeps a rewritten copy of each test file, which every new worker would make itself.

Workers start together, so in a new checkout each of them rewrites all files; this takes longer than to import them.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.assertion import rewrite


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: list[Any]) -> None:
    """Rewrite the files of this run before several workers start."""
    if len(specs) > 1 and config.getoption("assertmode") == "rewrite" and not sys.dont_write_bytecode:
        write(files(config.args), config)


def files(args: Iterable[str]) -> Iterator[Path]:
    """Yield the test files that the arguments of pytest name."""
    for arg in args:
        path = Path(arg.partition("::")[0]).absolute()
        yield from sorted(path.rglob("test_*.py")) if path.is_dir() else [path]


def write(paths: Iterable[Path], config: pytest.Config) -> int:
    """Write the rewritten copy of each file that has none; return how many were written."""
    written = 0
    for path in paths:
        copy = rewrite.get_cache_dir(path) / (path.stem + rewrite.PYC_TAIL)
        if path.exists() and rewrite._read_pyc(path, copy) is None and rewrite.try_makedirs(copy.parent):
            digest, code = rewrite._rewrite_test(path, config)
            written += rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, digest, copy)
    return written
