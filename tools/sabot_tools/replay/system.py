"""The system of a replay: a shoe on a rig, its serial line, the gateway in this process, a broker and a subscriber."""

import contextlib
import secrets
import socket
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec
from sabot_gateway.ledger import Stored
from sabot_gateway.shoe.handshake import ASK_SOONEST_S
from sabot_protocol.topics import gateway_status_topic, is_published
from sabot_service.messages import Answer, Request
from sabot_sim.optics.signals import Edge
from sabot_sim.rigs.rig import Rig

from sabot_tools.replay.gateway import ReplayGateway
from sabot_tools.replay.serial_line import SerialLine
from sabot_tools.replay.shoe import ReplayShoe
from sabot_tools.replay.table_setup import TABLE, TableSetup
from sabot_tools.replay.waiting import Waiting
from sabot_tools.stand.broker import LocalBroker
from sabot_tools.stand.subscriber import SiteSubscriber

PATIENCE_S: Final = 60.0
_LINE_PATIENCE_S: Final = 20.0  # by the line's clock, which is simulated on the chip
_MOST_ANSWER_BYTES: Final = 1 << 16
_SILENT_TURNS: Final = 20  # of the gateway, while the line is cut


class ReplayError(RuntimeError):
    """A replay cannot go on; the message has what was waited for and the state of every part."""


