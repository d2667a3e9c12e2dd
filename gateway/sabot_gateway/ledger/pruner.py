"""Pruner: once a day remove the entries that are older than `keep_days`, a slice at a time."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Thread

import structlog

from sabot_gateway.ledger import Ledger, LedgerError, Reader
from sabot_gateway.ledger.retention import Plan

EVERY_S = 86_400.0

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class Planning(Thread):
    """Finds what may be removed: it reads every entry, so it has a thread and a connection of its own."""

    def __init__(self, path: Path, keep_days: int, days_ago: str) -> None:
        super().__init__(name="prune-plan", daemon=True)
        self._path, self._keep_days, self._days_ago = path, keep_days, days_ago
        self.plan: Plan | None = None
        self.error: Exception | None = None
        self.start()

    def run(self) -> None:
        """Plan. A clock that is wrong by years makes no entry old, for days of play are counted too."""
        try:
            with closing(Reader(self._path)) as reader:
                day = reader.day_of_play(self._keep_days)
                self.plan = reader.plan(min(day, self._days_ago)) if day is not None else None
        except (LedgerError, sqlite3.Error, OSError) as error:
            self.error = error


class Pruner:
    """`step` does little each time: it starts the planning, waits for it, or removes one slice."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.due_s = 0.0
        self._planning: Planning | None = None
        self._to = self._removed = 0

    def step(self, now_s: float, keep_days: int | None, days_ago: Callable[[int], str]) -> None:
        """Do what is due; what cannot be removed today stays until tomorrow."""
        if self._planning is not None:
            self._take_plan()
        elif self._to:
            self._slice()
        elif keep_days is not None and now_s >= self.due_s:
            self.due_s = now_s + EVERY_S
            self._planning = Planning(self._ledger.path, keep_days, days_ago(keep_days))

    def finish(self) -> None:
        """Do all that is under way, waiting for it; for a program that has nothing else to do."""
        while self._planning is not None or self._to:
            if self._planning is not None:
                self._planning.join()
            self.step(0.0, None, lambda days: "")

    def _take_plan(self) -> None:
        assert self._planning is not None
        if self._planning.is_alive():
            return
        planning, self._planning = self._planning, None
        if planning.error:
            self._give_up(planning.error)
        elif planning.plan and planning.plan.count:
            self._to, self._removed = planning.plan.seq, 0

    def _slice(self) -> None:
        try:
            removed = self._ledger.prune_slice(self._to)
        except LedgerError as error:
            self._to = 0
            self._give_up(error)
            return
        self._removed += removed
        if not removed:
            self._to = 0
            log.info("old entries removed from the ledger", entries=self._removed)

    def _give_up(self, error: Exception) -> None:
        log.warning(f"old entries stay in the ledger until tomorrow: {error}; check the disk")
