"""Pruner: once a day what is older than the config keeps goes out of the ledger."""

from collections.abc import Callable
from dataclasses import dataclass

import structlog

from sabot_gateway.ledger import Ledger, LedgerError

EVERY_S = 86_400.0

log: structlog.stdlib.BoundLogger = structlog.get_logger()


@dataclass
class Pruner:
    """A clock that is wrong by years makes no entry old, for days of play are counted too."""

    ledger: Ledger
    due_s: float = 0.0

    def prune(self, now_s: float, keep_days: int | None, days_ago: Callable[[int], str]) -> None:
        """When it is due; what cannot be removed today stays until tomorrow."""
        if keep_days is None or now_s < self.due_s:
            return
        self.due_s = now_s + EVERY_S
        day = self.ledger.day_of_play(keep_days)
        if day is None:
            return
        try:
            removed = self.ledger.prune(min(day, days_ago(keep_days)))
        except (LedgerError, OSError) as error:
            log.warning(f"old entries stay in the ledger until tomorrow: {error}; check the disk")
            return
        if removed.count:
            log.info("old entries removed from the ledger", entries=removed.count, keep_days=keep_days)
