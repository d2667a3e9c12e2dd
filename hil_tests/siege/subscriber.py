"""A display of the honest tables: every coup with the moment of its arrival, and what is retained."""

import json
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

_HOST = "127.0.0.1"
_MOST_PAYLOAD = 100_000  # bytes of a message that the gateway may write
FORGED = "intruder-was-here"  # in every false message of the attackers, so that the judge knows it


@dataclass(frozen=True)
class Arrival:
    """A message and when it came."""

    at_s: float
    topic: str
    payload: bytes


@dataclass
class Subscriber:
    """Keeps its session: what comes while it or the broker is away is delivered later."""

    port: int
    topics: list[str]
    name: str = "laboratory"
    clean: bool = False
    _inbox: list[Arrival] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        """Connect, and again whenever the connection is lost."""
        self.client = paho.Client(CallbackAPIVersion.VERSION2, client_id=self.name, clean_session=self.clean)
        self.client.reconnect_delay_set(0.2, 1.0)  # type: ignore[arg-type]  # paho takes any number of seconds
        self.client.on_connect = self._connected
        self.client.on_message = self._message
        self.client.connect(_HOST, self.port)
        self.client.loop_start()

    def stop(self) -> None:
        """Leave."""
        self.client.disconnect()
        self.client.loop_stop()

    def take(self) -> list[Arrival]:
        """What has come since the last call."""
        with self._lock:
            found, self._inbox = self._inbox, []
        return found

    def _connected(self, client: paho.Client, *_: Any) -> None:
        client.subscribe([(topic, 1) for topic in self.topics])

    def _message(self, client: paho.Client, userdata: object, message: paho.MQTTMessage) -> None:
        arrival = Arrival(time.monotonic(), message.topic, bytes(message.payload))
        with self._lock:
            self._inbox.append(arrival)


def retained(port: int, site: str, wait_s: float = 1.5) -> dict[str, Any]:
    """Return retained messages: topic and payload, decoded if it is JSON."""
    visitor = Subscriber(port, [f"sabot/v1/{site}/#"], name="newcomer", clean=True)
    visitor.start()
    time.sleep(wait_s)
    visitor.stop()
    return {arrival.topic.removeprefix(f"sabot/v1/{site}/"): decoded(arrival.payload) for arrival in visitor.take()}


def publish(port: int, topic: str, payload: bytes) -> None:
    """Retain a message; nothing where there is none."""
    client = paho.Client(CallbackAPIVersion.VERSION2)
    client.connect(_HOST, port)
    client.loop_start()
    client.publish(topic, payload, 1, retain=True).wait_for_publish(2.0)
    client.disconnect()
    client.loop_stop()


def forged(payload: bytes) -> bool:
    """Return True if an attacker wrote it: its mark, no JSON, or nothing."""
    message = decoded(payload)
    return not isinstance(message, dict) or FORGED in str(message)


def decoded(payload: bytes) -> Any:
    """Return decoded JSON, or a summary of bytes that are not JSON or too long."""
    if len(payload) > _MOST_PAYLOAD:
        return f"{len(payload)} bytes that are no JSON of the gateway"
    try:
        return json.loads(payload)
    except (ValueError, RecursionError):
        return f"{len(payload)} bytes that are no JSON"
