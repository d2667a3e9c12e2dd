"""Others on our topics, at real brokers: what they retain there is put right, and nothing they send ends the daemon."""

import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from floor import Floor
from sabot_gateway.ledger import Entry, Ledger
from sabot_gateway.publish.publisher import Publisher
from shoe_events import event
from structlog.testing import capture_logs
from support.brokers import KINDS, Site
from support.mqtt_clients import MqttClient, step_until
from test_7_hold import Turns

ROOT = "sabot/v1/test"
NOW = "2026-01-01T00:00:00.000Z"
TABLES = ("bac-01", "bac-02")
OWN = ("status", "bac-01/status", "bac-01/alarms", "bac-01/history", "bac-01/hand", "bac-01/shoe", "bac-02/shoe")
NOT_OURS = ("bac-09/status", "bac-09/shoe", "bac-09/alarms")


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def floor(kind: str, site: Site, tmp_path: Path) -> Iterator[Floor]:
    """Two shoes served, one of them opened; everything published a while ago."""
    with ExitStack() as stack:
        made = Floor(stack, tmp_path, *TABLES, broker=str(site.start(kind)))
        made.app.begin()
        made.greet()
        opened = event(1, "shoe_opened", shoe_no=1, card_set=1, decks=8, burn="none")
        made.lines["bac-01"].write(made.lines["bac-01"].shoe.logged(opened))
        made.lines["bac-01"].next_no = 2
        made.until(lambda: made.events("bac-01") and made.app.published())
        made.app._publish.publisher.retained._ready_s -= 10.0  # beyond the moment in which our own words may come twice
        yield made


@pytest.fixture
def intruder(floor: Floor) -> MqttClient:
    """Writes and reads everywhere."""
    made = MqttClient(floor.app._publish.mqtt.broker, "intruder")
    made.subscribe(f"{ROOT}/#")
    return made


def retained(floor: Floor) -> dict[str, bytes]:
    """Return what a new subscriber receives."""
    late = MqttClient(floor.app._publish.mqtt.broker, "late")
    late.subscribe(f"{ROOT}/#")
    late.subscribe("nothing")
    late.mqtt.client.publish("nothing", b"", qos=1)  # behind whatever is retained
    step_until(lambda: "nothing" in late.topics(), late)
    late.mqtt.close()
    return {topic.removeprefix(f"{ROOT}/"): payload for topic, payload in late.messages if payload}


def test_what_others_retain_on_our_topics_is_put_right_and_logged(floor: Floor, intruder: MqttClient) -> None:
    before = retained(floor)
    assert {*OWN} - {"bac-02/shoe"} <= before.keys()
    turns = Turns(floor, 0.02)
    with capture_logs() as logs:
        for topic in (*OWN, *NOT_OURS):
            intruder.mqtt.client.publish(f"{ROOT}/{topic}", b'{"state":"offline"}', qos=1, retain=True)
        step_until(lambda: floor.app._publish.publisher.retained.overwritten >= len(OWN), intruder, turns)
        floor.until(floor.app.published)
    now = retained(floor)
    assert {topic: now.get(topic) for topic in OWN} == {topic: before.get(topic) for topic in OWN}
    assert {topic: now[topic] for topic in NOT_OURS} == dict.fromkeys(NOT_OURS, b'{"state":"offline"}')
    lines = [entry["event"] for entry in logs if "somebody else published" in entry["event"]]
    assert 1 <= len(lines) <= len(OWN)
    assert floor.app._requests.status(floor.app._at())["broker"]["overwritten"] == len(OWN)


def test_what_was_retained_while_the_gateway_was_away_is_put_right_at_its_start(
    floor: Floor, intruder: MqttClient, tmp_path: Path
) -> None:
    before = retained(floor)
    floor.goodbye()
    for topic in OWN:
        intruder.mqtt.client.publish(f"{ROOT}/{topic}", b"false", qos=1, retain=True)
    step_until(lambda: len(intruder.acknowledged) >= len(OWN), intruder)
    with ExitStack() as stack:
        again = Floor(stack, tmp_path, *TABLES, broker=str(floor.app._publish.mqtt.broker))
        again.lines["bac-01"].next_no = 2
        again.app.begin()
        again.greet()
        again.until(again.app.published)
        now = retained(again)
    assert now["bac-01/shoe"] == before["bac-01/shoe"]
    assert not [topic for topic in OWN[:4] if now[topic] == b"false"]


def test_a_flood_of_garbage_of_any_size_ends_nothing_and_is_answered_with_few_messages(
    floor: Floor, intruder: MqttClient, kind: str
) -> None:
    rng, turns = random.Random(1), Turns(floor, 0.02)
    before = retained(floor)
    sent = 120
    for number in range(sent):
        topic = rng.choice(OWN)
        most = 900_000 if number % 40 == 0 else 200
        intruder.mqtt.client.publish(f"{ROOT}/{topic}", rng.randbytes(rng.randrange(most)), qos=1, retain=True)
    with capture_logs() as logs:
        step_until(lambda: len(intruder.acknowledged) >= sent, intruder, turns)
        floor.lines["bac-01"].coup(1)
        step_until(lambda: f"{ROOT}/bac-01/coup" in intruder.topics(), intruder, turns)
        floor.until(lambda: floor.app._publish.publisher.retained.overwritten >= sent - len(OWN))
        floor.until(lambda: not floor.app._publish.publisher.retained._overwrites._wrong and floor.app.published())
    now = retained(floor)
    before |= {name: floor.app.retained_topics()[f"{ROOT}/{name}"] for name in ("bac-01/history", "bac-01/hand")}
    assert {topic: now.get(topic) for topic in OWN} == {topic: before.get(topic) for topic in OWN}
    assert sum("somebody else published" in entry["event"] for entry in logs) <= 5
    assert [entry for entry in logs if "exc_info" in entry] == []


def test_the_topics_of_a_removed_table_are_not_touched(floor: Floor, intruder: MqttClient) -> None:
    floor.reload(floor.with_tables("bac-02"))
    floor.step(5)
    floor.until(floor.app.published)
    intruder.mqtt.client.publish(f"{ROOT}/bac-01/status", b'{"state":"online"}', qos=1, retain=True)
    step_until(lambda: intruder.acknowledged, intruder)
    floor.step(30, pass_s=0.02)
    assert retained(floor)["bac-01/status"] == b'{"state":"online"}'
    assert floor.app._publish.publisher.retained.overwritten == 0
    assert b"discrepancy" not in retained(floor)["bac-01/alarms"]


def test_a_broker_that_lets_us_read_only_our_statuses_serves_us_and_is_named(site: Site) -> None:
    """As the example of an earlier release had it."""
    more = ', "sabot.v1.sydney.*.shoe", "sabot.v1.sydney.*.alarms"'
    server = site.example("nats", {more: ""})
    line = MqttClient(server, "gateway", site.login("gateway-sydney"))
    ledger = Ledger(site.work_dir / "ledger.db")
    publisher = Publisher(line.mqtt, ledger, "sydney", NOW)
    publisher.set_table_status("bac-01", "online", NOW)

    class Turn:
        def step(self, now_s: float) -> None:
            publisher.pump()

    with capture_logs() as logs:
        ledger.append([Entry("u", 1, "bac-01", "coup", b"{}", b"")])
        step_until(lambda: line.mqtt.client.is_connected() and publisher.idle() and logs, line, Turn())
    assert "does not let gateway-sydney read sabot/v1/sydney/+/shoe" in logs[0]["event"]
    assert len(logs) == 1
