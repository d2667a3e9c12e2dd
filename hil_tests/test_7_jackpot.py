"""Jackpots with real shoes, gateway, broker and floor: every coup counts once, whatever is killed.

Increments on MQTT, in the ledger and on the floor's meter are what the confirmed coups give: 25 each.
"""

from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from floor import Floor
from sabot_gateway.ledger import Reader, audit
from sabot_protocol.jackpots import loading
from sabot_tools.stand.demo_jackpots import jackpots
from support.brokers import KINDS, Site
from support.mqtt_clients import MqttClient, step_until
from support.site_watcher import SiteWatcher, WatchSite, sabot

BOOK, JACKPOT = "crown-baccarat", "lucky-tie"
TABLES = ["bac-01", "bac-02"]
EACH = 25
SPEED = 100.0


def increments(watcher: SiteWatcher, table: str) -> list[dict[str, Any]]:
    return watcher.messages(f"jackpot/{JACKPOT}", table)


def stored(watcher: SiteWatcher, topic: str) -> list[dict[str, Any]]:
    with closing(Reader(watcher.site.ledger_path)) as ledger:
        return [msgspec.json.decode(entry.payload) for entry in ledger.entries("WHERE topic = ?", (topic,))]


def run_on(watcher: SiteWatcher, more: int) -> None:
    for table in TABLES:
        watcher.run_for_coups(more, table)


def meter(watcher: SiteWatcher) -> dict[str, Any]:
    return watcher.newest(f"jackpot/{JACKPOT}/meter")


def test_every_confirmed_coup_increments_once_whatever_is_killed(site: Site, watch_site: WatchSite) -> None:
    server = site.start("nats")
    plan = {"rulebook": BOOK, "jackpots": jackpots()[BOOK].text(TABLES)}
    watcher = watch_site(broker_url=str(server), tables=2, speed=SPEED, lasting=True, **plan)
    run_on(watcher, 2)
    for broker_too in (False, True):
        if broker_too:
            site.kill()
        watcher.site.kill_gateway()
        watcher.site.start_gateway()
        if broker_too:
            site.start("nats", port=server.port)
        run_on(watcher, 2)
    for table in TABLES:
        watcher.site.power_off(table)
    watcher.run_until_received()
    confirmed = stored(watcher, "confirmed")
    wanted = EACH * len(confirmed)
    watcher.run_until(lambda watcher: meter(watcher)["meters"]["in"] == wanted)
    assert meter(watcher)["balanced"]
    for table in TABLES:
        coups = [message["id"] for message in confirmed if message["table"] == table]
        arithmetic = [(EACH, count, EACH * count) for count in range(1, len(coups) + 1)]
        assert [(one["amount"], one["count"], one["total"]) for one in increments(watcher, table)] == arithmetic
        assert [one["coup_id"] for one in increments(watcher, table)] == coups
        assert watcher.received_ids(table) == watcher.stored(table)
    assert len(stored(watcher, f"jackpot/{JACKPOT}")) == len(confirmed)
    assert audit.verify(watcher.site.ledger_path).faults == []
    shown = sabot("gateway", "status", "--config", str(watcher.site.config_path)).stdout
    assert f"jackpot {JACKPOT}: version 1" in shown
    assert "increments, total" in shown


@pytest.mark.parametrize("kind", KINDS)
def test_a_retained_meter_of_a_real_broker_puts_waiting_parameters_in_force(
    site: Site, tmp_path: Path, kind: str
) -> None:
    """Beside garbage that others retain on such topics."""
    path = tmp_path / "jackpots.toml"
    text = jackpots()[BOOK].text(["bac-01"])
    path.write_text(text)
    with ExitStack() as stack:
        broker = str(site.start(kind))
        floor = Floor(stack, tmp_path, "bac-01", rulebook=BOOK, broker=broker, jackpots=str(path))
        floor.app.begin()
        floor.until(floor.app.published)
        path.write_text(text.replace("increment = 25", "increment = 30\nversion = 2"))
        (waiting,) = loading.load(path)
        publisher = MqttClient(floor.app._publish.mqtt.broker, "floor")
        meter = msgspec.json.encode({"jackpot": JACKPOT, "parameters": waiting.digest})
        for jackpot, payload in (("another", meter), ("x" * 200, b"\xff" * 5000), (JACKPOT, b"{"), (JACKPOT, meter)):
            topic = f"sabot/v1/test/jackpot/{jackpot}/meter"
            publisher.mqtt.client.publish(topic, payload, qos=1, retain=True)
        step_until(lambda: len(publisher.acknowledged) == 4, publisher)
        floor.until(lambda: floor.app._jackpots.parameters()[0]["floor"] == waiting.digest)
        assert floor.app._jackpots.parameters()[0]["in_force"]["version"] == 1
        floor.reload(floor.config)
        floor.until(lambda: floor.app._jackpots.parameters()[0]["in_force"]["version"] == 2)
        recorded = [entry for entry in floor.entries() if entry.topic == "jackpot_parameters"]
        assert [msgspec.json.decode(entry.payload)["parameters"]["increment"] for entry in recorded] == [25, 30]
