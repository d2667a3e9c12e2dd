"""Subscriptions: topics that the gateway reads; asked for after every reconnect, with a warning if one is refused."""

from collections.abc import Callable, Iterable

import structlog
from sabot_service.mqtt import LoopClient
from sabot_service.rate_limit import LogLimiter
from sabot_service.subscriber import Subscriber

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class Subscriptions:
    """QoS 0: what is retained comes again with every connection."""

    def __init__(self, mqtt: LoopClient, topics: Iterable[str]) -> None:
        self._mqtt, self._limiter = mqtt, LogLimiter()
        self._topics = list(topics)  # without states of others: our own follow each connection
        self._states: list[str] = []  # retained by others
        self._subscriber = Subscriber(mqtt)

    def listen(self, topic: str, take: Callable[[str, bytes], None], *, retained: bool = False) -> None:
        """Pass on what others publish on a topic, from now on; what is retained there comes with every call."""
        topics = self._states if retained else self._topics
        if topic not in topics:
            topics.append(topic)
        self._mqtt.client.message_callback_add(
            topic, lambda _client, _userdata, message: take(message.topic, bytes(message.payload))
        )
        if self._mqtt.client.is_connected():
            subscribe = self._subscriber.subscribe if retained else self._subscriber.subscribe_once
            subscribe([topic], 0, self._warn)

    def on_ready(self) -> None:
        """Subscribe to all: a connection begins."""
        self._subscriber.begin()
        self._subscriber.subscribe_once(self._topics, 0, self._warn)
        if self._states:
            self._subscriber.subscribe(self._states, 0, self._warn)

    def _warn(self, refused: list[str]) -> None:
        """Warn if the broker lets us read nothing but our statuses."""
        if refused and self._limiter.take("refused", self._mqtt.now_s) is not None:
            log.warning(
                f"the broker at {self._mqtt.broker} does not let {self._mqtt.login.user or 'us'} read {refused[0]}: "
                "the gateway cannot notice what others publish there; allow it, as the examples do"
            )
