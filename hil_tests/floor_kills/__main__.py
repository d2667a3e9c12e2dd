"""`python -m floor_kills --tables N --coups N --store sqlite|postgresql --seed N`: exit 1 if a meter is a unit off."""

import argparse
import sys
from contextlib import ExitStack
from itertools import takewhile
from pathlib import Path
from tempfile import mkdtemp
from typing import get_args

from sabot_tools.stand.children import DeadChildError

from floor_kills.jackpots import expected
from floor_kills.parts import Parts, Size, StoreKind
from floor_kills.plan import rounds
from floor_kills.run import Outcome, Run, Scene, StalledError

_PATIENCE_S = 120.0


def main() -> int:
    """Run a scene and print the result; the directory with all logs stays if something was wrong."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tables", type=int, default=200)
    options.add_argument("--coups", type=int, default=500, help="of each table")
    options.add_argument("--store", choices=get_args(StoreKind), default="sqlite")
    options.add_argument("--scene", choices=get_args(Scene), default="kills")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--rate", type=float, default=12.0, help="frames a second of each table; 0 has no limit")
    options.add_argument("--dir", type=Path, help="directory for ledger, stores and logs; else a temporary one")
    chosen = options.parse_args()
    work_dir = chosen.dir or Path(mkdtemp(prefix="sabot-kills-"))
    work_dir.mkdir(parents=True, exist_ok=True)
    size = Size(chosen.tables, chosen.coups, chosen.rate, chosen.store)
    print(f"{chosen.tables} tables × {chosen.coups} coups, {chosen.store}, scene {chosen.scene}, seed {chosen.seed}")
    with ExitStack() as stack:
        try:
            run = Run(stack, work_dir, size, say=lambda text: print(text, flush=True), patience_s=_PATIENCE_S)
            kills = rounds(chosen.seed, size.victims) if chosen.scene == "kills" else iter(())
            outcome = run.play(chosen.scene, takewhile(lambda _: not run.parts.played().done, kills))
        except (StalledError, DeadChildError) as error:
            print(f"FAILED: {error}")
            return 1
        print(report(run.parts, outcome))
        return 1 if outcome.findings else 0


def report(parts: Parts, outcome: Outcome) -> str:
    """Return the result as lines of text."""
    coups = sum(len(table.coup_ids(unwagered=True)) for table in parts.tables)
    kills = ", ".join(f"{name} {count}" for name, count in sorted(outcome.kills.items())) or "none"
    lines = [
        f"kills: {kills}",
        f"played in {outcome.played_s:.1f} s, {coups / outcome.played_s:.0f} coups a second, with {outcome.resends} "
        f"resends; counted {outcome.settled_s:.1f} s after the last coup",
    ]
    for one in expected(parts.tables):
        jackpot, meters = one.jackpot, outcome.meters.get(one.jackpot.id, {})
        lines.append(
            f"{jackpot.id}: {one.coups} coups × {jackpot.increment} = {one.meters['in']}, + base {jackpot.base} - "
            f"reserve {one.meters['reserve']} = {one.meters['display']}; the meter shows in {meters.get('in')}, "
            f"display {meters.get('display')}"
        )
    verdict = [f"FAILED: {finding}" for finding in outcome.findings[:20]] or ["passed"]
    more = len(outcome.findings) - 20
    return "\n".join([*lines, *verdict, *([f"and {more} more"] if more > 0 else []), f"logs: {parts.work_dir}"])


if __name__ == "__main__":
    sys.exit(main())
