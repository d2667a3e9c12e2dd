"""A floor for tests: the daemon's loop, a table for each line, and shoes that send their log as PROTOCOL.md says."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
from cobs import cobs
from sabot_gateway.app import App
from sabot_gateway.config import Config, Table
from sabot_gateway.ledger import Reader, Stored
from sabot_protocol import framing, messages
from sabot_protocol.auth import TO_GATEWAY, Seal
from shoe_events import KNOWN, NOBODY, UNIT, frames_in, hello_body
from support.patience import PATIENCE_S

_EVENT = messages.FrameType.encmapping["event"]
_COMMAND_DONE = bytes([messages.EventKind.encmapping["command_done"]])
_WINDOW = 24


def body_of(kind: str, /, **data: Any) -> bytes:
    """Kind and data of an event, as a frame has them behind the number."""
    return bytes([messages.EventKind.encmapping[kind]]) + bytes(messages.EVENTS[kind].build(data))


CONFIRM = body_of("button", shoe_no=1, coup_no=1, button="confirm")


class LogShoe:
    """A shoe behind a TCP port; `log` is its journal, kind and data of each event, and nothing checks it."""

    def __init__(self, unit: str = UNIT, key: bytes | None = None) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setblocking(False)
        self.port = f"socket://127.0.0.1:{self._listener.getsockname()[1]}"
        self._line: socket.socket | None = None
        self.unit, self.key = unit, key
        self.log: list[bytes] = []
        self.oldest = 1
        self.answers = True  # False: the power is off
        self.never_back = False  # it sends nothing again that was acknowledged, whatever WELCOME says
        self.acked = 0
        self.hello: dict[str, Any] = {}  # what it says otherwise than it is
        self.obeys = False  # True: commands are logged as done
        self.sent: list[int] = []  # event numbers
        self._offers = 0
        self._out = bytearray()
        self._restart()

    def _restart(self) -> None:
        self._seal: Seal | None = None
        self._nonces = (NOBODY, NOBODY)
        self._welcomed, self._next, self._seq = False, 1, 0
        self._sent_steps = 0

    def erase(self) -> None:
        """The journal is gone: numbers begin again at 1."""
        self.log, self.oldest, self.acked = [], 1, 0
        self._restart()

    def close(self) -> None:
        """Give the port back."""
        self.hang_up()
        self._listener.close()

    def hang_up(self) -> None:
        """End the connection."""
        if self._line is not None:
            self._line.close()
        self._line = None

    def press(self, times: int = 1) -> None:
        """Log so many events."""
        self.log += [CONFIRM] * times

    def say(self, raw: bytes) -> None:
        """A frame as it is, however long, with what proves it."""
        body = raw + self._seal.mac(raw) if self._seal else raw
        self._out += cobs.encode(body + framing.crc16(body).to_bytes(2, "little")) + b"\0"

    def header(self, kind: int, time_ms: int = 0) -> bytes:
        """The next one of the session."""
        self._seq += 1
        flags = int(self._seal is not None)
        return bytes([kind, flags]) + (self._seq - 1).to_bytes(2, "little") + time_ms.to_bytes(4, "little")

    def _hello(self, nonce: bytes) -> None:
        self._offers += 1
        self._restart()
        self._nonces = nonce, self._offers.to_bytes(8, "little")
        self._seal = Seal(self.key, TO_GATEWAY, *self._nonces) if self.key else None
        body = hello_body(
            unit=bytes.fromhex(self.unit),
            next_event_no=len(self.log) + 1,
            oldest_event_no=self.oldest,
            gateway_nonce=nonce,
            shoe_nonce=self._nonces[1],
            profile_hash=KNOWN,
            last_command_id=self._last_command_id(),
        )
        made = messages.Frame.build(
            {"type": "hello", "flags": 0, "seq": 0, "time_ms": 0, "body": {**body, **self.hello}}
        )
        self.say(self.header(made[0]) + made[8:])

    def _last_command_id(self) -> int:
        """As its log has it."""
        ids = [int.from_bytes(body[1:5], "little") for body in self.log if body[:1] == _COMMAND_DONE]
        return max(ids, default=0)

    def turn(self) -> None:
        """One turn of the shoe's loop."""
        with suppress(OSError):
            line, _ = self._listener.accept()
            line.setblocking(False)
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.hang_up()
            self._line = line
        data = b""
        with suppress(OSError):
            data = self._line.recv(65536) if self._line else b""
        if not self.answers:
            self._restart()
            return
        for frame in frames_in(data):
            self._take(frame.type, frame.body)
        self._send_events()
        if self._welcomed and not self._out:
            self.say(self.header(3))
        with suppress(OSError):
            del self._out[: self._line.send(self._out) if self._line else len(self._out)]

    def _take(self, kind: str, body: dict[str, Any]) -> None:
        if kind == "who":
            self._hello(body["nonce"])
        elif kind == "welcome" and body["shoe_nonce"] == self._nonces[1]:
            self.acked = max(self.acked, body["durable_event_no"])
            first = self.acked if self.never_back else body["durable_event_no"]
            self._welcomed, self._next = True, max(first + 1, self.oldest)
        elif kind == "ack":
            self.acked, self._sent_steps = max(self.acked, body["event_no"]), 0
        elif kind == "resend" and body["event_no"] > self.acked:
            self._next = body["event_no"]
        elif kind == "command" and self.obeys and body["command_id"] > self._last_command_id():
            done = {"command_id": body["command_id"], "command": body["kind"], "outcome": "done", "data": body["data"]}
            self.log.append(body_of("command_done", **done))

    def _send_events(self) -> None:
        self._sent_steps += 1
        if self._sent_steps % 20 == 0:  # nothing was acknowledged for so long
            self._next = max(self.acked + 1, self.oldest)
        while self._welcomed and self._next <= min(len(self.log), self.acked + _WINDOW):
            number = self._next
            self.say(self.header(_EVENT, number * 100) + number.to_bytes(4, "little") + self.log[number - 1])
            self.sent.append(number)
            self._next += 1


