"""angel: 200 Angel Eye tables on one gateway, at 4800 baud without a pause and at a casino's pace."""

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from sabot_tools.bench import angel_load, gateway_load
from sabot_tools.bench.angel_lines import COPIES
from sabot_tools.bench.angel_load import AngelPlan
from sabot_tools.bench.figure import Figure, at_least, at_most
from sabot_tools.bench.figures.gateway import describe
from sabot_tools.bench.gateway_load import CannotMeasureError, LoadPlan, LoadResult, percentile

TABLES: Final = 200
SECONDS: Final = 60.0  # without a pause, unless SABOT_BENCH_S is set
COUP_S: Final = 40.0  # from coup to coup at a casino's pace
_SHOE_S: Final = 30.0  # a shoe lasts so long on a full line
_MESSAGES_A_COUP: Final = 7  # five cards, the result, stand-by


def figures() -> Iterator[Figure]:
    """Measure all; explain on stderr if this machine cannot open so many ports."""
    seconds = float(os.environ.get("SABOT_BENCH_S", SECONDS))
    try:
        full, slow = AngelPlan(TABLES, seconds), AngelPlan(TABLES, 1.5 * COUP_S, gap_s=COUP_S / _MESSAGES_A_COUP)
        result = angel_load.run(full)
        yield from without_pause(full, result, own_shoes(full, result))
        yield from casino(slow, angel_load.run(slow))
    except CannotMeasureError as error:
        print(f"sabot bench: {error}", file=sys.stderr)


def own_shoes(plan: AngelPlan, result: LoadResult) -> LoadResult:
    """Run our own shoes with as many events a second, half as long."""
    rate = result.sent / plan.tables / plan.seconds
    return gateway_load.run("gateway", LoadPlan(plan.tables, round(rate * plan.seconds / 2), rate, plan.seconds + 60))


def without_pause(plan: AngelPlan, result: LoadResult, own: LoadResult) -> Iterator[Figure]:
    """Yield the figures of lines that are full, compared with our own shoes."""
    rate = result.sent / plan.tables / plan.seconds
    yield at_least("angel.received_over_sent", result.served(), 1, f"{_load(plan, result)}: {describe(result)}")
    what = (
        f"{cpu_us(result):,.0f} us of CPU a message, {COPIES} frames each, against {cpu_us(own):,.0f} us an event of "
        f"our own shoe at the same rate; {rate * cpu_us(result) / 1e4:.2f} % of a core a table against "
        f"{rate * cpu_us(own) / 1e4:.2f} %"
    )
    yield at_most("angel.cpu_over_own_shoe", cpu_us(result) / cpu_us(own), 1.5, what)
    middle, most = (percentile(result.latency_ms, percent) for percent in (50, 99))
    middle_own, most_own = (percentile(own.latency_ms, percent) for percent in (50, 99))
    what = (
        f"from the last byte of the first good copy of a result to a subscriber: half in {middle:.1f} ms, 99 % in "
        f"{most:.1f} ms; our own shoe: {middle_own:.1f} and {most_own:.1f} ms; the player was {result.late_ms:.1f} ms "
        "late"
    )
    yield at_most("angel.p50_over_own_shoe", middle / middle_own, 1.5, what)
    yield at_most("angel.p99_over_own_shoe", most / most_own, 1.5, what)
    over, kib = _after_a_shoe(result).growth()
    memory = f"{result.samples[-1].rss_bytes / 2**20:.0f} MiB at the end, {kib:+,.0f} KiB a minute"
    what = f"{memory} after the first {_SHOE_S:.0f} s, in which each table fills with its first shoe"
    yield at_most("angel.memory_at_end_over_warm", over, 1.02, what)


def _after_a_shoe(result: LoadResult) -> LoadResult:
    """Return the result with the samples after the first shoe, if the run was that long."""
    since_s = result.samples[0].at_s + _SHOE_S
    samples = [one for one in result.samples if one.at_s >= since_s]
    return replace(result, samples=samples) if len(samples) > len(result.samples) // 3 else result


def casino(plan: AngelPlan, result: LoadResult) -> Iterator[Figure]:
    """Yield the figures of tables that are dealt by people."""
    what = f"{plan.tables} tables, a coup every {COUP_S:.0f} s on each: {describe(result)}"
    yield at_least("angel.tenth_of_a_core_over_used", 0.1 / result.cores(), 1, what)
    yield at_least("angel.casino_received_over_sent", result.served(), 1, what)


def cpu_us(result: LoadResult) -> float:
    """Return the CPU time of the gateway a message."""
    return result.cores() * result.seconds / result.frames * 1e6


def _load(plan: AngelPlan, result: LoadResult) -> str:
    return (
        f"{plan.tables} lines full at 4800 baud, {COPIES * result.sent / plan.seconds:,.0f} frames and "
        f"{result.sent / plan.seconds:,.0f} messages a second for {plan.seconds:.0f} s"
    )
