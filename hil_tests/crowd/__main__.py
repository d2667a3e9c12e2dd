"""`python -m crowd --coups N --seed N`: random people at five books; exit 1 with the newest lines if one is wrong."""

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from shutil import rmtree
from typing import Any

from day.__main__ import fast_directory
from day.site import StuckError, quiet
from sabot_tools.text.progress import bar

from crowd.breaks import Breaks
from crowd.hands import Luck
from crowd.judge import Judge
from crowd.pages import Pages
from crowd.pins import PinPeople
from crowd.play import CrowdTable
from crowd.site import BOOKS, Site

_SHOWN = 30
_PINS, _BREAKS = 0.003, 0.005  # of the steps
Line = dict[str, Any]


def main() -> int:
    """Play, and print what was found."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--coups", type=int, default=2000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--bench", default="unix", help="unix: the firmware on the MicroPython VM; cpython")
    options.add_argument("--keep-going", action="store_true", help="list all that is wrong, not only the first")
    options.add_argument("--log", type=Path, help="write every step to this file, as JSON lines")
    chosen = options.parse_args()
    work_dir = fast_directory()
    started_s = time.monotonic()
    lines: list[Line] = []
    counts, wrong = play(work_dir, chosen.seed, chosen.coups, chosen.bench, lines.append, keep_going=chosen.keep_going)
    if chosen.log:
        chosen.log.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    print(f"seed {chosen.seed}: {dict(sorted(counts.items()))} in {time.monotonic() - started_s:.0f} s")
    if wrong:
        print(*(json.dumps(line) for line in lines[-_SHOWN:]), sep="\n")
        print(*(f"FAILED: {one}" for one in wrong), f"ledger: {work_dir}", sep="\n")
        return 1
    rmtree(work_dir)
    print("passed")
    return 0


def play(
    work_dir: Path, seed: int, coups: int, bench: str, note: Callable[[Line], None], *, keep_going: bool = False
) -> tuple[Counter[str], list[str]]:
    """Play until the tables together have so many coups; `note` gets every step; return counts, and what is wrong."""
    quiet()
    counts = Counter[str]()
    with ExitStack() as stack:
        site = Site(stack, seed, work_dir, bench)
        site.start()
        judge, pages = Judge(site), Pages(site, stack)
        luck = Luck(random.Random(f"{seed} luck"))
        tables = [CrowdTable(site, name, random.Random(f"{seed} {name}"), judge, pages, luck) for name in BOOKS]
        breaks, pins = Breaks(site, site.rng), PinPeople(site, pages, site.rng, judge.wrong)
        pins.add()
        progress, said = stack.enter_context(bar("coups", coups)), 0
        try:
            while (played := judge.coups()) < coups and (keep_going or not judge.wrong):
                line = _world(site, breaks, pins) or site.rng.choice(tables).step()
                note(line)
                _count(counts, line)
                progress(judge.coups() - played)
                said = _object(judge.wrong, said)
        except (TimeoutError, StuckError) as error:
            judge.wrong.append(str(error))
        counts["coups"], counts["wins"] = judge.coups(), len(site.eye.triggers)
        counts["wins paid"], counts["paid while others wait"] = judge.paid, judge.paid_before_others
    return counts, judge.wrong


def _object(wrong: list[str], said: int) -> int:
    """Print the objections that are new; return how many there are."""
    for one in wrong[said:]:
        print(f"FAILED: {one}", file=sys.stderr, flush=True)
    return len(wrong)


def _world(site: Site, breaks: Breaks, pins: PinPeople) -> Line:
    """Return what happens beside the tables this time; empty if nothing does."""
    breaks.mend()
    chance = site.rng.random()
    if chance < _PINS:
        return pins.step()
    return breaks.step(site.rng.choice(list(BOOKS))) if chance < _PINS + _BREAKS else {}


def _count(counts: Counter[str], line: Line) -> None:
    for one in line.get("tidy", [line]):
        if "verb" in one:
            counts[f"{one['verb']} {'done' if one['ok'] else 'refused'}"] += 1
    counts["steps"] += 1


if __name__ == "__main__":
    sys.exit(main())
