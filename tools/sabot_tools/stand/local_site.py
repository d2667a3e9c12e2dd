"""A site on this machine: broker, gateway, floor service, shoes and dealers; only the cards and hands are simulated."""

import random
import selectors
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec
from sabot_protocol import rulebooks
from sabot_protocol.topics import ROOT
from sabot_service.broker import Broker, Login
from sabot_sim import stack
from sabot_sim.angel_eye import troubled_dealer as angel_eye
from sabot_sim.dealing.dealer import Dealer
from sabot_sim.dealing.table import SimTable
from sabot_sim.dealing.troubled_dealer import TroubledDealer, possible
from sabot_sim.rigs.vm import VmShoe

from sabot_tools.stand import broker, leftovers
from sabot_tools.stand.angel_eye_ports import ConverterPort
from sabot_tools.stand.angel_eye_table import AngelEyePlan, LiveAngelEye
from sabot_tools.stand.children import Children
from sabot_tools.stand.floor_service import FloorService
from sabot_tools.stand.restarts import Restarts
from sabot_tools.stand.subscriber import Subscriber

ANGEL_EYE = "angel-eye"
KINDS = ("sabot", ANGEL_EYE)  # of shoes; as `driver` in a gateway's config
SiteTable = SimTable | LiveAngelEye
Deck = Callable[[random.Random], list[str]]
_LONGEST_SLEEP_S = 0.05
_BROKER_WITHIN_S = 10.0


@dataclass(frozen=True)
class SitePlan:
    """What to set up."""

    work_dir: Path
    tables: int = 1
    rulebook: str = field(default_factory=lambda: rulebooks.in_order()[0])
    speed: float = 10.0
    seed: int = 1
    broker_url: str | None = None
    port: int = 0
    site: str = "demo"
    card_set: int = 1
    deck: Deck | None = None  # None: shuffled by the seed
    top: tuple[str | None, ...] = ()  # of the first shoe of the first table; see stack.stacked
    books: tuple[str, ...] = ()  # one for each table; empty: `rulebook` at all of them
    jackpots: str = ""  # TOML; with it the floor service runs
    web_port: int | None = None  # of the pages; with it the floor service runs and signs commands; 0 chooses a free one
    floor_tables: str = ""  # TOML: what the pages need to know of each table
    metrics: tuple[int, int] | None = None  # ports of the metrics of gateway and floor service; None: not served
    troubled: tuple[str, ...] = ()  # tables where something happens now and then
    first_trouble: int = 0  # coups of each before the first
    login: Login = field(default_factory=Login)
    ledger: Path | None = None  # None: in work_dir
    lasting: bool = False  # the subscriber's session outlives its connection, and the broker's restart
    kind: str = "sabot"  # of the shoes
    kinds: tuple[str, ...] = ()  # one for each table; empty: `kind` at all of them
    angel_eye: AngelEyePlan = field(default_factory=AngelEyePlan)
    attended: bool = False  # people act at any time: dealers wait for them, and what ends is started again

    def table_names(self) -> list[str]:
        """Return the names of the tables: bac-01, bac-02 and so on."""
        return [f"bac-{number:02}" for number in range(1, self.tables + 1)]

    def book(self, number: int) -> str:
        """Return the rulebook of a table, counted from 0."""
        return self.books[number] if self.books else self.rulebook

    def kind_of(self, number: int) -> str:
        """Return the kind of a table's shoe, counted from 0."""
        return self.kinds[number] if self.kinds else self.kind


@dataclass(frozen=True)
class Received:
    """A message as the subscriber received it."""

    topic: str
    payload: bytes
    at_s: float


class StoppedError(Exception):
    """The user asked to stop before everything had started."""


