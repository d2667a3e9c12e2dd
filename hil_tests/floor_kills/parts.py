"""The parts of the floor as processes: broker, gateway, shoes, floor workers and PostgreSQL; each can be killed."""

import os
import secrets
import signal
import sys
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import msgspec
from sabot_service.broker import Broker
from sabot_service.client import ask
from sabot_service.messages import ControlError, Request
from sabot_tools.bench.gateway_load import ptys
from sabot_tools.stand import broker
from sabot_tools.stand.children import Children
from sabot_tools.stand.ports import HOST, free_port
from sabot_tools.stand.postgres import LocalPostgres

from floor_kills.jackpots import toml
from floor_kills.logs import RULEBOOK, Table
from floor_kills.player import Load, Played

StoreKind = Literal["sqlite", "postgresql"]
SITE: Final = "kills"
_HERE: Final = Path(__file__).parents[1]


@dataclass(frozen=True)
class Size:
    """How much is played: tables, coups of each, frames a second of each (0: no limit), and where the meters are."""

    tables: int
    coups: int
    rate: float
    store: StoreKind

    @property
    def workers(self) -> list[str]:
        """Return the floor workers: two where several can share a store."""
        return ["floor-1", "floor-2"] if self.store == "postgresql" else ["floor-1"]

    @property
    def victims(self) -> list[str]:
        """Return everything that can be killed."""
        return [*self.workers, "gateway", "broker", *(["postgresql"] if self.store == "postgresql" else [])]


class Parts:
    """Starts and kills parts by name; counts the kills."""

    def __init__(self, stack: ExitStack, work_dir: Path, size: Size) -> None:
        self.work_dir, self.size = work_dir, size
        self.tables = [Table(number, size.coups) for number in range(size.tables)]
        self.children = Children(work_dir)
        self.kills, self.up = Counter[str](), set[str]()
        self.broker = Broker(HOST, free_port())
        self.ledger = work_dir / "ledger.db"
        self._lines = list(ptys(stack, size.tables))
        self._report = work_dir / "played.json"
        self._postgres = stack.enter_context(LocalPostgres()) if size.store == "postgresql" else None
        if self._postgres:
            self.up.add("postgresql")
        self.store_url = self._postgres.new_database() if self._postgres else str(work_dir / "floor.db")
        stack.callback(self.children.stop)
        self._write_configs()

    def _write_configs(self) -> None:
        key = self.work_dir / "jackpot.key"
        key.touch(mode=0o600)
        key.write_text(secrets.token_hex(32) + "\n")
        (self.work_dir / "jackpots.toml").write_text(toml(self.tables))
        common = f'site = "{SITE}"\nbroker = "{self.broker}"\njackpots = "jackpots.toml"\njackpot_key = "{key.name}"\n'
        tables = (
            f'\n[[table]]\nname = "{table.name}"\nport = "{name}"\nrulebook = "{RULEBOOK}"\n'
            for table, (_, name) in zip(self.tables, self._lines, strict=True)
        )
        (self.work_dir / "gateway.toml").write_text(f'{common}ledger = "{self.ledger}"\n' + "".join(tables))
        for worker in self.size.workers:
            control = f'control = "{worker}.sock"\nworker = "{worker[-1]}"\n'
            (self.work_dir / f"{worker}.toml").write_text(f'{common}store = "{self.store_url}"\n{control}')

    def start(self, name: str) -> None:
        """Start a part, unless it is running."""
        if name in self.up:
            return
        if name == "broker":
            broker.start(self.children, self.work_dir, self.broker.port)
        elif name == "postgresql":
            assert self._postgres
            self._postgres.start()
        else:
            action = "gateway" if name == "gateway" else "floor"
            config = str(self.work_dir / f"{name}.toml")
            self.children.start(name, [sys.executable, "-m", "sabot_tools", action, "run", "--config", config])
        self.up.add(name)

    def kill(self, name: str) -> None:
        """Kill a part with SIGKILL, if it is running."""
        if name not in self.up:
            return
        if name == "postgresql":
            assert self._postgres
            with suppress(ProcessLookupError):
                os.kill(self._postgres.pid, signal.SIGKILL)
            self._postgres.kill()
        else:
            self.children.kill(name)
        self.up.discard(name)
        self.kills[name] += 1

    def ask_gateway(self) -> None:
        """Acknowledge the alarms of a table, open a dispute and decide it, as people do.

        Each request is in the ledger whatever the answer, if it comes.
        """
        table, socket = self.tables[self.kills.total() % len(self.tables)].name, self.ledger.with_name("control.sock")
        with suppress(ControlError):
            ask(socket, Request("ack-alarm", table=table, by="A. Smith"))
            opened = ask(socket, Request("dispute", table=table, by="A. Smith", args={"patron": "B. Lee"}))
            done = {"incident": opened.say.partition(":")[0], "step": "final"}
            ask(socket, Request("step", table=table, by="A. Smith", args=done))

    def start_shoes(self) -> None:
        """Start the process that plays every shoe."""
        masters = [master for master, _ in self._lines]
        load = msgspec.json.encode(Load(masters, self.size.coups, self.size.rate, str(self._report))).decode()
        args = [sys.executable, "-m", "floor_kills.player", load]
        env = {**os.environ, "PYTHONPATH": str(_HERE)}
        self.children.start("player", args, pass_fds=tuple(masters), env=env)

    def played(self) -> Played:
        """Return how far the shoes are."""
        if not self._report.exists():
            return Played()
        return msgspec.json.decode(self._report.read_bytes(), type=Played)
