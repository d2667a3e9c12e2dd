"""The site of a crowd: one gateway with a shoe at each table, a floor service with people, and a broker between."""

import grp
import os
import random
import selectors
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any, Final

import msgspec
import paho.mqtt.client as paho
from day.site import Gateway, Place
from sabot_floor.app import App
from sabot_floor.config import Config
from sabot_floor.web.config import Web
from sabot_protocol import command_keys
from sabot_protocol.topics import ROOT
from sabot_service.broker import Broker
from sabot_service.messages import Answer, Request
from sabot_service.mqtt import LoopClient
from sabot_tools.stand.broker import LocalBroker
from sabot_tools.stand.demo_jackpots import jackpots
from sabot_tools.stand.ports import HOST, free_port

from crowd.staff import LOCAL_ROLE, Member, members

SITE: Final = "day"
_NO_ANSWER: Final = Answer(False, "killed before it answered")
_MARK: Final = "mark"
_TURNS_OF_STATES: Final = 10  # of the line's time: lists of alarms are published a few times a second at most
START_S: Final = 1_790_000_000.0
_NAP_S: Final = 0.0005
_PATIENCE_S: Final = 120.0
JACKPOTS: Final = jackpots()
BOOKS: Final = {
    "star-01": "star-baccarat",
    "premium-01": "star-premium",
    "nz-01": "nz-baccarat",
    "crown-01": "crown-baccarat",
    "crown-02": "crown-baccarat",
    "rapid-01": "star-rapid",
    "rapid-02": "star-rapid",
}


class Keys:
    """The floor's key pair; `public_path` is what the gateway reads."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir()
        command_keys.make(directory)
        self.public_path = directory / command_keys.PUBLIC_NAME
        self.private_path = directory / command_keys.PRIVATE_NAME


class Eye:
    """A subscriber of everything: the newest message of each topic, and what happens to the wins of jackpots."""

    def __init__(self, broker: Broker) -> None:
        self.states: dict[str, bytes] = {}
        self.triggers: list[dict[str, Any]] = []  # increments of coups whose cards win a jackpot
        self.recorded: list[str] = []  # ids of the coups that dealers recorded, in the order in which they came
        self.wins: list[dict[str, Any]] = []
        self.subscribed, self._marks = False, 0
        self._mqtt = LoopClient(broker, "crowd-eye", clean_session=False, selector=selectors.DefaultSelector())
        self._mqtt.client.on_message = self._on_message
        self._mqtt.client.on_subscribe = self._on_subscribe
        self._mqtt.on_ready = self._on_ready

    def _on_ready(self) -> None:
        self._mqtt.client.subscribe(f"{ROOT}/{SITE}/#", 1)

    def _on_subscribe(self, *_: object) -> None:
        self.subscribed = True

    def _on_message(self, _client: object, _userdata: object, message: paho.MQTTMessage) -> None:
        topic = message.topic.removeprefix(f"{ROOT}/{SITE}/")
        self.states[topic] = bytes(message.payload)
        match topic.split("/"):
            case ["jackpot", _, "win"]:
                self._note_win(msgspec.json.decode(message.payload))
            case [_, "jackpot", _, "recorded"]:
                self._note_record(msgspec.json.decode(message.payload))
            case [_, "jackpot", _]:
                self._note_increment(msgspec.json.decode(message.payload))

    def _note_win(self, message: dict[str, Any]) -> None:
        if all(one["id"] != message["id"] for one in self.wins):  # after a kill it comes again
            self.wins.append(message)

    def _note_record(self, message: dict[str, Any]) -> None:
        if message["coup_id"] not in self.recorded:
            self.recorded.append(message["coup_id"])

    def _note_increment(self, message: dict[str, Any]) -> None:
        if message.get("trigger") and all(one["id"] != message["id"] for one in self.triggers):
            self.triggers.append(message)

    def step(self) -> None:
        """Read what has come."""
        self._mqtt.step(time.monotonic())

    def mark(self) -> bytes:
        """Publish a mark: when it has come back, all that the broker took before has come too."""
        self._marks += 1
        payload = b"%d" % self._marks
        self._mqtt.publish(f"{ROOT}/{SITE}/{_MARK}", payload, retain=False)
        return payload

    def has(self, mark: bytes) -> bool:
        """Return True if this mark has come back."""
        return self.states.get(_MARK) == mark

    def state(self, table: str, topic: str) -> dict[str, Any]:
        """Return the newest message on a topic of a table; empty if none has come."""
        found: dict[str, Any] = msgspec.json.decode(self.states.get(f"{table}/{topic}", b"{}"))
        return found

    def pending(self, book: str) -> list[dict[str, Any]]:
        """Return the wins of the book's jackpot that wait, as its topic has them."""
        if book not in JACKPOTS:
            return []
        payload = self.states.get(f"jackpot/{JACKPOTS[book].id}/pending", b"{}")
        wins: list[dict[str, Any]] = msgspec.json.decode(payload).get("wins", [])
        return wins

    def close(self) -> None:
        """Hang up."""
        self._mqtt.close()


