"""A stage: a rig, the wire to the gateway's port, the gateway in this process, its broker and a subscriber."""

import contextlib
import secrets
import selectors
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog
from sabot_gateway.app import App
from sabot_gateway.broker import Broker
from sabot_gateway.config import Config, Table
from sabot_gateway.control import Answer, Request
from sabot_gateway.ledger import Reader, Stored
from sabot_protocol import messages, rulebooks
from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.topics import RETAINED, table_topic
from sabot_sim.optics import Edge
from sabot_sim.rig import Rig

from sabot_tools.subscriber import Subscriber
from sabot_tools.wire import Wire

TABLE: Final = "bac-01"
_LONGEST_NAP_S: Final = 0.02
_PATIENCE_S: Final = 60.0
_MOST_ANSWER_BYTES: Final = 1 << 16


class StageError(RuntimeError):
    """What did not come about, and where everything stood."""


@dataclass(frozen=True)
class House:
    """The table that a recording was made at."""

    rulebook: str = "star-baccarat"
    decks: int | None = None
    card_set: int = 1
    options: dict[str, str] = field(default_factory=dict)
    key: bytes | None = None
    started_s: float = 1_767_225_600.0  # 2026-01-01

    def book(self) -> Rulebook:
        """The rules."""
        return rulebooks.load(self.rulebook)

    def table(self, port: str) -> Table:
        """As the gateway's config has it; an option is one of the shoe's or one of the wagers'."""
        dealing = self.book().shoe.choice
        return Table(
            name=TABLE,
            port=port,
            rulebook=self.rulebook,
            decks=self.decks,
            card_set=self.card_set,
            shoe={axis: value for axis, value in self.options.items() if axis in dealing},
            options={axis: value for axis, value in self.options.items() if axis not in dealing},
        )

    def profile_hash(self) -> bytes:
        """Of what the shoe is told."""
        table = self.table("")
        return messages.profile_hash(self.book().profile(table.decks, table.card_set, table.shoe))


