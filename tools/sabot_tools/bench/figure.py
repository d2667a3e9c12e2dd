"""One figure of the bench, its goal, and the timers that measure it."""

import resource
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A ratio and its goal; `ok` is True if the goal is met, `what` explains the ratio."""

    name: str
    ratio: float
    goal: float
    unit: str
    ok: bool
    what: str


def at_least(name: str, ratio: float, goal: float, what: str) -> Figure:
    """Return the figure of a ratio that should be large."""
    return Figure(name, round(ratio, 2), goal, "x", ratio >= goal, what)


def at_most(name: str, ratio: float, goal: float, what: str) -> Figure:
    """Return the figure of a ratio that should be small."""
    return Figure(name, round(ratio, 2), goal, "x, at most", ratio <= goal, what)


def best_s(action: Callable[[], object], rounds: int = 7) -> float:
    """Return the time of the fastest round: the one that other programs disturbed least."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def children_cpu_s() -> float:
    """Return the processor time of the child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def best_in_turn_s(subject: object, actions: tuple[tuple[Callable[..., object], int], ...], rounds: int) -> list[float]:
    """Return the seconds a call of each (action, calls a round).

    The actions take turns in many short rounds, and the fastest round of each counts: a busy machine slows all alike.
    """
    best = [float("inf")] * len(actions)
    for _ in range(rounds):
        for at, (action, calls) in enumerate(actions):
            start = time.perf_counter()
            for _ in range(calls):
                action(subject)
            best[at] = min(best[at], (time.perf_counter() - start) / calls)
    return best
