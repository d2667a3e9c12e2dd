"""backup: by how much `sabot ledger backup` delays events at 4,000 frames a second, with a ledger that has grown."""

import os
import sys
from collections.abc import Iterator
from typing import Final

from sabot_tools.bench.backup_load import BackupResult, run
from sabot_tools.bench.figure import Figure, at_least
from sabot_tools.bench.figures.gateway import paced
from sabot_tools.bench.gateway_load import CannotMeasureError, LoadPlan, percentile

PACED_S: Final = 45.0
COUPS: Final = 30_000  # of the ledger before: 210,000 entries
_ROUNDS: Final = 3
_MOST_MS: Final = 50.0


def figures() -> Iterator[Figure]:
    """Measure all; explain on stderr if this machine cannot open so many ports."""
    try:
        yield from beside_backup(paced(PACED_S), COUPS, int(os.environ.get("SABOT_BENCH_ROUNDS", _ROUNDS)))
    except CannotMeasureError as error:
        print(f"sabot bench: {error}", file=sys.stderr)


def beside_backup(plan: LoadPlan, coups: int, rounds: int) -> Iterator[Figure]:
    """Compare the longest delays with a backup and without, of the round that other programs disturbed least."""
    runs = [run(plan, coups) for _ in range(rounds)]
    best = min(runs, key=lambda one: max(one.alone_ms))
    extra_ms = max(max(best.beside_ms) - max(best.alone_ms), 1.0)
    every = ", ".join(f"{max(one.beside_ms):.0f} ms against {max(one.alone_ms):.0f} ms" for one in runs)
    what = (
        f"the longest delay of a coup beside a backup against alone, {plan.ports} x {plan.rate:g} frames a second, "
        f"{rounds} runs: {every}; {describe(best)}"
    )
    yield at_least("backup.50_ms_over_longest_extra_delay", _MOST_MS / extra_ms, 1, what)
    served = min(one.load.coups / one.load.due_coups for one in runs)
    yield at_least("backup.received_over_sent", served, 1, "coups that a subscriber received of those that were played")


def describe(result: BackupResult) -> str:
    """Return what a run measured."""
    alone, beside = (percentile(values, 99) for values in (result.alone_ms, result.beside_ms))
    return (
        f"99 % in {beside:.1f} ms against {alone:.1f} ms; {result.ledger_bytes >> 20} MiB in {result.seconds:.1f} s, "
        f"write-ahead log up to {result.log_bytes >> 20} MiB, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