@dataclass
class LocalSite:
    """Use it with `with`: everything is started, and stopped at the end.

    step() drives dealers and subscriber; received messages collect in `inbox`.
    One class because broker, gateway, floor service, shoes and subscriber start, run and stop together.
    """

    plan: SitePlan
    inbox: list[Received] = field(default_factory=list)
    tables: dict[str, SiteTable] = field(default_factory=dict)
    waiting: set[str] = field(default_factory=set)  # tables whose dealers stand still
    stopped: Callable[[], bool] = lambda: False

    def __post_init__(self) -> None:
        """Check the plan as far as no process is needed."""
        self._books = {book: rulebooks.load(book) for book in self.plan.books or (self.plan.rulebook,)}
        self._selector = selectors.DefaultSelector()
        self.children = Children(self.plan.work_dir)
        self.config_path = self.plan.work_dir / "gateway.toml"
        self.ledger_path = self.plan.ledger or self.plan.work_dir / "ledger.db"
        self.gateway_socket = self.ledger_path.with_name("control.sock")
        self._restarts = Restarts()
        self.floor = self._floor_service()

    def _floor_service(self) -> FloorService | None:
        plan = self.plan
        if not plan.jackpots and plan.web_port is None:
            return None
        port = plan.web_port
        web_port = broker.usable_port(port, f"make demo WEB_PORT={port + 1}") if port is not None else None
        metrics = plan.metrics[1] if plan.metrics else None
        return FloorService(plan.work_dir, plan.jackpots, web_port, plan.floor_tables, metrics)

    def __enter__(self) -> Self:
        """Start everything; stop what was started if that fails."""
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
        if self.floor:
            self.floor.start(self.children, plan.site, self.broker, plan.login)
        for number, name in enumerate(plan.table_names()):
            self.tables[name] = self._new_table(number, name)
        self.start_gateway()

    def start_gateway(self) -> None:
        """Write the config and start the daemon with it, as an installer does."""
        self.config_path.write_text(self.gateway_config())
        self.gateway = self.children.start("gateway", daemon_command(self.config_path))

    def gateway_config(self) -> str:
        """Return the daemon's config as TOML."""
        plan = self.plan
        head = f'site = "{plan.site}"\nledger = "{self.ledger_path}"\nbroker = "{self.broker}"\n'
        head += f'metrics = "127.0.0.1:{plan.metrics[0]}"\n' if plan.metrics else ""
        head += (
            "".join(f'{name} = "{path}"\n' for name, path in self.floor.for_gateways().items()) if self.floor else ""
        )
        login = (f'{name} = "{value}"\n' for name, value in msgspec.structs.asdict(plan.login).items() if value)
        tables = (self._table_config(number, name) for number, name in enumerate(self.tables))
        return "".join([head, "\n[login]\n", *login, *tables])

    def _table_config(self, number: int, name: str) -> str:
        table = self.tables[name]
        text = f'\n[[table]]\nname = "{name}"\nport = "{table.port}"\nrulebook = "{self.plan.book(number)}"\n'
        if isinstance(table, LiveAngelEye):
            return f'{text}driver = "{ANGEL_EYE}"\nshoe = {{ dealing = "face_up" }}\n{self.plan.angel_eye.gateway}'
        return f"{text}card_set = {self.plan.card_set}\n"

    def _new_table(self, number: int, name: str) -> SiteTable:
        rng = random.Random(f"{self.plan.seed}-{name}")
        book = self.plan.book(number)
        deck = self._deck(book, self.plan.top if number == 0 else ())
        troubled = name in self.plan.troubled
        if self.plan.kind_of(number) == ANGEL_EYE:
            return self._new_angel_eye(lambda: deck(rng), rng, angel_eye.possible(book) if troubled else ())
        bench = VmShoe(
            f"{0x5AB0 << 48 | number + 1:016x}",
            self.plan.work_dir / name,
            lambda args, pass_fds, env: self.children.start(f"shoe-{name}", args, pass_fds=pass_fds, env=env),
        )
        self._selector.register(bench, selectors.EVENT_READ)
        return SimTable(bench, self._dealer(name, book, lambda: deck(rng), rng), self.plan.speed)

    def _new_angel_eye(
        self, deck: Callable[[], list[str]], rng: random.Random, troubles: Sequence[str]
    ) -> LiveAngelEye:
        port = ConverterPort(self._selector, "127.0.0.1", 0, rng)
        plan = replace(self.plan.angel_eye, first_trouble=self.plan.first_trouble)
        return LiveAngelEye(port, deck, rng, self.plan.speed, plan, troubles)

    def _dealer(self, name: str, book: str, deck: Callable[[], list[str]], rng: random.Random) -> Dealer:
        enters = bool(self._books[book].switch["result_before_confirm"].value)
        troubled = name in self.plan.troubled
        if not troubled and not self.plan.attended:
            return Dealer(deck, self.plan.card_set, rng, enters_result=enters)
        troubles, first = possible(book) if troubled else (), self.plan.first_trouble
        return TroubledDealer(deck, self.plan.card_set, rng, enters_result=enters, troubles=troubles, first=first)

    def _deck(self, book: str, top: Sequence[str | None]) -> Deck:
        """Return what fills a shoe; the first time these cards come first."""
        decks = self._books[book].decks.default
        shuffled = self.plan.deck or (lambda rng: stack.shuffled(decks, rng))
        tops = iter([top])
        return lambda rng: stack.stacked(shuffled(rng), next(tops, ()))

    def _subscribe(self) -> None:
        """Wait until the broker has accepted the subscription."""
        site = self.plan.site
        self._subscriber = Subscriber(
            self.broker,
            f"sabot-stand-{site}",
            f"{ROOT}/{site}/#",
            self._on_message,
            self._selector,
            login=self.plan.login,
            lasting=self.plan.lasting or (self.plan.attended and not self.plan.broker_url),
        )
        give_up_s = time.monotonic() + _BROKER_WITHIN_S
        while not self._subscriber.ready:
            self.step_mqtt()
            if self.stopped():
                raise StoppedError
            if time.monotonic() > give_up_s:
                why = self._subscriber.problem or f"the broker at {self.broker} does not answer"
                raise broker.NoBrokerError(
                    f"{why}; use a broker that accepts clients without a login, or leave out --broker "
                    "(make demo: BROKER) to start one here"
                )

    def _on_message(self, topic: str, payload: bytes) -> None:
        self.inbox.append(Received(topic, payload, time.monotonic()))
        if self.floor:
            self.floor.on_message(topic)

    def step(self) -> None:
        """Let the dealers deal what is due and receive messages; DeadChildError if a child process has ended."""
        now_s = time.monotonic()
        waits = [
            table.wait(now_s) if name in self.waiting or not self._receives_increments() else table.step(now_s)
            for name, table in self.tables.items()
            if table.runs()
        ]
        self.step_mqtt(min([_LONGEST_SLEEP_S, *waits]))

    def _receives_increments(self) -> bool:
        return self.floor is None or self.floor.ready

    def step_mqtt(self, timeout_s: float = _LONGEST_SLEEP_S) -> None:
        """Receive messages; the dealers do nothing."""
        if self.plan.attended:
            self._start_again()
        self.children.check(self._restarts.names(time.monotonic()) if self.plan.attended else ())
        self._selector.select(timeout_s)
        self._subscriber.step(time.monotonic())

    def _start_again(self) -> None:
        """Start again what has ended by itself, as systemd does, unless it ends again and again."""
        found = self._restarts.take(self.children, time.monotonic())
        if found == broker.CHILD:
            broker.run(self.children, self.plan.work_dir)
        elif found == "gateway":
            self.start_gateway()
        elif found == "floor" and self.floor:
            self.floor.run(self.children)

    def take_news(self) -> list[str]:
        """Return, since the last call, what happened to daemons and what dealers note for people."""
        news, self._restarts.news = self._restarts.news, []
        for name, table in self.tables.items():
            if self.plan.attended and isinstance(table.dealer, TroubledDealer):
                news += [f"{name}  {note}" for note in table.dealer.notes]
                table.dealer.notes.clear()
        return news

    def publish_to_self(self, payload: bytes) -> None:
        """Publish a message at once that this site's subscriber receives: it measures what MQTT alone costs."""
        self._subscriber.publish(f"{ROOT}/{self.plan.site}/ping", payload)
        self._subscriber.step(time.monotonic())  # which writes it

    def power_cycle(self, name: str) -> None:
        """Switch a shoe off and on."""
        self.power_off(name)
        self.power_on(name)

    def power_off(self, name: str) -> None:
        """Switch a shoe off."""
        table = self.tables[name]
        if isinstance(table, SimTable):
            assert table.bench.process is not None
            self.children.release(table.bench.process)
            self._selector.unregister(table.bench)
            table.bench.power_off()
        else:
            table.power_off(time.monotonic())

    def power_on(self, name: str) -> None:
        """Switch a shoe on again."""
        table = self.tables[name]
        if isinstance(table, SimTable):
            table.power_cycle()
            self._selector.register(table.bench, selectors.EVENT_READ)
        else:
            table.power_on(time.monotonic())

    def kill_gateway(self) -> None:
        """End the daemon as kill -9 does."""
        self.children.release(self.gateway)
        self.gateway.kill()
        self.gateway.wait()

    def take_inbox(self) -> list[Received]:
        """Return the messages received since the last call."""
        taken, self.inbox = self.inbox, []
        return taken

    def _leave_broker(self) -> None:
        """Disconnect; clear our retained messages on a broker that is not ours."""
        self._subscriber.close()
        if self.plan.broker_url:
            leftovers.clear(self.broker, self.plan.login, self.plan.site)

    def close(self) -> None:
        """Stop gateway, shoes and broker."""
        self.children.stop()
        if hasattr(self, "_subscriber"):
            self._leave_broker()
        for table in self.tables.values():
            table.bench.close()
        self.tables.clear()
        self._selector.close()


def daemon_command(config: Path) -> list[str]:
    """Return the command that runs the gateway with this config."""
    return [sys.executable, "-m", "sabot_tools", "gateway", "run", "--config", str(config)]
