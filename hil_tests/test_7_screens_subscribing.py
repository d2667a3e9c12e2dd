"""The web part's subscription at a real broker: what is published meanwhile is not lost."""

import asyncio
import threading
import time
from functools import partial

import msgspec
from sabot_floor.web.hub import Hub
from sabot_floor.web.listener import Listener
from sabot_protocol.table_states import HistoryMessage
from sabot_service.broker import Login
from sabot_service.moment import Moment
from support.mqtt_clients import MqttClient, step_until
from support.patience import PATIENCE_S
from support.screens import TIME, ScreenSite

TABLES = 120
ROOT = "sabot/v1/subscribing"


def clock() -> Moment:
    return Moment(time.monotonic(), TIME)


def publish(site: ScreenSite, *, empty: bool = False) -> None:
    """Publish a retained history of each table, one after the other; or remove it."""
    client = MqttClient(site.broker.address, "subscribing-gateway")
    client.connect()
    for number in range(TABLES):
        message = HistoryMessage(table=f"t{number}", time=TIME, state="open", phase="bets")
        payload = b"" if empty else msgspec.json.encode(message)
        sent = client.mqtt.publish(f"{ROOT}/t{number}/history", payload, retain=True)
        step_until(partial(client.acknowledged.__contains__, sent), client)
    client.mqtt.close()


async def listened(site: ScreenSite, hub: Hub) -> None:
    """Connect while a gateway publishes; return when all tables are there, or after some seconds."""
    listener = Listener(str(site.broker.address), Login(), "subscribing-web", hub, clock)
    gateway = threading.Thread(target=publish, args=(site,))
    gateway.start()
    listener.start()
    give_up_s = asyncio.get_running_loop().time() + PATIENCE_S
    while len(hub.site.tables) < TABLES and asyncio.get_running_loop().time() < give_up_s:
        await asyncio.sleep(0.05)
    gateway.join()
    listener.close()


def test_what_is_published_during_the_subscription_arrives(screen_site: ScreenSite) -> None:
    hub = Hub("subscribing")
    try:
        asyncio.run(listened(screen_site, hub))
        assert len(hub.site.tables) == TABLES
    finally:
        publish(screen_site, empty=True)
