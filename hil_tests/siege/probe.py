"""The broker's own delay: messages of this process to itself, beside those of the gateway."""

import time
from dataclasses import dataclass, field

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from siege.subscriber import Arrival

TOPIC = "laboratory/probe"
_HOST = "127.0.0.1"
_EVERY_S = 0.1


@dataclass
class Probe:
    """Call `send` often; `take` returns True for a message of this probe."""

    port: int
    phase: str = ""
    latencies: dict[str, list[float]] = field(default_factory=dict)  # by phase, in ms
    _next_s: float = 0.0

    def start(self) -> None:
        """Connect, and again whenever the connection is lost."""
        self._client = paho.Client(CallbackAPIVersion.VERSION2, client_id="laboratory-probe")
        self._client.reconnect_delay_set(1, 1)
        self._client.connect(_HOST, self.port)
        self._client.loop_start()

    def stop(self) -> None:
        """Leave."""
        self._client.disconnect()
        self._client.loop_stop()

    def send(self) -> None:
        """A message every tenth of a second, while the broker is there."""
        now_s = time.monotonic()
        if now_s >= self._next_s and self._client.is_connected():
            self._next_s = now_s + _EVERY_S
            self._client.publish(TOPIC, f"{self.phase} {now_s}", 1)

    def take(self, arrival: Arrival) -> bool:
        """Note how long a message of the probe took; False for others."""
        if arrival.topic != TOPIC:
            return False
        phase, sent_s = arrival.payload.decode().rsplit(" ", 1)
        self.latencies.setdefault(phase, []).append((arrival.at_s - float(sent_s)) * 1000)
        return True
