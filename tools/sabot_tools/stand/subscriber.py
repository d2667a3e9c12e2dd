"""A subscriber of one site: keeps what comes, each id and each state once, as a consumer does it."""

import selectors
from typing import Any

import msgspec
import paho.mqtt.client as paho
from sabot_gateway.publish.broker import Broker
from sabot_gateway.publish.mqtt import LoopClient
from sabot_protocol.topics import ROOT


class Subscriber:
    """Drive it by step(); `received` are topics below the site and payloads, an array of cards as one of each."""

    def __init__(self, broker: Broker, site: str, selector: selectors.BaseSelector) -> None:
        self._root = f"{ROOT}/{site}/"
        self.ready = False
        self.received: list[tuple[str, dict[str, Any]]] = []
        self.ids: set[tuple[str, str]] = set()
        self.states: dict[str, bytes] = {}  # full topic: last payload
        self._mqtt = LoopClient(broker, f"sabot-replay-{site}", clean_session=True, selector=selector)
        self._mqtt.on_ready = self._subscribe
        self._mqtt.on_lost = self._lose
        self._mqtt.client.on_subscribe = self._on_subscribe
        self._mqtt.client.on_message = self._on_message

    @property
    def problem(self) -> str | None:
        """Why it cannot hear."""
        return self._mqtt.problem

    def _subscribe(self) -> None:
        self._mqtt.client.subscribe(f"{self._root}#", qos=1)

    def _on_subscribe(self, *_: object) -> None:
        self.ready = True

    def _lose(self) -> None:
        self.ready = False

    def _on_message(self, _client: object, _userdata: object, message: paho.MQTTMessage) -> None:
        topic, payload = message.topic.removeprefix(self._root), bytes(message.payload)
        said = msgspec.json.decode(payload)
        for one in said if isinstance(said, list) else [said]:
            if "id" not in one:
                self._state(message.topic, topic, payload, one)
            elif (topic, one["id"]) not in self.ids:
                self.ids.add((topic, one["id"]))
                self.received.append((topic, one))

    def _state(self, whole: str, topic: str, payload: bytes, said: dict[str, Any]) -> None:
        if self.states.get(whole) != payload:
            self.states[whole] = payload
            self.received.append((topic, said))

    def step(self, now_s: float) -> None:
        """Take what came."""
        self._mqtt.step(now_s)

    def close(self) -> None:
        """Say goodbye."""
        self._mqtt.close()
