"""Accuracy of the firmware's card reader: simulated reads of every optics profile, on all cores."""

import json
import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

import typer
from sabot_sim.optics.profiles import PROFILES
from sabot_sim.rigs import read_tally
from sabot_sim.rigs.read_tally import REJECT_GOALS, Tally
from sabot_sim.rigs.reader import BENCHES, CPythonReader, VmReader

from sabot_tools.actions.read import bench_of

_PART = 1_000
_bench: CPythonReader | VmReader  # of this worker process


def _start_worker(bench: str) -> None:
    global _bench
    _bench = BENCHES[bench]()


def _run_part(profile: str, seed: int, numbers: range) -> tuple[str, Tally]:
    return profile, read_tally.run(_bench, profile, seed, numbers)


def tallies(profiles: list[str], seed: int, numbers: range, bench: str, workers: int) -> Iterator[tuple[str, Tally]]:
    """Yield the tally of each part as it is done."""
    with ProcessPoolExecutor(workers, initializer=_start_worker, initargs=(bench,)) as pool:
        parts = [
            pool.submit(_run_part, profile, seed, numbers[first : first + _PART])
            for profile in profiles
            for first in range(0, len(numbers), _PART)
        ]
        try:
            for done in as_completed(parts):
                yield done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def measure(profiles: list[str], seed: int, numbers: range, bench: str, as_json: bool) -> bool:
    """Print the result of every profile; return True if all goals are met."""
    found = {profile: Tally() for profile in profiles}
    start = time.monotonic()
    length = len(numbers) * len(profiles)
    with typer.progressbar(length=length, label="reading", file=typer.get_text_stream("stderr")) as bar:
        for profile, tally in tallies(profiles, seed, numbers, bench, os.cpu_count() or 1):
            found[profile].add(tally)
            bar.update(tally.reads)
    rate = length / (time.monotonic() - start)
    ok = all(tally.ok(profile) for profile, tally in found.items())
    if as_json:
        profile_rows = {profile: as_dict(profile, tally) for profile, tally in found.items()}
        wrong = sum(tally.wrong for tally in found.values())
        whole = {"bench": bench, "seed": seed, "first": numbers.start, "reads_each": len(numbers), "reads": length}
        print(json.dumps({**whole, "wrong": wrong, "ok": ok, "reads_a_second": round(rate), "profiles": profile_rows}))
    else:
        print("\n".join(table_lines(found, seed)))
        print(f"{length:,} reads on {bench}, {rate:,.0f} a second")
    return ok


def as_dict(profile: str, tally: Tally) -> dict[str, Any]:
    """Return the result of one profile for JSON."""
    goal = REJECT_GOALS.get(profile)
    return {
        "reads": tally.reads,
        "cards": tally.cards,
        "right": tally.right,
        "wrong": tally.wrong,
        "unseen": tally.unseen,
        "rejects": tally.rejects,
        "reject_rate": float(tally.reject_rate()),
        "reject_goal": None if goal is None else float(goal),
        "refused": tally.refused,
        "silent": tally.silent,
        "margin_mean": round(tally.margin_sum_pct / 100 / (tally.right or 1), 3),
        "margin_worst": tally.margin_worst_pct / 100,
        "ok": tally.ok(profile),
        "reasons": dict(tally.reasons.most_common()),
        "wrong_numbers": tally.wrong_numbers,
        "unseen_numbers": tally.unseen_numbers,
    }


def table_lines(found: dict[str, Tally], seed: int) -> Iterator[str]:
    """Yield the lines of a table."""
    heads = f"{'reads':>10} {'right':>10} {'wrong':>6} {'rejects':>9} {'of cards':>10} {'goal':>9}"
    yield f"{'profile':<9} {heads}  reasons"
    for profile, tally in found.items():
        goal = f"{float(REJECT_GOALS[profile]):.5%}" if profile in REJECT_GOALS else "-"
        reasons = ", ".join(f"{reason} {count}" for reason, count in tally.reasons.most_common(3))
        counts = f"{tally.reads:>10} {tally.right:>10} {tally.wrong:>6} {tally.rejects:>9}"
        rate = f"{float(tally.reject_rate()):>10.5%}"
        yield f"{profile:<9} {counts} {rate} {goal:>9}{' ' if tally.ok(profile) else '!'} {reasons}"
        if tally.unseen:
            yield f"  a second card was missed in {tally.unseen} reads, for example in number {tally.unseen_numbers[0]}"
        for number in tally.wrong_numbers:
            yield f"  wrong: sabot optics show --profile {profile} --seed {seed} --number {number} | sabot read"


def known_profiles(profiles: list[str], bench: str) -> list[str]:
    """Return the profiles to measure, all if none is given; check that bench and profiles exist."""
    with bench_of("bench optics", bench):
        pass
    for profile in profiles:
        if profile not in PROFILES:
            raise typer.BadParameter(
                f"unknown profile {profile!r}: choose from {', '.join(PROFILES)}", param_hint="--profile"
            )
    return profiles or list(PROFILES)
