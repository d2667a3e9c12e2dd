"""Subscriptions: topics that the gateway reads; asked for after every reconnect, with a warning if one is refused."""

from collections.abc import Callable, Iterable
from typing import Any

import structlog
from sabot_protocol.service.mqtt import LoopClient
from sabot_protocol.service.rate_limit import LogLimiter

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class Subscriptions:
    """QoS 0: what is retained comes again with every connection."""

    def __init__(self, mqtt: LoopClient, topics: Iterable[str]) -> None:
        self._mqtt, self._topics, self._limiter = mqtt, list(topics), LogLimiter()
        self._asked: dict[int, list[str]] = {}  # not yet answered, by message id
        mqtt.client.on_subscribe = self._on_subscribe

    def listen(self, topic: str, take: Callable[[str, bytes], None]) -> None:
        """Pass on what others publish on a topic, from now on; what is retained there comes with every call."""
        if topic not in self._topics:
            self._topics.append(topic)
        self._mqtt.client.message_callback_add(
            topic, lambda _client, _userdata, message: take(message.topic, bytes(message.payload))
        )
        if self._mqtt.client.is_connected():
            self._subscribe([topic])

    def on_ready(self) -> None:
        """Subscribe to all: a connection begins."""
        self._asked.clear()
        self._subscribe(list(self._topics))

    def _subscribe(self, topics: list[str]) -> None:
        _, message_id = self._mqtt.client.subscribe([(topic, 0) for topic in topics])
        if message_id is not None:
            self._asked[message_id] = topics

    def _on_subscribe(self, _client: object, _userdata: object, mid: int, answers: Any, *_: object) -> None:
        """Warn if the broker lets us read nothing but our statuses."""
        asked = self._asked.pop(mid, ())
        refused = [topic for topic, answer in zip(asked, answers, strict=False) if answer.is_failure]
        if refused and self._limiter.take("refused", self._mqtt.now_s) is not None:
            log.warning(
                f"the broker at {self._mqtt.broker} does not let {self._mqtt.login.user or 'us'} read {refused[0]}: "
                "the gateway cannot notice what others publish there; allow it, as the examples do"
            )
