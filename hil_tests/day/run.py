"""Run: plays a seeded day on real firmware, gateways and broker."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from sabot_service.broker import Broker
from sabot_sim.world.acts import AtGateway, AtShoe, Timed
from sabot_sim.world.day import Day

from day.commands import Commands
from day.floor import Floor
from day.site import SITE, Gateway, Place

TABLES_OF_A_GATEWAY: Final = 5


class Run:
    """The gateways of a day; `said` lists answers that the simulator did not expect."""

    def __init__(self, stack: ExitStack, day: Day, broker: Broker, work_dir: Path, bench: str) -> None:
        self.day, self.said, self.now_s = day, list[str](), day.acts[0].time_s
        places = [
            Place(name, book, f"gateway-{number // TABLES_OF_A_GATEWAY + 1}")
            for number, (name, book) in enumerate(day.tables.items())
        ]
        self.commands = Commands(broker, SITE, work_dir / "floor-keys")
        stack.callback(self.commands.close)
        self.floor = Floor(broker, SITE, work_dir, lambda: self.now_s)
        stack.callback(self.floor.close)
        self.gateways = []
        for name in dict.fromkeys(place.gateway for place in places):
            here = [place for place in places if place.gateway == name]
            gateway = Gateway(
                name, here, broker, work_dir, lambda: self.now_s, bench, self.commands.public_path, self.commands
            )
            stack.callback(gateway.close)
            self.gateways.append(gateway)
        self._of_table = {table: gateway for gateway in self.gateways for table in gateway.shoes}

    def play(self, progress: Callable[[int], None]) -> None:
        """Play every act at its time."""
        for gateway in self.gateways:
            gateway.start()
        self.commands.wait_until_ready(self._turn)
        self.floor.wait_until_ready(self._turn)
        for gateway in self.gateways:
            gateway.until(gateway.app.published, "the gateway is connected to the broker")
        for act in self.day.acts:
            self.now_s = act.time_s
            self._do(act)
            self.floor.step()
            progress(1)
        self.floor.wait_until_fed(dict(one.last_published() for one in self.gateways), self._turn)

    def _do(self, timed: Timed) -> None:
        gateway = self._of_table[timed.table]
        match timed.act:
            case AtShoe(step):
                gateway.do(timed.table, *step)
            case AtGateway() as act:
                done, say = gateway.ask(timed.table, act)
                if done is act.refused:
                    self.said.append(f"{timed.table} {act.verb} {act.clause} {act.args} by {act.by}: {say}")

    def _turn(self) -> None:
        for gateway in self.gateways:
            gateway.turn()

    def ledgers(self) -> list[Path]:
        """Return the files of all ledgers."""
        return [gateway.ledger for gateway in self.gateways]
