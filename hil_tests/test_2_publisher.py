"""The publisher on a real broker, stage by stage."""

import selectors
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sabot_gateway.ledger import Ledger
from sabot_gateway.mqtt import Broker, LoopClient
from sabot_gateway.publish import Publisher
from sabot_protocol.topics import ROOT
from sabot_tools import broker
from sabot_tools.children import Children

PATIENCE_S = 20.0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Broker]:
    children = Children(tmp_path)
    yield broker.start(children, tmp_path, 0)
    children.stop()


class Line:
    """A client and the messages it has received."""

    def __init__(self, server: Broker, name: str) -> None:
        self.mqtt = LoopClient(server, name, clean_session=True, selector=selectors.DefaultSelector())
        self.topics: list[str] = []
        self.subscribed: list[object] = []
        self.mqtt.client.on_message = lambda _client, _userdata, message: self.topics.append(message.topic)
        self.mqtt.client.on_subscribe = lambda *which: self.subscribed.append(which)

    def subscribe(self) -> None:
        self.step_until(self.mqtt.client.is_connected)
        self.mqtt.client.subscribe(f"{ROOT}/site/#", qos=1)
        self.step_until(lambda: bool(self.subscribed))

    def step_until(self, done: Callable[[], bool], *others: LoopClient) -> None:
        give_up_s = time.monotonic() + PATIENCE_S
        while not done():
            assert time.monotonic() < give_up_s
            for client in (self.mqtt, *others):
                client.step(time.monotonic())


def test_a_state_said_as_the_broker_answers_is_said_once(server: Broker, tmp_path: Path) -> None:
    reader, writer = Line(server, "reader"), Line(server, "writer")
    reader.subscribe()
    ledger = Ledger(tmp_path / "ledger.db")
    publisher = Publisher(writer.mqtt, ledger, "site", "2026-01-01T00:00:00.000Z")
    writer.step_until(writer.mqtt.client.is_connected)
    publisher.say_table("bac-01", "online", "2026-01-01T00:00:00.000Z")  # before the first pump
    publisher.pump()
    publisher.say_table("bac-02", "online", "2026-01-01T00:00:00.000Z")
    reader.step_until(lambda: f"{ROOT}/site/bac-02/status" in reader.topics, writer.mqtt)
    assert reader.topics == [f"{ROOT}/site/bac-01/status", f"{ROOT}/site/bac-02/status"]
