"""Subscribers: one that passes every message on, and one that keeps each message once, as a consumer does."""

import selectors
from collections.abc import Callable
from typing import Any

import msgspec
import paho.mqtt.client as paho
from sabot_protocol.topics import ROOT
from sabot_service.broker import Broker, Login
from sabot_service.mqtt import KEEPALIVE_S, NO_KEEPALIVE, LoopClient

_NO_LOGIN = Login()


class Subscriber:
    """Subscribes to one topic filter with QoS 1 and calls `on_message` with topic and payload; drive it by step().

    With `lasting` its session outlives its connection, and the broker's restart.
    """

    def __init__(
        self,
        broker: Broker,
        client_id: str,
        topic_filter: str,
        on_message: Callable[[str, bytes], None],
        selector: selectors.BaseSelector,
        *,
        login: Login = _NO_LOGIN,
        lasting: bool = False,
        keepalive_s: int = KEEPALIVE_S,
    ) -> None:
        self.ready = False  # the broker has accepted the subscription, and the connection is up
        self._topic_filter, self._on_message, self._lasting = topic_filter, on_message, lasting
        self._subscribed = False
        self._mqtt = LoopClient(
            broker, client_id, clean_session=not lasting, selector=selector, login=login, keepalive_s=keepalive_s
        )
        self._mqtt.on_ready = self._on_ready
        self._mqtt.on_lost = self._on_lost
        self._mqtt.client.on_subscribe = self._on_subscribe
        self._mqtt.client.on_message = self._on_paho_message

    @property
    def problem(self) -> str | None:
        """Return why the broker cannot be reached, or None."""
        return self._mqtt.problem

    def _on_ready(self) -> None:
        """Subscribe, but not again in a lasting session: the broker would send retained messages before older ones."""
        if self._lasting and self._subscribed:
            self.ready = True
        else:
            self._mqtt.client.subscribe(self._topic_filter, qos=1)

    def _on_subscribe(self, *_: object) -> None:
        self.ready = self._subscribed = True

    def _on_lost(self) -> None:
        self.ready = False

    def _on_paho_message(self, _client: object, _userdata: object, message: paho.MQTTMessage) -> None:
        self._on_message(message.topic, bytes(message.payload))

    def publish(self, topic: str, payload: bytes, *, qos: int = 1, retain: bool = False) -> None:
        """Queue a message; step() sends it."""
        self._mqtt.client.publish(topic, payload, qos=qos, retain=retain)

    def step(self, now_s: float) -> None:
        """Connect, send and receive what is due, without waiting."""
        self._mqtt.step(now_s)

    def close(self) -> None:
        """Disconnect."""
        self._mqtt.close()


class SiteSubscriber(Subscriber):
    """Keeps every message of a site once: an event by its id, a state when it changes.

    `received` holds (topic below the site, message); an array of cards is one message per card.
    """

    def __init__(self, broker: Broker, site: str, selector: selectors.BaseSelector) -> None:
        self._root = f"{ROOT}/{site}/"
        self.received: list[tuple[str, dict[str, Any]]] = []
        self.ids: set[tuple[str, str]] = set()  # topic below the site, id
        self.states: dict[str, bytes] = {}  # full topic: last payload
        name, topics = f"sabot-replay-{site}", f"{self._root}#"
        super().__init__(broker, name, topics, self._keep, selector, keepalive_s=NO_KEEPALIVE)

    def _keep(self, full_topic: str, payload: bytes) -> None:
        topic, decoded = full_topic.removeprefix(self._root), msgspec.json.decode(payload)
        for message in decoded if isinstance(decoded, list) else [decoded]:
            if "id" not in message:
                self._keep_state(full_topic, topic, payload, message)
            elif (topic, message["id"]) not in self.ids:
                self.ids.add((topic, message["id"]))
                self.received.append((topic, message))

    def _keep_state(self, full_topic: str, topic: str, payload: bytes, message: dict[str, Any]) -> None:
        if self.states.get(full_topic) != payload:
            self.states[full_topic] = payload
            self.received.append((topic, message))
