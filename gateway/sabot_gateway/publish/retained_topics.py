"""Retained topics: each newest state, sent after every reconnect, read back, and restored if others overwrite it."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import structlog
from sabot_protocol.topics import TopicName, gateway_status_topic, ledger_topic, table_topic
from sabot_service.mqtt import LoopClient
from sabot_service.rate_limit import LogLimiter

from sabot_gateway.ledger import Ledger
from sabot_gateway.publish.echo import Echo
from sabot_gateway.publish.head_topic import HeadTopic
from sabot_gateway.publish.outgoing import WINDOW
from sabot_gateway.publish.overwrites import Overwrites
from sabot_gateway.publish.subscriptions import Subscriptions

_SETTLE_S = 5.0  # after a reconnect our own messages of before may come a second time
_READ_BACK: tuple[TopicName, ...] = ("status", "shoe", "alarms", "open", "history", "hand")

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class RetainedTopics:
    """States are set at any time; `pump` sends those that are new. QoS 1, the newest state last."""

    def __init__(self, mqtt: LoopClient, ledger: Ledger, site: str, gateway: str) -> None:
        self._mqtt, self._site = mqtt, site
        self._states: dict[str, bytes] = {}  # retained topics as they are now
        self._shoes: dict[str, bytes] = {}  # and those that come from the ledger, as last sent
        self._tables: set[str] = set()  # that are served
        self._filters = [gateway_status_topic(site, gateway), *(table_topic(site, "+", name) for name in _READ_BACK)]
        self._overwrites, self._limiter, self._ready_s = Overwrites(), LogLimiter(), 0.0
        self.overwritten = 0  # messages of others on our topics so far
        self._unsent: dict[str, None] = {}  # topics, in the order to be sent
        self._unacknowledged: set[int] = set()  # message ids
        self._echo, self._head, self._head_topic = Echo(), HeadTopic(ledger), ledger_topic(site, gateway)
        self.subscriptions = Subscriptions(mqtt, [*self._filters, self._head_topic])
        for topic in self._filters:
            mqtt.client.message_callback_add(topic, self._on_retained)
        mqtt.client.message_callback_add(self._head_topic, self._on_head)

    def serve(self, tables: Iterable[str], last_shoe: Callable[[str], bytes | None]) -> None:
        """Keep the topics of these tables from now on, and leave those of others alone."""
        names = {table_topic(self._site, table, "shoe"): table for table in tables}
        new = {topic: last_shoe(names[topic]) for topic in names.keys() - self._shoes}
        self._shoes = {topic: shoe for topic, shoe in (self._shoes | new).items() if shoe and topic in names}
        self._tables = set(names.values())
        self._states = {
            topic: state for topic, state in self._states.items() if topic in self._unsent or self._is_ours(topic)
        }

    def _is_ours(self, topic: str) -> bool:
        """Return True for the site's own topics and those of our tables; of all tables as long as none is served."""
        *_, table, _name = topic.split("/")
        return not self._tables or topic in (self._filters[0], self._head_topic) or table in self._tables

    def set(self, topic: str, payload: bytes) -> None:
        """Send this state with the next `pump`."""
        self._states[topic] = payload
        self._unsent[topic] = None

    def sent_shoe(self, topic: str, payload: bytes) -> None:
        """Take note of a shoe's state that was sent from the ledger."""
        self._overwrites.sent(topic, payload)
        self._shoes[topic] = payload

    def shoe_changed(self) -> None:
        """Publish the head of the ledger soon: a shoe was opened or closed."""
        self._head.shoe_changed()

    def on_ready(self) -> None:
        """Send every state again: the broker may have published our will, or be a new one."""
        self._states.pop(self._head_topic, None)  # the head that is retained there is read first
        self._unsent = dict.fromkeys([*self._states, *self._shoes])
        self._echo = Echo()
        self._head.met_broker(self._mqtt.now_s)
        self._ready_s = self._mqtt.now_s
        self.subscriptions.on_ready()

    def on_lost(self) -> None:
        """Wait for the broker."""
        self._head.lost_broker()

    def on_acknowledged(self, message_id: int) -> None:
        """The broker has this message."""
        self._unacknowledged.discard(message_id)

    def _on_retained(self, _client: object, _userdata: object, message: Any) -> None:
        """Take a message on one of our topics: our own that has come back, or somebody else's."""
        topic, payload = message.topic, bytes(message.payload)
        self._echo.received(topic, payload)
        if message.retain or not self._is_ours(topic):  # from before this connection: our state is on its way
            return
        settling = self._mqtt.now_s - self._ready_s < _SETTLE_S
        if self._overwrites.received(topic, payload, self._state(topic)) and not settling:
            self._note_overwrite(topic, payload)

    def _note_overwrite(self, topic: str, payload: bytes) -> None:
        self.overwritten += 1
        left_out = self._limiter.take("overwritten", self._mqtt.now_s)
        if left_out is not None:
            log.warning(
                f"somebody else published on {topic}; the gateway publishes its own state there again: only this "
                "gateway may write there; check the users and permissions of the broker",
                bytes=len(payload),
                left_out=left_out,
            )

    def _state(self, topic: str) -> bytes:
        """Return the newest state of a topic, empty where there is none."""
        return self._states.get(topic) or self._shoes.get(topic, b"")

    def _on_head(self, _client: object, _userdata: object, message: Any) -> None:
        self._head.received(message.payload, self._mqtt.now_s)

    def pump(self) -> None:
        """Send what is new, and what others have overwritten."""
        self._unsent |= dict.fromkeys(self._overwrites.due(self._mqtt.now_s))
        head = self._head.take(self._mqtt.now_s)
        if head is not None:
            self.set(self._head_topic, msgspec.json.encode(head))
        self._send()
        self._check_echo()

    def _send(self) -> None:
        """Send behind what paho itself sends again after a reconnect, so that the newest state is the last."""
        while self._unsent and len(self._unacknowledged) < WINDOW:
            topic = next(iter(self._unsent))
            del self._unsent[topic]
            payload = self._state(topic)
            if topic.endswith("/status") and payload:
                self._echo.sent(topic, payload, self._mqtt.now_s)
            self._overwrites.sent(topic, payload)
            self._unacknowledged.add(self._mqtt.publish(topic, payload, retain=True))
            if not self._is_ours(topic):
                del self._states[topic]

    def _check_echo(self) -> None:
        """Send again what has not come back, and report it; no event goes where a state was dropped."""
        if self._echo.overdue(self._mqtt.now_s):
            topics = sorted(self._echo.missing)
            more = f", nor {len(topics) - 1} more," if topics[1:] else ""
            self._mqtt.problem = (
                f"the broker at {self._mqtt.broker} takes {topics[0]} from {self._mqtt.login.user or 'us'} but does "
                f"not pass it on{more}; allow us to write it and to read it. Until then no event is published"
            )
            self._echo = Echo()
            self._unsent |= dict.fromkeys(topics)
            self._send()
        elif self._mqtt.problem and not self._echo.missing:
            self._mqtt.problem = None

    def in_doubt(self) -> bool:
        """Return True while the broker may drop what we publish."""
        return self._echo.in_doubt()

    def acknowledged(self) -> bool:
        """Return True if the broker has acknowledged every state."""
        return not self._unacknowledged and not self._unsent

    def complete(self) -> bool:
        """Return True if the broker has acknowledged every state, and the head of the ledger where one is owed."""
        return self.acknowledged() and not self._head.owed()

    def current(self) -> dict[str, bytes]:
        """Return every state as it is now, but for those that come from the ledger."""
        return dict(self._states)
