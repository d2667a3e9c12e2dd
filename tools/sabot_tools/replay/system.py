"""A stage: a rig, the wire to the gateway's port, the gateway in this process, its broker and a subscriber."""

import contextlib
import io
import resource
import secrets
import selectors
import socket
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TextIO, cast

import msgspec
import structlog
from sabot_gateway.app import App
from sabot_gateway.config import Config
from sabot_gateway.ledger import Reader, Stored
from sabot_gateway.operator.messages import Answer, Request
from sabot_gateway.shoe.session import frame_bytes
from sabot_protocol.topics import RETAINED, ROOT, gateway_status_topic, table_topic
from sabot_sim.optics.signals import Edge
from sabot_sim.rigs.rig import Rig

from sabot_tools.replay.serial_line import LineMonitor, SerialLine
from sabot_tools.replay.table_setup import TABLE, TableSetup
from sabot_tools.stand.broker import LocalBroker
from sabot_tools.stand.subscriber import SiteSubscriber

_LONGEST_NAP_S: Final = 0.02
PATIENCE_S: Final = 60.0
_LINE_PATIENCE_S: Final = 20.0  # of simulated time, where the line's clock is that
_MOST_ANSWER_BYTES: Final = 1 << 16
_LOG_PARTS: Final = 40
_SHOE_COUNTERS: Final = ("crc_errors", "resends", "refused", "sample_overruns")


class ReplayError(RuntimeError):
    """What did not come about, and where everything stood."""


