"""The publisher on real brokers: lost answers, brokers that restart, messages sent again."""

import selectors
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from sabot_gateway.ledger import Entry, Ledger
from sabot_gateway.publish.publisher import Publisher
from sabot_protocol.topics import ROOT
from sabot_service.broker import Broker
from sabot_service.mqtt import LoopClient
from sabot_tools.stand.ports import HOST, free_port
from structlog.testing import capture_logs
from support.brokers import KINDS, Site
from support.mqtt_clients import MqttClient, Relay, step_until

NOW = "2026-01-01T00:00:00.000Z"
STATUS, GATEWAY = f"{ROOT}/site/bac-01/status", f"{ROOT}/site/status"


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path)
    yield site
    site.children.stop()


class Gateway:
    """A ledger and its publisher, in the order of the daemon's loop."""

    def __init__(self, server: Broker, work_dir: Path) -> None:
        self.ledger = Ledger(work_dir / "ledger.db")
        selector = selectors.DefaultSelector()
        self.mqtt = LoopClient(server, "gateway", clean_session=False, selector=selector, many_messages=True)
        self.publisher = Publisher(self.mqtt, self.ledger, "site", NOW)

    def step(self, now_s: float) -> None:
        """One turn."""
        self.mqtt.step(now_s)
        self.publisher.pump()

    def append(self, count: int, topic: str = "coup") -> None:
        """Store this many more events."""
        first = self.ledger.last_seq() + 1
        numbers = range(first, first + count)
        self.ledger.append([Entry("u", n, "bac-01", topic, b'{"id":%d}' % n, b"") for n in numbers])


def ids(message: tuple[str, bytes]) -> list[int]:
    """Of one message; a status has none."""
    status = msgspec.json.decode(message[1])
    return [one["id"] for one in (status if isinstance(status, list) else [status]) if "id" in one]


def numbers(line: MqttClient) -> list[int]:
    """The ids received, in order, repeated ones included."""
    return [one for message in line.messages for one in ids(message)]


def newest(line: MqttClient) -> int:
    """The id received last, 0 when there is none."""
    return (numbers(line) or [0])[-1]


def first_seen(line: MqttClient) -> list[int]:
    """As a consumer takes it that drops every id it knows."""
    return list(dict.fromkeys(numbers(line)))


def remove(path: Path) -> None:
    """A file or a folder that may be there."""
    shutil.rmtree(path, ignore_errors=True)
    path.unlink(missing_ok=True)


def reader(server: Broker) -> MqttClient:
    line = MqttClient(server, "reader")
    line.subscribe(f"{ROOT}/site/#")
    return line


def test_a_state_set_while_the_broker_answers_is_published_once(site: Site, kind: str) -> None:
    server = site.start(kind)
    display, gateway = reader(server), Gateway(server, site.work_dir)
    step_until(gateway.mqtt.client.is_connected, gateway.mqtt)
    gateway.publisher.set_table_status("bac-01", "online", NOW)  # before the first pump
    gateway.publisher.pump()
    gateway.publisher.set_table_status("bac-02", "online", NOW)
    step_until(lambda: f"{ROOT}/site/bac-02/status" in display.topics(), display, gateway)
    assert display.topics() == [STATUS, f"{ROOT}/site/bac-02/status"]


def test_what_came_while_the_broker_was_away_is_all_delivered_in_order(site: Site, kind: str) -> None:
    port = free_port()
    gateway = Gateway(Broker(HOST, port), site.work_dir)
    step_until(lambda: gateway.mqtt.problem, gateway)
    gateway.append(1500, "cards")
    gateway.append(1500)
    display = reader(site.start(kind, port=port))
    step_until(gateway.publisher.idle, gateway, display)
    step_until(lambda: newest(display) == 3000, display)
    assert numbers(display) == list(range(1, 3001))
    gateway.publisher.close()
    assert gateway.ledger.cursor("mqtt") == 3000


def test_answers_that_are_lost_cost_repeats_and_neither_events_nor_their_order(site: Site, kind: str) -> None:
    server = site.start(kind)
    display, cable = reader(server), Relay(server)
    gateway = Gateway(cable.broker, site.work_dir)
    gateway.append(50)
    step_until(lambda: gateway.ledger.cursor("mqtt") == 50, gateway, display, cable)
    cable.deaf = True
    gateway.append(650)
    step_until(lambda: newest(display) == 450, gateway, display, cable)
    assert numbers(display) == list(range(1, 451))  # a window beyond what was acknowledged, and no further
    assert gateway.ledger.cursor("mqtt") == 50
    cable.cut()
    cable.deaf = False
    step_until(gateway.publisher.idle, gateway, display, cable)
    step_until(lambda: newest(display) == 700, display)
    assert first_seen(display) == list(range(1, 701))
    assert numbers(display).count(51) == 2
    step_until(lambda: gateway.ledger.cursor("mqtt") == 700, gateway, cable)


