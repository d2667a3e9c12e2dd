"""reports: the report of a day out of ten million coups, as a process: seconds, memory, and against a naive scan."""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from sabot_floor.gaming_day import Calendar, Span
from sabot_floor.reports.contents import DayReport
from sabot_floor.store import tables as schema

from sabot_tools.bench.figure import Figure, at_least
from sabot_tools.bench.jackpot_load import BenchFaultError
from sabot_tools.bench.report_history import GATEWAYS, TABLES_EACH, History, history
from sabot_tools.text.progress import bar

COUPS: Final = 10_000_000
ROUNDS: Final = 3
MOST_S: Final = 10
MOST_MB: Final = 300


class Run(NamedTuple):
    """One run of the command: seconds, peak memory, and the coups of the day by its JSON."""

    seconds: float
    peak_mb: float
    coups: int


def figures(coups: int = 0, rounds: int = ROUNDS, directory: Path | None = None) -> Iterator[Figure]:
    """Measure on a store in the cache; SABOT_BENCH_COUPS makes it smaller."""
    coups = coups or int(os.environ.get("SABOT_BENCH_COUPS") or COUPS)
    with bar("making the history", coups) as progress:
        made = history(coups, progress, directory)
    if made.made_s:
        print(f"sabot bench: {made.path} made in {made.made_s:.0f} s; it is kept for the next run", file=sys.stderr)
    site = _best(rounds, lambda: run(made))
    table = _best(rounds, lambda: run(made, "--table", "bac-007"))
    naive_s, naive_coups = naive(made.path, Calendar().day(made.day))
    if naive_coups != site.coups:
        raise BenchFaultError(f"the report counts {site.coups} coups of {made.day}, and a scan {naive_coups}")
    what = f"{made.coups:,} coups of {GATEWAYS * TABLES_EACH} tables, {site.coups:,} of the day; {_machine(made)}"
    yield Figure("reports.day", round(site.seconds, 2), MOST_S, "s, at most", site.seconds <= MOST_S, what)
    peak = round(site.peak_mb, 1)
    yield Figure("reports.day_memory", peak, MOST_MB, "MB, at most", peak <= MOST_MB, "peak of the same process")
    what = f"one table with {table.coups:,} coups of the day"
    yield Figure("reports.day_of_table", round(table.seconds, 2), MOST_S, "s, at most", table.seconds <= MOST_S, what)
    what = f"{naive_s:.1f} s to read every coup and count those of the day, against {site.seconds:.2f} s"
    yield at_least("reports.naive_over_day", naive_s / site.seconds, 5, what)


def _best(rounds: int, measure: Callable[[], Run]) -> Run:
    return min(measure() for _ in range(rounds))


def _machine(made: History) -> str:
    size = made.path.stat().st_size / 1e9
    return f"{size:.2f} GB, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def run(made: History, *options: str) -> Run:
    """Run `sabot report day --json` as a process."""
    command = [sys.executable, "-m", "sabot_tools", "report", "day", made.day.isoformat(), "--json"]
    started = time.perf_counter()
    with subprocess.Popen([*command, "--store", str(made.path), *options], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        text = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise BenchFaultError(f"{' '.join(command)} ended with status {process.returncode}")
    report = msgspec.json.decode(text, type=DayReport)
    return Run(
        seconds, used.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3), sum(row.coups for row in report.coups)
    )


def naive(path: Path, span: Span) -> tuple[float, int]:
    """Return the seconds to read all messages on `coup` and keep those of a time, and how many coups these are."""
    time_at, corrects_at = (schema.COUPS.columns.index(name) for name in ("time", "corrects"))
    columns = ", ".join(f'"{name}"' for name in schema.COUPS.columns)
    started, found = time.perf_counter(), 0
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
        for row in db.execute(f"SELECT {columns} FROM coups NOT INDEXED"):
            found += span.begin <= row[time_at] < span.end and not row[corrects_at]
    return time.perf_counter() - started, found
