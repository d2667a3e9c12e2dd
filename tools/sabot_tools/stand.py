"""A stand: broker, gateway, shoes and dealers of some tables on this machine, every part real but the cards."""

import random
import selectors
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import paho.mqtt.client as paho
from sabot_gateway.mqtt import Broker, LoopClient
from sabot_protocol import rulebooks
from sabot_protocol.topics import ROOT
from sabot_sim import shoe
from sabot_sim.bench import UnixBench
from sabot_sim.dealer import Dealer
from sabot_sim.table import SimTable

from sabot_tools import broker
from sabot_tools.children import Children

Deck = Callable[[random.Random], list[str]]
_LONGEST_SLEEP_S = 0.05


@dataclass(frozen=True)
class Plan:
    """What to set up."""

    work_dir: Path
    tables: int = 1
    rulebook: str = "star-baccarat"
    speed: float = 10.0
    seed: int = 1
    broker_url: str | None = None
    port: int = 0
    site: str = "demo"
    card_set: int = 1
    deck: Deck | None = None  # shuffled by the seed unless given

    def table_names(self) -> list[str]:
        """Tables as they are called."""
        return [f"bac-{number:02}" for number in range(1, self.tables + 1)]


@dataclass(frozen=True)
class Received:
    """A message as a subscriber got it."""

    topic: str
    payload: bytes
    at_s: float


@dataclass
class Stand:
    """Use with `with`; step() drives dealers and subscriber, messages collect in `inbox`."""

    plan: Plan
    inbox: list[Received] = field(default_factory=list)
    tables: dict[str, SimTable] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check what needs no process."""
        self._book = rulebooks.load(self.plan.rulebook)
        self._selector = selectors.DefaultSelector()
        self.children = Children(self.plan.work_dir)
        self.ledger_path = self.plan.work_dir / "ledger.db"
        self._subscribed = False

    def __enter__(self) -> Self:
        """Start everything; leave nothing behind when that fails."""
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Stop everything."""
        self.close()

    def _start(self) -> None:
        plan = self.plan
        url = plan.broker_url
        self.broker = Broker.from_url(url) if url else broker.start(self.children, plan.work_dir, plan.port)
        self._subscribe()
        for number, name in enumerate(plan.table_names()):
            self.tables[name] = self._table(number, name)
        self.start_gateway()

    def start_gateway(self) -> None:
        """The daemon, as an installer starts it: by its command and a config file."""
        config = self.plan.work_dir / "gateway.toml"
        config.write_text(self._gateway_config())
        self.gateway = self.children.start(
            "gateway", [sys.executable, "-m", "sabot_tools", "gateway", "run", "--config", str(config)]
        )

    def _gateway_config(self) -> str:
        plan = self.plan
        head = f'site = "{plan.site}"\nledger = "{self.ledger_path}"\nbroker = "{self.broker}"\n'
        tables = (
            f'\n[[table]]\nname = "{name}"\nport = "{table.bench.port}"\n'
            f'rulebook = "{plan.rulebook}"\ncard_set = {plan.card_set}\n'
            for name, table in self.tables.items()
        )
        return head + "".join(tables)

    def _table(self, number: int, name: str) -> SimTable:
        rng = random.Random(f"{self.plan.seed}-{name}")
        decks = self._book.decks.default
        deck = self.plan.deck or (lambda rng: shoe.shuffled(decks, rng))
        bench = UnixBench(
            f"{0x5AB0 << 48 | number + 1:016x}",
            self.plan.work_dir / name,
            lambda args, pass_fds, env: self.children.start(f"shoe-{name}", args, pass_fds=pass_fds, env=env),
        )
        self._selector.register(bench, selectors.EVENT_READ)
        return SimTable(bench, Dealer(lambda: deck(rng), self.plan.card_set, rng), self.plan.speed)

    def _subscribe(self) -> None:
        self._mqtt = LoopClient(
            self.broker, f"sabot-stand-{self.plan.site}", clean_session=True, selector=self._selector
        )
        client = self._mqtt.client
        client.on_connect = lambda *_: client.subscribe(f"{ROOT}/{self.plan.site}/#", qos=1)
        client.on_subscribe = self._on_subscribe
        client.on_message = self._on_message
        while not self._subscribed:
            self._wait(_LONGEST_SLEEP_S)
            self._mqtt.step(time.monotonic())

    def _on_subscribe(self, *_: object) -> None:
        self._subscribed = True

    def _on_message(self, _client: object, _userdata: object, message: paho.MQTTMessage) -> None:
        self.inbox.append(Received(message.topic, message.payload, time.monotonic()))

    def step(self) -> None:
        """Dealers deal what is due, the subscriber takes what came, a dead child is an error."""
        now_s = time.monotonic()
        waits = [table.step(now_s) for table in self.tables.values()]
        self._wait(min([_LONGEST_SLEEP_S, *waits]))
        self._mqtt.step(time.monotonic())

    def _wait(self, timeout_s: float) -> None:
        self.children.check()
        self._selector.select(timeout_s)

    def take_inbox(self) -> list[Received]:
        """What came since the last time."""
        taken, self.inbox = self.inbox, []
        return taken

    def close(self) -> None:
        """Gateway, shoes, broker: all gone when this returns."""
        if hasattr(self, "_mqtt"):
            self._mqtt.close()
        self.children.stop()
        for table in self.tables.values():
            table.bench.close()
        self.tables.clear()
        self._selector.close()
