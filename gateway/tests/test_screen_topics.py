"""Publishing what screens show: only what has changed, at a bounded rate, and no error stops the gateway."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
from sabot_gateway.publish.publisher import Publisher
from sabot_gateway.publish.screens import ScreenTopics
from sabot_gateway.table_session import TableSession
from sabot_service.moment import Moment
from screen_log import ScreenLog
from structlog.testing import capture_logs


class Sent:
    """A publisher that keeps what it is to publish."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, str, dict[str, Any]]] = []

    def set_table_state(self, table: str, name: str, payload: bytes) -> None:
        self.messages.append((table, name, msgspec.json.decode(payload)))

    def take(self) -> list[str]:
        """Return the topics of what came since the last call."""
        topics = [f"{table}/{name}" for table, name, _ in self.messages]
        self.messages.clear()
        return topics


class Topics:
    """The topics of one table, with time by hand."""

    def __init__(self, log: ScreenLog) -> None:
        self.log, self.sent, self.now_s = log, Sent(), 0.0
        self.topics = ScreenTopics(cast(Publisher, self.sent))
        self.tables: dict[str, TableSession] = {"bac-01": log.session}

    def step(self, pass_s: float = 1.0) -> list[str]:
        self.now_s += pass_s
        self.topics.step(self.tables, Moment(self.now_s, "2026-11-16T10:00:01.000Z"))
        return self.sent.take()

    def change(self) -> None:
        self.topics.changed(["bac-01"])


@pytest.fixture
def made(tmp_path: Path) -> Topics:
    return Topics(ScreenLog(tmp_path))


def test_a_topic_is_published_if_it_has_changed(made: Topics) -> None:
    made.change()
    assert made.step() == ["bac-01/history", "bac-01/hand"]
    made.change()
    assert made.step() == []
    made.log.card("9S", "player_1")
    made.change()
    assert made.step() == ["bac-01/history", "bac-01/hand"]
    made.log.card("2H", "banker_1")
    made.change()
    assert made.step() == ["bac-01/hand"]
    assert made.step() == []
    assert made.topics.idle()


def test_many_changes_make_few_messages_and_the_newest_state_comes(made: Topics) -> None:
    published = 0
    for number in range(200):
        made.log("lid", open=number // 10 % 2)
        made.change()
        published += len(made.step(0.005))
    assert 8 <= published <= 8 + 10 + 2  # in one second: after eight at once ten, and `history` once
    made.log("lid", open=1)
    made.change()
    made.topics.step(made.tables, Moment(made.now_s + 1.0, ""))
    assert [one["locked"] for _, _, one in made.sent.messages] == [True]


def test_all_tables_together_are_bounded(made: Topics) -> None:
    made.tables |= {f"bac-{number}": made.log.session for number in range(1000)}
    made.topics.changed(made.tables)
    made.step()
    for passed in range(100):
        made.step(0.01)
        assert len(made.topics._due) >= 1000 - 200 - 2 * passed - 3
    made.topics.closed("bac-999")
    assert "bac-999" not in made.topics._due


def test_a_table_that_is_not_served_any_more_is_left_alone(made: Topics) -> None:
    made.topics.changed(["bac-09"])
    assert (made.step(), made.topics.idle()) == ([], True)


def test_an_internal_error_is_logged_and_stops_nothing(made: Topics) -> None:
    made.tables["bac-02"] = cast(TableSession, SimpleNamespace(name="bac-02"))  # it has no verifier
    made.topics.changed(["bac-02", "bac-01"])
    with capture_logs() as logs:
        assert made.step() == ["bac-01/history", "bac-01/hand"]
    assert [(one["table"], one["log_level"]) for one in logs] == [("bac-02", "error")]
