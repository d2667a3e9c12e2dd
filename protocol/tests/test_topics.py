"""The table of topics."""

from typing import get_args

import msgspec
from sabot_protocol import topics
from sabot_protocol.topics import StatusMessage


def test_every_topic_is_retained_or_not() -> None:
    assert set(topics.RETAINED) == set(get_args(topics.TopicName))


def test_names() -> None:
    assert topics.table_topic("sydney", "bac-01", "coup") == "sabot/v1/sydney/bac-01/coup"
    assert topics.gateway_status_topic("sydney") == "sabot/v1/sydney/status"


def test_a_status_has_only_known_fields() -> None:
    gateway = StatusMessage(state="offline", time="2026-01-01T00:00:00.000Z")
    assert msgspec.json.encode(gateway) == b'{"state":"offline","time":"2026-01-01T00:00:00.000Z"}'
    table = StatusMessage(state="online", time="", unit="5ab0000000000001", authenticated=False)
    assert msgspec.json.decode(msgspec.json.encode(table)) == {
        "state": "online",
        "time": "",
        "unit": "5ab0000000000001",
        "authenticated": False,
    }
    refused = StatusMessage(state="offline", time="", problem="served by another gateway")
    assert msgspec.json.decode(msgspec.json.encode(refused), type=StatusMessage) == refused
