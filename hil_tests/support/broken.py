"""Broken on purpose: one line of the firmware changed at a time; a recording must fail and name the event that differs.

`make broken` tries every change, `make broken ONLY=coup` those of one file.
"""

import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sabot_sim.rigs.vm import firmware_dir
from sabot_tools.replay.files import differences_from_sidecar
from sabot_tools.replay.on_bench import shared_broker
from sabot_tools.stand.broker import LocalBroker

from support.broken_lines import CHANGES, Change

FOLDER: Final = Path(__file__).parents[1] / "recordings"
RECORDINGS: Final = sorted(FOLDER.glob("*/*.shoe"), key=lambda path: path.stat().st_size)
PATIENCE_S: Final = 15.0  # a sound shoe never needs as much: each failure is tried with one
_TOLD: Final = re.compile(
    r"^events \d+ differs [^\n]*\n(?:    [^\n]*\n)*  - ([^\n]*)\n  \+ ([^\n]*)(?:\n    ([^\n]*))?"
)
_EVENT: Final = re.compile(r'"no":(\d+).*?"event":"(\w+)"')


class BrokenError(RuntimeError):
    """A change cannot be made, or a recording fails without one; the message says what to do."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one change; `recording` is empty if no recording named an event."""

    change: Change
    recording: str = ""
    event: str = ""
    unnamed: tuple[str, ...] = ()  # recordings that failed and named none
    took_s: float = 0.0


@contextmanager
def firmware_with(change: Change) -> Iterator[Path]:
    """Yield a copy of the firmware with one line changed."""
    with tempfile.TemporaryDirectory(prefix="sabot-broken-") as work:
        folder = Path(work) / "firmware"
        shutil.copytree(firmware_dir(), folder, ignore=shutil.ignore_patterns("tests", "__pycache__"))
        path = folder / "sabot" / f"{change.module}.py"
        path.write_text(changed(path.read_text(), change))
        yield folder


def changed(text: str, change: Change) -> str:
    """Return the text with the new line; BrokenError unless the old one is there exactly once."""
    lines = text.split("\n")
    if lines.count(change.old) != 1:
        raise BrokenError(
            f"{change.module}.py has {lines.count(change.old)} lines {change.old!r}, not one: "
            "correct the change where it is listed"
        )
    return "\n".join(change.new if line == change.old else line for line in lines)


def named(differences: Iterable[str]) -> str:
    """Return the event that a failure names, expected and found; empty if it names none."""
    for text in differences:
        if found := _TOLD.match(text):
            expected, found_event = (_event_of(line) for line in found.group(1, 2))
            fields = f": {found[3]}" if expected == found_event else ""
            return f"{expected}{fields}" if fields else f"{expected} expected, {found_event} found"
    return ""


def _event_of(line: str) -> str:
    found = _EVENT.search(line)
    return f"{found[1]} {found[2]}" if found else "nothing"


def tried(change: Change, recordings: Iterable[Path], server: LocalBroker) -> Outcome:
    """Replay until a recording fails and names an event; it must pass with the sound firmware."""
    started_s = time.monotonic()
    unnamed: list[str] = []
    with firmware_with(change) as folder:
        for path in recordings:
            differences = differences_from_sidecar(path, "unix", server, firmware=folder, patience_s=PATIENCE_S)
            event = named(differences)
            if event:
                _must_be_sound(path, server)
                silent = next((text for text in differences if text.startswith("the shoe stopped")), "")
                return Outcome(change, _name(path), silent or event, tuple(unnamed), time.monotonic() - started_s)
            unnamed += [_name(path)] if differences else []
    return Outcome(change, unnamed=tuple(unnamed), took_s=time.monotonic() - started_s)


def _must_be_sound(path: Path, server: LocalBroker) -> None:
    if differences := differences_from_sidecar(path, "unix", server, patience_s=PATIENCE_S):
        raise BrokenError("\n".join([f"{path} differs with the sound firmware too; correct that first", *differences]))


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def in_order(change: Change) -> list[Path]:
    """Return all recordings: first the one known to show this change, then by size."""
    return sorted(RECORDINGS, key=lambda path: _name(path) != change.shown_by)


def _with_a_broker(change: Change) -> Outcome:
    with shared_broker() as server:
        return tried(change, in_order(change), server)


def row(outcome: Outcome) -> str:
    """Return a line of the table."""
    change = outcome.change
    becomes = f"`{change.new.strip()}`" if change.new else "missing"
    where = outcome.recording or f"SURVIVED ({', '.join(outcome.unnamed) or 'none'} failed without naming an event)"
    differences = (change.module, f"`{change.old.strip()}`", becomes, change.why, where, outcome.event)
    cells = [cell.replace("|", "\\|") for cell in differences]
    return " | ".join(["", *cells, ""]).strip()


def main(module: str) -> None:
    """Try all changes, or those of one module, two at a time; exit 1 if one survives."""
    changes, survived = (
        [change for change in CHANGES if module in ("", change.module, change.module.rpartition("/")[2])],
        0,
    )
    print("| file | line | becomes | why somebody could write it | recording that fails | event that it names |")
    print("|---|---|---|---|---|---|")
    with ProcessPoolExecutor(2) as pool:
        for number, outcome in enumerate(pool.map(_with_a_broker, changes), 1):
            survived += not outcome.recording
            print(row(outcome), flush=True)
            print(f"{number}/{len(changes)}, {outcome.took_s:.0f} s", file=sys.stderr, flush=True)
    print(f"{len(changes) - survived} of {len(changes)} changes fail a recording that names the event", file=sys.stderr)
    sys.exit(int(survived > 0 or not changes))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
