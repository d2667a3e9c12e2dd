"""One hostile table at full speed over TCP beside two honest ones: the delay of the honest coups.

`PYTHONPATH=gateway/tests:hil_tests .venv/bin/python -m support.hostile_table [SECONDS]` prints a line for each kind.
"""

import multiprocessing
import random
import selectors
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
from floor import LOST, Line
from sabot_gateway.ledger import Reader
from sabot_gateway.shoe.parse import Event
from sabot_service.broker import Broker
from sabot_service.mqtt import LoopClient
from sabot_tools.stand import broker
from sabot_tools.stand.children import Children
from sabot_tools.stand.local_site import daemon_command
from shoe_events import Shoe, cards, frames_in, hello_body, result

from support.patience import PATIENCE_S

SITE, HOSTILE, HONEST = "floor", "hostile", ("bac-01", "bac-02")
_BLOCK_COUPS = 200
UNIT, KINDS = "badbad0000000001", ("disputes", "noise", "frames")


class HostileShoe:
    """A hostile shoe on TCP in its own process: sends as fast as the gateway takes it, and ignores every answer."""

    def __init__(self, kind: str = "disputes", most_coups: int = 10**9) -> None:
        self._block: Callable[[], bytes] = getattr(self, f"_{kind}")
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = f"socket://127.0.0.1:{self._server.getsockname()[1]}"
        self._most, self._coups, self._seqs, self._shoe = most_coups, 0, count(), Shoe()
        self._process = multiprocessing.get_context("fork").Process(target=self._run, daemon=True)
        self._process.start()

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()

    def _run(self) -> None:
        peer, _ = self._server.accept()
        with peer, suppress(OSError):
            self._greet(peer)
            while self._coups < self._most:
                peer.sendall(self._block())
            while True:
                peer.sendall(self._pack("alive", {}))
                time.sleep(0.5)

    def _pack(self, kind: str, body: dict[str, Any]) -> bytes:
        return self._shoe.say(kind, body, next(self._seqs) % 65_536)

    def _greet(self, peer: socket.socket) -> None:
        data = b""
        while not (nonces := [frame.body["nonce"] for frame in frames_in(data) if frame.type == "who"]):
            data += peer.recv(4096)
        body = hello_body(unit=bytes.fromhex(UNIT), gateway_nonce=nonces[-1], shoe_nonce=b"12345678", next_event_no=1)
        peer.sendall(self._pack("hello", body) + self._pack("alive", {}))

    def _noise(self) -> bytes:
        """Return bytes that are not a frame."""
        return random.randbytes(65_536)

    def _frames(self) -> bytes:
        """Return valid frames with nothing new."""
        return b"".join(self._pack("alive", {}) + self._pack("hello", hello_body()) for _ in range(_BLOCK_COUPS))

    def _disputes(self) -> bytes:
        """Return coups, each with a result that contradicts its cards."""
        made: list[Event] = []
        dealt, winner, player, banker = LOST
        for _ in range(min(_BLOCK_COUPS, self._most - self._coups)):
            number, coup_no, self._coups = self._coups * 5 + 1, self._coups % 10_000 + 1, self._coups + 1
            made += [*cards(number, dealt, coup_no=coup_no)]
            made.append(result(number + 4, winner, player, banker, coup_no, natural=True))
        return b"".join(
            self._pack("event", {"event_no": one.event_no, "kind": one.kind, "data": one.data}) for one in made
        )


class Shouter:
    """A client of the broker in its own process: publishes garbage on the gateway's topics as fast as it can."""

    def __init__(self, where: Broker) -> None:
        self._process = multiprocessing.get_context("fork").Process(target=self._run, args=(where,), daemon=True)
        self._process.start()

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()

    def _run(self, where: Broker) -> None:
        selector = selectors.DefaultSelector()
        mqtt = LoopClient(where, "shouter", clean_session=True, selector=selector)
        topics = [f"sabot/v1/{SITE}/{name}/shoe" for name in HONEST]
        while True:
            mqtt.step(time.monotonic())
            if mqtt.client.is_connected() and not mqtt.client.want_write():
                for topic in topics * 20:
                    mqtt.client.publish(topic, random.randbytes(40), retain=True)
            selector.select(0.001)


