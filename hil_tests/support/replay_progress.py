"""Progress of `make replay`: after each recording, how many are done and when the rest will be, at the pace so far."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

FOLDER: Final = Path(__file__).parents[1] / "recordings"
_START_BYTES: Final = 1000  # a replay of nothing takes as long as this much of a recording


def work() -> dict[str, int]:
    """Return how much there is to replay in each recording, by its name: the time goes with its size."""
    files = FOLDER.glob("*/*.shoe")
    return {f"{file.parent.name}/{file.stem}": file.stat().st_size + _START_BYTES for file in files}


class Progress:
    """Counts recordings that are replayed; the pace is that of all so far, a skipped one is no work."""

    def __init__(self, work: Mapping[str, int], started_s: float) -> None:
        self._left, self._all, self._started_s = dict(work), len(work), started_s
        self._did = self._failed = 0

    def ended(self, name: str, outcome: str, now_s: float) -> str:
        """Take the end of a recording and return the line about it."""
        size = self._left.pop(name, 0)
        self._did += 0 if outcome == "skipped" else size
        self._failed += outcome == "failed"
        took_s = now_s - self._started_s
        left = f", about {_minutes(took_s * sum(self._left.values()) / self._did)} left" if self._did else ""
        failed = f", {self._failed} failed" if self._failed else ""
        done = self._all - len(self._left)
        return f"{done} of {self._all}{failed}, {_minutes(took_s)}{left}: {name} {outcome}"


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min"


class Reporter:
    """Prints the line of each recording, in the process that prints."""

    def __init__(self, config: pytest.Config) -> None:
        self._config, self._progress = config, Progress(work(), time.monotonic())

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print the line when a recording was replayed or skipped."""
        name = report.nodeid.partition("[")[2].rstrip("]")
        if name and (report.when == "call" or (report.when == "setup" and not report.passed)):
            reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
            reporter.ensure_newline()
            reporter.write_line(self._progress.ended(name, report.outcome, time.monotonic()))


def pytest_configure(config: pytest.Config) -> None:
    """Register the reporter, unless this is a worker."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Reporter(config))
