"""Clock source: how far this PC's clock is from its NTP source, as chrony or systemd-timesyncd report it."""

import csv
import re
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

EVERY_S = 60.0
_WITHIN_S = 5.0
_MOST_TEXT = 65_536
_CHRONY_FIELDS = 14
_STALE_S = 3600.0  # by default chrony asks its source every 17 minutes or more often
_UNITS_S = {"us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-zµμ]+)")


class Reading(NamedTuple):
    """What a time service reports."""

    service: str
    synchronised: bool
    offset_s: float | None = None  # this PC's clock less the source's: above 0, the PC is ahead


def chrony(text: str, now_s: float) -> Reading | None:
    """Return the reading of `chronyc -c tracking` at a time of this PC's clock; None if the text is something else."""
    rows = list(csv.reader(text.strip().splitlines()))
    if len(rows) != 1 or len(rows[0]) != _CHRONY_FIELDS:
        return None
    try:
        measured_s, slow_s = float(rows[0][3]), float(rows[0][4])
    except ValueError:
        return None
    # A source that is lost leaves the status Normal: only the time of the last measurement shows it.
    recent = now_s + slow_s - measured_s < _STALE_S
    synchronised = recent and rows[0][13] in ("Normal", "Insert second", "Delete second")
    return Reading("chrony", synchronised, 0.0 - slow_s if synchronised else None)


def timesyncd(text: str) -> Reading | None:
    """Return the reading of `timedatectl timesync-status`; None if the text is something else."""
    facts = dict(line.strip().split(": ", 1) for line in text.splitlines() if ": " in line)
    if "Server" not in facts and "Packet count" not in facts:
        return None
    offset_s = _timespan_s(facts.get("Offset", ""))
    if offset_s is None or facts.get("Packet count", "0").strip() == "0":
        return Reading("timesyncd", synchronised=False)
    return Reading("timesyncd", synchronised=True, offset_s=0.0 - offset_s)


def _timespan_s(text: str) -> float | None:
    """Return a time span of systemd such as -1.5ms or +1min 2.25s in seconds, or None."""
    bare = text.strip()
    parts = _PART.findall(bare)
    if not parts or any(unit not in _UNITS_S for _, unit in parts):
        return 0.0 if bare in ("0", "+0", "-0") else None
    return (-1.0 if bare.startswith("-") else 1.0) * sum(float(number) * _UNITS_S[unit] for number, unit in parts)


_ASKED: Sequence[tuple[list[str], Callable[[str], Reading | None]]] = (
    (["chronyc", "-c", "tracking"], lambda text: chrony(text, time.time())),
    (["timedatectl", "timesync-status", "--no-pager"], timesyncd),
)


def ask() -> Reading | None:
    """Return the reading of the first service that answers; None if none does. Waits: not for a loop."""
    for command, parse in _ASKED:
        with suppress(OSError, subprocess.SubprocessError):
            environment = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8"}
            done = subprocess.run(
                command, capture_output=True, timeout=_WITHIN_S, env=environment, stdin=subprocess.DEVNULL, check=False
            )
            reading = parse(done.stdout[:_MOST_TEXT].decode(errors="replace")) if done.returncode == 0 else None
            if reading is not None:
                return reading
    return None


class ClockWatch:
    """Asks once a minute, in a thread of its own; `reading` is the newest answer, None while it is not known."""

    def __init__(self, ask: Callable[[], Reading | None] = ask) -> None:
        self._ask = ask
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="clock", daemon=True)
        self.reading: Reading | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.reading = self._ask()
            self._stopping.wait(EVERY_S)

    def close(self) -> None:
        """End the thread when it next wakes."""
        self._stopping.set()
