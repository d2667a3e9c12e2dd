"""A siege: phases of honest play with and without attackers, observed and checked from outside."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from siege import control, lab
from siege.asker import Asker
from siege.ground import SITE, Ground, Order
from siege.honest import SIEGE
from siege.lab import Attackers
from siege.stored import differences
from siege.subscriber import retained
from siege.watch import MOST_ENDS, Watch

_STATUS_WITHIN_S = 30.0
_ATTACKERS_END_S = 5.0
_AGAIN_WITHIN_S = 30.0
_SOON_S = 0.5  # a coup in flight for less than this counts as arrived
_MORE_COUPS = 2


class Siege:
    """`run` goes through the phases and returns what was found at the end."""

    def __init__(self, ground: Ground) -> None:
        self.ground, self.order = ground, ground.order
        self.watch, self.asker = Watch(ground), Asker(ground.spec)
        self.rng = random.Random(f"{ground.order.seed} runner")

    def run(self) -> dict[str, Any]:
        """All phases, then the end."""
        order, ground = self.order, self.ground
        ground.begin()
        self.watch.size("start")
        self._phase("baseline", order.baseline_s)
        self._config()
        self._besieged()
        if order.broker_s:
            with self._attacked(order.broker_s, (*order.groups, "takeover")):
                self._phase("broker killed", order.broker_s, self._kill_broker)
        if order.kill_s:
            groups = tuple(group for group in order.groups if group != "files")  # a daemon starts on a right config
            with self._attacked(order.kill_s, groups):
                self._phase("daemon killed", order.kill_s, self._kill_daemon)
        return self._end()

    def _besieged(self) -> None:
        """Run the phase whose latencies count, with requests for the status meanwhile."""
        self.asker.start()
        with self._attacked(self.order.siege_s, self.order.groups):
            self._phase(SIEGE, self.order.siege_s)
            self._until(self._all_attacked, self.order.stalled_s)
        self.asker.stop()
        self.watch.size(SIEGE)

    def _config(self) -> None:
        """Restore the right config with all tables."""
        config = self.ground.spec.config
        if config.is_dir():
            config.rmdir()
        config.write_text(self.ground.spec.config_text())
        self.ground.daemon.hup()

    @contextmanager
    def _attacked(self, seconds: float, groups: tuple[str, ...]) -> Iterator[None]:
        spec = replace(self.ground.spec, seconds=seconds, groups=list(groups))
        attackers = Attackers(self.ground.children, spec)
        attackers.start()
        yield
        attackers.stop()
        self._until(attackers.ended, _ATTACKERS_END_S)
        attackers.kill()
        self._config()

    def _phase(self, name: str, seconds: float, between: Callable[[], float] | None = None) -> None:
        """Play for this long; `between` acts now and then and returns when to call it again."""
        self._enter(name)
        ends_s = time.monotonic() + seconds
        again_s = time.monotonic() + 1.0
        while time.monotonic() < ends_s:
            self._step()
            if between is not None and time.monotonic() >= again_s:
                again_s = time.monotonic() + between()

    def _enter(self, name: str) -> None:
        self.watch.phase = name
        self.ground.enter(name)
        self.order.log(f"{self.ground.clock()} phase {name}")

    def _step(self) -> None:
        self.ground.deal()
        self.watch.look()

    def _until(self, done: Callable[[], bool], seconds: float) -> bool:
        """Play and watch until it is so; False if it is not, or never will be."""
        ends_s = time.monotonic() + seconds
        while not done():
            if time.monotonic() > ends_s or self.watch.ended == MOST_ENDS:
                return False
            self._step()
        return True

    def _kill_broker(self) -> float:
        self.watch.kills["broker"] += 1
        self.ground.site.kill()
        self.ground.play(self.rng.uniform(0.1, 1.5))
        self.ground.start_broker(self.ground.broker.port)
        return self.rng.uniform(3.0, 8.0)

    def _kill_daemon(self) -> float:
        self.watch.kills["daemon"] += 1
        self.ground.daemon.kill()
        self.ground.play(self.rng.uniform(0.0, 0.5))
        self.ground.daemon.start()
        return self.rng.uniform(2.0, 6.0)

    def _end(self) -> dict[str, Any]:
        """Everything arrives, the daemon stops, the ledger is verified, the daemon starts again."""
        ground = self.ground
        self._enter("end")
        self._until(self._all_arrived, self.order.drain_s)
        self._rest()
        self.watch.size("end")
        final: dict[str, Any] = {"status": self._final_status(), "retained": retained(ground.broker.port, SITE)}
        self.watch.last_verify()
        final["stopped"] = ground.daemon.stop() if ground.daemon.ended() is None else "ended before"
        final["verify"] = lab.outcome(lab.sabot("ledger", "verify", str(ground.ledger)))
        final["again"] = self._start_again()
        final["stored"] = self._stored()
        return final

    def _all_attacked(self) -> bool:
        """True when every attacker of this siege has attacked and every honest table has played meanwhile."""
        shoes = self.ground.spec.hostile if "shoes" in self.order.groups else ()
        expected = {*(group for group in self.order.groups if group != "shoes"), *shoes}
        played = all(table.latencies.get(SIEGE) for table in self.ground.house.tables)
        return played and expected <= {attack["where"] for attack in self.watch.attacks()}

    def _all_arrived(self) -> bool:
        return all(table.late_s(time.monotonic()) < _SOON_S for table in self.ground.house.tables)

    def _rest(self) -> None:
        """No more coups, and nothing under way."""
        self.ground.house.rest(True)
        self._until(self.ground.all_still, self.order.drain_s)

    def _final_status(self) -> dict[str, Any]:
        try:
            return control.status(self.ground.spec, _STATUS_WITHIN_S)
        except (OSError, ValueError) as error:
            return {"say": str(error)}

    def _start_again(self) -> bool:
        """The daemon starts on the ledger, and the honest tables deal on."""
        house = self.ground.house
        goal = {table.plan.table: len(table.arrived) + _MORE_COUPS for table in house.tables}
        self.ground.daemon.start()
        house.rest(False)
        done = self._until(
            lambda: all(len(one.arrived) >= goal[one.plan.table] for one in house.tables), _AGAIN_WITHIN_S
        )
        self._rest()
        return self.ground.daemon.stop() == 0 and done

    def _stored(self) -> list[str]:
        tables = [(one.plan.unit, one.bodies, one.shoe.journal.acked) for one in self.ground.house.tables]
        return [found for table in tables for found in differences(self.ground.ledger, *table)]


def besiege(order: Order) -> tuple[Siege, dict[str, Any]]:
    """One siege from its start to its end."""
    with Ground(order) as ground:
        siege = Siege(ground)
        return siege, siege.run()
