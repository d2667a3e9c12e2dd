"""Several gateways of one site at one broker: each has a name, its own tables and its own ledger."""

import selectors
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from floor import Floor
from sabot_gateway import config as configs
from sabot_gateway.config import Table
from sabot_tools.stand.broker import LocalBroker
from sabot_tools.stand.subscriber import Subscriber
from support.patience import PATIENCE_S

SITE = "sabot/v1/test"


class Inbox:
    """Everything of the site, by topic."""

    def __init__(self, server: LocalBroker) -> None:
        self.payloads: dict[str, list[bytes]] = defaultdict(list)
        self._selector = selectors.DefaultSelector()
        self.subscriber = Subscriber(server.address, "reader", f"{SITE}/#", self._take, self._selector)

    def _take(self, topic: str, payload: bytes) -> None:
        self.payloads[topic].append(payload)

    def step(self) -> None:
        self.subscriber.step(time.monotonic())

    def subscribe(self) -> None:
        """Wait for the broker's answer: nats-server can lose a retained message of the same moment."""
        give_up_s = time.monotonic() + PATIENCE_S
        while not self.subscriber.ready:
            self.step()
            assert time.monotonic() < give_up_s, self.subscriber.problem


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[LocalBroker]:
    server = LocalBroker(tmp_path)
    yield server
    server.kill()


def gateway(stack: ExitStack, path: Path, server: LocalBroker, table: str, name: str | None) -> Floor:
    path.mkdir()
    return Floor(stack, path, table, broker=str(server.address), gateway=name)


def run(gateways: list[Floor], reader: Inbox, done: str) -> None:
    """Turn both daemons and the reader until this topic has come."""
    give_up_s = time.monotonic() + PATIENCE_S
    while not reader.payloads[done]:
        for one in gateways:
            one.step(pass_s=0.02)
        reader.step()
        assert time.monotonic() < give_up_s, done


def test_two_gateways_of_one_site_are_connected_at_once_and_each_has_its_own_topics(
    tmp_path: Path, broker: LocalBroker
) -> None:
    with ExitStack() as stack:
        reader = Inbox(broker)
        reader.subscribe()
        first = gateway(stack, tmp_path / "first", broker, "bac-01", "pit-1")
        second = gateway(stack, tmp_path / "second", broker, "bac-02", "pit-2")
        for topic in ("bac-01/alarms", "bac-02/alarms", "gateway/pit-1/ledger", "gateway/pit-2/ledger"):
            run([first, second], reader, f"{SITE}/{topic}")
        problems = set()
        for _ in range(100):  # two clients of one name would throw each other off the broker
            for one in (first, second):
                one.step(pass_s=0.05)
                problems.add(one.app._publish.mqtt.problem)
            reader.step()
        assert problems == {None}
        first.app._publish.mqtt.hang_up()
        run([second], reader, f"{SITE}/gateway/pit-1/status")
        assert b'"offline"' in reader.payloads[f"{SITE}/gateway/pit-1/status"][0]
        assert not reader.payloads[f"{SITE}/gateway/pit-2/status"]
        assert not reader.payloads[f"{SITE}/status"] + reader.payloads[f"{SITE}/ledger"]


def test_a_gateway_without_a_name_has_the_topics_of_the_site() -> None:
    table = (Table("bac-01", "/dev/null", "star-baccarat"),)
    plain = configs.Config(site="sydney", ledger="l", broker="mqtt://h", table=table)
    named = configs.Config(site="sydney", ledger="l", broker="mqtt://h", table=table, gateway="pit-1")
    assert (plain.client_id(), named.client_id()) == ("sabot-gateway-sydney", "sabot-gateway-sydney-pit-1")


def test_a_table_cannot_have_the_name_of_the_gateways_topics() -> None:
    assert any("reserved" in problem for problem in configs.table_problems(Table("gateway", "/dev/null", "star-rapid")))
