"""A gateway that hangs is offline at subscribers within five seconds: nats-server publishes its will."""

import selectors
import time
from itertools import count
from pathlib import Path

from sabot_gateway.app import App
from sabot_gateway.config import Config, Table
from sabot_protocol.topics import KEEPALIVE_S
from sabot_service.broker import Broker
from sabot_service.mqtt import NO_KEEPALIVE, LoopClient
from sabot_tools.replay.gateway import ReplayGateway
from support.brokers import Site
from support.mqtt_clients import MqttClient, step_until
from support.patience import is_quick

SHOWS_WITHIN_S = 5.0
_tries = count(1)
BY_THE_STANDARD = 1.5  # MQTT 3.1.1, 3.1.2.10: so many times the keepalive


def hang(server: Broker) -> float:
    """Let a client hang; return how long its will takes to come."""
    watcher, peer, status = MqttClient(server, "watcher"), MqttClient(server, "peer"), f"peer/{next(_tries)}"
    watcher.subscribe(status)
    peer.mqtt = LoopClient(server, "peer", clean_session=True, selector=selectors.DefaultSelector(), keepalive_s=1)
    peer.mqtt.client.will_set(status, b"offline", qos=1, retain=True)
    peer.connect()
    patient = MqttClient(server, "patient")
    patient.mqtt = LoopClient(
        server, "patient", clean_session=True, selector=selectors.DefaultSelector(), keepalive_s=NO_KEEPALIVE
    )
    patient.mqtt.client.will_set(status, b"never", qos=1, retain=True)
    patient.connect()
    since_s = time.monotonic()
    step_until(lambda: watcher.messages, watcher)  # nobody steps the peer: its connection stays, and nothing more comes
    took_s = time.monotonic() - since_s
    assert peer.mqtt.client.socket() is not None
    assert set(watcher.messages) == {(status, b"offline")}  # for one without a keepalive the broker waits
    for client in (peer, patient, watcher):
        client.mqtt.close()
    return took_s


def test_the_broker_publishes_the_will_of_a_client_that_hangs(site: Site) -> None:
    server = site.start("nats")  # mosquitto 2.0 looks only every five seconds: MQTT.md
    assert is_quick(lambda: hang(server), SHOWS_WITHIN_S - BY_THE_STANDARD * (KEEPALIVE_S - 1))


def test_the_gateway_is_one_that_shows_in_time(tmp_path: Path) -> None:
    table = Table("bac-01", "/dev/null", "star-baccarat")
    app = App(Config("test", str(tmp_path / "ledger.db"), "mqtt://127.0.0.1:9", (table,)))
    assert app._publish.mqtt.keepalive_s == KEEPALIVE_S
    assert BY_THE_STANDARD * KEEPALIVE_S < SHOWS_WITHIN_S
    app.close()


def test_a_replay_may_be_slow(tmp_path: Path) -> None:
    table = Table("bac-01", "/dev/null", "star-baccarat")
    config = Config("test", str(tmp_path / "ledger.db"), "mqtt://127.0.0.1:9", (table,))
    with selectors.DefaultSelector() as selector:
        app = ReplayGateway(config, time.monotonic, time.time, selector).new_app(config)
        assert app._publish.mqtt.keepalive_s == NO_KEEPALIVE
        app.close()