class Site:
    """Gateway, floor service and broker in this process, by one clock that the crowd sets."""

    def __init__(self, stack: ExitStack, seed: int, work_dir: Path, bench: str) -> None:
        self.now_s, self.rng = START_S, random.Random(seed)
        self.pc_wrong_s = 0.0  # how far the clock of the table PC is wrong
        self.fuse: tuple[int, Callable[[], None]] | None = None  # turns of requests that wait, and what happens then
        self.broker = LocalBroker(work_dir)
        stack.callback(self.broker.stop)
        broker = self.broker
        keys, parameters = Keys(work_dir / "keys"), work_dir / "jackpots.toml"
        parameters.write_text(_jackpots())
        self.eye = Eye(broker.address)
        stack.callback(self.eye.close)
        own_group = grp.getgrgid(os.getgid()).gr_name
        self.gateway = Gateway(
            "gateway-1",
            [Place(name, book, "gateway-1") for name, book in BOOKS.items()],
            broker.address,
            work_dir,
            lambda: self.now_s + self.pc_wrong_s,
            bench,
            keys.public_path,
            jackpots=str(parameters),
            roles={own_group: LOCAL_ROLE},
        )
        stack.callback(self.gateway.close)
        self.floor_config = Config(
            site=SITE,
            store=str(work_dir / "floor.db"),
            broker=str(broker.address),
            jackpots=str(parameters),
            floor_key=str(keys.private_path),
            control=str(work_dir / "floor.sock"),
            people_required=True,
            web=Web(listen=f"{HOST}:{free_port()}", idle_s=86_400, dealer_idle_s=86_400),
        )
        assert self.floor_config.web is not None
        self.url = self.floor_config.web.url()
        self.floor = self._new_floor()
        stack.callback(lambda: self.floor.close())

    def _new_floor(self) -> App:
        floor = App(self.floor_config, clock=lambda: self.now_s)
        floor._web.start()
        return floor

    def _serves_pages(self) -> bool:
        server = self.floor._web._server
        return server is not None and server.port != 0

    def kill_floor(self) -> None:
        """Kill the floor service, and start it again."""
        self.floor.crash()
        self.floor = self._new_floor()
        self.until(lambda: self.floor.subscribed and self._serves_pages(), "the floor is subscribed again")

    def kill_gateway(self) -> None:
        """Kill the gateway, and start it again."""
        self.gateway.kill()
        self.until(self.gateway.app.published, "the gateway is connected to the broker again")

    def kill_broker(self) -> None:
        """Kill the broker, and start it again; wait until everybody is back."""
        self.eye.subscribed = False
        self.broker.kill()
        self.until(lambda: not self.floor.mqtt.client.is_connected(), "the floor has lost the broker")
        self.broker.start()
        self.until(lambda: self.floor.subscribed and self.eye.subscribed, "floor and eye are subscribed again")
        self.until(self.gateway.app.published, "the gateway is connected to the broker again")

    def start(self) -> None:
        """Start everything, and add the people."""
        self.gateway.start()
        self.until(lambda: self.floor.subscribed and self.eye.subscribed, "floor and eye are subscribed")
        self.until(self._serves_pages, "pages are served")
        self.gateway.until(self.gateway.app.published, "the gateway is connected to the broker")
        for book in dict.fromkeys(BOOKS.values()):
            for one in members(book):
                self._add(one)

    def _add(self, one: Member) -> None:
        verbs = (
            ("user-add", {"name": one.name}),
            ("user-badge", {"code": one.badge}),
            ("user-role", {"rulebook": one.book, "role": one.role}),
        )
        for verb, args in verbs:
            answer = self.ask_floor(Request(verb, args={"person": one.id, **args}))
            assert answer.ok, answer.say

    def turn(self) -> None:
        """Let everything do what is due."""
        self.gateway.turn()
        self.floor.step(0)
        self.eye.step()

    def until(self, done: Callable[[], bool], awaited: str) -> None:
        """Take turns until the condition holds; TimeoutError if it never does."""
        give_up_s = time.monotonic() + _PATIENCE_S
        while not done():
            if time.monotonic() > give_up_s:
                raise TimeoutError(f"not within {_PATIENCE_S:.0f} s: {awaited}")
            self.turn()
            time.sleep(_NAP_S)

    def settle(self) -> None:
        """Wait until the ledger has everything, and all that is to be published is."""
        for _ in range(_TURNS_OF_STATES):
            self.turn()
        app, shoes = self.gateway.app, self.gateway.shoes.values()
        self.until(
            lambda: all(one.caught_up() for one in shoes) and app.stored() and app.published(), "it is published"
        )

    def settle_eye(self) -> None:
        """Wait until the eye, too, has seen all that is published."""
        self.settle()
        mark = self.eye.mark()
        self.until(lambda: self.eye.has(mark), "the eye has seen it")

    def ask_floor(self, request: Request) -> Answer:
        """Send a request to the floor's socket and return its answer."""
        return self._ask(self.floor_config.control_path(), request)

    def ask_gateway(self, request: Request) -> Answer:
        """Send a request to the gateway's socket and return its answer."""
        return self._ask(self.gateway.config.control_path(), request)

    def _ask(self, path: Path, request: Request) -> Answer:
        """Send a request to a socket; its daemon may be killed before it answers."""
        with closing(socket.socket(socket.AF_UNIX)) as sock:
            sock.connect(str(path))
            sock.setblocking(False)
            sock.sendall(msgspec.json.encode(request) + b"\n")
            received = bytearray()

            def ended() -> bool:
                self._burn()
                with suppress(BlockingIOError, ConnectionResetError):
                    received.extend(sock.recv(1 << 16) or b"\n")
                return received.endswith(b"\n")

            self.until(ended, f"{request.verb} is answered")
        return msgspec.json.decode(bytes(received), type=Answer) if received.strip() else _NO_ANSWER

    def _burn(self) -> None:
        """Let the fuse burn down by one turn; at its end something happens."""
        if self.fuse is not None:
            turns, happens = self.fuse
            self.fuse = (turns - 1, happens) if turns else None
            if not turns:
                happens()

    def status(self, table: str) -> dict[str, Any]:
        """Return a table's part of the gateway's status; asked again if it was killed before it answered."""
        answer = _NO_ANSWER
        while not answer.ok:
            answer = self.ask_gateway(Request("status"))
        found: dict[str, Any] = next(
            one for one in msgspec.json.decode(bytes(answer.data))["tables"] if one["table"] == table
        )
        return found


def _jackpots() -> str:
    """Return the jackpots of the books that have one, each over all of its tables."""
    tables: dict[str, list[str]] = {}
    for name, book in BOOKS.items():
        tables.setdefault(book, []).append(name)
    return "\n".join(JACKPOTS[book].text(names) for book, names in tables.items() if book in JACKPOTS)


def names(of: Sequence[Member]) -> str:
    """Return the people as a line."""
    return " and ".join(f"{one.name} ({one.role})" for one in of)
