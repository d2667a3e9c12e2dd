"""Floor rig: a floor service on a real broker; the test plays the gateways, the people and the clock."""

import selectors
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import paho.mqtt.client as paho
import pytest
from msgspec.structs import replace
from sabot_floor.app import App
from sabot_floor.config import Config
from sabot_floor.jackpots import audit
from sabot_floor.requests import FloorRequest, parse
from sabot_floor.store import Store, open_store
from sabot_protocol.jackpots import signing
from sabot_protocol.jackpots.messages import IncrementMessage, MeterMessage, RecordedMessage
from sabot_protocol.topics import ConfirmedMessage, increment_topic, jackpot_topic, recorded_topic
from sabot_service.broker import Broker
from sabot_service.messages import Answer, Request
from sabot_service.mqtt import LoopClient
from sabot_tools.stand.broker import LocalBroker
from support.patience import PATIENCE_S

MOST_DELIVERY_S = 2.0
_numbers = count(1)
JACKPOT, UNIT = "lucky-tie", "5ab0000000000001"
TIME = "2026-11-17T12:00:00.000Z"
INCREMENT, BASE = 25, 100_000
JACKPOTS = """
[[jackpot]]
id = "lucky-tie"
title = "Lucky Tie"
rulebook = "crown-baccarat"
currency = "AUD"
in_force = "2025-01-01"
tables = ["bac-01", "bac-02"]
increment = 25
base = 100_000
unreasonable = 25
rounding = 100
qualifying = ["tie"]
equipment = ["console", "display", "handset"]
[jackpot.trigger]
kind = "lucky_tie"
option = "option_1"
percent = { suited = 100, coloured = 15, non_coloured = 8 }

[[jackpot]]
id = "seat"
title = "Lucky Seat"
rulebook = "nz-baccarat"
currency = "NZD"
tables = ["nz-01"]
increment = 10
base = 50_000
unreasonable = 100
rounding = 100
equipment = ["console", "display"]
[jackpot.trigger]
kind = "random"
draws = ["table", "seat"]
seats = 9
"""


class Client:
    """A client of the broker, and what it has received, newest last."""

    def __init__(self, broker: Broker, name: str, site: str) -> None:
        self.site = site
        self.mqtt = LoopClient(broker, name, clean_session=True, selector=selectors.DefaultSelector())
        self.messages: list[tuple[str, bytes]] = []
        self.unacknowledged: dict[int, float] = {}  # by message id: when it was sent
        self.longest_ack_s = 0.0
        self.mqtt.client.on_message = self._on_message
        self.mqtt.client.on_publish = self._on_publish
        self.mqtt.on_ready = self._on_ready

    def _on_ready(self) -> None:
        self.mqtt.client.subscribe(f"sabot/v1/{self.site}/jackpot/#", 1)

    def _on_message(self, _client: object, _userdata: object, message: paho.MQTTMessage) -> None:
        self.messages.append((message.topic, bytes(message.payload)))

    def _on_publish(self, _client: object, _userdata: object, mid: int, *_: object) -> None:
        sent_s = self.unacknowledged.pop(mid, None)
        if sent_s is not None:
            self.longest_ack_s = max(self.longest_ack_s, time.monotonic() - sent_s)

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        self.unacknowledged[self.mqtt.publish(topic, payload, retain=retain)] = time.monotonic()

    def on(self, name: Any, jackpot: str = JACKPOT) -> list[dict[str, Any]]:
        """Return what came on a topic of a jackpot."""
        topic = jackpot_topic(self.site, jackpot, name)
        return [msgspec.json.decode(payload) for found, payload in self.messages if found == topic]


class Relay:
    """Carries bytes between services and the broker; `mute` drops what the services send."""

    def __init__(self, server: Broker) -> None:
        self._server, self._listen = server, socket.create_server(("127.0.0.1", 0))
        self._listen.setblocking(False)
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self.broker = Broker("127.0.0.1", self._listen.getsockname()[1])
        self.mute = False

    def step(self) -> None:
        with suppress(BlockingIOError):
            near, _ = self._listen.accept()
            self._pairs.append((near, socket.create_connection((self._server.host, self._server.port))))
        for near, far in self._pairs:
            with suppress(OSError):
                near.sendall(_received(far))
                sent = _received(near)
                if not self.mute:
                    far.sendall(sent)

    def cut(self) -> None:
        for near, far in self._pairs:
            near.close()
            far.close()
        self._pairs.clear()

    def close(self) -> None:
        self.cut()
        self._listen.close()


