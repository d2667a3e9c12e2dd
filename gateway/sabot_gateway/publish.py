"""Publish: reads the ledger from its cursor; the cursor moves when the broker has acknowledged."""

from dataclasses import dataclass, field
from itertools import groupby

import msgspec
from sabot_protocol.topics import RETAINED, StatusMessage, TopicName, gateway_status_topic, table_topic

from sabot_gateway.ledger import Ledger, Stored
from sabot_gateway.mqtt import LoopClient

_CURSOR = "mqtt"
_WINDOW = 100


@dataclass(frozen=True)
class Outgoing:
    """One MQTT message and the first of the ledger entries it covers."""

    first_seq: int
    table: str
    topic: TopicName
    payload: bytes


def outgoing(entries: list[Stored]) -> list[Outgoing]:
    """Ledger entries as messages: neighbouring cards of a table share one `cards` message."""
    messages: list[Outgoing] = []
    published = (entry for entry in entries if entry.topic)
    for (table, topic), group in groupby(published, key=lambda entry: (entry.table, entry.topic)):
        if topic == "cards":
            cards = list(group)
            payload = b"[" + b",".join(card.payload for card in cards) + b"]"
            messages.append(Outgoing(cards[0].seq, table, "cards", payload))
        else:
            messages += [Outgoing(entry.seq, table, _name(topic), entry.payload) for entry in group]
    return messages


def _name(topic: str) -> TopicName:
    name: TopicName = msgspec.convert(topic, TopicName)
    return name


@dataclass
class Window:
    """Messages that the broker has not acknowledged, and so how far a cursor may move."""

    read_to: int  # the last entry that has been read, and sent if it had a topic
    waiting: dict[int, int] = field(default_factory=dict)  # message id: the first entry it covers

    def room(self) -> int:
        """How many more may be under way."""
        return _WINDOW - len(self.waiting)

    def done(self) -> int:
        """The last entry that needs never be sent again."""
        return min(self.waiting.values(), default=self.read_to + 1) - 1


class Publisher:
    """QoS 1 from the ledger, in order, at most a window at a time."""

    def __init__(self, mqtt: LoopClient, ledger: Ledger, site: str, time: str) -> None:
        self._mqtt, self._ledger, self._site = mqtt, ledger, site
        self._cursor = ledger.cursor(_CURSOR)
        self._window = Window(self._cursor)
        self._states: dict[str, bytes] = {}  # retained topics as they stand
        self._connected = self._say_all = False
        mqtt.client.on_publish = self._on_publish
        mqtt.on_ready = self._on_ready
        mqtt.client.on_disconnect = self._on_disconnect
        mqtt.client.will_set(gateway_status_topic(site), _status("offline", time, {}), qos=1, retain=True)

    def _on_ready(self) -> None:
        """The broker may have published our will, or be a new one: what stands is said again by the next pump."""
        self._connected = self._say_all = True

    def _on_disconnect(self, *_: object) -> None:
        self._connected = False

    def _on_publish(self, _client: object, _userdata: object, mid: int, *_: object) -> None:
        self._window.waiting.pop(mid, None)

    def say_gateway(self, state: str, time: str) -> None:
        """That the gateway is there, or goes."""
        self._say(gateway_status_topic(self._site), _status(state, time, {}))

    def say_table(self, table: str, state: str, time: str, **more: str | bool | None) -> None:
        """That a table's shoe is there, and which, or not, and why."""
        self._say(table_topic(self._site, table, "status"), _status(state, time, more))

    def _say(self, topic: str, payload: bytes) -> None:
        self._states[topic] = payload
        if self._connected and not self._say_all:  # else the next pump says it, once
            self._send(topic, payload, retain=True)

    def pump(self) -> None:
        """Send on from the cursor as far as the window allows, and keep the cursor."""
        self._keep_cursor()
        window = self._window
        if not self._connected:
            return
        if self._say_all:  # behind what paho itself sends again, so that the newest word is the last
            self._say_all = False
            for topic, payload in self._states.items():
                self._send(topic, payload, retain=True)
        if window.room() <= 0:
            return
        entries = self._ledger.since(window.read_to, window.room())
        for message in outgoing(entries):
            topic = table_topic(self._site, message.table, message.topic)
            mid = self._send(topic, message.payload, retain=RETAINED[message.topic])
            window.waiting[mid] = message.first_seq
        if entries:
            window.read_to = entries[-1].seq

    def _keep_cursor(self) -> None:
        done = self._window.done()
        if done > self._cursor:
            self._cursor = done
            self._ledger.move_cursor(_CURSOR, done)

    def _send(self, topic: str, payload: bytes, *, retain: bool) -> int:
        return self._mqtt.client.publish(topic, payload, qos=1, retain=retain).mid

    def idle(self) -> bool:
        """Everything in the ledger has been published and acknowledged."""
        return not self._window.waiting and not self._ledger.since(self._window.read_to, 1)


def _status(state: str, time: str, more: dict[str, str | bool | None]) -> bytes:
    return msgspec.json.encode(msgspec.convert({"state": state, "time": time, **more}, StatusMessage))
