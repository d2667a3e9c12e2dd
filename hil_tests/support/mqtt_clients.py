"""MQTT clients for tests, each with what it has received, and a relay that can be cut."""

import contextlib
import selectors
import socket
import time
from collections.abc import Callable
from typing import Protocol

import paho.mqtt.client as paho
from sabot_service.broker import Broker, Login
from sabot_service.mqtt import LoopClient

from support.patience import PATIENCE_S

_NAP_S = 0.0005


class Steps(Protocol):
    """Something that is driven by step()."""

    def step(self, now_s: float) -> None:
        """One turn."""


def step_until(done: Callable[[], object], *parts: Steps) -> None:
    """Step the parts until the condition holds; fail after PATIENCE_S."""
    give_up_s = time.monotonic() + PATIENCE_S
    while not done():
        now_s = time.monotonic()
        assert now_s < give_up_s, [part.mqtt.problem for part in parts if isinstance(part, MqttClient)]
        for part in parts:
            part.step(now_s)
        time.sleep(_NAP_S)  # for the broker, where processes share a core


class MqttClient:
    """A client and the messages it has received, as (topic, payload)."""

    def __init__(self, server: Broker, name: str, login: Login | None = None, *, own: bool = False) -> None:
        """`own`: with the client of the gateway in place of paho's."""
        self.mqtt = LoopClient(
            server, name, clean_session=True, selector=selectors.DefaultSelector(), login=login or Login(),
            many_messages=own,
        )  # fmt: skip
        self.messages: list[tuple[str, bytes]] = []
        self.granted: list[int] = []
        self.acknowledged: list[int] = []
        client = self.mqtt.client
        client.on_message = self._on_message
        client.on_subscribe = lambda _client, _userdata, _mid, codes, _: self.granted.extend(c.value for c in codes)
        client.on_publish = lambda _client, _userdata, mid, *_: self.acknowledged.append(mid)

    def _on_message(self, _client: object, _userdata: object, message: paho.MQTTMessage) -> None:
        self.messages.append((message.topic, bytes(message.payload)))

    def step(self, now_s: float) -> None:
        """One turn."""
        self.mqtt.step(now_s)

    def connect(self) -> None:
        """Wait until the broker has accepted the connection."""
        step_until(self.mqtt.client.is_connected, self)

    def subscribe(self, topic: str) -> None:
        """Subscribe, and wait for the broker's answer."""
        self.connect()
        self.granted.clear()
        self.mqtt.client.subscribe(topic, qos=1)
        step_until(lambda: self.granted, self)

    def topics(self) -> list[str]:
        """Return the topics of what was received."""
        return [topic for topic, _ in self.messages]

    def trouble(self) -> str:
        """Return the problem that the client reports when the broker refuses it."""
        step_until(lambda: self.mqtt.problem, self)
        return str(self.mqtt.problem)


class Relay:
    """A relay to a broker: it can be cut, and with `deaf` it drops the broker's bytes."""

    def __init__(self, server: Broker) -> None:
        self._server = server
        self._listen = socket.create_server(("127.0.0.1", 0))
        self._listen.setblocking(False)
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self.broker = Broker("127.0.0.1", self._listen.getsockname()[1])
        self.deaf = False

    def step(self, now_s: float) -> None:
        """Carry bytes in both directions."""
        with contextlib.suppress(BlockingIOError):
            client, _ = self._listen.accept()
            self._pairs.append((client, socket.create_connection((self._server.host, self._server.port))))
        for client, server in self._pairs:
            server.sendall(_taken(client))
            answer = _taken(server)
            if not self.deaf:
                client.sendall(answer)

    def cut(self) -> None:
        """Close both ends of every connection."""
        for client, server in self._pairs:
            client.close()
            server.close()
        self._pairs.clear()


def _taken(end: socket.socket) -> bytes:
    try:
        return end.recv(65536, socket.MSG_DONTWAIT)
    except BlockingIOError:
        return b""