class ReplaySystem:
    """step() lets every part do what is due; run_until() steps until a condition holds.

    The time of the recording advances only in play().
    """

    def __init__(
        self, rig: Rig, setup: TableSetup, broker: LocalBroker, work_dir: Path, patience_s: float = PATIENCE_S
    ) -> None:
        self.rig, self.setup, self.broker, self.work_dir = rig, setup, broker, work_dir
        self._patience_s = patience_s  # of real time
        self.t_us = 0  # of the recording
        self.clock_offset_s = 0.0  # of the PC's clock
        self.site = f"replay-{secrets.token_hex(6)}"
        self.line = SerialLine(rig)
        self._waiting = Waiting(rig, self.line)
        keys_dir = work_dir / "keys"
        self.shoe = ReplayShoe(rig, self.line, setup, keys_dir)
        config = setup.config(self.site, self.line.port, broker.address, work_dir, keys_dir)
        self.gateway = ReplayGateway(config, rig.line_s, self._wall_clock, self._waiting.selector)
        self.gateway_id = ""  # until it has answered
        self.killed_counters: Counter[str] = Counter()  # line counters of gateways that were killed
        self.subscriber = SiteSubscriber(broker.address, self.site, self._waiting.selector)

    def _wall_clock(self) -> float:
        return self.setup.started_s + self.t_us / 1e6 + self.clock_offset_s

    # The loop

    def step(self, *, at_work: bool = False) -> None:
        """Let every part do what is due, once; `at_work`: the shoe has something to do."""
        self._waiting.wait(at_work=at_work)
        self.rig.turn()
        self.line.pump()
        if self.gateway.step():
            self.line.pump()
        self.subscriber.step(time.monotonic())

    def run_until(self, done: Callable[[], bool], awaited: str, *, at_work: bool = False) -> None:
        """Step until done() is True; raise ReplayError, with what was awaited, when patience is over."""
        give_up_s = time.monotonic() + self._patience_s
        give_up_line_s = self.rig.line_s() + min(self._patience_s, _LINE_PATIENCE_S)
        while not done():
            self.step(at_work=at_work)
            if time.monotonic() > give_up_s and self.rig.line_s() > give_up_line_s:
                raise ReplayError(f"not within {self._patience_s:.0f} s: {awaited}. {self._state()}")

    def _state(self) -> str:
        monitor = self.line.monitor
        retained = [f"{topic}: {payload.decode()}" for topic, payload in self.gateway.retained_topics().items()]
        quiet = "quiet" if self.rig.quiet() else "not quiet"
        return (
            f"At {self.t_us} us the shoe has logged event {monitor.logged_no}, of which {monitor.acked_no} are "
            f"acknowledged; the last command sent to it is {monitor.commanded_id}, the last it executed "
            f"{monitor.done_id}; it is {quiet}; {'; '.join(retained)}\nEnd of the gateway's log:\n"
            f"{self.gateway.last_log()}"
        )

    def play(self, edges: list[Edge], until_us: int) -> None:
        """Move the inputs, let time advance to `until_us`, and wait until the shoe's events are stored."""
        self.t_us, before_us = until_us, self.t_us
        if not self.line.sound:
            self._pass_silence((until_us - before_us) / 1e6)
        self.rig.play(edges, until_us)
        self.run_until(self._stored, "the shoe's events are stored", at_work=True)

    def _pass_silence(self, seconds: float) -> None:
        """Let time advance with turns of the gateway: while it has none, it hears no silence."""
        for _ in range(_SILENT_TURNS):
            self.rig.pass_silence(seconds / _SILENT_TURNS)
            self.gateway.step()

    def _stored(self) -> bool:
        """Return True if every event of the shoe is in the ledger, as far as that can be known now."""
        if not self.rig.quiet():
            return False
        app = self.gateway.app
        if app is None or self.gateway.disk_full:
            return True
        connected = self.shoe.powered and self.line.sound and self.line.monitor.in_session
        return app.stored() and (not connected or self.line.monitor.caught_up())

    def wait_until_idle(self) -> None:
        """Wait until every event is stored, published and received by the subscriber."""
        self.run_until(self._stored, "the shoe's events are stored", at_work=True)
        app = self.gateway.app
        if app is None or self.gateway.disk_full or not self.broker.up:
            return
        self.run_until(app.published, "stored messages are published")
        ids = {
            (f"{TABLE}/{entry.topic}", _id(entry))
            for entry in self.gateway.ledger()
            if is_published(entry.topic, entry.table)
        }
        self.run_until(lambda: ids <= self.subscriber.ids, "the subscriber has every message")
        states = app.retained_topics()
        self.run_until(lambda: states.items() <= self.subscriber.states.items(), "the subscriber has every state")

    # Start and end

    def start(self) -> None:
        """Start everything and wait until the shoe is ready."""
        self.run_until(lambda: self.subscriber.ready, "the broker accepts the subscriber")
        self.start_gateway()
        self.gateway_id = self.status()["gateway"]
        self.power_on()
        self.run_until(self.shoe_ready, "the shoe has a session, its profile and the time")
        self.wait_until_idle()

    def start_gateway(self) -> None:
        """Start the gateway on an empty line."""
        self.line.clear()
        self.line.monitor.in_session = False
        self.shoe.expect_time()
        self.gateway.start()

    def kill_gateway(self) -> None:
        """Kill the gateway; wait until the broker has published its last will."""
        if self.gateway.app is None:
            raise ReplayError("the gateway cannot be killed: it is not running")
        self.killed_counters.update(self.status()["tables"][0]["line"])
        self.gateway.kill()
        self.line.clear()
        topic = gateway_status_topic(self.site)
        if self.broker.up:
            self.run_until(lambda: b"offline" in self.subscriber.states[topic], "the gateway's last will is published")

    def power_on(self) -> None:
        """Switch the shoe on, when the gateway may ask again: so it answers the first HELLO."""
        self.expect_session()
        self.rig.pass_silence(ASK_SOONEST_S)
        self.shoe.power_on()

    def reset(self) -> None:
        """Reset the shoe."""
        self.expect_session()
        self.shoe.reset()

    def expect_session(self) -> None:
        """From now on shoe_ready() also waits for the time, if the gateway has lost the shoe and will set it again."""
        if not self.gateway.online():
            self.shoe.expect_time()

    def shoe_ready(self) -> bool:
        """Return True if the shoe is ready and the gateway reports it online."""
        return self.shoe.ready() and self.gateway.online()

    def can_send(self) -> bool:
        """Return False if nothing can come from the shoe: no power, a dead line, or a start that ended in silence."""
        if not (self.shoe.powered and self.line.sound):
            return False
        return self.line.monitor.started() or not self.rig.quiet()

    def close(self) -> None:
        """Stop and release everything; the broker, if it was stopped, is started again."""
        self.gateway.close()
        self.subscriber.close()
        self.rig.close()
        self.line.close()
        self._waiting.close()
        self.broker.start()

    # The control socket

    def request(self, request: Request) -> Answer:
        """Send a request to the gateway's control socket and return its answer."""
        with closing(socket.socket(socket.AF_UNIX)) as sock:
            sock.connect(str(self.gateway.config.control_path()))
            sock.setblocking(False)
            sock.sendall(msgspec.json.encode(request) + b"\n")
            received = bytearray()

            def answered() -> bool:
                with contextlib.suppress(BlockingIOError):
                    received.extend(sock.recv(_MOST_ANSWER_BYTES))
                return received.endswith(b"\n")

            self.run_until(answered, f"the gateway answers {request.verb}")
        return msgspec.json.decode(bytes(received), type=Answer)

    def status(self) -> dict[str, Any]:
        """Return the gateway's status."""
        answer: dict[str, Any] = msgspec.json.decode(self.request(Request("status")).data)
        return answer


def _id(entry: Stored) -> str:
    found: str = msgspec.json.decode(entry.payload)["id"]
    return found
