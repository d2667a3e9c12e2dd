"""JSON Schemas of the MQTT payloads and the AsyncAPI document, made from the types in topics."""

from typing import Any

import msgspec

from sabot_protocol.topics import (
    RETAINED,
    ROOT,
    AlarmMessage,
    AlarmsMessage,
    CardMessage,
    ConfirmedMessage,
    CoupMessage,
    HealthMessage,
    LedgerMessage,
    ShoeMessage,
    StatusMessage,
    TopicName,
    gateway_status_topic,
    ledger_topic,
    table_topic,
)

Json = dict[str, Any]

PAYLOADS: dict[TopicName, Any] = {
    "status": StatusMessage,
    "shoe": ShoeMessage,
    "cards": list[CardMessage],
    "coup": CoupMessage,
    "confirmed": ConfirmedMessage,
    "alarm": AlarmMessage,
    "alarms": AlarmsMessage,
    "health": HealthMessage,
}
SITE_PAYLOADS: dict[str, Any] = {"ledger": LedgerMessage}  # of a gateway, not of a table
_SUMMARIES: dict[str, str] = {
    "status": "Whether the table's shoe is connected, and which; if not, why.",
    "shoe": "A shoe was opened or closed.",
    "cards": "One or more cards that left the shoe, in order.",
    "coup": "The result of a coup, not yet confirmed.",
    "confirmed": "A result confirmed by the dealer or a supervisor, or a correction of one. Settle by these.",
    "alarm": "An alarm was raised, acknowledged or cleared.",
    "alarms": "All active alarms of the table.",
    "health": "Statistics of a sensor of the shoe.",
    "ledger": "The head of the gateway's ledger. Keep it: it proves later that nothing was removed or rewritten.",
}
_MQTT = {"bindingVersion": "0.2.0"}
ALL_PAYLOADS: dict[str, Any] = {**{str(name): payload for name, payload in PAYLOADS.items()}, **SITE_PAYLOADS}


def schema(name: str) -> Json:
    """Return the JSON Schema (2020-12) of a topic's payload; consumers ignore fields that it does not have."""
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:sabot:v1:{name}",
        "title": f"{ROOT}/<site>/{name}" if name in SITE_PAYLOADS else f"{ROOT}/<site>/<table>/{name}",
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
    """Return the AsyncAPI 3.0.0 document of what a gateway publishes."""
    names = list(PAYLOADS)
    payloads, types = msgspec.json.schema_components(ALL_PAYLOADS.values(), ref_template="#/components/schemas/{name}")
    return {
        "asyncapi": "3.0.0",
        "info": _info(),
        "defaultContentType": "application/json",
        "servers": _servers(),
        "channels": {"gateway_status": _gateway_channel(), "ledger": _ledger_channel()}
        | {name: _table_channel(name) for name in names},
        "operations": {f"say_{name}": _operation(name, retain=RETAINED[name]) for name in names}
        | {f"say_{name}": _operation(name, retain=True) for name in ("gateway_status", "ledger")},
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
            "What a gateway publishes about the card shoes at its tables, over MQTT 3.1.1 with QoS 1. A message may be "
            "delivered more than once, always with the same id: drop an id that you have seen. Fields may be added, "
            "none is removed: ignore fields that you do not know. The JSON Schema of each payload is in schemas/."
        ),
    }


def _servers() -> Json:
    site = "{site}"
    will = {"topic": gateway_status_topic(site), "qos": 1, "retain": True, "message": '{"state":"offline","time":"…"}'}
    session = {"clientId": f"sabot-gateway-{site}", "cleanSession": False, "keepAlive": 30, "lastWill": will}
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
    }


def _channel(address: str, message: str, summary: str, parameters: tuple[str, ...]) -> Json:
    return {
        "address": address,
        "description": summary,
        "messages": {message: {"$ref": f"#/components/messages/{message}"}},
        "parameters": {name: {"$ref": f"#/components/parameters/{name}"} for name in parameters},
    }


def _gateway_channel() -> Json:
    summary = "Whether the gateway is online; its last will is offline. A reader of a table's `status` needs both."
    return _channel(gateway_status_topic("{site}"), "status", summary, ("site",))


def _ledger_channel() -> Json:
    return _channel(ledger_topic("{site}"), "ledger", _SUMMARIES["ledger"], ("site",))


def _table_channel(name: TopicName) -> Json:
    return _channel(table_topic("{site}", "{table}", name), name, _SUMMARIES[name], ("site", "table"))


def _operation(channel: str, *, retain: bool) -> Json:
    return {
        "action": "send",
        "channel": {"$ref": f"#/channels/{channel}"},
        "bindings": {"mqtt": {"qos": 1, "retain": retain} | _MQTT},
    }


def _message(name: str, payload: Json) -> Json:
    return {"name": name, "contentType": "application/json", "summary": _SUMMARIES[name], "payload": payload}