def test_a_gateway_that_crashed_continues_after_the_last_puback(site: Site, kind: str) -> None:
    server = site.start(kind)
    display, cable = reader(server), Relay(server)
    crashed = Gateway(cable.broker, site.work_dir)
    crashed.append(2000)
    step_until(lambda: crashed.ledger.cursor("mqtt") >= 500, crashed, display, cable)
    cable.cut()
    kept = crashed.ledger.cursor("mqtt")
    crashed.ledger.close()
    gateway = Gateway(server, site.work_dir)
    step_until(gateway.publisher.idle, gateway, display)
    step_until(lambda: newest(display) == 2000, display)
    assert first_seen(display) == list(range(1, 2001))
    assert numbers(display)[-(2000 - kept) :] == list(range(kept + 1, 2001))


def test_what_is_not_a_topic_stays_in_the_ledger_and_holds_nothing_up(site: Site, kind: str) -> None:
    server = site.start(kind)
    display, gateway = reader(server), Gateway(server, site.work_dir)
    gateway.append(5000, "sent")
    gateway.append(5000, "")
    gateway.append(1)
    step_until(lambda: numbers(display), gateway, display)
    step_until(lambda: gateway.ledger.cursor("mqtt") == 10_001, gateway)
    assert display.topics() == [f"{ROOT}/site/bac-01/coup"]


def test_an_entry_that_no_broker_could_take_is_named_and_passed_over(site: Site, kind: str) -> None:
    """No gateway writes such a name; a file that somebody changed may have it."""
    server = site.start(kind)
    display, gateway = reader(server), Gateway(server, site.work_dir)
    gateway.ledger.append([Entry("v", number, "bac+01", "coup", b"{}", b"") for number in range(9000, 9010)])
    with capture_logs() as logs:
        gateway.append(3)
        step_until(lambda: newest(display) == 13, gateway, display)
        step_until(lambda: gateway.ledger.cursor("mqtt") == 13, gateway)
    assert 1 <= len(logs) <= 3
    assert "entry 1 of the ledger cannot be published" in logs[0]["event"]


def test_a_new_broker_receives_every_retained_state(site: Site, kind: str) -> None:
    server = site.start(kind)
    gateway = Gateway(server, site.work_dir)
    gateway.publisher.set_gateway_status("online", NOW, problem="the disk is nearly full; make room")
    gateway.publisher.set_table_status("bac-01", "offline", NOW)
    gateway.publisher.set_table_status("bac-01", "online", NOW)
    gateway.publisher.set_table_state("bac-01", "alarms", b'{"alarms":[1]}')
    gateway.publisher.set_table_state("bac-01", "alarms", b'{"alarms":[]}')
    step_until(lambda: gateway.mqtt.client.is_connected() and gateway.publisher.idle(), gateway)
    site.kill()
    step_until(lambda: not gateway.mqtt.client.is_connected(), gateway)
    for store in ("jetstream", "mosquitto.db"):
        remove(site.work_dir / store)
    display = reader(site.start(kind, port=server.port))
    step_until(lambda: len(display.messages) >= 3, gateway, display)
    assert {topic: msgspec.json.decode(payload) for topic, payload in display.messages} == {
        GATEWAY: {"state": "online", "time": NOW, "problem": "the disk is nearly full; make room"},
        STATUS: {"state": "online", "time": NOW},
        f"{ROOT}/site/bac-01/alarms": {"alarms": []},
    }
    assert len(display.messages) == 3


def test_a_message_id_that_the_broker_still_owes_an_answer_for_is_not_used_again(site: Site) -> None:
    server = site.start("nats")
    display, cable = reader(server), Relay(server)
    gateway = Gateway(cable.broker, site.work_dir)
    step_until(gateway.mqtt.client.is_connected, gateway, cable)  # and subscribes with message id 1
    cable.deaf = True
    gateway.publisher.set_table_status("bac-01", "online", NOW)  # 2: owed from now on
    step_until(lambda: STATUS in display.topics(), gateway, display, cable)
    cable.cut()
    cable.deaf = False
    step_until(lambda: not gateway.mqtt.client.is_connected(), gateway)
    while gateway.mqtt.client.publish("nobody", qos=0).mid != 65534:
        pass
    gateway.publisher.set_table_state("bac-01", "alarms", b"{}")
    step_until(gateway.mqtt.client.is_connected, cable, gateway)  # 65535; the status has 1, alarms would 2
    cable.deaf = True
    step_until(lambda: f"{ROOT}/site/bac-01/alarms" in display.topics(), gateway, display, cable)
