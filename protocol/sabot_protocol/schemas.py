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
_SAYS: dict[str, str] = {
    "status": "Whether the table's shoe is connected, and which; why not, in words.",
    "shoe": "A shoe was opened or closed.",
    "cards": "One or more cards that left the shoe, in order.",
    "coup": "The result of a coup, before anybody has confirmed it.",
    "confirmed": "A result that the dealer or a supervisor has confirmed, or the correction of one: settle by these.",
    "alarm": "An alarm was raised, acknowledged or cleared.",
    "alarms": "All alarms of the table that are not over.",
    "health": "What a sensor of the shoe has seen.",
    "ledger": "The head of the gateway's ledger: keep it, and nothing can be cut off or rewritten unseen.",
}
_MQTT = {"bindingVersion": "0.2.0"}
ALL_PAYLOADS: dict[str, Any] = {**{str(name): payload for name, payload in PAYLOADS.items()}, **SITE_PAYLOADS}


def schema(name: str) -> Json:
    """The JSON Schema (2020-12) of a topic's payload. Fields that it does not name may come: ignore them."""
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:sabot:v1:{name}",
        "title": f"{ROOT}/<site>/{name}" if name in SITE_PAYLOADS else f"{ROOT}/<site>/<table>/{name}",
    }
    return head | msgspec.json.schema(ALL_PAYLOADS[name], ref_template="#/$defs/{name}")


def strict(part: Any) -> Any:
    """The same schema, with fields that it does not name forbidden: for what we publish ourselves."""
    if isinstance(part, list):
        return [strict(one) for one in part]
    if not isinstance(part, dict):
        return part
    closed = {"additionalProperties": False} if isinstance(part.get("properties"), dict) else {}
    return {key: strict(value) for key, value in part.items()} | closed


def asyncapi() -> Json:
    """The AsyncAPI 3.0.0 document of what a gateway publishes."""
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
            "What a gateway publishes of the card shoes at its tables, over MQTT 3.1.1 with QoS 1. An event may be "
            "delivered more than once, always with the same id: a consumer that has seen an id drops it. Fields may be "
            "added, none is removed: ignore what you do not know. Each payload's JSON Schema is in schemas/."
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


def _channel(address: str, message: str, says: str, parameters: tuple[str, ...]) -> Json:
    return {
        "address": address,
        "description": says,
        "messages": {message: {"$ref": f"#/components/messages/{message}"}},
        "parameters": {name: {"$ref": f"#/components/parameters/{name}"} for name in parameters},
    }


def _gateway_channel() -> Json:
    says = "Whether the gateway is there. Its last will says that it is not. A reader of `status` needs both."
    return _channel(gateway_status_topic("{site}"), "status", says, ("site",))


def _ledger_channel() -> Json:
    return _channel(ledger_topic("{site}"), "ledger", _SAYS["ledger"], ("site",))


def _table_channel(name: TopicName) -> Json:
    return _channel(table_topic("{site}", "{table}", name), name, _SAYS[name], ("site", "table"))


def _operation(channel: str, *, retain: bool) -> Json:
    return {
        "action": "send",
        "channel": {"$ref": f"#/channels/{channel}"},
        "bindings": {"mqtt": {"qos": 1, "retain": retain} | _MQTT},
    }


def _message(name: str, payload: Json) -> Json:
    return {"name": name, "contentType": "application/json", "summary": _SAYS[name], "payload": payload}
