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

import msgspec
import paho.mqtt.client as paho
from sabot_gateway.publish.broker import Broker, Login
from sabot_gateway.publish.mqtt import LoopClient
from sabot_protocol import rulebooks
from sabot_protocol.topics import RETAINED, ROOT
from sabot_sim.dealing import stack
from sabot_sim.dealing.dealer import Dealer
from sabot_sim.dealing.table import SimTable
from sabot_sim.rigs.vm import VmShoe

from sabot_tools.stand import broker
from sabot_tools.stand.children import Children

Deck = Callable[[random.Random], list[str]]
_LONGEST_SLEEP_S = 0.05
_BROKER_WITHIN_S = 10.0
_RETAINED = tuple(f"/{name}" for name, retained in RETAINED.items() if retained)


@dataclass(frozen=True)
class SitePlan:
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
    login: Login = field(default_factory=Login)
    ledger: Path | None = None  # in the working directory, unless given
    lasting: bool = False  # the subscriber's session outlives its connection, and the broker's restart

    def table_names(self) -> list[str]:
        """Tables as they are called."""
        return [f"bac-{number:02}" for number in range(1, self.tables + 1)]


@dataclass(frozen=True)
class Received:
    """A message as a subscriber got it."""

    topic: str
    payload: bytes
    at_s: float


class StoppedError(Exception):
    """Somebody asked to stop before everything had started."""


@dataclass
class LocalSite:
    """Use with `with`; step() drives dealers and subscriber, messages collect in `inbox`."""

    plan: SitePlan
    inbox: list[Received] = field(default_factory=list)
    tables: dict[str, SimTable] = field(default_factory=dict)
    stopped: Callable[[], bool] = lambda: False

    def __post_init__(self) -> None:
        """Check what needs no process."""
        self._book = rulebooks.load(self.plan.rulebook)
        self._selector = selectors.DefaultSelector()
        self.children = Children(self.plan.work_dir)
        self.config_path = self.plan.work_dir / "gateway.toml"
        self.ledger_path = self.plan.ledger or self.plan.work_dir / "ledger.db"
        self._subscribed = False
        self._retained: set[str] = set()

    def __enter__(self) -> Self:
        """Start everything; leave nothing behind when that fails."""
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
        self.config_path.write_text(self.gateway_config())
        self.gateway = self.children.start("gateway", daemon_command(self.config_path))

    def gateway_config(self) -> str:
        plan = self.plan
        head = f'site = "{plan.site}"\nledger = "{self.ledger_path}"\nbroker = "{self.broker}"\n'
        login = (f'{name} = "{value}"\n' for name, value in msgspec.structs.asdict(plan.login).items() if value)
        tables = (
            f'\n[[table]]\nname = "{name}"\nport = "{table.bench.port}"\n'
            f'rulebook = "{plan.rulebook}"\ncard_set = {plan.card_set}\n'
            for name, table in self.tables.items()
        )
        return "".join([head, "\n[login]\n", *login, *tables])

    def _table(self, number: int, name: str) -> SimTable:
        rng = random.Random(f"{self.plan.seed}-{name}")
        decks = self._book.decks.default
        deck = self.plan.deck or (lambda rng: stack.shuffled(decks, rng))
        bench = VmShoe(
            f"{0x5AB0 << 48 | number + 1:016x}",
            self.plan.work_dir / name,
            lambda args, pass_fds, env: self.children.start(f"shoe-{name}", args, pass_fds=pass_fds, env=env),
        )
        self._selector.register(bench, selectors.EVENT_READ)
        return SimTable(bench, Dealer(lambda: deck(rng), self.plan.card_set, rng), self.plan.speed)

    def _subscribe(self) -> None:
        self._mqtt = LoopClient(
            self.broker,
            f"sabot-stand-{self.plan.site}",
            clean_session=not self.plan.lasting,
            selector=self._selector,
            login=self.plan.login,
        )
        client = self._mqtt.client
        self._mqtt.on_ready = self._on_ready
        client.on_subscribe = self._on_subscribe
        client.on_message = self._on_message
        give_up_s = time.monotonic() + _BROKER_WITHIN_S
        while not self._subscribed:
            self.step_mqtt()
            if self.stopped():
                raise StoppedError
            if time.monotonic() > give_up_s:
                why = self._mqtt.problem or f"the broker at {self.broker} does not answer"
                raise broker.NoBrokerError(f"{why}; start one that lets anybody in, or leave BROKER out and use ours")

    def _on_ready(self) -> None:
        """A session that lasts is not subscribed again: the broker would send retained words before older ones."""
        if self._subscribed and self.plan.lasting:
            return
        self._mqtt.client.subscribe(f"{ROOT}/{self.plan.site}/#", qos=1)

    def _on_subscribe(self, *_: object) -> None:
        self._subscribed = True

    def _on_message(self, _client: object, _userdata: object, message: paho.MQTTMessage) -> None:
        self.inbox.append(Received(message.topic, bytes(message.payload), time.monotonic()))
        if message.topic.endswith(_RETAINED):
            self._retained.add(message.topic)

    def step(self) -> None:
        """Dealers deal what is due, the subscriber takes what came, a dead child is an error."""
        now_s = time.monotonic()
        waits = [table.step(now_s) for table in self.tables.values() if table.bench.process is not None]
        self.step_mqtt(min([_LONGEST_SLEEP_S, *waits]))

    def step_mqtt(self, timeout_s: float = _LONGEST_SLEEP_S) -> None:
        """The subscriber alone."""
        self._wait(timeout_s)
        self._mqtt.step(time.monotonic())

    def publish_to_self(self, payload: bytes) -> None:
        """A message that goes to the broker and back: what MQTT itself costs."""
        self._mqtt.client.publish(f"{ROOT}/{self.plan.site}/ping", payload, qos=1)

    def _wait(self, timeout_s: float) -> None:
        self.children.check()
        self._selector.select(timeout_s)

    def power_cycle(self, name: str) -> None:
        """Pull one shoe's plug and put it back."""
        self.power_off(name)
        self.power_on(name)

    def power_off(self, name: str) -> None:
        """Pull one shoe's plug and leave it."""
        table = self.tables[name]
        assert table.bench.process is not None
        self.children.release(table.bench.process)
        self._selector.unregister(table.bench)
        table.bench.power_off()

    def power_on(self, name: str) -> None:
        """Put the plug back."""
        table = self.tables[name]
        table.power_cycle()
        self._selector.register(table.bench, selectors.EVENT_READ)

    def kill_gateway(self) -> None:
        """End the daemon as a crash would."""
        self.children.release(self.gateway)
        self.gateway.kill()
        self.gateway.wait()

    def take_inbox(self) -> list[Received]:
        """What came since the last time."""
        taken, self.inbox = self.inbox, []
        return taken

    def _leave_broker(self) -> None:
        """Take what we retained off a broker that is not ours."""
        if self.plan.broker_url:
            for topic in self._retained:
                self._mqtt.client.publish(topic, b"", qos=0, retain=True)
        self._mqtt.close()

    def close(self) -> None:
        """Gateway, shoes, broker: all gone when this returns."""
        self.children.stop()
        if hasattr(self, "_mqtt"):
            self._leave_broker()
        for table in self.tables.values():
            table.bench.close()
        self.tables.clear()
        self._selector.close()


def daemon_command(config: Path) -> list[str]:
    """The gateway by its config file, as a child."""
    return [sys.executable, "-m", "sabot_tools", "gateway", "run", "--config", str(config)]
