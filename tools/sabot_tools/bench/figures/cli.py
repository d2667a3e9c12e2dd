"""cli: `sabot --help` against the bare interpreter."""

import subprocess
import sys
from collections.abc import Iterator

from sabot_tools.bench.figure import Figure, at_most, best_s


def figures() -> Iterator[Figure]:
    """Measure how long the command takes to start."""
    bare, started = _run_s("-c", "pass"), _run_s("-m", "sabot_tools", "--help")
    what = f"{started:.3f} s against {bare:.3f} s; the goal is 0.3 s"
    yield at_most("cli.help_over_bare_python", started / bare, 15, what)


def _run_s(*args: str) -> float:
    return best_s(lambda: subprocess.run([sys.executable, *args], check=True, stdout=subprocess.DEVNULL))
