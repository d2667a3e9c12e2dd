"""A gateway whose ledger fails, with a real broker: what is retained meanwhile, afterwards and at its end."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
from floor import Floor
from sabot_gateway.ledger import Stored
from support.brokers import KINDS, Site
from support.mqtt_clients import MqttClient, step_until

ROOT = "sabot/v1/test"
TABLES = ("bac-01", "bac-02")


class Turns:
    """The daemon's loop as one of the parts of a test."""

    def __init__(self, floor: Floor, pass_s: float = 0.1) -> None:
        self._floor, self._pass_s = floor, pass_s

    def step(self, now_s: float) -> None:
        """Run one turn, this much later."""
        self._floor.step(pass_s=self._pass_s)


@pytest.fixture(params=KINDS)
def floor(request: pytest.FixtureRequest, site: Site, tmp_path: Path) -> Iterator[Floor]:
    """Two shoes served, everything published."""
    with ExitStack() as stack:
        made = Floor(stack, tmp_path, *TABLES, broker=str(site.start(request.param)))
        made.app.begin()
        made.greet()
        made.until(made.app.published)
        yield made


@pytest.fixture
def display(floor: Floor) -> MqttClient:
    """A new subscriber, which gets what is retained."""
    made = MqttClient(floor.app._publish.mqtt.broker, "display")
    made.subscribe(f"{ROOT}/#")
    return made


def last(display: MqttClient, topic: str) -> dict[str, Any]:
    found = [payload for name, payload in display.messages if name == f"{ROOT}/{topic}"]
    newest: dict[str, Any] = msgspec.json.decode(found[-1]) if found else {}
    return newest


def coups(display: MqttClient) -> int:
    return display.topics().count(f"{ROOT}/bac-01/coup")


def test_a_ledger_that_cannot_be_read_for_publishing_holds_and_continues(floor: Floor, display: MqttClient) -> None:
    turns = Turns(floor)
    floor.lines["bac-01"].coup(1)
    with floor.unreadable():
        step_until(lambda: "problem" in last(display, "bac-02/status"), display, turns)
        assert last(display, "bac-02/status")["state"] == "offline"
        assert last(display, "bac-02/status")["problem"] == last(display, "status")["problem"]
        assert coups(display) == 0
    step_until(lambda: coups(display), display, turns)
    step_until(lambda: last(display, "bac-02/status")["state"] == "online", display, turns)
    assert "problem" not in last(display, "status")


def test_only_the_reading_of_what_is_stored_fails(
    floor: Floor, display: MqttClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was taken is stored and acknowledged; it is published when it can be read again, once."""
    turns, read = Turns(floor), floor.app._ledger.since

    def unreadable(seq: int, limit: int) -> list[Stored]:
        with floor.unreadable():
            return read(seq, limit)

    with monkeypatch.context() as fault:
        for name in ("since", "next_after"):
            fault.setattr(floor.app._ledger, name, unreadable)
        floor.lines["bac-01"].coup(1)
        step_until(lambda: "problem" in last(display, "status"), display, turns)
        problem = last(display, "status")["problem"]
        assert "the ledger cannot be read" in problem
        assert floor.events("bac-01") == [1, 2, 3, 4, 5]
        beats = display.topics().count(f"{ROOT}/beat")
        for _ in range(20):
            floor.step(pass_s=0.3)
        step_until(lambda: display.topics().count(f"{ROOT}/beat") >= beats + 4, display)  # once a second, also now
        assert floor.retained("status")["problem"] == problem
    step_until(lambda: coups(display), display, turns)
    floor.until(floor.app.published, pass_s=0.2)
    assert coups(display) == 1


def test_a_ledger_that_fails_during_the_goodbye_leaves_offline_behind(floor: Floor, display: MqttClient) -> None:
    floor.lines["bac-01"].coup(1)
    with floor.unreadable():
        floor.goodbye()
        step_until(lambda: last(display, "status").get("state") == "offline", display)
    late = MqttClient(floor.app._publish.mqtt.broker, "late")
    late.subscribe(f"{ROOT}/status")
    step_until(lambda: late.messages, late)
    assert last(late, "status")["state"] == "offline"


def test_a_goodbye_that_the_broker_does_not_acknowledge_is_left_to_the_will(
    floor: Floor, display: MqttClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(floor.app._publish.publisher.retained, "_send", lambda: None)
    floor.app._monotonic = iter(range(10_000)).__next__  # it waits, but not for ever
    floor.goodbye()
    step_until(lambda: last(display, "status").get("state") == "offline", display)
