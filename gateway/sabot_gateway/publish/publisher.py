"""Publisher: reads the ledger from its cursor; the cursor moves when the broker has acknowledged."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec
import structlog
from sabot_protocol.topics import StatusMessage, TableSetup, entry_topic, gateway_status_topic, is_retained, table_topic
from sabot_service.mqtt import LoopClient
from sabot_service.rate_limit import LogLimiter

from sabot_gateway.ledger import Ledger
from sabot_gateway.ledger.reader import reading
from sabot_gateway.publish.outgoing import WINDOW, Outgoing, Window, outgoing, placed
from sabot_gateway.publish.replies import Replies
from sabot_gateway.publish.retained_topics import RetainedTopics

TableState = Literal["alarms", "open", "history", "hand"]
StatusField = str | bool | list[str] | None
_CURSOR = "mqtt"
_ROUNDS = 10  # readings of the ledger in one turn
_SAVE_EVERY, _SAVE_EVERY_S = 500, 0.25  # entries

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class Publisher:
    """QoS 1 from the ledger, in order, at most a window at a time; `retained` has the states."""

    def __init__(self, mqtt: LoopClient, ledger: Ledger, site: str, time: str, gateway: str = "") -> None:
        self._mqtt, self._ledger, self._site, self._gateway = mqtt, ledger, site, gateway
        self._cursor, self._save_s = ledger.cursor(_CURSOR), 0.0
        self._window, self._ledger_id = Window(self._cursor), ledger.gateway_id().hex()
        self._published_to = ledger.last_published(self._cursor)
        self.retained = RetainedTopics(mqtt, ledger, site, gateway)
        self._status_topic = gateway_status_topic(site, gateway)
        self._tables: list[str] | None = None  # that are served
        self._own_status: tuple[str, Mapping[str, StatusField]] | None = None  # time and fields, while online
        self.replies = Replies(mqtt, site)
        self._limiter = LogLimiter()
        self._connected = self.stopping = False
        mqtt.on_ready, mqtt.on_lost = self._on_ready, self._on_lost
        mqtt.client.on_publish = self._on_publish
        mqtt.client.will_set(self._status_topic, _status("offline", time, {}), qos=1, retain=True)

    def serve(self, tables: Iterable[str]) -> None:
        """Publish for these tables, whose shoes are in the ledger; leave the topics of others alone from now on."""
        self._tables = sorted(tables)
        self.retained.serve(self._tables, lambda table: _last_shoe(self._ledger, table, self._window.read_to))
        if self._own_status is not None:
            time, fields = self._own_status
            self.set_gateway_status("online", time, **fields)

    def _on_ready(self) -> None:
        self._connected = True
        self.retained.on_ready()

    def _on_lost(self) -> None:
        self._connected = False
        self.retained.on_lost()
        self.replies.on_lost()

    def _on_publish(self, _client: object, _userdata: object, mid: int, *_: object) -> None:
        if self._window.waiting.pop(mid, None) is None:
            self.retained.on_acknowledged(mid)
            self.replies.on_acknowledged(mid)

    def set_gateway_status(self, state: str, time: str, **fields: StatusField) -> None:
        """Set the gateway's own status; online it names its ledger and its tables. Not any more after `set_goodbye`."""
        if not self.stopping:
            self._own_status = (time, fields) if state == "online" else None
            online = state == "online" and self._tables is not None
            named = {"ledger": self._ledger_id, "tables": self._tables} if online else {}
            self.retained.set(self._status_topic, _status(state, time, {**fields, **named}))

    def set_goodbye(self, time: str) -> None:
        """Set the last status of the gateway, whatever happens until it is gone."""
        self.set_gateway_status("offline", time)
        self.retained.shoe_changed()
        self.stopping = True

    def set_table_status(
        self, table: str, state: str, time: str, setup: TableSetup | None = None, **fields: StatusField
    ) -> None:
        """Set whether a table's shoe is there, and which, or why not; and what the table offers."""
        offered = {} if setup is None else {"setup": msgspec.to_builtins(setup)}
        fields = {**fields, "gateway": self._gateway or None}
        self.retained.set(table_topic(self._site, table, "status"), _status(state, time, fields | offered))

    def set_table_state(self, table: str, name: TableState, payload: bytes) -> None:
        """Set a state of a table that its session has."""
        self.retained.set(table_topic(self._site, table, name), payload)

    def pump(self) -> None:
        """Send what is new, as far as the window allows, and save the cursor."""
        self._save_cursor_if_due()
        self.pump_states()
        if self._connected and not self.retained.in_doubt() and self._ledger.last_seq() > self._window.read_to:
            self._send_events()
            self._mqtt.flush()

    def pump_states(self) -> None:
        """Send states, and nothing from the ledger."""
        if self._connected:
            self.retained.pump()
            self._mqtt.flush()

    def _send_events(self) -> None:
        window = self._window
        for _ in range(_ROUNDS):
            room = window.room()
            if room <= 0 or window.read_to >= self._ledger.last_seq():
                return
            entries = self._ledger.next_after(window.read_to, room)
            messages = outgoing(entries, self._ledger_id, self._published_to)
            for message in messages:
                self._send_event(message)
            self._published_to = max((one.last_seq for one in messages), default=self._published_to)
            window.read_to = entries[-1].seq

    def _send_event(self, message: Outgoing) -> None:
        """Send a message; one that cannot be sent, from a changed file, is passed over: it would stop all behind it."""
        topic = entry_topic(self._site, message.table, message.topic)
        try:
            mid = self._mqtt.publish(topic, message.payload, retain=is_retained(message.topic))
        except (TypeError, ValueError) as error:
            if self._limiter.take("unsendable", self._mqtt.now_s) is not None:
                log.error(
                    f"entry {message.first_seq} of the ledger cannot be published: {error}; check the ledger with "
                    "`sabot ledger verify`"
                )
            return
        self._window.waiting[mid] = message.first_seq
        if message.topic == "shoe":
            self.retained.sent_shoe(topic, message.payload)

    def save_cursor(self) -> None:
        """Write the cursor as it is."""
        with reading():
            self._ledger.move_cursor(_CURSOR, self._cursor)

    def try_ledger(self) -> None:
        """Write the cursor and read what follows it, or LedgerError; nothing is sent."""
        self.save_cursor()
        self._ledger.since(self._window.read_to, WINDOW)

    def _save_cursor_if_due(self) -> None:
        """Save it now and then: what is sent twice after a crash has the same id."""
        done, now_s = self._window.done(), self._mqtt.now_s
        if done - self._cursor >= _SAVE_EVERY or (done > self._cursor and now_s >= self._save_s):
            self._cursor, self._save_s = done, now_s + _SAVE_EVERY_S
            self.save_cursor()

    def close(self) -> None:
        """Save how far the broker has come, or LedgerError."""
        self._cursor = self._window.done()
        self.save_cursor()

    def done(self) -> int:
        """Return the last entry that the broker has acknowledged, with all before it."""
        return self._window.done()

    def behind(self) -> int:
        """Return how many entries of the ledger the broker has not acknowledged yet."""
        return self._ledger.last_seq() - self.done()

    def idle(self) -> bool:
        """Return True if the broker has acknowledged everything in the ledger, and every state."""
        nothing_waits = not self._window.waiting and self._window.read_to >= self._ledger.last_seq()
        return self.retained.acknowledged() and nothing_waits


def _last_shoe(ledger: Ledger, table: str, read_to: int) -> bytes | None:
    """Return the last message about a table's shoe up to this entry, as it was sent."""
    shoe = ledger.last_shoe(table, read_to)
    return placed(shoe, ledger.gateway_id().hex(), ledger.last_published(shoe.seq - 1)) if shoe else None


def _status(state: str, time: str, fields: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(msgspec.convert({"state": state, "time": time, **fields}, StatusMessage))
