"""Probe: try the broker and the shoe on every port, and leave both as they were."""

import contextlib
import selectors
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from sabot_protocol import rulebooks
from sabot_service import broker_probe
from sabot_service.facts import Fact, Status

from sabot_gateway.angel_eye.line_watch import closed_by_converter, is_converter
from sabot_gateway.config import Config, Table
from sabot_gateway.ops.angel_eye import LineCheck
from sabot_gateway.shoe import refusals
from sabot_gateway.shoe.line_watch import DEAF, SILENT, UNREADABLE
from sabot_gateway.shoe.link import ShoeLink
from sabot_gateway.shoe.ports import Opening, Port, PortBusyError, PortError

_LISTEN_S = 3.0  # a shoe sends something once a second
_TURN_S = 0.05


def broker_fact(config: Config) -> Fact:
    """Return whether the broker accepts us, and returns what we publish on a topic of our own."""
    return broker_probe.broker_fact(config.broker, config.login, f"sabot/v1/{config.site}/check", "its tables' topics")


def daemon_runs(config: Config) -> bool:
    """Return True if a daemon of this config listens for its commands."""
    with socket.socket(socket.AF_UNIX) as control, contextlib.suppress(OSError):
        control.connect(str(config.control_path()))
        return True
    return False


@dataclass
class _Listener:
    """One table's port, opened and listened to."""

    table: Table
    daemon_runs: bool
    opening: Opening = field(init=False)
    port: Port | None = None
    received_bytes: int = 0
    until_s: float = 0.0
    fact: Fact | None = None

    def __post_init__(self) -> None:
        """Begin."""
        self.opening = Opening(self.table.port, self.table.line_baud())

    def step(self, now_s: float, selector: selectors.BaseSelector) -> None:
        """Open, ask, and come to an end."""
        if self.port is None:
            self._open(now_s, selector)
        elif self.answered() or now_s >= self.until_s:
            self._end(selector)
        else:
            self.ask(self.port, now_s)

    def _open(self, now_s: float, selector: selectors.BaseSelector) -> None:
        answer = self.opening.poll()
        if isinstance(answer, PortBusyError) and self.daemon_runs:
            self.fact = self._fact("ok", f"{self.table.port} is used by the daemon that runs now")
        elif isinstance(answer, PortError):
            self.fact = self._fact("wrong", str(answer))
        elif answer is not None:
            self.port, self.until_s = answer, now_s + _LISTEN_S
            selector.register(self.port, selectors.EVENT_READ, self)

    def read(self, now_s: float, selector: selectors.BaseSelector) -> None:
        """Read what has come."""
        data = self.port.read() if self.port is not None else None
        if data:
            self.received_bytes += len(data)
            self.take(data, now_s)
        elif data == b"":
            self._end(selector)
            self.fact = self._fact("wrong", self.lost())

    def _end(self, selector: selectors.BaseSelector) -> None:
        assert self.port is not None
        selector.unregister(self.port)
        self.port.close()
        self.port, self.fact = None, self._fact(*self.verdict())

    def _fact(self, status: Status, text: str) -> Fact:
        return Fact(status, f"port {self.table.name}", text)

    def lost(self) -> str:
        """Return what is known of a port that was closed from the other side."""
        return f"port {self.table.port} was opened and then lost; check the cable, the host"

    def answered(self) -> bool:
        """Return True if nothing more is to be found out."""
        raise NotImplementedError

    def ask(self, port: Port, now_s: float) -> None:
        """Send what brings the shoe to answer."""

    def take(self, data: bytes, now_s: float) -> None:
        """Take what the shoe has sent."""
        raise NotImplementedError

    def verdict(self) -> tuple[Status, str]:
        """Return who is on the port."""
        raise NotImplementedError


@dataclass
class _OwnShoe(_Listener):
    """WHO is sent and the answer read; a shoe that answers gets no WELCOME, so nothing changes."""

    link: ShoeLink = field(kw_only=True)

    def answered(self) -> bool:
        """Return True if a shoe has answered, or why none is served is known."""
        return bool(self.link.unit or self.link.problem)

    def ask(self, port: Port, now_s: float) -> None:
        """Send WHO."""
        self.link.tick(now_s)
        self.link.written(port.write(self.link.output()) or 0)

    def take(self, data: bytes, now_s: float) -> None:
        """Read the answer."""
        self.link.receive(data, now_s)

    def verdict(self) -> tuple[Status, str]:
        """Return which shoe is served, or why none."""
        link = self.link
        if link.unit:
            key = "with its key" if link.authenticated else "without a key"
            return "ok", f"{self.table.port}: shoe {link.unit}, {key}"
        unheard = UNREADABLE if self.received_bytes else SILENT
        return "wrong", f"{self.table.port}: {link.problem or (DEAF if link.last_frame_s is not None else unheard)}"


@dataclass
class _AngelEye(_Listener):
    """Nothing is sent: the shoe is shared with others, and speaks only when a card is drawn."""

    check: LineCheck = field(default_factory=LineCheck)

    def answered(self) -> bool:
        """Return True if a frame has come that needs 8 data bits."""
        return self.check.eight_bits

    def take(self, data: bytes, now_s: float) -> None:
        """Count frames."""
        self.check.take(data, now_s)

    def verdict(self) -> tuple[Status, str]:
        """Return whether frames, other bytes or nothing came."""
        return self.check.found(self.table.port, _LISTEN_S)

    def lost(self) -> str:
        """Return what is known of a port that was closed from the other side."""
        port = self.table.port
        return closed_by_converter(port) if is_converter(port) else super().lost()


def port_facts(
    config: Config, durable: Callable[[str], int], gateway: bytes, keys: Callable[[str], Sequence[bytes]]
) -> list[Fact]:
    """Who is on each port, all listened to at once; what the daemon that runs now has is left to it."""
    book = rulebooks.load(rulebooks.ids()[0])
    profile = book.profile(book.decks.default, 1)  # never sent
    runs, seen = daemon_runs(config), dict[str, str]()  # the table at which each unit has answered

    def listener(table: Table) -> _Listener | None:
        # A second connection may take a host away from the daemon; a device has a lock against that.
        if runs and "://" in table.port:
            return None
        if table.driver == "angel-eye":
            return _AngelEye(table, runs)
        claim, required = partial(_claim, seen, table.name), config.requires_keys()
        link = ShoeLink(profile, durable, gateway, keys, keys_required=required, claim=claim)
        return _OwnShoe(table, runs, link=link)

    listeners = [listener(table) for table in config.table]
    _listen([one for one in listeners if one is not None])
    pairs = zip(config.table, listeners, strict=True)
    return [(one and one.fact) or _not_tried(table) for table, one in pairs]


def _claim(seen: dict[str, str], table: str, unit: str, _authenticated: bool, _now_s: float) -> str | None:
    """Return why a unit that answers at this table would not be served: it has answered at another."""
    first = seen.setdefault(unit, table)
    return None if first == table else refusals.at_another_table(unit, first)


def _not_tried(table: Table) -> Fact:
    text = f"{table.port} was not tried: the daemon that runs now may use it; look at its log, or stop it first"
    return Fact("warning", f"port {table.name}", text)


def _listen(listeners: list[_Listener]) -> None:
    with selectors.DefaultSelector() as selector:
        while waiting := [listener for listener in listeners if listener.fact is None]:
            for key, _ in selector.select(_TURN_S):
                key.data.read(time.monotonic(), selector)
            for listener in waiting:
                if listener.fact is None:
                    listener.step(time.monotonic(), selector)
