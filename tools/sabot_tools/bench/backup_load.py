"""The gateway under load with a ledger that has grown, while `sabot ledger backup` copies it."""

import subprocess
import sys
import time
from array import array
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sabot_gateway.ledger import Ledger

from sabot_tools.bench.figures.ledger import write_coups
from sabot_tools.bench.gateway_load import (
    CannotMeasureError,
    GatewayLoad,
    LoadPlan,
    LoadResult,
    Sample,
    index_of,
    work_dir,
)  # fmt: skip

_SETTLED_S: Final = 3.0  # after the end of a backup its after-effects still count
_OTHER_UNIT: Final = "5ab1000000000001"  # none of the player's
_BACKUP: Final = [sys.executable, "-m", "sabot_tools", "ledger", "backup"]


@dataclass(frozen=True)
class BackupResult:
    """Latencies of coups in ms, before a backup and during it, and what the backup printed."""

    load: LoadResult
    alone_ms: list[float]
    beside_ms: list[float]
    seconds: float
    printed: str
    ledger_bytes: int
    log_bytes: int  # of the write-ahead log, at most


def run(plan: LoadPlan, coups: int, command: list[str] = _BACKUP) -> BackupResult:
    """Run a plan on a ledger of so many coups; a third of the time alone, then beside a backup."""
    with work_dir() as work, ExitStack() as stack:
        directory = Path(work)
        ledger_path = directory / "ledger.db"
        write_coups(ledger_path, coups, _OTHER_UNIT)
        with closing(Ledger(ledger_path)) as ledger:
            ledger.move_cursor("mqtt", ledger.last_seq())  # what it held before is not published
        (directory / "backups").mkdir()
        backup = [*command, str(directory / "backups"), "--ledger", str(ledger_path)]
        return _BackupLoad(stack, directory, plan).measured(*backup)


class _BackupLoad(GatewayLoad):
    """A run in whose middle a backup is made."""

    command: tuple[str, ...] = ()  # of the backup; nothing is begun before it is set
    _backup: "subprocess.Popen[str] | None" = None
    _log_bytes, _begun_s, _ended_s = 0, 0.0, 0.0

    def measured(self, *command: str) -> BackupResult:
        """Run it."""
        self.command, self._begin_with = command, self._due_coups() // 3
        result = self.measure("gateway")
        if self._backup is None or not self._ended_s:
            if self._backup is not None:
                self._backup.kill()
            raise CannotMeasureError("the backup did not end within the run: the machine may be too busy")
        alone_ms = [ms for at_s, ms in sorted(self._latencies) if at_s < self._begun_s]
        return BackupResult(
            load=result,
            alone_ms=alone_ms[len(alone_ms) // 5 :],  # the first ones warm up
            beside_ms=[ms for at_s, ms in self._latencies if self._begun_s <= at_s <= self._ended_s + _SETTLED_S],
            seconds=self._ended_s - self._begun_s,
            printed=self._backup.communicate()[0].strip(),
            ledger_bytes=self._ledger.stat().st_size,
            log_bytes=self._log_bytes,
        )

    def _run_until(self, done: Callable[[], bool], most_s: float) -> None:
        def tended() -> bool:
            self._tend()
            return done() and (not self.command or self._ended_s > 0)

        super()._run_until(tended, most_s)

    def _tend(self) -> None:
        """Begin the backup when a third of the coups is there; note when it ends."""
        log = self._ledger.with_name("ledger.db-wal")
        self._log_bytes = max(self._log_bytes, log.stat().st_size if log.exists() else 0)
        if self.command and self._backup is None and len(self._inbox.received) >= self._begin_with:
            self._begun_s = time.monotonic()
            self._backup = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if self._backup is not None and not self._ended_s and self._backup.poll() is not None:
            self._ended_s = time.monotonic()

    def _result(self, samples: list[Sample], due: int, inside_ms: float | None) -> LoadResult:
        result = super()._result(samples, due, inside_ms)
        written = array("d", self._written.read_bytes())
        self._latencies = [
            (written[at], (arrived_s - written[at]) * 1e3)
            for key, arrived_s in self._inbox.first_at_s().items()
            for at in [index_of(key, self._plan.frames)]
        ]
        return result
