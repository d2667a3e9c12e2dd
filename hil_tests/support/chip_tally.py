"""The last line of a test run: what ran on the emulated RP2040, and what did not, and why.

SABOT_CHIP_TALLY names a file through which several runs add up; `make test` has two at a time.
`python -m support.chip_tally FILE` prints the line of all of them.
"""

import fcntl
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest
from sabot_sim.chip.uf2 import HOW_TO_GET_UF2
from sabot_sim.rigs.rig import BenchError

_ON_CHIP: Final = "on the emulated RP2040"
_RAN, _FAILED, _NO_IMAGE, _BY_CHIP, _BY_REPLAY = "ran", "failed", "no image", "make chip", "make replay"
_LEFT_OUT: Final = "left out"  # of a worker's report
_TALLY: Final = pytest.StashKey[Counter[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Start with an empty tally."""
    config.stash[_TALLY] = Counter()


# Where tests run: in this process, or in a worker


def _on_chip(item: pytest.Item) -> bool:
    """Return True if this test needs the image, or the run is on the chip."""
    if any(mark.kwargs.get("reason") == HOW_TO_GET_UF2 for mark in item.iter_markers("skipif")):
        return True
    return item.config.getoption("--bench", "unix") == "rp2040" and "bench" in getattr(item, "fixturenames", ())


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the test, so that its reports carry the mark."""
    if _on_chip(item):
        item.user_properties.append((_ON_CHIP, True))


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Count tests that only `make chip` runs."""
    for item in items:
        if _on_chip(item) and item.get_closest_marker("chip_full"):
            item.config.stash[_TALLY][_BY_CHIP] += 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the count from a worker to its controller."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_LEFT_OUT] = session.config.stash[_TALLY][_BY_CHIP]


# Where they are counted


class Counting:
    """Counts reports in the controlling process."""

    def __init__(self, tally: Counter[str]) -> None:
        self._tally = tally

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count one phase of one test."""
        if (_ON_CHIP, True) not in map(tuple, report.user_properties):
            return
        if report.skipped:
            self._tally[_reason(report)] += 1
        elif report.when == "call" or report.failed:
            self._tally[_RAN] += report.when == "call"
            self._tally[_FAILED] += report.failed

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the count of a worker; every worker has collected the same tests."""
        left_out = getattr(node, "workeroutput", {}).get(_LEFT_OUT, 0)
        self._tally[_BY_CHIP] = max(self._tally[_BY_CHIP], left_out)


def _reason(report: pytest.TestReport) -> str:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
    if HOW_TO_GET_UF2 in reason:
        return _NO_IMAGE
    return _BY_REPLAY if "SABOT_ALL_RECORDINGS" in reason else "of another bench"


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Register the counter, unless this is a worker."""
    if not hasattr(session.config, "workerinput"):
        session.config.pluginmanager.register(Counting(session.config.stash[_TALLY]))


# The line


def _emulator() -> str:
    """Return which emulator is used, and why if it is the slow one."""
    from sabot_sim.chip.emulators import chosen

    try:
        return str(chosen())
    except BenchError as error:
        return str(error)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Print the line after everything that pytest writes."""
    reporter, tally = config.pluginmanager.get_plugin("terminalreporter"), config.stash.get(_TALLY, Counter())
    if reporter is None or hasattr(config, "workerinput") or config.option.collectonly or not any(tally.values()):
        return
    reporter.write_line(line(_added_up(tally)))


def _added_up(tally: Counter[str]) -> Counter[str]:
    """Return the tally added to that of the runs before."""
    named = os.environ.get("SABOT_CHIP_TALLY")
    if not named:
        return tally
    with open(named, "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        whole = tally + Counter(json.loads(file.read() or "{}"))
        file.truncate(0)
        file.write(json.dumps(whole))
    return whole


def line(tally: Counter[str]) -> str:
    """Return the line to print."""
    skipped = f"{tally[_NO_IMAGE]} skipped" + (f", {HOW_TO_GET_UF2}" if tally[_NO_IMAGE] else "")
    ran = f"{_ON_CHIP} ({_emulator()}): {tally[_RAN]} tests ran" if tally[_RAN] else f"nothing ran {_ON_CHIP}"
    failed = f", {tally[_FAILED]} failed" if tally[_FAILED] else ""
    left = [f"{tally[target]} are left to `{target}`" for target in (_BY_CHIP, _BY_REPLAY) if tally[target]]
    return "; ".join([f"{ran}{failed}{', ' if tally[_RAN] else ': '}{skipped}", *left])


if __name__ == "__main__":
    counted = Path(sys.argv[1])
    print(line(Counter(json.loads(counted.read_text()) if counted.exists() else {})))
