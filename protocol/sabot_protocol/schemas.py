"""JSON Schemas of the MQTT payloads and the AsyncAPI document, made from the types of the messages."""

import re
from typing import Any, NamedTuple

import msgspec

from sabot_protocol.attempts import Attempt, Outcome
from sabot_protocol.commands import CommandMessage, CommandReply
from sabot_protocol.jackpots.messages import (
    FaultMessage,
    IncrementMessage,
    MeterMessage,
    PendingMessage,
    RecordedMessage,
    WinMessage,
)
from sabot_protocol.table_states import HandMessage, HistoryMessage
from sabot_protocol.topics import (
    JACKPOT_RETAINED,
    KEEPALIVE_S,
    RETAINED,
    AlarmMessage,
    AlarmsMessage,
    BeatMessage,
    CardMessage,
    ConfirmedMessage,
    CoupMessage,
    HealthMessage,
    IncidentMessage,
    JackpotTopic,
    LedgerMessage,
    OpenMessage,
    ShoeMessage,
    StatusMessage,
    TopicName,
    beat_topic,
    command_topic,
    gateway_status_topic,
    increment_topic,
    jackpot_topic,
    ledger_topic,
    log_head_topic,
    recorded_topic,
    reply_topic,
    table_topic,
)

Json = dict[str, Any]


class Topic(NamedTuple):
    """A topic with its payload; `{…}` in the address are its parameters."""

    address: str
    payload: Any
    summary: str
    retained: bool = False
    qos: int = 1


def _of_table(name: TopicName, payload: Any, summary: str) -> Topic:
    return Topic(table_topic("{site}", "{table}", name), payload, summary, RETAINED[name])


def _of_jackpot(name: JackpotTopic, payload: Any, summary: str) -> Topic:
    return Topic(jackpot_topic("{site}", "{jackpot}", name), payload, summary, JACKPOT_RETAINED[name])


TOPICS: dict[str, Topic] = {
    "status": _of_table("status", StatusMessage, "Whether the table's shoe is connected, and which; if not, why."),
    "shoe": _of_table("shoe", ShoeMessage, "A shoe was opened or closed."),
    "cards": _of_table("cards", list[CardMessage], "One or more cards that left the shoe, in order."),
    "coup": _of_table("coup", CoupMessage, "The result of a coup, not yet confirmed."),
    "confirmed": _of_table(
        "confirmed",
        ConfirmedMessage,
        "A result confirmed by the dealer or a supervisor, or a correction of one. Settle by these.",
    ),
    "alarm": _of_table("alarm", AlarmMessage, "An alarm was raised, acknowledged or cleared."),
    "alarms": _of_table("alarms", AlarmsMessage, "All active alarms of the table."),
    "incident": _of_table("incident", IncidentMessage, "An incident was opened, advanced or closed."),
    "open": _of_table("open", OpenMessage, "All open incidents of the table."),
    "health": _of_table("health", HealthMessage, "Statistics of a sensor of the shoe."),
    "attempt": _of_table("attempt", Attempt, "A request of a person to the table, before anything is done."),
    "outcome": _of_table("outcome", Outcome, "The answer to a request of a person."),
    "history": _of_table(
        "history", HistoryMessage, "The results of the shoe on the table that are out; for everybody."
    ),
    "hand": _of_table("hand", HandMessage, "The coup on the table as the shoe reads it; only for staff."),
    "ledger": Topic(
        ledger_topic("{site}"),
        LedgerMessage,
        "The head of the gateway's ledger. Keep it: it proves later that nothing was removed or rewritten.",
        retained=True,
    ),
    "beat": Topic(
        beat_topic("{site}"),
        BeatMessage,
        "Once a second: the gateway goes on, also while it is held. After 3 s of silence do not rely on its data.",
        qos=0,
    ),
    "increment": Topic(
        increment_topic("{site}", "{table}", "{jackpot}"),
        IncrementMessage,
        "What a confirmed coup contributes to a jackpot, or the reversal of that.",
    ),
    "recorded": Topic(
        recorded_topic("{site}", "{table}", "{jackpot}"),
        RecordedMessage,
        "A dealer has recorded a winning hand of a jackpot.",
    ),
    "cmd": Topic(
        command_topic("{site}", "{table}"),
        CommandMessage,
        "A command of a person to a table, signed by the floor service; valid for seconds.",
    ),
    "reply": Topic(
        reply_topic("{site}", "{table}"),
        CommandReply,
        "The gateway's answer to a command, once its outcome is in the ledger.",
    ),
    "meter": _of_jackpot("meter", MeterMessage, "The meters of a jackpot, from the floor service."),
    "pending": _of_jackpot(
        "pending", PendingMessage, "Wins of a jackpot that wait for the dealer's record or for confirmation."
    ),
    "win": _of_jackpot("win", WinMessage, "A win was recorded, paid, deemed invalid or cancelled."),
    "fault": _of_jackpot("fault", FaultMessage, "Something about a jackpot that a person must look at, or its end."),
}
ALL_PAYLOADS: dict[str, Any] = {name: topic.payload for name, topic in TOPICS.items()}
# Further topics with one of these payloads: channel, and the name of the payload.
_OF_GATEWAYS: dict[str, tuple[str, Topic]] = {
    "gateway_status": (
        "status",
        Topic(
            gateway_status_topic("{site}"),
            StatusMessage,
            "Whether the gateway is online; its last will is offline. A reader of a table's `status` needs both.",
            retained=True,
        ),
    ),
    "named_gateway_status": (
        "status",
        Topic(
            gateway_status_topic("{site}", "{gateway}"),
            StatusMessage,
            "The same of a gateway with a name, where a site has several.",
            retained=True,
        ),
    ),
    "named_gateway_ledger": (
        "ledger",
        Topic(
            ledger_topic("{site}", "{gateway}"),
            LedgerMessage,
            "The head of the ledger of a gateway with a name.",
            retained=True,
        ),
    ),
    "named_gateway_beat": (
        "beat",
        Topic(beat_topic("{site}", "{gateway}"), BeatMessage, "The beat of a gateway with a name.", qos=0),
    ),
}
_OF_LOGS: dict[str, tuple[str, Topic]] = {
    name: ("ledger", Topic(log_head_topic("{site}", log), LedgerMessage, summary, retained=True))
    for name, log, summary in (
        ("log_head", "{log}", "The head of a log of the floor's store, signed with its `head_key`. Keep it."),
        ("jackpot_log_head", "jackpot/{jackpot}", "The head of the log of a jackpot. Keep it."),
    )
}
_MORE = _OF_GATEWAYS | _OF_LOGS
_MQTT = {"bindingVersion": "0.2.0"}
_PARAMETER = re.compile(r"{(\w+)}")