class Stage:
    """`turn` moves everything a bit; `until` turns until something is so; time stands still between two plays."""

    def __init__(self, rig: Rig, house: House, broker: Broker, work_dir: Path) -> None:
        self.rig, self.house, self.work_dir = rig, house, work_dir
        self.t_us = 0
        self.jump_s = 0.0  # of the PC's clock
        self.counters: dict[str, int] = {}  # of gateways that are gone
        self.broker_up = True
        self.powered = False
        self.wire = Wire(rig)
        self.app: App | None = None
        self._selector = selectors.DefaultSelector()
        self._selector.register(self.wire, selectors.EVENT_READ)
        self._rig_filenos: list[int] = []
        site = f"replay-{secrets.token_hex(6)}"
        self._config = Config(
            site=site, ledger=str(work_dir / "ledger.db"), broker=str(broker), table=(house.table(self.wire.port),)
        )
        if house.key is not None:
            self._config = msgspec.structs.replace(self._config, keys=str(work_dir / "keys"))
        self.subscriber = Subscriber(broker, site, self._selector)
        _log_to(work_dir / "gateway.log")

    # Time

    def turn(self) -> None:
        """Whatever is due, at every part once."""
        self._follow_rig()
        self._selector.select(0 if self._in_steps() else _LONGEST_NAP_S)
        self.rig.turn()
        self.wire.pump()
        if self.app is not None:
            self.app.step(0)
            self.wire.pump()
        self.subscriber.step(time.monotonic())

    def _in_steps(self) -> bool:
        return not self._rig_filenos

    def _follow_rig(self) -> None:
        """Its descriptors change with its power."""
        filenos = self.rig.filenos()
        if filenos != self._rig_filenos:
            for fileno in self._rig_filenos:
                self._selector.unregister(fileno)
            for fileno in filenos:
                self._selector.register(fileno, selectors.EVENT_READ)
            self._rig_filenos = filenos

    def until(self, done: Callable[[], bool], what: str) -> None:
        """Turn until it is so, or say that it never was."""
        give_up_s = time.monotonic() + _PATIENCE_S
        while not done():
            self.turn()
            if time.monotonic() > give_up_s:
                raise StageError(f"{what}: not within {_PATIENCE_S:.0f} s. {self._where()}")

    def _where(self) -> str:
        tap = self.wire.tap
        said = [f"{topic}: {payload.decode()}" for topic, payload in (self.app.stands() if self.app else {}).items()]
        return (
            f"At {self.t_us} us; the shoe logged {tap.logged_no}, was told {tap.acked_no} is stored; {'; '.join(said)}"
        )

    # Parts

    def start(self) -> None:
        """Everything up and greeted."""
        self.until(lambda: self.subscriber.ready, f"the broker takes a subscriber ({self.subscriber.problem})")
        self.start_gateway()
        self.power_on()
        self.until(self.greeted, "the shoe is greeted, its profile and time set")
        self.settle()

    def start_gateway(self) -> None:
        """As a daemon starts."""
        self.wire.clear()
        self._times_due = self.wire.tap.times_set + 1
        self.app = App(self._config, self.rig.line_s, self._clock, sleep=lambda _s: None)
        self._selector.register(self.app, selectors.EVENT_READ)
        self.app.begin()

    def kill_gateway(self) -> None:
        """As kill -9 does."""
        if self.app is None:
            raise StageError("no gateway runs that could be killed")
        self._add_counters()
        self._selector.unregister(self.app)
        self.app.crash()
        self.app = None
        self.wire.clear()

    def _add_counters(self) -> None:
        for name, value in self.status()["tables"][0]["line"].items():
            self.counters[name] = self.counters.get(name, 0) + value

    def power_on(self) -> None:
        """Plug in."""
        if self.table_state() != "online":
            self._times_due = self.wire.tap.times_set + 1
        self.wire.tap.switched_on()
        self.rig.power_on()
        self.powered = True

    def power_off(self) -> None:
        """Unplug."""
        self.powered = False
        self.rig.power_off()

    def _clock(self) -> float:
        return self.house.started_s + self.t_us / 1e6 + self.jump_s

    # What stands

    def table_state(self) -> str | None:
        """What the gateway says of the table's shoe: online, offline, or nothing."""
        payload = self.app.stands().get(table_topic(self._config.site, TABLE, "status")) if self.app else None
        return msgspec.json.decode(payload)["state"] if payload else None

    def greeted(self) -> bool:
        """The shoe is served, works by its profile and knows the time."""
        tap = self.wire.tap
        return (
            tap.in_session
            and tap.times_set >= self._times_due
            and tap.profile == self.house.profile_hash()
            and self.table_state() == "online"
        )

    def play(self, edges: list[Edge], until_us: int) -> None:
        """Move inputs, and let time go on until then; wait until all of it is stored."""
        self.t_us = until_us
        self.rig.play(edges, until_us)
        self.until(self._stored, "the shoe's events are stored")

    def _stored(self) -> bool:
        """The shoe has nothing to say that is not in the ledger; where it cannot tell, it has at least taken it."""
        if not self.rig.quiet():
            return False
        if not self.powered or self.app is None or not self.wire.sound or not self.wire.tap.in_session:
            return self.app is None or self.app.stored()
        return self.wire.tap.even() and self.app.stored()

    def settle(self) -> None:
        """Everything stored, published, and received."""
        self.until(self._stored, "the shoe's events are stored")
        if self.app is not None and self.broker_up:
            self.until(self.app.published, "what is stored is published")
            wanted = {(f"{TABLE}/{entry.topic}", _id(entry)) for entry in self.ledger() if entry.topic in RETAINED}
            self.until(lambda: wanted <= self.subscriber.ids, "the subscriber has every message")
            stands = self.app.stands()
            self.until(lambda: stands.items() <= self.subscriber.states.items(), "the subscriber has every state")

    def ledger(self) -> list[Stored]:
        """Every entry, the chain found intact."""
        with closing(Reader(Path(self._config.ledger))) as ledger:
            return list(ledger.entries())

    # People

    def say(self, request: Request) -> Answer:
        """Ask at the gateway's control socket, and turn until it answers."""
        with closing(socket.socket(socket.AF_UNIX)) as sock:
            sock.connect(str(self._config.control_path()))
            sock.setblocking(False)
            sock.sendall(msgspec.json.encode(request) + b"\n")
            heard = bytearray()

            def answered() -> bool:
                with contextlib.suppress(BlockingIOError):
                    heard.extend(sock.recv(_MOST_ANSWER_BYTES))
                return heard.endswith(b"\n")

            self.until(answered, f"an answer to {request.verb}")
        return msgspec.json.decode(bytes(heard), type=Answer)

    def status(self) -> dict[str, Any]:
        """What the gateway says of itself."""
        answer: dict[str, Any] = msgspec.json.decode(self.say(Request("status")).data)
        return answer

    def line_counters(self) -> dict[str, int]:
        """What was damaged, dropped, refused or said twice, over all gateways so far."""
        if self.app is not None:
            now = self.status()["tables"][0]["line"]
            return {name: value + self.counters.get(name, 0) for name, value in now.items()}
        return dict(self.counters)

    def names(self) -> Iterator[tuple[str, str]]:
        """What is different in each run, and what it is called instead."""
        if self.app is not None:
            yield self.status()["gateway"], "gateway"
        if self.wire.tap.unit:
            yield self.wire.tap.unit, "shoe"

    def close(self) -> None:
        """Give everything back."""
        if self.app is not None:
            self._selector.unregister(self.app)
            self.app.close()
        self.subscriber.close()
        self.rig.close()
        self.wire.close()
        self._selector.close()


def _id(entry: Stored) -> str:
    found: str = msgspec.json.decode(entry.payload)["id"]
    return found


def _log_to(path: Path) -> None:
    """The gateway's log, as its daemon writes it."""
    structlog.configure(
        processors=[structlog.processors.add_log_level, structlog.dev.ConsoleRenderer(colors=False)],
        logger_factory=structlog.PrintLoggerFactory(file=path.open("a", buffering=1)),
    )