class ReplaySystem:
    """`turn` moves everything a bit; `until` turns until something is so; time stands still between two plays."""

    def __init__(
        self, rig: Rig, setup: TableSetup, server: LocalBroker, work_dir: Path, patience_s: float = PATIENCE_S
    ) -> None:
        self.rig, self.setup, self.server, self.work_dir = rig, setup, server, work_dir
        self._patience_s = patience_s  # of real time
        self.t_us = 0
        self.jump_s = 0.0  # of the PC's clock
        self.powered = self.disk_full = False
        self.app: App | None = None
        self.line = SerialLine(rig)
        self.site = f"replay-{secrets.token_hex(6)}"
        self._config = setup.config(self.site, self.line.port, server.broker, work_dir, work_dir / "keys")
        self._units: list[str] = []
        self._meet_shoe()
        self._counters: Counter[str] = Counter()  # of gateways that are gone
        self._times_due = 0
        self._gateway_id = "?"
        self._selector = selectors.DefaultSelector()
        self._selector.register(self.line, selectors.EVENT_READ)
        self._rig_filenos: list[int] = []
        self.subscriber = SiteSubscriber(server.broker, self.site, self._selector)
        self._log = _kept_log()

    # Time

    def step(self) -> None:
        """Whatever is due, at every part once."""
        self._follow_rig()
        self._selector.select(_LONGEST_NAP_S if self._rig_filenos else 0)
        self.rig.turn()
        self.line.pump()
        if self.app is not None:
            self.app.step(0)
            self.line.pump()
        self.subscriber.step(time.monotonic())

    def _follow_rig(self) -> None:
        """Its descriptors change with its power."""
        filenos = self.rig.filenos()
        if filenos != self._rig_filenos:
            for fileno in self._rig_filenos:
                self._selector.unregister(fileno)
            for fileno in filenos:
                self._selector.register(fileno, selectors.EVENT_READ)
            self._rig_filenos = filenos

    def run_until(self, done: Callable[[], bool], what: str) -> None:
        """Turn until it is so, or say that it never was."""
        give_up_s, line_s = (
            time.monotonic() + self._patience_s,
            self.rig.line_s() + min(self._patience_s, _LINE_PATIENCE_S),
        )
        while not done():
            self.step()
            if time.monotonic() > give_up_s and self.rig.line_s() > line_s:
                raise ReplayError(f"{what}: not within {self._patience_s:.0f} s. {self._where()}")

    def _where(self) -> str:
        tap = self.line.monitor
        said = [
            f"{topic}: {payload.decode()}"
            for topic, payload in (self.app.retained_topics() if self.app else {}).items()
        ]
        quiet = "quiet" if self.rig.quiet() else "not quiet"
        return (
            f"At {self.t_us} us the shoe has logged {tap.logged_no} and was told that {tap.acked_no} are stored; "
            f"it was sent command {tap.commanded_id}, has done {tap.done_id} and is {quiet}; "
            f"{'; '.join(said)}\nThe gateway's last words:\n{''.join(self._log.words)}"
        )

    def _clock(self) -> float:
        return self.setup.started_s + self.t_us / 1e6 + self.jump_s

    # The gateway

    def start(self) -> None:
        """Everything up and greeted."""
        self.run_until(lambda: self.subscriber.ready, "the broker takes a subscriber")
        self.start_gateway()
        self._gateway_id = self.status()["gateway"]
        self.power_on()
        self.run_until(self.shoe_ready, "the shoe is greeted, its profile and time set")
        self.wait_until_idle()

    def start_gateway(self) -> None:
        """As a daemon starts."""
        self.line.clear()
        self.line.monitor.in_session = False
        self._times_due = self.line.monitor.times_set + 1
        self.app = self._gateway(self._config)
        self._selector.register(self.app, selectors.EVENT_READ)
        self.app.begin()

    def _gateway(self, config: Config) -> App:
        return App(config, self.rig.line_s, self._clock, sleep=lambda _s: None)

    def kill_gateway(self) -> None:
        """As kill -9 does."""
        if self.app is None:
            raise ReplayError("no gateway runs that could be killed")
        self._counters.update(self.status()["tables"][0]["line"])
        self._selector.unregister(self.app)
        self.app.crash()
        self.app = None
        self.line.clear()
        topic = gateway_status_topic(self.site)
        if self.server.up:
            self.run_until(
                lambda: b"offline" in self.subscriber.states[topic], "the broker says the gateway's last will"
            )

    def second_gateway(self, port: str) -> str:
        """Another gateway at the `same` port, or at a tap of the line: what it says of the shoe."""
        folder = self.work_dir / "second"
        folder.mkdir(exist_ok=True)
        at = self.line.port if port == "same" else self.line.second_port()
        config = self.setup.config(f"{self.site}-2", at, self.server.broker, folder, self.work_dir / "keys")
        second, topic = self._gateway(config), table_topic(config.site, TABLE, "status")

        def told() -> bool:
            second.step(0)
            return topic in second.retained_topics()

        try:
            self.run_until(told, "the second gateway says something of the shoe")
            return second.retained_topics()[topic].decode()
        finally:
            second.close()
            self.line.close_second()

    def fill_disk(self, *, full: bool) -> None:
        """No file of this process can be written, or all can again; a shoe is not to be started meanwhile."""
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (0 if full else hard, hard))
        self.disk_full = full

    # The broker

    def stop_broker(self) -> None:
        """Gone, for all its clients."""
        self.server.stop()
        self.run_until(lambda: not self.subscriber.ready, "the subscriber loses the broker")

    def start_broker(self) -> None:
        """The subscriber is back before the gateway can be."""
        self.server.start()
        app, self.app = self.app, None
        self.run_until(lambda: self.subscriber.ready, "the broker takes the subscriber again")
        self.app = app

    # The shoe

    def power_on(self) -> None:
        """Plug in."""
        self.expect_greeting()
        self.line.monitor.switched_on()
        self.rig.power_on()
        self.powered = True

    def power_off(self) -> None:
        """Unplug."""
        self.powered = False
        self.rig.power_off()

    def reset(self) -> None:
        """Pull the reset pin."""
        self.expect_greeting()
        self.line.monitor.switched_on()
        self.rig.reset()

    def exchange_shoe(self, number: int) -> None:
        """Another controller, without power."""
        self.rig.exchange(number)
        self.line.monitor = LineMonitor()
        self._meet_shoe()

    def _meet_shoe(self) -> None:
        """Remember it; the gateway knows its key, where it has one."""
        unit = self.rig.unit
        if unit not in self._units:
            self._units.append(unit)
        if self.setup.key is not None:
            path = self.work_dir / "keys" / f"{unit}.key"
            path.parent.mkdir(mode=0o700, exist_ok=True)
            path.write_text(f"{self.setup.key.hex()}\n")
            path.chmod(0o600)

    def expect_greeting(self) -> None:
        """A shoe that was away for the gateway is told the time when it is back."""
        if not self._online():
            self._times_due = self.line.monitor.times_set + 1

    def shoe_ready(self) -> bool:
        """The shoe is served, works by its profile and knows the time."""
        tap = self.line.monitor
        known = tap.times_set >= self._times_due and tap.profile == self.setup.profile_hash()
        return tap.in_session and known and self._online()

    def _online(self) -> bool:
        return '"online"' in self.retained(f"{TABLE}/status")

    def play(self, edges: list[Edge], until_us: int) -> None:
        """Move inputs, and let time go on until then; wait until all of it is stored."""
        self.t_us = until_us
        self.rig.play(edges, until_us)
        self.run_until(self._stored, "the shoe's events are stored")

    # What stands

    def retained(self, topic: str) -> str:
        """What the gateway says on a retained topic below its site, whether the broker has it or not."""
        return self.app.retained_topics().get(f"{ROOT}/{self.site}/{topic}", b"").decode() if self.app else ""

    def _stored(self) -> bool:
        """The shoe has nothing to say that is not in the ledger; where it cannot tell, it has at least taken it."""
        if not self.rig.quiet():
            return False
        if self.app is None or self.disk_full:
            return True
        speaks = self.powered and self.line.sound and self.line.monitor.in_session
        return self.app.stored() and (not speaks or self.line.monitor.caught_up())

    def wait_until_idle(self) -> None:
        """Everything stored, published, and received."""
        self.run_until(self._stored, "the shoe's events are stored")
        if self.app is None or self.disk_full or not self.server.up:
            return
        self.run_until(self.app.published, "what is stored is published")
        wanted = {(f"{TABLE}/{entry.topic}", _id(entry)) for entry in self.ledger() if entry.topic in RETAINED}
        self.run_until(lambda: wanted <= self.subscriber.ids, "the subscriber has every message")
        stands = self.app.retained_topics()
        self.run_until(lambda: stands.items() <= self.subscriber.states.items(), "the subscriber has every state")

    def ledger(self) -> list[Stored]:
        """Every entry."""
        with closing(Reader(Path(self._config.ledger))) as ledger:
            return list(ledger.entries())

    # People

    def request(self, request: Request) -> Answer:
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

            self.run_until(answered, f"an answer to {request.verb}")
        return msgspec.json.decode(bytes(heard), type=Answer)

    def status(self) -> dict[str, Any]:
        """What the gateway says of itself."""
        answer: dict[str, Any] = msgspec.json.decode(self.request(Request("status")).data)
        return answer

    def counted(self) -> dict[str, int]:
        """What was damaged, dropped, refused or said twice, by all gateways so far and by the shoe since its start."""
        found = self._counters.copy()
        if self.app is not None:
            status = self.status()
            found.update(status["tables"][0]["line"])
            if self.powered and self.line.monitor.in_session:
                hello = self._ask_shoe(bytes.fromhex(status["gateway"]))
                found.update({f"shoe_{name}": hello[name] for name in _SHOE_COUNTERS})
        return dict(found)

    def _ask_shoe(self, gateway: bytes) -> dict[str, Any]:
        """Its HELLO, which has its counters."""
        tap, tap.hello = self.line.monitor, {}
        self.rig.send(frame_bytes("who", {"gateway": gateway, "nonce": bytes(8)}, 0, 0.0))
        self.run_until(lambda: bool(tap.hello), "the shoe tells its counters")
        return tap.hello

    def names(self) -> Iterator[tuple[str, str]]:
        """What is different in each run, and what it is called instead."""
        yield self._gateway_id, "gateway"
        for number, unit in enumerate(self._units, 1):
            yield unit, "shoe" if number == 1 else f"shoe-{number}"
        yield self.line.port, "PORT"
        yield str(self.work_dir), "FOLDER"
        yield f":{self.server.broker.port}", ":1883"

    def close(self) -> None:
        """Give everything back; a broker that was stopped runs again."""
        self.fill_disk(full=False)
        if self.app is not None:
            self._selector.unregister(self.app)
            self.app.close()
        self.subscriber.close()
        self.rig.close()
        self.line.close()
        self._selector.close()
        self.server.start()


def _id(entry: Stored) -> str:
    found: str = msgspec.json.decode(entry.payload)["id"]
    return found


class _Kept(io.TextIOBase):
    """The last words written."""

    def __init__(self) -> None:
        self.words: deque[str] = deque(maxlen=_LOG_PARTS)

    def write(self, text: str) -> int:
        self.words.append(text)
        return len(text)


def _kept_log() -> _Kept:
    """The gateway's log, in memory: it must not need a disk that is full."""
    kept = _Kept()
    structlog.configure(
        processors=[structlog.processors.add_log_level, structlog.dev.ConsoleRenderer(colors=False)],
        logger_factory=structlog.PrintLoggerFactory(file=cast(TextIO, kept)),
    )
    return kept
