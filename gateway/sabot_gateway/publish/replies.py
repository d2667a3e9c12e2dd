"""Replies: answers to commands, published with QoS 1 and not from the ledger; a sender that misses one asks again."""

from collections import deque

from sabot_protocol.topics import reply_topic
from sabot_service.mqtt import LoopClient

_MOST_WAITING, _MOST_UNDER_WAY = 256, 64


class Replies:
    """Bounded: without a broker the newest wait, and the oldest are dropped."""

    def __init__(self, mqtt: LoopClient, site: str) -> None:
        self._mqtt, self._site = mqtt, site
        self._waiting: deque[tuple[str, bytes]] = deque(maxlen=_MOST_WAITING)
        self._under_way: set[int] = set()

    def put(self, table: str, payload: bytes) -> None:
        """Publish a reply as soon as the broker takes it."""
        self._waiting.append((table, payload))

    def pump(self) -> None:
        """Send what waits, as far as the window allows."""
        if not self._waiting or not self._mqtt.client.is_connected():
            return
        while self._waiting and len(self._under_way) < _MOST_UNDER_WAY:
            table, payload = self._waiting.popleft()
            self._under_way.add(self._mqtt.publish(reply_topic(self._site, table), payload, retain=False))
        self._mqtt.flush()

    def on_acknowledged(self, mid: int) -> None:
        """The broker has taken a message."""
        self._under_way.discard(mid)

    def on_lost(self) -> None:
        """The connection is gone: paho sends again what was under way."""
        self._under_way.clear()
