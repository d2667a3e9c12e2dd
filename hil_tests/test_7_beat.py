"""A gateway that hangs shows on pages within five seconds on every broker, by its beats, until it goes on."""

import asyncio
import os
import signal
import time
from collections.abc import Callable

import pytest
from sabot_floor.web.hub import Hub
from sabot_floor.web.listener import Listener
from sabot_floor.web.site_state import Link
from sabot_service.broker import Broker, Login
from sabot_service.moment import Moment
from sabot_tools.stand.local_site import daemon_command
from support.brokers import KINDS, Site
from support.mqtt_clients import MqttClient, step_until
from support.patience import PATIENCE_S, TRIES, crowd

SHOWS_WITHIN_S = 5.0
CONFIG = """
site = "sydney"
ledger = "{folder}/ledger.db"
broker = "{broker}"
{name}
[[table]]
name = "bac-01"
port = "{folder}/no-shoe"
rulebook = "crown-baccarat"
"""


async def until(done: Callable[[], bool]) -> float:
    """Wait until the condition holds, and return how long; fail if it does not in time."""
    began_s = time.monotonic()
    while not done():
        assert time.monotonic() - began_s < PATIENCE_S
        await asyncio.sleep(0.02)
    return time.monotonic() - began_s


async def shows(place: tuple[Broker, int, str]) -> bool:
    """Return True if a hang shows by the beats, in time; a machine that stands still delays one try, not each."""
    for _ in range(TRIES):
        took_s, lost = await hang(*place)
        if took_s < SHOWS_WITHIN_S * crowd() and (lost.broker, lost.silent) == (True, True):
            return True
    return False


async def hang(server: Broker, gateway: int, name: str) -> tuple[float, Link]:
    """Stop the gateway and let it go on; return when that shows, and the link of its table then."""
    hub = Hub("sydney")
    listener = Listener(str(server), Login(), "web", hub, lambda: Moment(time.monotonic(), ""))
    listener.start()
    try:
        await until(lambda: hub.public.link("bac-01").gateway and hub.site.beats.known(name))
        os.kill(gateway, signal.SIGSTOP)
        took_s = await until(lambda: not hub.public.link("bac-01").gateway)
        lost = hub.public.link("bac-01")
        os.kill(gateway, signal.SIGCONT)
        await until(lambda: hub.public.link("bac-01").gateway)
    finally:
        os.kill(gateway, signal.SIGCONT)
        listener.close()
    return took_s, lost


def started(site: Site, kind: str, name: str) -> tuple[Broker, int, str]:
    """Start a broker and a gateway; return the broker, the gateway's process id and its name."""
    server, folder = site.start(kind), site.work_dir / f"at-{kind}"
    folder.mkdir()
    config = folder / "gateway.toml"
    config.write_text(CONFIG.format(folder=folder, broker=server, name=f'gateway = "{name}"' if name else ""))
    return server, site.children.start(f"gateway-{kind}", daemon_command(config)).pid, name


def test_a_gateway_that_hangs(site: Site) -> None:
    places = [started(site, "mosquitto", "pit-1"), started(site, "nats", "")]

    async def at_once() -> list[bool]:
        return await asyncio.gather(*map(shows, places))

    assert asyncio.run(at_once()) == [True] * 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_beat_that_the_broker_forbids_ends_nothing(site: Site, kind: str) -> None:
    """As of a gateway that is newer than the broker's permissions."""
    gateway, lost = MqttClient(site.example(kind), "gateway", site.login("gateway-sydney")), list[int]()
    gateway.connect()
    gateway.mqtt.on_lost = lambda: lost.append(1)
    gateway.mqtt.client.send("sabot/v1/sydney/gateway/pit-1/beat", b"{}")
    sent = gateway.mqtt.publish("sabot/v1/sydney/status", b"{}", retain=False)
    step_until(lambda: sent in gateway.acknowledged, gateway)
    assert (gateway.acknowledged, lost) == ([0, sent], [])  # 0 is the id of no message with QoS 1
