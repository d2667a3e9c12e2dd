"""Floor: a daemon's loop with several tables on ptys; the test plays the shoes, the clock and the config file."""

import os
import select
import sqlite3
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
from sabot_gateway.app import App
from sabot_gateway.config import Config, Table
from sabot_gateway.ledger import Reader, Stored
from sabot_protocol import messages, rulebooks
from shoe_events import Shoe, cards, frames_in, hello_body, result
from support.patience import PATIENCE_S

_LOOK_S = 0.1
TURN_S = 0.01  # of real time: a pty hands on what is written a moment later
LOST = ("9S 2H TD 3C", "banker", 9, 5)  # cards that the Player wins, and a shoe that reports the Banker


def write_all(end: int, data: bytes) -> None:
    """Write everything to a pty: the kernel hands on what it holds when it has time."""
    give_up_s = time.monotonic() + PATIENCE_S
    while data:
        assert time.monotonic() < give_up_s, "nobody reads the pty"
        if select.select([], [end], [], _LOOK_S)[1]:
            data = data[os.write(end, data) :]


def read_all(end: int) -> bytes:
    """Return what was written to a pty: only a read that finds nothing has the kernel hand on all that it holds."""
    found = b""
    with suppress(BlockingIOError):
        while True:
            found += os.read(end, 65_536)
    return found


class Line:
    """One table's pty and the shoe at its far end."""

    def __init__(self, stack: ExitStack, name: str, number: int, rulebook: str = "star-baccarat") -> None:
        self.name, self.unit = name, f"5ab00000000000{number:02x}"
        self.profile_hash = messages.profile_hash(rulebooks.load(rulebook).profile(8, 1))
        self.end, slave = os.openpty()
        stack.callback(os.close, self.end)
        stack.callback(os.close, slave)
        tty.setraw(slave)
        os.set_blocking(self.end, False)
        self.port, self.shoe, self.next_no = os.ttyname(slave), Shoe(), 1
        self._held: list[bytes] | None = None

    def read(self) -> bytes:
        return read_all(self.end)

    def write(self, *frames: bytes) -> None:
        if self._held is None:
            write_all(self.end, b"".join(frames))
        else:
            self._held += frames

    def offer(self, *frames: bytes) -> None:
        """Write what the pty takes now; BlockingIOError if nobody reads and it is full."""
        os.write(self.end, b"".join(frames))

    @contextmanager
    def in_one_write(self) -> Iterator[None]:
        """Hold back what is written, and write all of it at once at the end."""
        self._held = []
        yield
        frames, self._held = self._held, None
        self.write(*frames)

    def hello(self, nonce: bytes, **changes: Any) -> None:
        self.shoe.hello(nonce)
        known = {"unit": bytes.fromhex(self.unit), "profile_hash": self.profile_hash}
        body = {**known, "next_event_no": self.next_no, **changes}
        gateway_nonce, shoe_nonce = self.shoe.nonces
        self.write(self.shoe.say("hello", hello_body(gateway_nonce=gateway_nonce, shoe_nonce=shoe_nonce, **body)))

    def coup(
        self, coup_no: int, dealt: str = LOST[0], winner: str = "player", player: int = 9, banker: int = 5
    ) -> None:
        """Deal a coup; the shoe gives this result."""
        made = [*cards(self.next_no, dealt, coup_no=coup_no)]
        made.append(result(self.next_no + len(made), winner, player, banker, coup_no, natural=True))
        self.next_no += len(made)
        self.write(*(self.shoe.logged(one) for one in made))


