"""gateway: the real daemon with 200 and 1,000 ports, against the textbook's gateway and against its goals."""

import os
import sys
from collections.abc import Iterator
from typing import Final

from sabot_tools.bench.figure import Figure, at_least, at_most
from sabot_tools.bench.gateway_load import CannotMeasureError, LoadPlan, LoadResult, percentile, run, sync_ms

FLAT_OUT: Final = {"gateway": LoadPlan(200, 300, 0, 120), "textbook": LoadPlan(200, 20, 0, 120)}
PACED_S: Final = 60.0  # unless SABOT_BENCH_S is set


def paced(seconds: float) -> LoadPlan:
    """Return the plan of 200 ports with 20 frames a second on each."""
    return LoadPlan(200, round(20 * seconds), 20, seconds + 120)


def casino(seconds: float) -> LoadPlan:
    """Return the plan of 1,000 ports with a card every two seconds on each."""
    return LoadPlan(1000, round(seconds / 2), 0.5, seconds + 120)


def figures() -> Iterator[Figure]:
    """Measure all; explain on stderr if this machine cannot open so many ports."""
    try:
        yield over_textbook(FLAT_OUT)
        yield from pace(paced(float(os.environ.get("SABOT_BENCH_S", PACED_S))))
        yield from many_ports(casino(40))
    except CannotMeasureError as error:
        print(f"sabot bench: {error}", file=sys.stderr)


def over_textbook(plans: dict[str, LoadPlan], rounds: int = 3) -> Figure:
    """Run both as fast as possible, in turn; the best round of each counts."""
    runs = [{name: run(name, plan) for name, plan in plans.items()} for _ in range(rounds)]
    ours, textbook = (max((each[name] for each in runs), key=LoadResult.rate) for name in plans)
    what = (
        f"{ours.rate():,.0f} frames a second from {plans['gateway'].ports} ptys to a subscriber against "
        f"{textbook.rate():,.0f}, a page on this disk takes {sync_ms():.1f} ms; ours: {describe(ours)}; "
        f"the textbook's: {describe(textbook)}"
    )
    return at_least("gateway.flat_out_over_textbook", ours.rate() / textbook.rate(), 40, what)


def pace(plan: LoadPlan) -> Iterator[Figure]:
    """Measure latency, completeness and memory at a steady pace."""
    result = run("gateway", plan)
    seconds = plan.frames / plan.rate
    middle, most = (percentile(result.latency_ms, percent) for percent in (50, 99))
    inside_ms = result.inside_ms or most
    what = (
        f"99 % of entries in {inside_ms:.1f} ms from the bytes read to the PUBACK, {plan.ports} x {plan.rate:g} frames "
        f"a second for {seconds:.0f} s; the player was {result.late_ms:.1f} ms late"
    )
    yield at_least("gateway.25_ms_over_p99", 25 / inside_ms, 1, what)
    what = f"99 % of coups in {most:.1f} ms, half in {middle:.1f} ms, from the write into the pty to a subscriber"
    yield at_least("gateway.25_ms_over_p99_to_subscriber", 25 / most, 1, what)
    yield at_least("gateway.paced_received_over_sent", result.served(), 1, describe(result))
    over, kib = result.growth()
    what = f"{kib:+,.0f} KiB a minute after the first fifth of {seconds:.0f} s; SABOT_BENCH_S=600 gives ten minutes"
    yield at_most("gateway.memory_at_end_over_warm", over, 1.02, what)


def many_ports(plan: LoadPlan) -> Iterator[Figure]:
    """Measure CPU and completeness with many slow ports."""
    result = run("gateway", plan)
    what = f"{plan.ports} ports, a frame every {1 / plan.rate:g} s on each: {describe(result)}"
    yield at_least("gateway.eighth_of_a_core_over_used", 0.12 / result.cores(), 1, what)
    yield at_least("gateway.casino_received_over_sent", result.served(), 1, what)


def describe(result: LoadResult) -> str:
    """Return what a run measured, and the load of the machine."""
    return (
        f"{result.frames:,} of {result.sent:,} events in the ledger, {result.coups:,} of {result.due_coups:,} coups "
        f"received, {result.cores():.2f} of a core, "
        f"{result.cores() * result.seconds / result.frames * 1e6:,.0f} us of CPU a frame, "
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
