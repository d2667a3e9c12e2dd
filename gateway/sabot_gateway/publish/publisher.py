"""Publish: reads the ledger from its cursor; the cursor moves when the broker has acknowledged."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec
import structlog
from paho.mqtt.enums import MQTTErrorCode
from sabot_protocol.topics import RETAINED, StatusMessage, TopicName, gateway_status_topic, ledger_topic, table_topic

from sabot_gateway.ledger import Ledger, Stored
from sabot_gateway.ledger.reader import reading
from sabot_gateway.ops.rate_limit import LogLimiter
from sabot_gateway.publish.head_topic import HeadTopic
from sabot_gateway.publish.mqtt import LoopClient
from sabot_gateway.publish.overwrites import Overwrites

_CURSOR = "mqtt"
_WINDOW = 400  # messages
_SPAN = 10_000  # entries
_ROUNDS = 10  # readings of the ledger in one turn
_KEEP_EVERY, _KEEP_EVERY_S = 500, 0.25  # entries
_ECHO_WITHIN_S = 5.0
_READ_BACK: tuple[TopicName, ...] = ("status", "shoe", "alarms")

log: structlog.stdlib.BoundLogger = structlog.get_logger()


@dataclass(frozen=True)
class Outgoing:
    """One MQTT message and the first of the ledger entries it covers."""

    first_seq: int
    table: str
    topic: TopicName
    payload: bytes


def outgoing(entries: list[Stored]) -> list[Outgoing]:
    """Ledger entries as messages, each table's in order: cards with nothing else of their table between share one."""
    groups: list[list[Stored]] = []
    cards: dict[str, list[Stored]] = {}  # by table: those that its next card joins
    for entry in entries:
        if entry.topic not in RETAINED:
            continue  # the gateway's own
        if entry.topic == "cards" and entry.table in cards:
            cards[entry.table].append(entry)
            continue
        groups.append([entry])
        cards.pop(entry.table, None)
        if entry.topic == "cards":
            cards[entry.table] = groups[-1]
    return [_message(group) for group in groups]


def _message(group: list[Stored]) -> Outgoing:
    first = group[0]
    topic: TopicName = msgspec.convert(first.topic, TopicName)
    payload = b"[%b]" % b",".join(bytes(card.payload) for card in group) if topic == "cards" else first.payload
    return Outgoing(first.seq, first.table, topic, payload)


@dataclass
class Window:
    """Messages that the broker has not acknowledged, and so how far a cursor may move."""

    read_to: int  # the last entry that has been read, and sent if it had a topic
    waiting: dict[int, int] = field(default_factory=dict)  # message id: the first entry it covers, in rising order

    def room(self) -> int:
        """How many more may be under way: none while one entry holds the cursor too far back."""
        return min(_WINDOW - len(self.waiting), self.done() + _SPAN - self.read_to)

    def done(self) -> int:
        """The last entry that needs never be sent again."""
        return next(iter(self.waiting.values()), self.read_to + 1) - 1


@dataclass
class Echo:
    """States that the broker has not passed back to us: with MQTT 3.1.1 it swallows what we may not write."""

    missing: dict[str, bytes] = field(default_factory=dict)
    since_s: float = 0.0
    _proved: set[str] = field(default_factory=set)  # topics that came back in this connection

    def said(self, topic: str, payload: bytes, now_s: float) -> None:
        """This is to come back."""
        if not self.missing:
            self.since_s = now_s
        self.missing[topic] = payload

    def heard(self, topic: str, payload: bytes) -> None:
        """This has come."""
        if self.missing.get(topic) == payload:
            del self.missing[topic]
            self._proved.add(topic)

    def in_doubt(self) -> bool:
        """Return True while a topic has not come back once: the broker may swallow what we publish."""
        return not self.missing.keys() <= self._proved

    def overdue(self, now_s: float) -> bool:
        """It should all have come by now."""
        return bool(self.missing) and now_s - self.since_s > _ECHO_WITHIN_S