class Floor:
    """Tables `bac-01`, `bac-02` … with these shoes; time is the test's."""

    def __init__(self, work_dir: Path, *shoes: LogShoe, keys: Path | None = None, **settings: Any) -> None:
        self.shoes, self.now_s = shoes, 1000.0
        self.ledger_path = work_dir / "ledger.db"
        tables = tuple(Table(f"bac-{no:02}", shoe.port, "star-baccarat") for no, shoe in enumerate(shoes, 1))
        self._config = Config(
            "test", str(self.ledger_path), "mqtt://127.0.0.1:9", tables, str(keys) if keys else None, **settings
        )
        self.start()

    def start(self) -> None:
        """The daemon starts, and opens its ports, which takes a thread a moment."""
        self.app = App(self._config, monotonic=lambda: self.now_s, sleep=lambda _: None)
        give_up_s = time.monotonic() + PATIENCE_S
        while any(session.line.port is None for session in self.app._tables.values()):
            self.now_s += 0.05
            self.app.step(0.001)
            assert time.monotonic() < give_up_s

    def run(self, seconds: float) -> None:
        """So long, in steps of 50 ms."""
        for _ in range(round(seconds * 20)):
            for shoe in self.shoes:
                shoe.turn()
            for _ in range(2):
                self.app.step(0)
            self.now_s += 0.05

    def restart(self) -> None:
        """The daemon ends cleanly and starts again."""
        self.app.close()
        self.start()

    def status(self, table: int = 1) -> dict[str, Any]:
        """What stands on the status topic of a table."""
        message: dict[str, Any] = msgspec.json.decode(
            self.app.retained_topics().get(f"sabot/v1/test/bac-{table:02}/status", b"{}")
        )
        return message

    def alarms(self, table: int = 1) -> list[dict[str, Any]]:
        """The active ones of a table."""
        message = msgspec.json.decode(
            self.app.retained_topics().get(f"sabot/v1/test/bac-{table:02}/alarms", b'{"alarms":[]}')
        )
        active: list[dict[str, Any]] = message["alarms"]
        return active

    def acknowledge(self) -> None:
        """Somebody has seen every alarm of the first table."""
        session, own = self.app._tables["bac-01"], self.app._own
        for alarm in session.verifier.active():
            source = own.new_source(self.app._at().time)
            own.add_records(session, session.verifier.acknowledge(alarm.alarm, "A. Smith", source), source)

    def entries(self) -> list[Stored]:
        """Everything in the ledger."""
        reader = Reader(self.ledger_path)
        found = reader.since(0, 100_000)
        reader.close()
        return found

    def stored(self, unit: str = UNIT) -> list[int]:
        """Event numbers of a unit in the ledger."""
        return [entry.event_no for entry in self.entries() if entry.unit == unit and entry.frame and entry.event_no]


Open = Callable[..., Floor]


@contextmanager
def floors(work_dir: Path) -> Iterator[Open]:
    """Makes floors; all that they hold is given back."""
    made: list[Floor] = []

    def make(*shoes: LogShoe, **settings: Any) -> Floor:
        made.append(Floor(work_dir, *shoes, **settings))
        return made[-1]

    try:
        yield make
    finally:
        for floor in made:
            floor.app.close()
            for shoe in floor.shoes:
                shoe.close()
