"""Heads of a ledger that a broker keeps, for comparison with the ledger itself."""

import selectors
import time
from pathlib import Path
from typing import Any

import msgspec
from sabot_gateway import config as configs
from sabot_gateway.config import Config
from sabot_gateway.ledger import LedgerError
from sabot_protocol.topics import LedgerMessage, ledger_topic
from sabot_service.broker import Broker, BrokerUrlError, Login, LoginError
from sabot_service.mqtt import LoopClient

_WITHIN_S = 5.0  # to connect and receive
_MOST_HEADS = 1000  # of all the sites of a broker


def _topics(config: Config | None) -> list[str]:
    """Return the topics with heads: of the config's gateway, or of every gateway of every site."""
    if config:
        return [ledger_topic(config.site, config.gateway or "")]
    return [ledger_topic("+"), ledger_topic("+", "+")]


def at_broker(url: str | None, config_path: Path | None) -> list[LedgerMessage]:
    """Return the heads that a broker keeps: of the config's site, or without a config of every readable site."""
    config, found = configs.read(config_path) if config_path else (None, [])
    if found:
        raise LedgerError(f"{config_path}: {found[0]}")
    try:
        broker = Broker.from_url(url or (config.broker if config else ""))
        login = config.login if config else Login()
        return retained(broker, login, _topics(config))
    except (BrokerUrlError, LoginError, LedgerError) as error:
        more = "" if config else "; if the broker needs a login, give the gateway's config with --config TOML"
        raise LedgerError(f"{error}{more}") from None


def retained(broker: Broker, login: Login, topics: list[str]) -> list[LedgerMessage]:
    """Return the retained messages of some topics: a broker delivers them before it answers later packets."""
    selector = selectors.DefaultSelector()
    mqtt = LoopClient(broker, "", clean_session=True, selector=selector, login=login)
    found = _Retained(mqtt, topics)
    end_s = time.monotonic() + _WITHIN_S
    try:
        while not found.complete and not mqtt.problem and time.monotonic() < end_s:
            mqtt.step(time.monotonic())
            selector.select(0.05)
    finally:
        mqtt.close()
    if not found.payloads:
        raise LedgerError(
            mqtt.problem or f"the broker at {broker} has no retained head of a ledger on {' or '.join(topics)}"
        )
    return [_decoded(broker, topic, payload) for topic, payload in found.payloads]


class _Retained:
    """Subscribes and unsubscribes at once: the retained messages come between the two acknowledgements."""

    def __init__(self, mqtt: LoopClient, topics: list[str]) -> None:
        self.payloads: list[tuple[str, bytes]] = []
        self.complete = False
        self._mqtt, self._topics = mqtt, topics
        mqtt.on_ready = self._on_ready
        mqtt.client.on_message = self._on_message
        mqtt.client.on_subscribe = self._on_subscribe
        mqtt.client.on_unsubscribe = self._on_unsubscribe

    def _on_ready(self) -> None:
        self._mqtt.client.subscribe([(topic, 1) for topic in self._topics])

    def _on_message(self, _client: object, _userdata: object, message: Any) -> None:
        if len(self.payloads) < _MOST_HEADS:
            self.payloads.append((message.topic, message.payload))

    def _on_subscribe(self, *_: object) -> None:
        self._mqtt.client.unsubscribe(self._topics)

    def _on_unsubscribe(self, *_: object) -> None:
        self.complete = True


def _decoded(broker: Broker, topic: str, payload: bytes) -> LedgerMessage:
    try:
        return msgspec.json.decode(payload, type=LedgerMessage)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise LedgerError(f"the retained message on {topic} at {broker} is not a head of a ledger: {error}") from None
