"""A daemon's loop with an Angel Eye behind a converter; the test plays the shoe, the people and the clock."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
from sabot_gateway.app import App
from sabot_gateway.config import Config, Table
from sabot_gateway.ledger import Stored
from sabot_gateway.operator import requests
from sabot_gateway.operator.requests import TableRequest
from sabot_protocol.angel_eye import build
from sabot_service.messages import Answer, Request
from support.patience import PATIENCE_S


class Converter:
    """A TCP server with raw bytes, as a serial converter is: every client gets what the shoe sends."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.setblocking(False)
        self.url = f"socket://127.0.0.1:{self._server.getsockname()[1]}"
        self.clients: list[socket.socket] = []
        self.received = b""

    def turn(self) -> None:
        """Accept clients and read what they send."""
        with suppress(BlockingIOError):
            client, _ = self._server.accept()
            client.setblocking(False)
            self.clients.append(client)
        for client in self.clients:
            with suppress(OSError):
                self.received += client.recv(4096)

    def send(self, *frames: bytes) -> None:
        """Send frames as they are to all clients."""
        for client in self.clients:
            client.sendall(b"".join(frames))

    def hang_up(self) -> None:
        """End all connections."""
        for client in self.clients:
            client.close()
        self.clients.clear()

    def close(self) -> None:
        """Give the port back."""
        self.hang_up()
        self._server.close()


class EyeFloor:
    """One gateway with one table; `step` is a turn of the daemon, and time is the test's."""

    name = "bac-01"

    def __init__(self, ledger: Path, line: Converter, **settings: Any) -> None:
        table = Table(self.name, line.url, "star-baccarat", driver="angel-eye", **settings)
        self.config = Config("test", str(ledger), "mqtt://127.0.0.1:9", (table,))
        self.line, self.now_s, self._seq = line, 1000.0, 0
        self.start()

    def start(self) -> None:
        """Start the gateway."""
        self.app = App(self.config, monotonic=lambda: self.now_s, sleep=lambda _s: None)

    def kill(self) -> None:
        """End it as a kill does, and let its connection go."""
        self.app.crash()
        self.line.hang_up()

    def step(self, pass_s: float = 0.02) -> None:
        """One turn of the converter and of the gateway."""
        self.now_s += pass_s
        self.line.turn()
        self.app.step(0.001)

    def until(self, done: Callable[[], object], pass_s: float = 0.02) -> None:
        """Step until this is so."""
        give_up_s = time.monotonic() + PATIENCE_S
        while not done():
            self.step(pass_s)
            assert time.monotonic() < give_up_s, self.status()

    def connect(self) -> None:
        """Wait until the port is open and the table online."""
        self.until(lambda: self.line.clients and self.status()["state"] == "online" and self.events())

    def seq(self) -> str:
        """Return the next character of the sequence 1-9."""
        self._seq = self._seq % 9 + 1
        return str(self._seq)

    def play(self, *frames: bytes) -> None:
        """Send frames three times each, and wait until the newest is stored; a second passes before the next."""
        self.line.send(*(frame * 3 for frame in frames))
        self.until(lambda: frames[-1] in [entry.frame for entry in self.events()][-2:])
        self.step(1.1)

    def cards(self, dealt: str) -> list[bytes]:
        """Return the frames of these cards, as P1:8S B1:KD."""
        found = []
        for word in dealt.split():
            place, _, card = word.partition(":")
            target = "player" if place[0] == "P" else "banker"
            found.append(build.card(self.seq(), target, int(place[1]), card))
        return found

    def coup(self, dealt: str = "P1:9S B1:2H P2:TD B2:3C", winner: str = "player") -> None:
        """Deal a coup to its result."""
        self.play(*self.cards(dealt), build.result(self.seq(), winner))

    def status(self) -> dict[str, Any]:
        """Return the status of the table, as the retained topic has it."""
        topic = self.app.retained_topics().get(f"sabot/v1/test/{self.name}/status", b"{}")
        return {"state": "", "problem": None, **msgspec.json.decode(topic)}

    def entries(self) -> list[Stored]:
        """Return everything that the ledger holds."""
        return list(self.app._ledger.entries())

    def events(self) -> list[Stored]:
        """Return the events of the shoe."""
        return [entry for entry in self.entries() if entry.unit.startswith("ae-") and entry.event_no is not None]

    def messages(self, topic: str) -> list[dict[str, Any]]:
        """Return the messages of a topic."""
        return [msgspec.json.decode(entry.payload) for entry in self.entries() if entry.topic == topic]

    def ask(self, verb: str, clause: str = "", **args: Any) -> list[Answer]:
        """Have A. Smith request this at the table; the answer is put into the list that is returned."""
        request = requests.parse(msgspec.json.encode(Request(verb, self.name, "A. Smith", clause, args)))
        assert isinstance(request, TableRequest)
        answers = list[Answer]()
        table = self.app._tables[self.name]
        self.app._desk.take(request, "floor", table, answers.append, self.app._at())
        return answers

    def answer(self, verb: str, clause: str = "", **args: Any) -> Answer:
        """Return the answer to a request that needs nothing of the shoe."""
        answers = self.ask(verb, clause, **args)
        self.until(lambda: answers)
        return answers[0]


@contextmanager
def eye_floors(work_dir: Path) -> Iterator[Callable[..., EyeFloor]]:
    """Give a function that starts a gateway; each needs a PC of its own."""
    with ExitStack() as stack:

        def start(line: Converter | None = None, pc: str = "pc-1", **settings: Any) -> EyeFloor:
            if line is None:
                line = Converter()
                stack.callback(line.close)
            (work_dir / pc).mkdir()
            floor = EyeFloor(work_dir / pc / "ledger.db", line, **settings)
            stack.callback(lambda: floor.app.close())
            return floor

        yield start
