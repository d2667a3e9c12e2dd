"""A paho client driven from a selector loop: no thread of its own, reconnects with back-off."""

import selectors
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

_FIRST_RETRY_S = 0.25
_LONGEST_RETRY_S = 30.0
_IN_FLIGHT = 100
_CONNECT_TIMEOUT_S = 2.0
_KEEPALIVE_S = 30


class BrokerUrlError(ValueError):
    """A broker URL that cannot be used; the message says why."""


@dataclass(frozen=True)
class Broker:
    """Where the broker is."""

    host: str
    port: int

    @classmethod
    def from_url(cls, url: str) -> "Broker":
        """`mqtt://host[:port]`."""
        parts = urlsplit(url)
        if parts.scheme != "mqtt" or not parts.hostname:
            raise BrokerUrlError(f"broker {url!r}: write it as mqtt://host:1883")
        try:
            return cls(parts.hostname, parts.port or 1883)
        except ValueError as error:
            raise BrokerUrlError(f"broker {url!r}: {error}") from error

    def __str__(self) -> str:
        """As a URL."""
        return f"mqtt://{self.host}:{self.port}"


def _no_delay(_client: object, _userdata: object, sock: Any) -> None:
    """A small message goes out at once, not when the last one has been acknowledged."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class LoopClient:
    """`client` is paho's; step() connects, reads, writes and keeps alive."""

    def __init__(
        self, broker: Broker, client_id: str, *, clean_session: bool, selector: selectors.BaseSelector
    ) -> None:
        self.broker = broker
        self.client = paho.Client(
            CallbackAPIVersion.VERSION2, client_id, clean_session=clean_session, protocol=paho.MQTTv311
        )
        self.client.max_inflight_messages_set(_IN_FLIGHT)
        self.client.connect_timeout = _CONNECT_TIMEOUT_S
        self.client.on_socket_open = _no_delay
        self._selector = selector
        self._watched: Any = None
        self._retry_s = _FIRST_RETRY_S
        self._next_try_s = 0.0
        self.problem: str | None = None
        self.on_ready: Callable[[], None] = lambda: None  # called when the broker has accepted us
        self.client.on_connect = self._on_connect

    def _on_connect(self, _client: object, _userdata: object, _flags: object, reason: Any, *_: object) -> None:
        if reason.is_failure:
            self.problem = f"the broker at {self.broker} refuses us: {reason}"
        else:
            self._retry_s, self.problem = _FIRST_RETRY_S, None
            self.on_ready()

    def step(self, now_s: float) -> None:
        """Whatever is due."""
        if self.client.socket() is None:
            self._unwatch()
            self._try_connect(now_s)
            return
        self.client.loop_read()
        if self.client.want_write():
            self.client.loop_write()
        self.client.loop_misc()
        if self.client.socket() is None:
            self._unwatch()
        else:
            self._watch()

    def _try_connect(self, now_s: float) -> None:
        if now_s < self._next_try_s:
            return
        self._next_try_s = now_s + self._retry_s
        self._retry_s = min(self._retry_s * 2, _LONGEST_RETRY_S)
        try:
            self.client.connect(self.broker.host, self.broker.port, keepalive=_KEEPALIVE_S)
        except OSError as error:
            self.problem = f"no broker at {self.broker}: {error}"
            return
        self._watch()

    def _watch(self) -> None:
        """Follow paho's socket, which is another one after each reconnect."""
        sock: Any = self.client.socket()
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self.client.want_write() else 0)
        if self._watched is not sock:
            self._unwatch()
            self._selector.register(sock, events, self)
            self._watched = sock
        elif self._selector.get_key(sock).events != events:
            self._selector.modify(sock, events, self)

    def _unwatch(self) -> None:
        if self._watched is not None:
            self._selector.unregister(self._watched)
            self._watched = None

    def close(self) -> None:
        """Say goodbye; the broker then keeps the last will to itself."""
        self._unwatch()
        self.client.disconnect()
        while self.client.socket() is not None and self.client.want_write():
            if self.client.loop_write() != paho.MQTT_ERR_SUCCESS:
                break
