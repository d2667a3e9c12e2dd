"""The table of topics."""

from typing import get_args

from sabot_protocol import topics


def test_every_topic_says_whether_it_is_retained() -> None:
    assert set(topics.RETAINED) == set(get_args(topics.TopicName))


def test_names() -> None:
    assert topics.table_topic("sydney", "bac-01", "coup") == "sabot/v1/sydney/bac-01/coup"
    assert topics.gateway_status_topic("sydney") == "sabot/v1/sydney/status"
