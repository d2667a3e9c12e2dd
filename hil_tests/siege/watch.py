"""Observes the daemon from outside: its end, stalled tables, `verify` beside it, its size."""

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from siege.ground import Ground
from siege.honest import Table
from siege.lab import Verify

_LOOK_EVERY_S = 1.0
_SAY_EVERY_S = 10.0
_BLAME_S = 4.0  # acts within this time before an incident are listed with it
_NAMED = 12  # acts in a progress line
MOST_ENDS = 3  # then a daemon that ends by itself is not started again


@dataclass
class Incident:
    """Something that must not happen, and the acts just before it."""

    what: str
    at_s: float
    phase: str
    acts: list[str] = field(default_factory=list)
    lasted_s: float = 0.0


@dataclass
class Watch:
    """Call `look` often; incidents, sizes and results of `verify` collect here."""

    ground: Ground
    phase: str = ""
    incidents: list[Incident] = field(default_factory=list)
    verified: list[dict[str, object]] = field(default_factory=list)
    memory_kib: dict[str, int] = field(default_factory=dict)
    descriptors: dict[str, int] = field(default_factory=dict)
    kills: Counter[str] = field(default_factory=Counter)
    ended: int = 0
    _stalled: dict[str, Incident] = field(default_factory=dict)  # by table, while it lasts
    _verify: Verify | None = None
    _next_look_s: float = 0.0
    _next_say_s: float = 0.0
    _next_verify_s: float = 0.0

    def look(self) -> None:
        """Check everything once a second, and print progress every ten."""
        now_s = time.monotonic()
        if now_s >= self._next_look_s:
            self._next_look_s = now_s + _LOOK_EVERY_S
            self._look_at_daemon()
            for table in self.ground.house.tables:
                self._look_at(table, now_s)
            self._look_at_ledger(now_s)
        if now_s >= self._next_say_s:
            self._next_say_s = now_s + _SAY_EVERY_S
            self.ground.order.log(self._progress())

    def size(self, when: str) -> None:
        """Note memory and descriptors."""
        self.memory_kib[when] = self.ground.daemon.memory_kib()
        self.descriptors[when] = self.ground.daemon.descriptors()

    def last_verify(self) -> None:
        """Wait for the one that runs."""
        if self._verify is not None:
            self._verify.process.wait()
            self._look_at_ledger(0.0)

    def acts_between(self, from_s: float, to_s: float) -> list[str]:
        """What the attackers did in this time."""
        return [f"{note['where']}:{note['act']}" for note in self.attacks() if from_s <= note["at_s"] <= to_s]

    def attacks(self) -> list[dict[str, Any]]:
        """Every attack that was noted so far: `at_s`, `where`, `act`."""
        path = self.ground.spec.attack_log
        whole_lines = path.read_text().split("\n")[:-1] if path.exists() else []
        return [json.loads(line) for line in whole_lines]

    def _look_at_daemon(self) -> None:
        daemon = self.ground.daemon
        status = daemon.ended()
        if status is not None and self.ended < MOST_ENDS:
            self.ended += 1
            self._incident(f"the daemon ended by itself with status {status}: {daemon.last_output()}")
            daemon.start()

    def _look_at(self, table: Table, now_s: float) -> None:
        """Note an incident for a coup that is in flight for seconds, except after a kill."""
        late_s, name = table.late_s(now_s), table.plan.table
        running = self._stalled.get(name)
        if late_s < self.ground.order.stalled_s:
            self._stalled.pop(name, None)
        elif running is not None:
            running.lasted_s = round(late_s, 1)
        elif not self.phase.endswith("killed"):
            self._stalled[name] = self._incident(f"no coup of {name} arrives", before_s=late_s)

    def _look_at_ledger(self, now_s: float) -> None:
        if self._verify is not None:
            result = self._verify.result()
            if result is None:
                return
            self.verified.append({"phase": self.phase, **result})
            self._verify = None
        if self.phase and now_s >= self._next_verify_s:
            self._next_verify_s = now_s + self.ground.order.verify_every_s
            self._verify = Verify(self.ground.ledger)

    def _incident(self, what: str, before_s: float = 0.0) -> Incident:
        at_s = time.monotonic() - before_s
        acts = self.acts_between(at_s - _BLAME_S, at_s + 0.3)
        found = Incident(what, round(at_s - self.ground.began_s, 1), self.phase, acts)
        self.incidents.append(found)
        before = ", ".join(acts[-_NAMED:]) or "nothing"
        self.ground.order.log(f"{self.ground.clock()} INCIDENT: {what}; just before: {before}")
        return found

    def _progress(self) -> str:
        tables = self.ground.house.tables
        coups = ", ".join(f"{one.plan.table} {len(one.arrived)}/{one.dealt()} coups" for one in tables)
        wrong = sum(one.counts["wrong"] for one in tables)
        seen = f"{wrong} wrong, {len(self.incidents)} incidents, {self.ground.daemon.memory_kib() // 1024} MiB"
        return f"{self.ground.clock()} {self.phase or 'start'}: {coups}, {seen}"
