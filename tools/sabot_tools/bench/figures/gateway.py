"""The figures of `sabot bench figures --only gateway`: the daemon beside the textbook's pipeline and its goals."""

import os
import sys
from collections.abc import Iterator
from typing import Final

from sabot_tools.bench.figure import Figure, at_least, at_most
from sabot_tools.bench.gateway_load import CannotMeasureError, LoadPlan, LoadResult, percentile, run, sync_ms

FLAT_OUT: Final = {"gateway": LoadPlan(200, 300, 0, 120), "textbook": LoadPlan(200, 20, 0, 120)}
PACED_S: Final = 60.0  # unless SABOT_BENCH_S says otherwise


def paced(seconds: float) -> LoadPlan:
    """200 ports, 20 frames a second on each."""
    return LoadPlan(200, round(20 * seconds), 20, seconds + 120)


def casino(seconds: float) -> LoadPlan:
    """1,000 ports, a card every two seconds on each."""
    return LoadPlan(1000, round(seconds / 2), 0.5, seconds + 120)


def figures() -> Iterator[Figure]:
    """All of them; where the machine does not let us open the ports, a word on stderr instead."""
    try:
        yield over_textbook(FLAT_OUT)
        yield from pace(paced(float(os.environ.get("SABOT_BENCH_S", PACED_S))))
        yield from many_ports(casino(40))
    except CannotMeasureError as error:
        print(f"sabot bench: {error}", file=sys.stderr)


def over_textbook(plans: dict[str, LoadPlan], rounds: int = 3) -> Figure:
    """Both flat out, in turn; the best round of each counts."""
    runs = [{name: run(name, plan) for name, plan in plans.items()} for _ in range(rounds)]
    ours, textbook = (max((each[name] for each in runs), key=LoadResult.rate) for name in plans)
    what = (
        f"{ours.rate():,.0f} frames a second from {plans['gateway'].ports} ptys to a subscriber against "
        f"{textbook.rate():,.0f}, a page on this disk takes {sync_ms():.1f} ms; ours: {in_words(ours)}; "
        f"the textbook's: {in_words(textbook)}"
    )
    return at_least("gateway.flat_out_over_textbook", ours.rate() / textbook.rate(), 30, what)


def pace(plan: LoadPlan) -> Iterator[Figure]:
    """Latency, completeness and memory at a steady pace."""
    made = run("gateway", plan)
    seconds = plan.frames / plan.rate
    middle, most = (percentile(made.latency_ms, percent) for percent in (50, 99))
    inside_ms = made.inside_ms or most
    what = (
        f"99 % of entries in {inside_ms:.1f} ms from the bytes read to the PUBACK, {plan.ports} x {plan.rate:g} frames "
        f"a second for {seconds:.0f} s; the player was {made.late_ms:.1f} ms late"
    )
    yield at_least("gateway.25_ms_over_p99", 25 / inside_ms, 1, what)
    what = f"99 % of coups in {most:.1f} ms, half in {middle:.1f} ms, from the write into the pty to a subscriber"
    yield at_least("gateway.25_ms_over_p99_to_subscriber", 25 / most, 1, what)
    yield at_least("gateway.paced_received_over_sent", made.served(), 1, in_words(made))
    over, kib = made.growth()
    what = f"{kib:+,.0f} KiB a minute after the first fifth of {seconds:.0f} s; SABOT_BENCH_S=600 gives ten minutes"
    yield at_most("gateway.memory_at_end_over_warm", over, 1.02, what)


def many_ports(plan: LoadPlan) -> Iterator[Figure]:
    """CPU and completeness with many slow ports."""
    made = run("gateway", plan)
    what = f"{plan.ports} ports, a frame every {1 / plan.rate:g} s on each: {in_words(made)}"
    yield at_least("gateway.fifth_of_a_core_over_used", 0.2 / made.cores(), 1, what)
    yield at_least("gateway.casino_received_over_sent", made.served(), 1, what)


def in_words(made: LoadResult) -> str:
    """How a run went; the load of the machine belongs to it."""
    return (
        f"{made.frames:,} of {made.sent:,} events in the ledger, {made.coups:,} of {made.due_coups:,} coups received, "
        f"{made.cores():.2f} of a core, {made.cores() * made.seconds / made.frames * 1e6:,.0f} us of CPU a frame, "
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