def _received(end: socket.socket) -> bytes:
    try:
        return end.recv(65_536, socket.MSG_DONTWAIT)
    except BlockingIOError:
        return b""


class Table:
    """A table of a gateway: makes its increments in sequence."""

    def __init__(self, name: str = "bac-01", jackpot: str = JACKPOT, digest: str = "", amount: int = INCREMENT) -> None:
        self.name, self.jackpot, self.digest, self.amount = name, jackpot, digest, amount
        self.count = self.total = 0
        self.unit = f"{UNIT[:-2]}{name[-2:]}"

    def increment(self, **changes: Any) -> IncrementMessage:
        self.count += 1
        self.total += changes.get("amount", self.amount)
        coup_id = f"{self.unit}-{self.count}"
        made = IncrementMessage(
            id=f"{coup_id}-{self.jackpot}",
            unit=self.unit,
            event_no=self.count,
            table=self.name,
            shoe=1,
            coup=self.count,
            time=TIME,
            rulebook="0" * 16,
            gateway="gw-1",
            jackpot=self.jackpot,
            parameters=self.digest,
            currency="AUD" if self.jackpot == JACKPOT else "NZD",
            amount=self.amount,
            count=self.count,
            total=self.total,
            coup_id=coup_id,
            kind="live",
            operator=self.amount,
        )
        return replace(made, **changes)

    def recorded(self, won: IncrementMessage, at: str = TIME, stakes: dict[str, list[int]] | None = None) -> Any:
        return RecordedMessage(
            id=f"{won.coup_id}-recorded",
            unit=self.unit,
            event_no=won.event_no,
            table=self.name,
            shoe=won.shoe,
            coup=won.coup,
            time=at,
            rulebook="0" * 16,
            gateway="gw-1",
            jackpot=self.jackpot,
            coup_id=won.coup_id,
            outcome=won.trigger,
            at=at,
            by="Dealer",
            stakes=stakes or {},
        )


def confirmed(table: Table, coup: int, **changes: Any) -> ConfirmedMessage:
    """Return a coup of four eights that a table has confirmed."""
    values: dict[str, Any] = {
        "id": f"{table.unit}-{coup}",
        "coup_id": f"{table.unit}-{coup}-coup",
        "unit": table.unit,
        "event_no": coup,
        "table": table.name,
        "shoe": 1,
        "coup": coup,
        "time": TIME,
        "rulebook": "0" * 16,
        "kind": "live",
        "status": "confirmed",
        "winner": "tie",
        "player": ["8H", "8D"],
        "banker": ["8S", "8C"],
        "player_points": 6,
        "banker_points": 6,
        "player_pair": True,
        "banker_pair": True,
        "natural": False,
        "last_coup": False,
        "shoe_time_ms": 1,
    }
    return ConfirmedMessage(**(values | changes))


