"""cli: `sabot --help` against the bare interpreter, and the start of the actions that people call most."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Final

from sabot_tools.bench.figure import Figure, at_least, at_most, best_s

ACTIONS: Final = (
    *("settle", "odds", "irregularity", "roads", "gateway", "table", "ledger", "inspect", "replay", "watch"),
    *("report", "demo", "shoe", "firmware", "ledger backup"),
)
_GOAL_S: Final = 0.15


def figures() -> Iterator[Figure]:
    """Measure how long the command and its actions take to start."""
    bare, started = _run_s("-c", "pass"), _run_s("-m", "sabot_tools", "--help")
    what = f"{started:.3f} s against {bare:.3f} s"
    yield at_most("cli.help_over_bare_python", started / bare, 8, what)
    times = {action: _run_s("-m", "sabot_tools", *action.split(), "--help", rounds=3) for action in ACTIONS}
    action = max(times, key=times.__getitem__)
    what = f"{times[action]:.3f} s for {action} --help, the slowest of {len(times)} actions"
    yield at_least("cli.150_ms_over_action", _GOAL_S / times[action], 1, what)


def _run_s(*args: str, rounds: int = 7) -> float:
    command = [sys.executable, *args]
    return best_s(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL), rounds)
