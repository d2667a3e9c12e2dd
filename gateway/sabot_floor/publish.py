"""Publish: wins and faults from the logs by cursor, and each jackpot's state, retained; QoS 1."""

from collections.abc import Callable, Iterable
from typing import Any

import structlog
from sabot_protocol.jackpots.messages import Win
from sabot_protocol.topics import JackpotTopic, jackpot_topic
from sabot_service.mqtt import LoopClient

from sabot_floor.jackpots import states
from sabot_floor.jackpots.batch import FAULT, WIN, log_name
from sabot_floor.jackpots.logs import JackpotLogs, Standing
from sabot_floor.store import Stored, audit

_CURSOR = "mqtt"
_WINDOW = 400  # messages that the broker has not acknowledged
_PAGE = 1000
_SAVE_EVERY_S = 1.0
_STATE_EVERY_S = 0.2  # a topic: people and displays need no more, and every gateway reads every meter
_PUBLISHED: dict[str, JackpotTopic] = {WIN: "win", FAULT: "fault"}
_STATES: tuple[JackpotTopic, ...] = ("meter", "pending")

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class Publisher:
    """Each worker has its own cursor and publishes everything; a consumer drops an id that it has seen."""

    def __init__(self, mqtt: LoopClient, logs: JackpotLogs, site: str, worker: str) -> None:
        self._mqtt, self._logs, self._site = mqtt, logs, site
        self._cursor_name = f"{_CURSOR}-{worker}"
        self._read_to: dict[str, int] = {}  # entries that were looked at, by jackpot
        self._saved: dict[str, int] = {}  # cursors as stored
        self._behind: dict[str, None] = {}  # jackpots whose log has entries to look at
        self._waiting: dict[int, tuple[str, int] | None] = {}  # message ids: jackpot and entry, None for a state
        self._current: dict[str, bytes] = {}  # retained topics as they should be
        self._pending: dict[str, tuple[list[Win], int]] = {}  # open wins as published, by jackpot
        self._unsent: dict[str, None] = {}
        self._sent_s: dict[str, float] = {}  # retained topics: when they were sent last
        self._seen: dict[str, bytes] = {}  # retained topics as they last came back
        self._save_s = 0.0
        self.on_meter: Callable[[str, bytes], None] = lambda topic, payload: None  # retained, at a subscription
        self.republished = 0  # states that were not at the broker as they are
        mqtt.client.on_publish = self._on_publish
        for topic in self.filters():
            mqtt.client.message_callback_add(topic, self._on_state)

    def serve(self, jackpots: Iterable[str]) -> None:
        """Publish these jackpots from their cursors on; a worker that is new begins where the others are."""
        store = self._logs.store
        wrong = audit.cursor_problems(store)
        known = {(one.name, one.log): one.seq for one in store.cursors() if (one.name, one.log) not in wrong}
        for jackpot in jackpots:
            if jackpot not in self._read_to:
                name = log_name(jackpot)
                others = [seq for (_, of_log), seq in known.items() if of_log == name]
                own = known.get((self._cursor_name, name))
                self._read_to[jackpot] = self._saved[jackpot] = own if own is not None else max(others, default=0)
                if problem := wrong.get((self._cursor_name, name)):
                    log.warning(f"{problem}; what came after entry {self._read_to[jackpot]} is published again")
            self._behind[jackpot] = None
            self.changed(jackpot)

    def filters(self) -> list[str]:
        """Return the topics to subscribe to: our states, to read them back."""
        return [jackpot_topic(self._site, "+", name) for name in _STATES]

    def on_ready(self) -> None:
        """The broker is there: send all states."""
        self._seen.clear()
        self._unsent = dict.fromkeys(self._current)

    def _on_publish(self, _client: object, _userdata: object, message_id: int, *_: object) -> None:
        self._waiting.pop(message_id, None)

    def _on_state(self, _client: object, _userdata: object, message: Any) -> None:
        if message.qos:  # another subscription of ours
            self._mqtt.ack(message.mid)
        if message.retain and message.topic.endswith("/meter"):
            self.on_meter(message.topic, bytes(message.payload))
        if message.topic in self._current:
            self._seen[message.topic] = bytes(message.payload)

    def changed(self, jackpot: str) -> None:
        """Look at the log of a jackpot, and publish its state."""
        self._behind[jackpot] = None
        standing = self._logs.standing(jackpot)
        if standing is not None:
            self._set(jackpot, standing)

    def _set(self, jackpot: str, standing: Standing) -> None:
        self._replace(jackpot_topic(self._site, jackpot, "meter"), states.encode(states.meter_message(standing)))
        pending = states.pending_message(standing)
        if (pending.wins, pending.more) != self._pending.get(jackpot):
            self._pending[jackpot] = (pending.wins, pending.more)
            self._replace(jackpot_topic(self._site, jackpot, "pending"), states.encode(pending))

    def put(self, topic: str, payload: bytes) -> None:
        """Publish a retained state."""
        self._replace(topic, payload)

    def _replace(self, topic: str, payload: bytes) -> None:
        if self._current.get(topic) != payload:
            self._current[topic] = payload
            self._unsent[topic] = None

    def sweep(self) -> None:
        """Publish again what others have overwritten; call it about once a second."""
        for topic, payload in self._current.items():
            if topic in self._seen and topic not in self._unsent and not states.same(self._seen[topic], payload):
                self._unsent[topic] = None
                self.republished += 1

    def pump(self, now_s: float) -> None:
        """Send what is new, as far as the window allows; StoreError if the store cannot be read."""
        if self._mqtt.client.is_connected():
            for jackpot in list(self._behind):
                self._send_entries(jackpot)
            self._send_states(now_s)
            self._mqtt.flush()
        if now_s >= self._save_s:
            self._save_s = now_s + _SAVE_EVERY_S
            self.save()

    def _send_states(self, now_s: float) -> None:
        """Send the states that are due: the first change at once, the newest of those that follow a moment later."""
        for topic in [one for one in self._unsent if now_s - self._sent_s.get(one, -1.0) >= _STATE_EVERY_S]:
            if len(self._waiting) >= _WINDOW:
                return
            del self._unsent[topic]
            self._sent_s[topic] = now_s
            self._seen.pop(topic, None)
            self._waiting[self._mqtt.publish(topic, self._current[topic], retain=True)] = None

    def _send_entries(self, jackpot: str) -> None:
        while len(self._waiting) < _WINDOW:
            entries = self._logs.store.read(log_name(jackpot), self._read_to[jackpot], _PAGE)
            for entry in entries:
                if len(self._waiting) >= _WINDOW:
                    return
                self._send_entry(jackpot, entry)
                self._read_to[jackpot] = entry.seq
            if len(entries) < _PAGE:
                self._behind.pop(jackpot, None)
                return

    def _send_entry(self, jackpot: str, entry: Stored) -> None:
        name = _PUBLISHED.get(entry.kind)
        if name is not None:
            topic = jackpot_topic(self._site, jackpot, name)
            self._waiting[self._mqtt.publish(topic, entry.payload, retain=False)] = (jackpot, entry.seq)

    def save(self) -> None:
        """Store how far the broker has come; StoreError if the store cannot be written."""
        for jackpot, seq in self._read_to.items():
            done = min((at - 1 for at in self._unacknowledged(jackpot)), default=seq)
            if done > self._saved[jackpot]:
                self._logs.store.move_cursor(self._cursor_name, log_name(jackpot), done)
                self._saved[jackpot] = done

    def _unacknowledged(self, jackpot: str) -> list[int]:
        return [sent[1] for sent in self._waiting.values() if sent is not None and sent[0] == jackpot]

    def idle(self) -> bool:
        """Return True if the broker has acknowledged everything."""
        return not self._waiting and not self._unsent and not self._behind