class Rig:
    """The broker, a client that plays all gateways and displays, and floor services; `now_s` is the services' clock."""

    def __init__(self, stack: ExitStack, server: LocalBroker, work_dir: Path, store_url: str) -> None:
        self._stack, self.server, self.work_dir, self.store_url = stack, server, work_dir, store_url
        (work_dir / "jackpots.toml").write_text(JACKPOTS)
        self.now_s, self.apps = 1000.0, list[App]()
        self.key = b""
        self.site = f"site{next(_numbers)}"  # the broker keeps what other tests have left
        self.client = Client(server.address, f"gateways-{self.site}", self.site)
        stack.callback(self.client.mqtt.close)
        self.relay = Relay(server.address)
        stack.callback(self.relay.close)

    def start(self, worker: str = "1", store: Store | None = None, *, relayed: bool = False, **more: Any) -> App:
        """Start a floor service and wait until it has subscribed."""
        config = Config(
            site=self.site,
            store=self.store_url,
            broker=str(self.relay.broker if relayed else self.server.address),
            jackpots=str(self.work_dir / "jackpots.toml"),
            control=str(self.work_dir / f"{worker}.sock"),
            worker=worker,
            **more,
        )
        app = App(config, store, monotonic=lambda: self.now_s)
        self.apps.append(app)
        self._stack.callback(self._close, app)
        self.until(lambda: app.subscribed and (app.behind.found or not app.behind.problem) and self.client.on("meter"))
        return app

    def _close(self, app: App) -> None:
        if app in self.apps:
            app.close()

    def kill(self, app: App) -> None:
        self.apps.remove(app)
        app.crash()

    def table(self, name: str = "bac-01", jackpot: str = JACKPOT) -> Table:
        state = self.apps[0].logs.state(jackpot)
        assert state is not None
        return Table(name, jackpot, state.parameters.digest, state.parameters.increment)

    def topic(self, *parts: str) -> str:
        return "/".join((f"sabot/v1/{self.site}", *parts))

    def send(self, *messages: IncrementMessage | RecordedMessage) -> None:
        for message in messages:
            if isinstance(message, IncrementMessage):
                signed: Any = signing.sign(message, self.key)
                topic = increment_topic(self.site, message.table, message.jackpot)
            else:
                signed = signing.sign(message, self.key)
                topic = recorded_topic(self.site, message.table, message.jackpot)
            self.client.publish(topic, msgspec.json.encode(signed))

    def step(self, pass_s: float = 0.01) -> None:
        self.now_s += pass_s
        self.client.mqtt.step(time.monotonic())
        self.relay.step()
        for app in self.apps:
            app.step(0.002)

    def until(self, done: Callable[[], object], pass_s: float = 0.01) -> None:
        give_up_s = time.monotonic() + PATIENCE_S
        while not done():
            self.step(pass_s)
            assert time.monotonic() < give_up_s, [(app.hold.problem, app.mqtt.problem) for app in self.apps]

    def settle(self, turns: int = 30) -> None:
        """Let everything that was sent be taken; a broker that is slow to acknowledge is slow to deliver, too."""
        self.until(lambda: not self.client.unacknowledged)
        delivered_s = time.monotonic() + min(4 * self.client.longest_ack_s, MOST_DELIVERY_S)
        for _ in range(turns):
            self.step()
        self.until(lambda: time.monotonic() >= delivered_s, pass_s=0.0)
        self.until(lambda: all(app.idle() for app in self.apps))

    def ask(self, verb: str, by: str = "", **args: Any) -> Answer:
        """Ask the first floor service as its control socket does."""
        return self.ask_of(self.apps[0], verb, by, **args)

    def ask_of(self, app: App, verb: str, by: str = "", **args: Any) -> Answer:
        """Ask a floor service as its control socket does."""
        request: FloorRequest = parse(msgspec.json.encode(Request(verb, by=by, args=args)))
        return app._answers.answer(request, app._at())

    def meter(self, jackpot: str = JACKPOT) -> MeterMessage:
        """Return the newest meter that came over the broker."""
        topic = jackpot_topic(self.site, jackpot, "meter")
        found = [payload for name, payload in self.client.messages if name == topic]
        return msgspec.json.decode(found[-1], type=MeterMessage)

    def store(self) -> Store:
        """Open the store a second time."""
        return self._stack.enter_context(open_store(self.store_url))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalBroker]:
    """A broker for the tests of one file."""
    started = LocalBroker(tmp_path_factory.mktemp("broker"))
    yield started
    started.kill()


@pytest.fixture
def rig(server: LocalBroker, tmp_path: Path, store_url: str) -> Iterator[Rig]:
    with ExitStack() as stack:
        yield Rig(stack, server, tmp_path, store_url)


def display(rig: Rig) -> int:
    """Return the display in the store; the log must verify, and the meters add up."""
    store = rig.store()
    verdict = audit.verify(store, JACKPOT)
    assert verdict.faults == []
    assert verdict.state is not None
    assert verdict.state.balanced()
    return verdict.state.display