@dataclass
class Floor:
    """A daemon, its broker, a subscriber and two honest shoes, each a coup every `pace_s`."""

    stack: ExitStack
    work_dir: Path
    hostile: HostileShoe | None
    pace_s: float = 0.25
    received: list[tuple[float, str, bytes]] = field(default_factory=list)
    written: dict[tuple[str, int], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Start everything."""
        if self.hostile:
            self.stack.callback(self.hostile.stop)
        self._children = Children(self.work_dir)
        self.stack.callback(self._children.stop)
        self.broker = broker.start(self._children, self.work_dir, 0)
        self.lines = {name: Line(self.stack, name, number) for number, name in enumerate(HONEST, 1)}
        self._selector = self.stack.enter_context(selectors.DefaultSelector())
        self._mqtt = self._subscriber(self.broker)
        self._next_s = dict.fromkeys(HONEST, 0.0)
        self._coups, self._served, self._alive_s = dict.fromkeys(HONEST, 0), set[str](), 0.0
        self.until(lambda: self._mqtt.client.is_connected())
        config = self.work_dir / "gateway.toml"
        config.write_text(self._config())
        self.daemon = self._children.start("gateway", daemon_command(config))

    @property
    def ledger(self) -> Path:
        """The path of the ledger."""
        return self.work_dir / "ledger.db"

    def _config(self) -> str:
        ports = {name: line.port for name, line in self.lines.items()}
        if self.hostile:
            ports = {HOSTILE: self.hostile.port, **ports}
        head = f'site = "{SITE}"\nledger = "{self.ledger}"\nbroker = "{self.broker}"\n'
        return head + "".join(
            f'\n[[table]]\nname = "{name}"\nport = "{port}"\nrulebook = "star-baccarat"\n'
            for name, port in ports.items()
        )

    def _subscriber(self, where: Broker) -> LoopClient:
        mqtt = LoopClient(where, "display", clean_session=True, selector=self._selector)
        wanted = ["status", *(f"+/{name}" for name in ("coup", "alarm", "alarms"))]
        mqtt.on_ready = lambda: mqtt.client.subscribe([(f"sabot/v1/{SITE}/{one}", 1) for one in wanted]) and None
        mqtt.client.on_message = self._on_message
        return mqtt

    def _on_message(self, _client: object, _userdata: object, message: Any) -> None:
        self.received.append((time.monotonic(), message.topic, bytes(message.payload)))

    def step(self) -> None:
        """Do what is due."""
        self._children.check()
        self._selector.select(0.005)
        now_s = time.monotonic()
        self._mqtt.step(now_s)
        for name, line in self.lines.items():
            self._turn(name, line, now_s)
        self._alive_s = now_s if now_s - self._alive_s > 1 else self._alive_s

    def _turn(self, name: str, line: Line, now_s: float) -> None:
        for frame in frames_in(line.read()):
            if frame.type == "who":
                line.hello(frame.body["nonce"])
                self._next_s[name] = now_s + 1
                self._served.add(name)
        if name in self._served and now_s - self._alive_s > 1:
            line.write(line.shoe.say("alive"))
        if name in self._served and now_s >= self._next_s[name]:
            self._next_s[name] = now_s + self.pace_s
            self._coups[name] += 1
            line.coup(self._coups[name])
            self.written[(line.unit, line.next_no - 1)] = time.monotonic()

    def run(self, seconds: float) -> None:
        """Deal for this long from the first coup on, then wait until every honest coup has arrived."""
        self.until(lambda: self._served == set(HONEST) and self.delays_ms())
        end_s = time.monotonic() + seconds
        self.until(lambda: time.monotonic() >= end_s)
        self._next_s = dict.fromkeys(HONEST, float("inf"))
        self.until(lambda: len(self.delays_ms()) == len(self.written))

    def until(self, done: Callable[[], object]) -> None:
        """Step until the condition holds."""
        give_up_s = time.monotonic() + PATIENCE_S
        while not done():
            assert time.monotonic() < give_up_s, (self.work_dir / "gateway.log").read_text()[-3000:]
            self.step()

    def delays_ms(self) -> list[float]:
        """Return the delay of each honest coup that arrived, from its last frame to its message."""
        came: dict[tuple[str, int], float] = {}
        for at_s, topic, payload in self.received:
            if topic.endswith("/coup") and f"/{HOSTILE}/" not in topic:
                coup = msgspec.json.decode(payload)
                came.setdefault((coup["unit"], coup["event_no"]), at_s)
        return [(came[key] - at_s) * 1e3 for key, at_s in self.written.items() if key in came]

    def messages(self, topic: str) -> list[dict[str, Any]]:
        """Return the messages of a topic of the site."""
        wanted = f"sabot/v1/{SITE}/{topic}"
        return [msgspec.json.decode(payload) for _, name, payload in self.received if name == wanted]

    def count(self, topic: str) -> int:
        """Return the number of messages of a topic of the site."""
        return sum(name == f"sabot/v1/{SITE}/{topic}" for _, name, _ in self.received)

    def stored(self, unit: str) -> list[int]:
        """Return the event numbers of a unit in the ledger."""
        with closing(Reader(self.ledger)) as ledger:
            return [one.event_no for one in ledger.entries("WHERE unit = ?", (unit,)) if one.event_no is not None]


def measure(seconds: float, kind: str) -> dict[str, Any]:
    """Measure one run with a new site."""
    with tempfile.TemporaryDirectory() as work, ExitStack() as stack:
        floor = Floor(stack, Path(work), HostileShoe(kind) if kind in KINDS else None)
        if kind == "shouter":
            stack.callback(Shouter(floor.broker).stop)
        floor.run(seconds)
        late, alarms = sorted(floor.delays_ms()), [p for _, t, p in floor.received if t.endswith(f"{HOSTILE}/alarms")]
        return {
            "neighbour": kind,
            "coups": len(late),
            "p50_ms": round(late[len(late) // 2], 1),
            "p99_ms": round(late[len(late) * 99 // 100], 1),
            "worst_ms": round(late[-1], 1),
            "hostile_events_stored_a_second": round(len(floor.stored(UNIT)) / seconds),
            "alarms_messages": len(alarms),
            "largest_alarms_bytes": max(map(len, alarms), default=0),
        }


if __name__ == "__main__":
    for kind in sys.argv[2:] or ("none", *KINDS, "shouter"):
        print(msgspec.json.encode(measure(float((*sys.argv[1:], "20")[0]), kind)).decode(), flush=True)
