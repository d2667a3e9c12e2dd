"""jackpot: durable contributions a second on SQLite and PostgreSQL, and one commit for many against one for each."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from sabot_floor.app import MOST_MESSAGES

from sabot_tools.bench.figure import Figure, at_least
from sabot_tools.bench.gateway_load import sync_ms, work_dir
from sabot_tools.bench.jackpot_load import TABLES, Run, run, run_workers
from sabot_tools.stand.postgres import LocalPostgres, NoPostgresError

BATCH: Final = MOST_MESSAGES  # in one transaction of the service
MANY: Final = 20_000
FEW: Final = 100  # one commit for each
WORKERS: Final = 2
ROUNDS: Final = 5


def figures(many: int = MANY, few: int = FEW, rounds: int = ROUNDS) -> Iterator[Figure]:
    """Measure on the disk of SABOT_BENCH_DIR or of temporary files; explain on stderr if there is no PostgreSQL."""
    with work_dir() as work:
        numbers = iter(range(2 * rounds))

        def on_sqlite(count: int, batch: int) -> Run:
            return run(f"{work}/{next(numbers)}.db", count, batch)

        yield from _figures("sqlite", 20_000, 1, on_sqlite, many, few, rounds)
        try:
            server = LocalPostgres(parent=os.environ.get("SABOT_BENCH_DIR"))
        except NoPostgresError as error:
            print(f"sabot bench: {error}", file=sys.stderr)
            return
        with server:

            def on_postgresql(count: int, batch: int) -> Run:
                return run_workers(server.new_database(), count, batch, WORKERS, Path(work))

            yield from _figures("postgresql", 5000, WORKERS, on_postgresql, many, few, rounds)


def _figures(
    store: str, goal: int, workers: int, measure: Callable[[int, int], Run], many: int, few: int, rounds: int
) -> Iterator[Figure]:
    """Batches and single commits take turns; the best round of each counts."""
    runs = [(measure(many, BATCH), measure(few, 1)) for _ in range(rounds)]
    grouped, single = (max(each, key=Run.rate) for each in zip(*runs, strict=True))
    what = (
        f"{many:,} signed messages of {TABLES} tables, {BATCH:,} a commit, {_processes(workers)}; "
        f"{grouped.cpu_s / grouped.contributions * 1e6:.0f} us of CPU a contribution, "
        f"a page on this disk takes {sync_ms():.1f} ms, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    rate = round(grouped.rate())
    yield Figure(f"jackpot.{store}_contributions", rate, goal, "a second", rate >= goal, what)
    what = f"{grouped.rate():,.0f} a second in batches of {BATCH:,} against {single.rate():,.0f} with a commit for each"
    yield at_least(f"jackpot.{store}_batch_over_single", grouped.rate() / single.rate(), 5, what)


def _processes(workers: int) -> str:
    return "1 process" if workers == 1 else f"{workers} processes that each get every message"
