"""`python -m edges --shoes N --seed N`: random shoes in all five rulebooks; exit 1 with the lines for `sabot play`."""

import argparse
import json
import sys
from collections import Counter

from edges.run import Failure, shoe, shrink

_EVERY = 50  # shoes between two progress lines
_MOST_SHOWN = 5


def main() -> int:
    """Play, and print what was found."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--shoes", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--bench", default="unix", help="unix or cpython")
    options.add_argument("--first", type=int, default=1, help="the number of the first shoe")
    chosen = options.parse_args()
    seen, found = Counter[str](), Counter[str]()
    for number in range(chosen.first, chosen.first + chosen.shoes):
        game, failure = shoe(f"{chosen.seed} {number}", chosen.bench)
        seen.update(game.witness.seen)
        if failure is not None:
            found[failure.violation.name] += 1
            _print(f"--seed {chosen.seed} --first {number} --shoes 1", failure, found.total() <= _MOST_SHOWN)
        if number % _EVERY == 0:
            print(f"{number} shoes, {seen['coup']} coups, {found.total()} failed", file=sys.stderr)
    counted = ", ".join(f"{count} {kind}" for kind, count in sorted(seen.items()))
    print(f"{chosen.shoes} shoes, seed {chosen.seed}, on {chosen.bench}: {counted}")
    print(f"violations: {dict(found) or 'none'}")
    return 1 if found else 0


def _print(again: str, failure: Failure, whole: bool) -> None:
    """Print the seed and, if `whole`, the shrunk lines."""
    print(f"FAILED: python -m edges {again}: {failure.violation}")
    if not whole:
        return
    small = shrink(failure)
    lines = "\n".join(json.dumps(line) for line in small.lines)
    print(f"{small.violation}\n{small.table.command()} <<'END'\n{lines}\nEND")


if __name__ == "__main__":
    sys.exit(main())
