"""`python -m siege run|each|tamper`: the laboratory by hand; `make siege` and `make tamper` call it."""

import argparse
import json
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from siege import alone, report, tamper, verdict
from siege.ground import Order
from siege.runner import besiege

# How the minutes of a run are shared out.
_SHARES = {"baseline": 0.12, "siege": 0.68, "broker": 0.1, "kill": 0.1}


def main() -> int:
    """Run what the arguments ask for; 0 if every check holds."""
    parser = argparse.ArgumentParser(prog="siege", description=__doc__)
    parser.add_argument("what", choices=("run", "each", "tamper"))
    parser.add_argument("--minutes", type=float, default=1.0, help="of run")
    parser.add_argument("--seconds", type=float, default=8.0, help="of each attack alone")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--broker", choices=("nats", "mosquitto"), default="nats")
    parser.add_argument("--only", type=_names, default=(), help="attacks by name, with commas")
    parser.add_argument("--without", type=_names, default=(), help="all attacks but these")
    parser.add_argument("--out", type=Path, default=Path("build/siege"), help="where the result is written")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    return {"run": _run, "each": _each, "tamper": _tamper}[chosen.what](chosen)


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(",")) if text else ()


def _run(chosen: argparse.Namespace) -> int:
    """A siege of all attackers together."""
    work_dir = Path(tempfile.mkdtemp(prefix="siege-"))
    seconds = {f"{name}_s": share * chosen.minutes * 60 for name, share in _SHARES.items()}
    order = Order(work_dir, chosen.seed, chosen.broker, acts=chosen.only, without=chosen.without)
    found = report.document(*besiege(replace(order, **seconds)))
    path = chosen.out / f"siege-{chosen.broker}-{chosen.seed}.json"
    path.write_text(json.dumps(found, indent=1) + "\n")
    print(report.words(found))
    print(f"{path} has all of it. Again: make siege MINUTES={chosen.minutes:g} SEED={chosen.seed} KIND={chosen.broker}")
    if not found["passed"]:
        print(f"Ledger, logs and the list of attacks are kept in {work_dir}")
        return 1
    shutil.rmtree(work_dir)
    return 0


def _each(chosen: argparse.Namespace) -> int:
    """Every attack alone, each on a daemon of its own."""
    rows = []
    for name in chosen.only or alone.names():
        with tempfile.TemporaryDirectory(prefix="siege-") as work_dir:
            order = Order(Path(work_dir), chosen.seed, chosen.broker, siege_s=chosen.seconds)
            rows.append(alone.row(name, order))
        print(json.dumps(rows[-1]), flush=True)
    (chosen.out / "each.json").write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if any(row["failed"] for row in rows) else 0


def _tamper(chosen: argparse.Namespace) -> int:
    """Every way of changing a ledger, each on a copy."""
    with tempfile.TemporaryDirectory(prefix="siege-") as work_dir:
        rows = tamper.Bench(Order(Path(work_dir), chosen.seed, chosen.broker)).run(chosen.only)
    verdict.write(rows, chosen.out)
    wrong = [row["case"] for row in rows if not row["as_it_must"]]
    print(f"{len(rows)} ways; not as it must be: {', '.join(wrong) or 'none'}. {chosen.out}/tamper.md has all of it.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
