"""`python -m angel_kills --tables N --seconds N --kills N --seed N`: exit 1 if a message is missing."""

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import mkdtemp

from sabot_tools.bench.angel_load import AngelPlan
from sabot_tools.stand.children import DeadChildError

from angel_kills.run import Outcome, Run, StalledError, rounds
from angel_kills.truth import COMMITTED_WITHIN_S

_SPOILT = 0.5
_SHOWN = 20


def main() -> int:
    """Run it and print the result; the directory with all logs stays."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tables", type=int, default=200)
    options.add_argument("--seconds", type=float, default=120.0, help="of play, every line full at 4800 baud")
    options.add_argument("--kills", type=int, default=12, help="rounds of kills")
    options.add_argument("--within", type=float, default=COMMITTED_WITHIN_S, help="seconds from a byte to its commit")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--dir", type=Path, help="directory for ledger and logs; else a temporary one")
    chosen = options.parse_args()
    work_dir = chosen.dir or Path(mkdtemp(prefix="sabot-angel-"))
    work_dir.mkdir(parents=True, exist_ok=True)
    plan = AngelPlan(chosen.tables, chosen.seconds, spoilt=_SPOILT)
    print(f"{plan.tables} tables, {plan.seconds:.0f} s, {chosen.kills} rounds of kills, seed {chosen.seed}")
    with ExitStack() as stack:
        try:
            run = Run(stack, work_dir, plan, say=lambda text: print(text, flush=True), within_s=chosen.within)
            outcome = run.play(rounds(chosen.seed, chosen.kills, plan.seconds))
        except (StalledError, DeadChildError) as error:
            print(f"FAILED: {error}")
            return 1
    print(report(outcome, work_dir, chosen.within))
    return 1 if outcome.findings else 0


def report(outcome: Outcome, work_dir: Path, within_s: float) -> str:
    """Return the result as lines of text."""
    counts, found = outcome.counts, outcome.findings
    kills = ", ".join(f"{name} {count}" for name, count in sorted(outcome.kills.items())) or "none"
    lines = [
        f"kills: {kills}; everything had arrived {outcome.settled_s:.1f} s after the play",
        f"{counts.messages:,} messages stored, {counts.verified:,} coups verified as dealt, {counts.cut:,} cut by a "
        f"kill and disputed; {counts.changes_missed} tables had their cards changed unseen; {counts.lost:,} messages "
        f"came within {within_s:g} s before a kill and were lost",
    ]
    verdict = [f"FAILED: {finding}" for finding in found[:_SHOWN]] or ["passed"]
    more = [f"and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
    return "\n".join([*lines, *verdict, *more, f"logs: {work_dir}"])


if __name__ == "__main__":
    sys.exit(main())
