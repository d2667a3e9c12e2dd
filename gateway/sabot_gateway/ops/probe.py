"""Probe: try the broker and the shoe on every port, and leave both as they were."""

import contextlib
import selectors
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from sabot_protocol import rulebooks
from sabot_protocol.service import broker_probe
from sabot_protocol.service.facts import Fact, Status

from sabot_gateway.config import Config, Table
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
    """One table's port: WHO is sent and the answer read; a shoe that answers gets no WELCOME, so nothing changes."""

    table: Table
    link: ShoeLink
    daemon_runs: bool
    opening: Opening = field(init=False)
    port: Port | None = None
    received_bytes: int = 0
    until_s: float = 0.0
    fact: Fact | None = None

    def __post_init__(self) -> None:
        """Begin."""
        self.opening = Opening(self.table.port, self.table.baud)

    def step(self, now_s: float, selector: selectors.BaseSelector) -> None:
        """Open, ask, and come to an end."""
        if self.port is None:
            self._open(now_s, selector)
        elif self.link.unit or self.link.problem or now_s >= self.until_s:
            self._end(selector)
        else:
            self.link.tick(now_s)
            self.link.written(self.port.write(self.link.output()) or 0)

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
            self.link.receive(data, now_s)
        elif data == b"":
            self._end(selector)
            self.fact = self._fact(
                "wrong", f"port {self.table.port} was opened and then lost; check the cable, the host"
            )

    def _end(self, selector: selectors.BaseSelector) -> None:
        assert self.port is not None
        selector.unregister(self.port)
        self.port.close()
        self.port, self.fact = None, self._verdict()

    def _verdict(self) -> Fact:
        link = self.link
        if link.unit:
            key = "with its key" if link.authenticated else "without a key"
            return self._fact("ok", f"{self.table.port}: shoe {link.unit}, {key}")
        unheard = UNREADABLE if self.received_bytes else SILENT
        return self._fact(
            "wrong", f"{self.table.port}: {link.problem or (DEAF if link.last_frame_s is not None else unheard)}"
        )

    def _fact(self, status: Status, text: str) -> Fact:
        return Fact(status, f"port {self.table.name}", text)


def port_facts(
    config: Config, durable: Callable[[str], int], gateway: bytes, keys: Callable[[str], Sequence[bytes]]
) -> list[Fact]:
    """Who is on each port, all listened to at once; what the daemon that runs now has is left to it."""
    book = rulebooks.load(rulebooks.ids()[0])
    profile = book.profile(book.decks.default, 1)  # never sent
    runs, seen = daemon_runs(config), dict[str, str]()  # the table at which each unit has answered
    listeners = [
        # A second connection may take a host away from the daemon; a device has a lock against that.
        None
        if runs and "://" in table.port
        else _Listener(
            table,
            ShoeLink(
                profile,
                durable,
                gateway,
                keys,
                keys_required=config.requires_keys(),
                claim=partial(_claim, seen, table.name),
            ),
            runs,
        )
        for table in config.table
    ]
    _listen([listener for listener in listeners if listener is not None])
    pairs = zip(config.table, listeners, strict=True)
    return [(listener and listener.fact) or _not_tried(table) for table, listener in pairs]


def _claim(seen: dict[str, str], table: str, unit: str, _authenticated: bool) -> str | None:
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
