"""Opening: the desk of commands on the floor's broker and store, with the topics that it reads."""

from collections.abc import Callable
from typing import Any

from sabot_service.moment import Moment
from sabot_service.mqtt import LoopClient

from sabot_floor.commands.desk import CommandDesk
from sabot_floor.commands.log import CommandLog
from sabot_floor.config import Config
from sabot_floor.inbox import Inbox
from sabot_floor.projection.gateway_log import Gate
from sabot_floor.store import Store


def command_desk(
    config: Config, store: Store, mqtt: LoopClient, inbox: Inbox, gate: Gate, clock: Callable[[], Moment]
) -> CommandDesk:
    """Return the desk of commands to tables, with the topics that it reads; what has no reply is stored so."""
    desk = CommandDesk(
        config.site,
        config.worker,
        CommandLog(store),
        config.signing_key(),
        lambda topic, payload: mqtt.publish(topic, payload, retain=False),
        mqtt.client.is_connected,
    )

    def received(_client: object, _userdata: object, message: Any) -> None:
        gate.received(message.topic, bytes(message.payload))
        desk.received(message.topic, bytes(message.payload), clock())

    for topic in desk.filters():
        mqtt.client.message_callback_add(topic, received)
    inbox.on_status = desk.tables.received
    desk.recall(clock())
    return desk
