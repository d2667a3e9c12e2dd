"""`python -m day --seed N --tables N --irregularities N`: exit 1 if a report differs from what happened."""

import argparse
import sys
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import NamedTuple

from sabot_sim.rigs.play import BENCHES
from sabot_sim.world.day import Day, seeded_day
from sabot_sim.world.truth import Truth
from sabot_tools.stand.broker import LocalBroker
from sabot_tools.stand.memory import fast_folder
from sabot_tools.text.progress import bar

from day import judge, other_reports
from day.judge import Printed, Section
from day.run import Run
from day.site import quiet

_MOST_SHOWN = 40
START_S = 1_790_000_000.0  # 2026-09-21, 22:13 in Sydney: the day goes on past 06:00


class Played(NamedTuple):
    """What is left of a day: answers that nobody expected, ledgers, store, reports, and the projection compared."""

    said: list[str]
    ledgers: list[Path]
    store: Path
    reports: Printed
    projection: Section


def main() -> int:
    """Play a day and print the result; the directory with all ledgers stays if something differs."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--tables", type=int, default=20)
    options.add_argument("--irregularities", type=int, default=200)
    options.add_argument("--bench", choices=list(BENCHES), default="unix", help="where the firmware runs")
    chosen = options.parse_args()
    work_dir = fast_directory()
    day = seeded_day(chosen.seed, chosen.tables, chosen.irregularities, START_S)
    print(summary(chosen.seed, day), flush=True)
    started_s = time.monotonic()
    played = play(day, work_dir, chosen.bench)
    sections = compare(day.truth, played)
    print(f"played and compared in {time.monotonic() - started_s:.0f} s")
    print(report(played.said, sections))
    if played.said or any(section.differences for section in sections):
        print(f"ledgers: {work_dir}")
        return 1
    rmtree(work_dir)
    return 0


def fast_directory() -> Path:
    """Return a new directory, in memory where the system has that: ledgers are written with every card."""
    return Path(mkdtemp(prefix="sabot-day-", dir=fast_folder()))


def play(day: Day, work_dir: Path, bench: str) -> Played:
    """Play a day; print the reports, and rebuild the projection from the ledgers."""
    quiet()
    with ExitStack() as stack:
        broker = LocalBroker(work_dir)
        stack.callback(broker.stop)
        run = Run(stack, day, broker.address, work_dir, bench)
        with bar("playing", len(day.acts)) as progress:
            run.play(progress)
        store = run.floor.store
        projection = judge.of_projection(store, run.ledgers(), work_dir / "rebuilt.db")
        return Played(run.said, run.ledgers(), store, judge.print_reports(day.truth, store), projection)


def compare(truth: Truth, played: Played) -> list[Section]:
    """Return every section with its differences."""
    return [
        *judge.of_ledgers(truth, played.ledgers),
        *judge.of_reports(truth, played.reports),
        other_reports.of_store(truth, played.store),
        played.projection,
    ]


def summary(seed: int, day: Day) -> str:
    """Return what happens on this day, as lines of text."""
    truth, hours = day.truth, (day.acts[-1].time_s - day.acts[0].time_s) / 3600
    situations = Counter(one.situation for one in truth.irregularities)
    return "\n".join(
        (
            f"seed {seed}: {len(day.tables)} tables, {hours:.1f} hours, {len(day.acts)} acts, "
            f"{len(truth.shoes)} shoes, {len(truth.coups)} coups, {len(truth.irregularities)} irregularities",
            ", ".join(f"{count} {name}" for name, count in situations.most_common()),
        )
    )


def report(said: list[str], sections: list[Section]) -> str:
    """Return the result as lines of text."""
    lines = [f"{one.name}: {one.lines} lines, {len(one.differences)} differences" for one in sections if one.lines]
    found = [f"not expected: {one}" for one in said] + [one for section in sections for one in section.differences]
    more = [f"and {len(found) - _MOST_SHOWN} more"] if len(found) > _MOST_SHOWN else []
    return "\n".join([*lines, *found[:_MOST_SHOWN], *more, "passed" if not found else "FAILED"])


if __name__ == "__main__":
    sys.exit(main())
