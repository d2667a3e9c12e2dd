"""The gateway's log about its broker: why nothing is published, and that it is back."""

from typing import cast

from sabot_gateway.publish.publisher import Publisher
from sabot_gateway.publish.status import StatusTopics
from structlog.testing import capture_logs


def test_the_log_has_the_outage_and_its_end_once_each() -> None:
    topics = StatusTopics(cast(Publisher, None), None)  # the log needs no publisher
    with capture_logs() as logs:
        for now_s, problem in enumerate((None, "no answer", "no answer", None, None)):
            topics.broker(problem, float(now_s))
    assert [(entry["log_level"], entry["event"]) for entry in logs] == [
        ("warning", "no answer; the ledger keeps everything until then"),
        ("info", "connected to the broker again"),
    ]
