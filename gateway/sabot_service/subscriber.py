"""Subscriber: subscribes twice, since nats-server loses retained messages published while it makes a subscription."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sabot_service.mqtt import LoopClient


class _Asked(NamedTuple):
    topics: list[str]
    qos: int
    then: Callable[[list[str]], None]
    again: bool  # subscribe once more as soon as this is answered


class Subscriber:
    """`begin` with each connection, then `subscribe`: what is retained comes twice, and then `then` is called, once."""

    def __init__(self, mqtt: LoopClient) -> None:
        self._mqtt, self._asked = mqtt, dict[int, _Asked]()  # not yet answered, by message id
        mqtt.client.on_subscribe = self._on_subscribe

    def begin(self) -> None:
        """Forget what was asked: a connection begins."""
        self._asked.clear()

    def subscribe(
        self, topics: Sequence[str], qos: int, then: Callable[[list[str]], None] = lambda refused: None
    ) -> None:
        """Subscribe to topics; `then` gets those that the broker does not let us read, with its last answer."""
        self._ask(_Asked(list(topics), qos, then, again=True))

    def subscribe_once(self, topics: Sequence[str], qos: int, then: Callable[[list[str]], None]) -> None:
        """The same for topics where a retained message must not come twice, or need not come."""
        self._ask(_Asked(list(topics), qos, then, again=False))

    def _ask(self, asked: _Asked) -> None:
        _, message_id = self._mqtt.client.subscribe([(topic, asked.qos) for topic in asked.topics])
        if message_id is not None:  # None: the connection is gone
            self._asked[message_id] = asked

    def _on_subscribe(self, _client: object, _userdata: object, message_id: int, answers: Any, *_: object) -> None:
        asked = self._asked.pop(message_id, None)
        if asked is None:
            return
        if asked.again:
            self._ask(asked._replace(again=False))
        else:
            asked.then([topic for topic, answer in zip(asked.topics, answers, strict=False) if answer.is_failure])
