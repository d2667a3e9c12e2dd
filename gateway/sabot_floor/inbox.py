"""Inbox: messages of the broker that wait for their transaction; each is acknowledged only when that is durable."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from sabot_service.mqtt import LoopClient

MOST_WAITING, MOST_WAITING_BYTES = 20_000, 1 << 26  # more than a broker sends without an acknowledgement
MOST_PAYLOAD_BYTES = 1 << 16


class Arrived(NamedTuple):
    """A message as it came; `message_id` is 0 where no acknowledgement is due."""

    topic: str
    payload: bytes
    message_id: int = 0
    connection: int = 0  # number of the connection over which it came
    at_s: float | None = None  # when, by the clock of the loop; a transaction may take it later


class Inbox:
    """Counts what it holds until `done`; when it is full the connection is given up, and the broker sends all again."""

    def __init__(self, mqtt: LoopClient) -> None:
        self._mqtt, self._queue = mqtt, deque[Arrived]()
        self._connection = self._held = self._held_bytes = 0
        self._unacknowledged: set[int] = set()  # message ids
        self.given_up = self.unreadable = 0  # connections given up; messages with an unreadable topic
        self.on_status: Callable[[str, bytes], None] = lambda topic, payload: None  # gets each status at once
        mqtt.client.on_message = self._on_message

    def _on_message(self, _client: object, _userdata: object, message: Any) -> None:
        try:
            topic = message.topic
        except UnicodeDecodeError:
            self.unreadable += 1
            topic = ""
        if message.qos == 1 and message.mid in self._unacknowledged:  # sent again while it waits here
            return
        payload = bytes(message.payload[: MOST_PAYLOAD_BYTES + 1])
        if topic.endswith("/status"):
            self.on_status(topic, payload)
        acknowledge_later = message.qos == 1 and not message.retain
        if message.qos == 1 and message.retain:
            self._mqtt.ack(message.mid)  # it stays at the broker, and comes again with each subscription
        self.put(Arrived(topic, payload, message.mid if acknowledge_later else 0, self._connection, self._mqtt.now_s))

    def put(self, arrived: Arrived) -> None:
        """Add a message, or give the connection up if there is no room."""
        self._queue.append(arrived)
        self._held += 1
        self._held_bytes += len(arrived.payload)
        if arrived.message_id:
            self._unacknowledged.add(arrived.message_id)
        if self._held > MOST_WAITING or self._held_bytes > MOST_WAITING_BYTES:
            self.given_up += 1
            self._mqtt.hang_up()
            self.lost()

    def take(self, most: int) -> list[Arrived]:
        """Return the oldest messages; each is `done` later, or `put_back`."""
        return [self._queue.popleft() for _ in range(min(most, len(self._queue)))]

    def put_back(self, messages: list[Arrived]) -> None:
        """Put messages back whose transaction failed, before all others, unless the broker sends them again."""
        self._queue.extendleft(one for one in reversed(messages) if one.connection == self._connection)

    def done(self, messages: Iterable[Arrived]) -> None:
        """Acknowledge messages; what came over an earlier connection comes again, and is then known."""
        for one in messages:
            if one.connection == self._connection:
                self._held -= 1
                self._held_bytes -= len(one.payload)
                if one.message_id:
                    self._unacknowledged.discard(one.message_id)
                    self._mqtt.ack(one.message_id)

    def lost(self) -> None:
        """Forget everything that is not done: the broker sends it again over the next connection."""
        self._connection += 1
        self._queue.clear()
        self._unacknowledged.clear()
        self._held = self._held_bytes = 0

    def waiting(self) -> int:
        """Return how many messages are not acknowledged yet, or wait for others."""
        return self._held
