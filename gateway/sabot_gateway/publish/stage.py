"""Publish stage: in each turn of the loop, send the ledger's new entries and each table's state to the broker."""

import selectors
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import structlog
from sabot_protocol.topics import command_topic, jackpot_topic
from sabot_service.broker import Broker
from sabot_service.buffered import MOST_READ_BYTES
from sabot_service.moment import Moment
from sabot_service.mqtt import LoopClient

from sabot_gateway.config import Config, Table
from sabot_gateway.incidents.listing import open_message
from sabot_gateway.jackpots.jackpots import Jackpots
from sabot_gateway.ledger import Entry, Ledger
from sabot_gateway.publish.beat import Beat
from sabot_gateway.publish.latency import Latency
from sabot_gateway.publish.publisher import Publisher
from sabot_gateway.publish.screens import ScreenTopics
from sabot_gateway.publish.status import StatusTopics
from sabot_gateway.table_session import TableSession

# In one turn. After a connection the broker sends every retained state: with too little a turn, and the long turns of
# many tables, it would be many seconds until our own come back, and until then no event is published.
_READ_BYTES_A_TABLE = 2048
_CHANGES_A_STATE = frozenset(("alarm", "incident", "shoe"))  # topics of entries after which a state is published

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class PublishStage:
    """The connection to the broker, and all that is published over it."""

    def __init__(
        self,
        config: Config,
        ledger: Ledger,
        tables: Mapping[str, TableSession],
        selector: selectors.BaseSelector,
        at: Moment,
        keepalive_s: int,
    ) -> None:
        self._tables, self._site = tables, config.site
        self.mqtt = LoopClient(
            Broker.from_url(config.broker),
            config.client_id(),
            clean_session=False,
            many_messages=True,
            selector=selector,
            login=config.login,
            keepalive_s=keepalive_s,
            most_read_bytes=max(MOST_READ_BYTES, _READ_BYTES_A_TABLE * len(config.table)),
        )
        exposed = config.login.exposed(self.mqtt.broker)
        if exposed:
            log.warning(exposed)
        self.publisher = Publisher(self.mqtt, ledger, config.site, at.time, config.gateway or "")
        self.status_topics = StatusTopics(self.publisher, config.keys, self._config_of)
        self.screens = ScreenTopics(self.publisher)
        self._beat = Beat(self.mqtt, config.site, config.gateway or "", ledger.gateway_id().hex(), ledger.last_seq)
        self.latency = Latency()
        self._alarms_due: dict[str, bool] = {}  # tables to publish the open incidents of; True: and the active alarms

    def _config_of(self, table: str) -> Table | None:
        return self._tables[table].config if table in self._tables else None

    def serve(self, tables: Iterable[str]) -> None:
        """Publish for these tables from now on, and for no others."""
        self.publisher.serve(tables)

    def listen(self, jackpots: Jackpots) -> None:
        """Listen to the floor's meters, if there is any jackpot; sign the beats with the key of the jackpots."""
        self._beat.sign = jackpots.signed
        if jackpots.names():
            topic = jackpot_topic(self._site, "+", "meter")
            self.publisher.retained.subscriptions.listen(topic, jackpots.meters.received, retained=True)

    def listen_to_commands(self, take: Callable[[str, bytes], None]) -> None:
        """Listen to the commands of the floor service to any table; what comes while we are away is not kept."""
        self.publisher.retained.subscriptions.listen(command_topic(self._site, "+"), take)

    def stored(self, entries: list[Entry], last_seq: int, read_s: float) -> None:
        """Take note of entries, up to `last_seq`, that are durable now and were read at `read_s`."""
        self.latency.stored(last_seq, len(entries), read_s)
        tables: dict[str, None] = {}
        for entry in entries:
            tables[entry.table] = None
            if entry.topic in _CHANGES_A_STATE:
                self._state_changed(entry)
        tables.pop("", None)  # the gateway's own
        self.screens.changed(tables)

    def _state_changed(self, entry: Entry) -> None:
        if entry.topic == "shoe":
            self.publisher.retained.shoe_changed()
        else:
            self._alarms_due[entry.table] = entry.topic == "alarm" or self._alarms_due.get(entry.table, False)

    def alarms_changed(self, tables: Iterable[str]) -> None:
        """Publish the active alarms of these tables when they are due."""
        self._alarms_due |= dict.fromkeys(tables, True)

    def all_changed(self, tables: Iterable[str]) -> None:
        """Publish every state of these tables when they are due: they are served from now on, or changed."""
        names = list(tables)
        self.alarms_changed(names)
        self.screens.changed(names)

    def receive(self, at: Moment, monotonic: Callable[[], float]) -> None:
        """Take what the broker has sent, first of all its acknowledgements."""
        self.mqtt.step(at.now_s)
        self.latency.published(self.publisher.done(), monotonic())

    def step(self, at: Moment, *, held: bool) -> None:
        """Send what is due; while the gateway is held, states only and nothing from the ledger."""
        if not self.publisher.stopping:
            self._beat.step(at)
        if held:
            self.publisher.pump_states()
        else:
            self._publish_alarms(at)
            self.screens.step(self._tables, at)
            self.publisher.pump()
        self.publisher.replies.pump()
        self.status_topics.broker(self.mqtt.problem, at.now_s)

    def _publish_alarms(self, at: Moment) -> None:
        """Publish the alarms that are due; those of a table that was removed stay as they were published last."""
        for name, alarms in list(self._alarms_due.items()):
            table = self._tables.get(name)
            if table is None or self.status_topics.alarms(table, at, changed=alarms):
                del self._alarms_due[name]

    def close_table(self, table: TableSession, at: Moment) -> None:
        """Publish the last state of a table that is no longer served, or is about to change."""
        if table.name in self._alarms_due:
            self.publisher.set_table_state(table.name, "alarms", table.alarms(at.time))
            self.publisher.set_table_state(table.name, "open", open_message(table.name, table.incidents, at.time))
        self.screens.closed(table.name)
        self.status_topics.closed(
            table.name, "this table is not in the gateway's config any more, or was just changed there", at.time
        )

    def connected(self) -> bool:
        """Return True while the broker has accepted the gateway."""
        return bool(self.mqtt.client.is_connected())

    def idle(self) -> bool:
        """Return True if the broker has acknowledged everything in the ledger, and every state."""
        return self.publisher.idle() and not self._alarms_due and self.screens.idle()

    def status(self) -> dict[str, Any]:
        """Return the broker's part of `sabot gateway status`."""
        return {
            "url": str(self.mqtt.broker),
            "connected": self.connected(),
            "problem": self.mqtt.problem,
            "behind": self.publisher.behind(),
            "overwritten": self.publisher.retained.overwritten,
            "latency": self.latency.summary(),
        }
