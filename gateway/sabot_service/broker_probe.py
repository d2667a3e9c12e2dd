"""Broker probe: try connection, login and permissions at a broker, and leave it as it was."""

import secrets
import selectors
import time
from collections.abc import Sequence
from typing import Any

from sabot_service.broker import Broker, BrokerUrlError, Login, LoginError
from sabot_service.facts import Fact
from sabot_service.mqtt import LoopClient

_ANSWER_WITHIN_S = 6.0  # from the name of the broker to what it brings back
_TURN_S = 0.05


def broker_fact(url: str, login: Login, topic: str, tables: str, filters: Sequence[str] = ()) -> Fact:
    """Return whether the broker accepts us, lets us read `filters`, and returns what we publish on `topic`.

    `tables` names what else this user must write.
    """
    try:
        probe = _BrokerProbe(Broker.from_url(url), login, topic, tables, filters)
    except (BrokerUrlError, LoginError) as error:
        return Fact("wrong", "broker", str(error))
    return probe.run()


class _BrokerProbe:
    """A client of its own name, so that a daemon that runs is not thrown out; nothing is retained."""

    def __init__(self, broker: Broker, login: Login, topic: str, tables: str, filters: Sequence[str]) -> None:
        self._selector = selectors.DefaultSelector()
        name = f"sabot-check-{secrets.token_hex(4)}"
        self._client = LoopClient(broker, name, clean_session=True, selector=self._selector, login=login)
        self._broker, self._topic, self._tables = broker, topic, tables
        self._filters, self._refused = [topic, *filters], list[str]()
        self._let_in = self._came_back = False
        self._client.on_ready = self._subscribe
        self._client.client.on_subscribe = self._publish
        self._client.client.on_message = self._note_back

    def _subscribe(self) -> None:
        self._let_in = True
        self._client.client.subscribe([(one, 1) for one in self._filters])

    def _publish(self, _client: object, _userdata: object, _message_id: int, answers: Any, *_: object) -> None:
        asked = zip(self._filters, answers, strict=False)
        self._refused = [topic for topic, answer in asked if answer.is_failure and topic != self._topic]
        self._client.client.publish(self._topic, b"{}", 1)

    def _note_back(self, _client: object, _userdata: object, message: Any) -> None:
        self._came_back = self._came_back or message.topic == self._topic

    def run(self) -> Fact:
        """Run until the answer is known, or it is too late."""
        end_s = time.monotonic() + _ANSWER_WITHIN_S
        with self._selector:
            while not (self._came_back or self._client.problem or self._refused) and time.monotonic() < end_s:
                self._selector.select(_TURN_S)
                self._client.step(time.monotonic())
            fact = self._fact()
            self._client.close()
        return fact

    def _fact(self) -> Fact:
        if self._refused:
            listed = ", ".join(self._refused)
            return Fact("wrong", "broker", f"{self._broker} does not let this user read {listed}; allow it there")
        if self._came_back:
            return Fact("ok", "broker", f"{self._broker}: lets us in and takes what we publish")
        if self._client.problem:
            return Fact("wrong", "broker", self._client.problem)
        if not self._let_in:
            return Fact("wrong", "broker", f"{self._broker} does not answer; check the address and the broker")
        rights = f"its rights are not proved; let this user write and read {self._topic}, and write {self._tables}"
        return Fact(
            "warning", "broker", f"{self._broker} lets us in, but does not bring back what we publish: {rights}"
        )