def schema_of(topic: str) -> str | None:
    """Return the name of the schema for a message on this topic; None if no such topic is published."""
    for name, known in [*_MORE.values(), *TOPICS.items()]:
        if re.fullmatch(_PARAMETER.sub("[^/]+", known.address), topic):
            return name
    return None


def schema(name: str) -> Json:
    """Return the JSON Schema (2020-12) of a topic's payload; consumers ignore fields that it does not have."""
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:sabot:v1:{name}",
        "title": _PARAMETER.sub(r"<\1>", TOPICS[name].address),
    }
    return head | msgspec.json.schema(ALL_PAYLOADS[name], ref_template="#/$defs/{name}")


def strict(part: Any) -> Any:
    """Return the schema with unknown fields forbidden, to check what we publish ourselves."""
    if isinstance(part, list):
        return [strict(one) for one in part]
    if not isinstance(part, dict):
        return part
    closed = {"additionalProperties": False} if isinstance(part.get("properties"), dict) else {}
    return {key: strict(value) for key, value in part.items()} | closed


def asyncapi() -> Json:
    """Return the AsyncAPI 3.0.0 document of what the gateways and the floor service publish."""
    channels = _MORE | {name: (name, topic) for name, topic in TOPICS.items()}
    payloads, types = msgspec.json.schema_components(ALL_PAYLOADS.values(), ref_template="#/components/schemas/{name}")
    return {
        "asyncapi": "3.0.0",
        "info": _info(),
        "defaultContentType": "application/json",
        "servers": _servers(),
        "channels": {name: _channel(topic, message) for name, (message, topic) in channels.items()},
        "operations": {f"say_{name}": _operation(name, topic) for name, (_, topic) in channels.items()},
        "components": {
            "parameters": _parameters(),
            "messages": {name: _message(name, payload) for name, payload in zip(ALL_PAYLOADS, payloads, strict=True)},
            "schemas": types,
            "securitySchemes": {
                "password": {"type": "userPassword", "description": "login.user and login.password_file"},
                "certificate": {"type": "X509", "description": "login.certificate_file and login.key_file"},
            },
        },
    }


def _info() -> Json:
    return {
        "title": "Sabot",
        "version": "1",
        "description": (
            "What a gateway publishes about the card shoes at its tables, and the floor service about jackpots, over "
            "MQTT 3.1.1 with QoS 1, beats with QoS 0. A message may be delivered more than once, always with the same "
            "id: drop an id that you have seen. Fields may be added, none is removed: ignore fields that you do not "
            "know. The JSON Schema of each payload is in schemas/."
        ),
    }


def _servers() -> Json:
    site = "{site}"
    will = {"topic": gateway_status_topic(site), "qos": 1, "retain": True, "message": '{"state":"offline","time":"…"}'}
    session = {"clientId": f"sabot-gateway-{site}", "cleanSession": False, "keepAlive": KEEPALIVE_S, "lastWill": will}
    bindings = {"mqtt": session | _MQTT}
    common = {"protocolVersion": "3.1.1", "bindings": bindings}
    ways = [{"$ref": f"#/components/securitySchemes/{way}"} for way in ("password", "certificate")]
    return {
        "tls": {"host": "broker.example:8883", "protocol": "secure-mqtt", "security": ways} | common,
        "plain": {"host": "127.0.0.1:1883", "protocol": "mqtt", "description": "On the same machine."} | common,
    }


def _parameters() -> Json:
    return {
        "site": {"description": "The casino, as `site` in the gateway's config.", "examples": ["sydney"]},
        "table": {"description": "The table, as `table.name` in the gateway's config.", "examples": ["bac-01"]},
        "gateway": {"description": "The gateway, as `gateway` in its config.", "examples": ["pit-1"]},
        "log": {"description": "A log of the floor's store.", "examples": ["people"]},
        "jackpot": {"description": "The jackpot, as `id` in the file of jackpots.", "examples": ["lucky-tie"]},
    }


def _channel(topic: Topic, message: str) -> Json:
    return {
        "address": topic.address,
        "description": topic.summary,
        "messages": {message: {"$ref": f"#/components/messages/{message}"}},
        "parameters": {name: {"$ref": f"#/components/parameters/{name}"} for name in _PARAMETER.findall(topic.address)},
    }


def _operation(channel: str, topic: Topic) -> Json:
    return {
        "action": "send",
        "channel": {"$ref": f"#/channels/{channel}"},
        "bindings": {"mqtt": {"qos": topic.qos, "retain": topic.retained} | _MQTT},
    }


def _message(name: str, payload: Json) -> Json:
    return {"name": name, "contentType": "application/json", "summary": TOPICS[name].summary, "payload": payload}