class Publisher:
    """QoS 1 from the ledger, in order, at most a window at a time; states are retained, the newest word last."""

    def __init__(self, mqtt: LoopClient, ledger: Ledger, site: str, time: str) -> None:
        self._mqtt, self._ledger, self._site = mqtt, ledger, site
        self._cursor, self._keep_s = ledger.cursor(_CURSOR), 0.0
        self._window = Window(self._cursor)
        self._states: dict[str, bytes] = {}  # retained topics as they stand
        self._shoes: dict[str, bytes] = {}  # and those that come from the ledger, as last sent
        self._tables: set[str] = set()  # that are served
        self._filters = [gateway_status_topic(site), *(table_topic(site, "+", name) for name in _READ_BACK)]
        self._overwrites, self._lines, self._ready_s = Overwrites(), LogLimiter(), 0.0
        self.overwritten = 0  # words of others on our topics so far
        self._unsaid: dict[str, None] = {}  # those that are still to be sent
        self._saying: set[int] = set()  # message ids of states that are not acknowledged
        self._echo, self._head, self._head_topic = Echo(), HeadTopic(ledger), ledger_topic(site)
        self._connected = self._left = False
        mqtt.on_ready, mqtt.on_lost = self._on_ready, self._on_lost
        mqtt.client.on_publish = self._on_publish
        mqtt.client.will_set(gateway_status_topic(site), _status("offline", time, {}), qos=1, retain=True)
        mqtt.client.on_subscribe = self._on_subscribe
        for topic in self._filters:
            mqtt.client.message_callback_add(topic, self._on_retained)
        mqtt.client.message_callback_add(self._head_topic, self._on_head)

    def serve(self, tables: Iterable[str]) -> None:
        """These tables are ours, and what stands of their shoes is in the ledger; others are left alone from now on."""
        names = {table_topic(self._site, table, "shoe"): table for table in tables}
        new = {
            topic: self._ledger.last_shoe(names[topic], self._window.read_to) for topic in names.keys() - self._shoes
        }
        self._shoes = {topic: said for topic, said in (self._shoes | new).items() if said and topic in names}
        self._tables = set(names.values())
        self._states = {
            topic: said for topic, said in self._states.items() if topic in self._unsaid or self._ours(topic)
        }

    def _ours(self, topic: str) -> bool:
        """The site's own, and every topic of our tables; of all tables as long as none is named."""
        *_, table, _name = topic.split("/")
        return not self._tables or topic in (self._filters[0], self._head_topic) or table in self._tables

    def _on_ready(self) -> None:
        """The broker may have published our will, or be a new one: what stands is said again."""
        self._connected = True
        self._states.pop(self._head_topic, None)  # the head that stands there is heard first
        self._unsaid = dict.fromkeys([*self._states, *self._shoes])
        self._echo = Echo()
        self._head.met_broker(self._mqtt.now_s)
        self._ready_s = self._mqtt.now_s
        self._mqtt.client.subscribe([(topic, 0) for topic in (*self._filters, self._head_topic)])

    def _on_subscribe(self, _client: object, _userdata: object, _mid: int, answers: Any, *_: object) -> None:
        """A broker may let us read nothing but our statuses."""
        asked = (*self._filters, self._head_topic)
        refused = [topic for topic, answer in zip(asked, answers, strict=False) if answer.is_failure]
        if refused and self._lines.take("refused", self._mqtt.now_s) is not None:
            log.warning(
                f"the broker at {self._mqtt.broker} does not let {self._mqtt.login.user or 'us'} read {refused[0]}: "
                "what others put there is not noticed; allow it, as the examples do"
            )

    def _on_lost(self) -> None:
        self._connected = False
        self._head.lost_broker()

    def _on_publish(self, _client: object, _userdata: object, mid: int, *_: object) -> None:
        self._window.waiting.pop(mid, None)
        self._saying.discard(mid)

    def _on_retained(self, _client: object, _userdata: object, message: Any) -> None:
        """Our own word has come back, or somebody else's has come."""
        topic, payload = message.topic, bytes(message.payload)
        self._echo.heard(topic, payload)
        if message.retain or not self._ours(topic):  # of before this connection: what stands is on its way
            return
        again = self._mqtt.now_s - self._ready_s < _ECHO_WITHIN_S  # our own of before may come a second time
        if self._overwrites.heard(topic, payload, self._stands(topic)) and not again:
            self._note_overwrite(topic, payload)

    def _note_overwrite(self, topic: str, payload: bytes) -> None:
        self.overwritten += 1
        left_out = self._lines.take("overwritten", self._mqtt.now_s)
        if left_out is not None:
            log.warning(
                f"somebody else published on {topic}, and what stands is published again: only this gateway may write "
                "there; check the users and permissions of the broker",
                bytes=len(payload),
                left_out=left_out,
            )

    def _stands(self, topic: str) -> bytes:
        """Empty where nothing does."""
        return self._states.get(topic) or self._shoes.get(topic, b"")

    def _on_head(self, _client: object, _userdata: object, message: Any) -> None:
        self._head.heard(message.payload, self._mqtt.now_s)

    def shoe_changed(self) -> None:
        """A shoe was opened or closed: the head of the ledger goes out with it."""
        self._head.shoe_changed()

    def set_gateway_status(self, state: str, time: str, **more: str | bool | None) -> None:
        """That the gateway is there, and what is wrong with it; nothing more once it has said goodbye."""
        if not self._left:
            self._say(gateway_status_topic(self._site), _status(state, time, more))

    def set_goodbye(self, time: str) -> None:
        """That the gateway goes: the last word on its status, whatever happens until it is gone."""
        self.set_gateway_status("offline", time)
        self._head.shoe_changed()
        self._left = True

    def set_table_status(self, table: str, state: str, time: str, **more: str | bool | None) -> None:
        """That a table's shoe is there, and which, or not, and why."""
        self._say(table_topic(self._site, table, "status"), _status(state, time, more))

    def set_alarms(self, table: str, payload: bytes) -> None:
        """The alarms of a table that are not over."""
        self._say(table_topic(self._site, table, "alarms"), payload)

    def _say(self, topic: str, payload: bytes) -> None:
        self._states[topic] = payload
        self._unsaid[topic] = None

    def pump(self) -> None:
        """Send what is new, as far as the window allows, and keep the cursor."""
        self._keep_cursor()
        self.pump_states()
        if self._connected and not self._echo.in_doubt() and self._ledger.last_seq() > self._window.read_to:
            self._send_events()
            self._mqtt.flush()

    def pump_states(self) -> None:
        """Send what stands, and nothing from the ledger."""
        if self._connected:
            self._unsaid |= dict.fromkeys(self._overwrites.due(self._mqtt.now_s))
            head = self._head.take(self._mqtt.now_s)
            if head is not None:
                self._say(self._head_topic, msgspec.json.encode(head))
            self._send_states()
            self._check_echo()
            self._mqtt.flush()

    def _send_states(self) -> None:
        """Behind what paho itself sends again after a reconnect, so that the newest word is the last."""
        while self._unsaid and len(self._saying) < _WINDOW:
            topic = next(iter(self._unsaid))
            del self._unsaid[topic]
            payload = self._stands(topic)
            if topic.endswith("/status") and payload:
                self._echo.said(topic, payload, self._mqtt.now_s)
            self._saying.add(self._send(topic, payload, retain=True))
            if not self._ours(topic):
                del self._states[topic]

    def _check_echo(self) -> None:
        """Say again what has not come back, and why; no event goes where a state was swallowed."""
        if self._echo.overdue(self._mqtt.now_s):
            topics = sorted(self._echo.missing)
            more = f", nor {len(topics) - 1} more," if topics[1:] else ""
            self._mqtt.problem = (
                f"the broker at {self._mqtt.broker} takes {topics[0]} from {self._mqtt.login.user or 'us'} but does "
                f"not pass it on{more}; allow us to write it and to read it. Until then no event is published"
            )
            self._echo = Echo()
            self._unsaid |= dict.fromkeys(topics)
            self._send_states()
        elif self._mqtt.problem and not self._echo.missing:
            self._mqtt.problem = None

    def _send_events(self) -> None:
        window = self._window
        for _ in range(_ROUNDS):
            room = window.room()
            if room <= 0 or window.read_to >= self._ledger.last_seq():
                return
            entries = self._ledger.since(window.read_to, room)
            for message in outgoing(entries):
                self._send_event(message)
            window.read_to = entries[-1].seq

    def _send_event(self, message: Outgoing) -> None:
        """What cannot be sent, as a changed file may have it, is passed over: it would stop everything behind it."""
        topic = table_topic(self._site, message.table, message.topic)
        try:
            mid = self._send(topic, message.payload, retain=RETAINED[message.topic])
        except (TypeError, ValueError) as error:
            if self._lines.take("unsendable", self._mqtt.now_s) is not None:
                log.error(f"entry {message.first_seq} of the ledger cannot be published: {error}; verify the ledger")
            return
        self._window.waiting[mid] = message.first_seq
        if message.topic == "shoe":
            self._shoes[topic] = message.payload

    def keep_cursor(self) -> None:
        """Write it as it stands."""
        with reading():
            self._ledger.move_cursor(_CURSOR, self._cursor)

    def try_ledger(self) -> None:
        """Write the cursor and read what follows it, or LedgerError; nothing is sent."""
        self.keep_cursor()
        self._ledger.since(self._window.read_to, _WINDOW)

    def _keep_cursor(self) -> None:
        """Now and then: what is sent twice after a crash has the same id."""
        done, now_s = self._window.done(), self._mqtt.now_s
        if done - self._cursor >= _KEEP_EVERY or (done > self._cursor and now_s >= self._keep_s):
            self._cursor, self._keep_s = done, now_s + _KEEP_EVERY_S
            self.keep_cursor()

    def close(self) -> None:
        """Keep how far the broker has come, where the ledger takes it."""
        self._cursor = self._window.done()
        self.keep_cursor()

    def _send(self, topic: str, payload: bytes, *, retain: bool) -> int:
        """The message's id; one that the broker still owes us an answer for is passed over."""
        if retain:
            self._overwrites.sent(topic, payload)
        for _ in range(2 * _WINDOW):  # more are never under way
            info = self._mqtt.client.publish(topic, payload, qos=1, retain=retain)
            if info.rc != MQTTErrorCode.MQTT_ERR_QUEUE_SIZE:
                return info.mid
        raise RuntimeError("paho has no message id left")

    def done(self) -> int:
        """The last entry that the broker has taken, with all before it."""
        return self._window.done()

    def retained_topics(self) -> dict[str, bytes]:
        """Retained topics as they stand."""
        return dict(self._states)

    def behind(self) -> int:
        """How many entries of the ledger the broker has not taken yet."""
        return self._ledger.last_seq() - self.done()

    def states_taken(self) -> bool:
        """The broker has acknowledged every state."""
        return not self._saying and not self._unsaid

    def idle(self) -> bool:
        """Everything in the ledger and every state has been published and acknowledged."""
        return self.states_taken() and not self._window.waiting and self._window.read_to >= self._ledger.last_seq()


def _status(state: str, time: str, more: dict[str, str | bool | None]) -> bytes:
    return msgspec.json.encode(msgspec.convert({"state": state, "time": time, **more}, StatusMessage))
