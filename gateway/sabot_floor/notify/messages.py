"""Messages: what comes on the topics of alarms and incidents, read and bounded."""

import re

import msgspec
from sabot_protocol.inputs.plain_text import plain
from sabot_protocol.topics import ROOT, AlarmMessage, IncidentMessage

from sabot_floor.inbox import MOST_PAYLOAD_BYTES, Arrived

TOPICS = ("alarm", "incident")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MOST_ID = 160


Received = AlarmMessage | IncidentMessage
_alarm, _incident = msgspec.json.Decoder(AlarmMessage), msgspec.json.Decoder(IncidentMessage)


def filters(site: str) -> list[str]:
    """Return the topics to subscribe to."""
    return [f"{ROOT}/{site}/+/{name}" for name in TOPICS]


def parse(site: str, arrived: Arrived) -> Received | str | None:
    """Return the message, None if it is about something else, or a sentence about what is wrong with it."""
    root = f"{ROOT}/{site}/"
    table, _, name = arrived.topic.removeprefix(root).partition("/")
    if name not in TOPICS or not arrived.topic.startswith(root):
        return None
    where = f"{plain(arrived.topic)[:200]}: "
    if not _NAME.fullmatch(table) or len(arrived.payload) > MOST_PAYLOAD_BYTES:
        return f"{where}no name of a table, or more than {MOST_PAYLOAD_BYTES} bytes. Nobody is notified"
    try:
        message: Received = (_alarm if name == "alarm" else _incident).decode(arrived.payload)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return f"{where}not an {name}: {plain(str(error))[:200]}. Nobody is notified"
    own_id = message.alarm if isinstance(message, AlarmMessage) else message.incident
    if message.table != table or not 0 < len(own_id) <= _MOST_ID:
        return f"{where}its payload names another table, or has no id. Nobody is notified"
    return message