class Floor:
    """Tables by name; `step` is a turn of the daemon, and time is the test's."""

    def __init__(
        self,
        stack: ExitStack,
        work_dir: Path,
        *names: str,
        rulebook: str = "star-baccarat",
        first: int = 1,
        **more: Any,
    ) -> None:
        self.rulebook, self.clock = rulebook, time.time
        self.lines = {name: Line(stack, name, number, rulebook) for number, name in enumerate(names, first)}
        self.now_s, self.ledger_path = 1000.0, work_dir / "ledger.db"
        self._goodbye_s: float | None = None  # of the real clock, which runs on from there
        self.config = self.with_tables(*names, ledger=str(self.ledger_path), **more)
        self.start()
        self._open, self._alive_s, self._greeted = True, 0.0, list[Line]()
        stack.callback(self._close)

    def start(self) -> None:
        """Make the daemon, as at the start of its process; `clock` is that of its PC."""
        self.app = App(
            self.config,
            monotonic=self._monotonic,
            clock=lambda: self.clock(),
            reread=lambda: self.config,
            sleep=lambda _s: None,
        )

    def _monotonic(self) -> float:
        return self.now_s + (0.0 if self._goodbye_s is None else time.monotonic() - self._goodbye_s)

    def _close(self) -> None:
        if self._open:
            self.app.close()

    def goodbye(self) -> None:
        """Stop, as SIGTERM does it; the daemon waits for the broker by the real clock."""
        self._open, self._goodbye_s = False, time.monotonic()
        self.app._goodbye()

    def with_tables(self, *names: str, **more: Any) -> Config:
        """Return a config of these tables, each at its own line."""
        tables = tuple(Table(name, self.lines[name].port, self.rulebook) for name in names)
        fields = {"site": "test", "ledger": str(self.ledger_path), "broker": "mqtt://127.0.0.1:9", **more}
        return Config(**fields, table=tables)

    def reload(self, config: Config) -> None:
        """Replace the config and have the daemon read it again, as at SIGHUP."""
        self.config = config
        self.app._signals.reloading = True

    def step(self, count: int = 1, pass_s: float = 0.0) -> None:
        for _ in range(count):
            self.now_s += pass_s
            self._keep_alive()
            self.app.step(TURN_S)

    def _keep_alive(self) -> None:
        """Send a frame from every greeted shoe once a second, so that none counts as gone."""
        if self.now_s - self._alive_s >= 1.0:
            self._alive_s = self.now_s
            for line in self._greeted:
                line.write(line.shoe.say("alive"))

    def until(self, done: Callable[[], object], pass_s: float = 0.02) -> None:
        give_up_s = time.monotonic() + PATIENCE_S
        while not done():
            self.step(pass_s=pass_s)
            assert time.monotonic() < give_up_s, self.app.retained_topics()

    def greet(self, *names: str) -> None:
        """Answer WHO for these shoes until each is served."""
        for name in names or tuple(self.lines):
            line = self.lines[name]

            def served(line: Line = line, name: str = name) -> bool:
                for frame in frames_in(line.read()):
                    if frame.type == "who":
                        line.hello(frame.body["nonce"])
                        line.write(line.shoe.say("alive"))
                return bool(self.status(name).get("state") == "online")

            self.until(served)
            self._greeted.append(line)

    def acknowledged(self, name: str) -> int:
        """The last event that the daemon has acknowledged to this shoe since the last look, 0 where none."""
        return max(
            (frame.body["event_no"] for frame in frames_in(self.lines[name].read()) if frame.type == "ack"), default=0
        )

    def retained(self, topic: str) -> dict[str, Any]:
        """Return the message on a retained topic of the site, without its time, and the names of a gateway's tables."""
        topic = f"sabot/v1/{self.config.site}/{topic}"
        message: dict[str, Any] = msgspec.json.decode(self.app.retained_topics().get(topic, b"{}"))
        return {name: value for name, value in message.items() if name not in ("time", "ledger", "tables")}

    def status(self, name: str) -> dict[str, Any]:
        """Return the status of a table, without its rulebook and its setup."""
        found = self.retained(f"{name}/status")
        found.pop("rulebook", None)
        found.pop("setup", None)
        return found

    def alarms(self, name: str) -> list[str]:
        """Return the names of the active alarms on the retained topic."""
        return [alarm["name"] for alarm in self.retained(f"{name}/alarms").get("alarms", [])]

    def entries(self) -> list[Stored]:
        ledger = Reader(self.ledger_path)
        found = list(ledger.entries())
        ledger.close()
        return found

    def events(self, name: str) -> list[int]:
        """Event numbers of a shoe in the ledger, in its order."""
        return [e.event_no for e in self.entries() if e.unit == self.lines[name].unit and e.event_no is not None]

    def break_ledger(self) -> None:
        """Make the ledger readable, but not writable."""
        self.app._ledger._db.execute("PRAGMA query_only = ON")

    def mend_ledger(self) -> None:
        self.app._ledger._db.execute("PRAGMA query_only = OFF")

    @contextmanager
    def unreadable(self) -> Iterator[None]:
        """SQLite breaks off every statement, as it does at a bad block."""
        self.app._ledger._db.set_progress_handler(lambda: 1, 1)
        try:
            yield
        finally:
            with suppress(sqlite3.ProgrammingError):  # closed meanwhile
                self.app._ledger._db.set_progress_handler(None, 1)
