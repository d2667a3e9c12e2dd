"""The terminal of the demo: prints coups, alarms and jackpots, and knows when enough coups were printed."""

import os
import shutil
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from sabot_protocol.topics import AlarmMessage, CoupMessage

from sabot_tools.stand.jackpot_people import JackpotPeople
from sabot_tools.text.coups import Painter, Summary

_SUMMARY_EVERY = 10


@dataclass
class Screen:
    """Prints lines; a summary stays on the last line of a terminal, and is printed now and then elsewhere."""

    coups: int | None
    stacked: bool = False  # a coup of the stacked shoe will win
    started_s: float = field(default_factory=time.time)
    people: dict[str, JackpotPeople] = field(default_factory=dict)  # rulebook: those of its jackpot
    books: dict[str, str] = field(default_factory=dict)  # table: rulebook
    summary: Summary = field(default_factory=Summary)
    newest: dict[str, int] = field(default_factory=dict)  # unit: the last event printed

    def __post_init__(self) -> None:
        """Find out whether stdout is a terminal."""
        self._tty = sys.stdout.isatty()
        self._painter = Painter(self._tty and "NO_COLOR" not in os.environ)

    def print(self, text: str) -> None:
        """Print a line above the summary."""
        clear = "\r\033[K" if self._tty else ""
        print(f"{clear}{text}", flush=True)

    def coup(self, coup: CoupMessage, latency_s: float | None) -> None:
        """Print a coup, and the time since its last edge if that is known."""
        self.summary.add(coup, latency_s)
        self.print(self._painter.line(coup, latency_s))
        if self.summary.coups() == 1:
            self.print(start_times(self.started_s, time.time()))
        people = self.people.get(self.books.get(coup.table, ""))
        if people and coup.kind == "live" and not coup.corrects:
            people.coup_printed(coup.table, coup.shoe, coup.coup)
        self._print_summary()

    def alarm(self, alarm: AlarmMessage) -> None:
        """Print an alarm."""
        self.summary.alarms += 1
        sources = (("shoe", alarm.shoe_says), ("cards", alarm.cards_say))
        known = "; ".join(f"{source}: {text}" for source, text in sources if text)
        self.print(f"{alarm.table}  ALARM {alarm.name}: {alarm.say}{f' ({known})' if known else ''}")

    def _print_summary(self) -> None:
        if self._tty:
            width = shutil.get_terminal_size().columns - 1  # a line that wraps could not be erased
            print(f"\r\033[K{self.summary.text()[:width]}", end="", flush=True)
        elif self.summary.coups() % _SUMMARY_EVERY == 0:
            self.print(self.summary.text())

    def enough(self) -> bool:
        """Return True if no more coups are to be printed: as many as asked for, and the stacked one."""
        if self.coups is None or self.summary.coups() < self.coups:
            return False
        return not self.stacked or not self.people or any(people.has_win() for people in self.people.values())

    def done(self) -> bool:
        """Return True if enough coups were printed, and each is on the jackpot's meter."""
        return self.enough() and all(people.settled() for people in self.people.values())

    def tables_with_win(self) -> set[str]:
        """Return the tables where a win of a jackpot is not yet paid."""
        return {table for people in self.people.values() for table in people.tables_with_win()}


def start_times(started_s: float, now_s: float) -> str:
    """Return the time to the first coup; it is a cold start if make had to create the environment first."""
    make_s = _seconds(os.environ.get("SABOT_MAKE_STARTED_S"), started_s)
    stamp = Path(sys.prefix) / ".demo"
    cold = stamp.exists() and stamp.stat().st_mtime >= make_s
    if not cold:
        return f"first coup {now_s - make_s:.2f} s after the start (warm start)"
    return (
        f"first coup {now_s - make_s:.2f} s after the start (cold start: {started_s - make_s:.2f} s to create the "
        f"environment, then {now_s - started_s:.2f} s)"
    )


def _seconds(text: str | None, otherwise: float) -> float:
    """Return the time that make passed on, or `otherwise`: not every system's date prints fractions."""
    try:
        return float(text) if text else otherwise
    except ValueError:
        return otherwise
