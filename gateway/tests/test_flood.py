"""One table that says too much: what is stored, what is published of it, and what the other tables notice."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest
from floor import LOST, Floor
from sabot_gateway.table_session import TableSession
from sabot_gateway.verify import NotThereError, Source
from sabot_gateway.verify.deciders import Decider
from shoe_events import hello_body
from stand_in import StandIn
from structlog.testing import capture_logs

TABLES = ("bac-01", "bac-02")
COUPS = 150


@pytest.fixture
def floors(tmp_path: Path) -> Iterator[Callable[[], Floor]]:
    with ExitStack() as stack:
        yield lambda: Floor(stack, tmp_path, *TABLES)


def flooded(floor: Floor) -> TableSession:
    """A shoe that reports nothing but disputed coups."""
    floor.greet()
    line = floor.lines["bac-01"]
    for number in range(1, COUPS + 1):
        line.coup(number, *LOST)
        if number % 10 == 0:
            floor.step(pass_s=0.001)
    floor.until(lambda: len(floor.events("bac-01")) == 5 * COUPS)
    return floor.app._tables["bac-01"]


def test_every_event_of_a_flood_is_stored_and_its_alarms_are_few_and_small(floors: Callable[[], Floor]) -> None:
    floor = floors()
    table = flooded(floor)
    floor.step(20, pass_s=0.1)
    assert floor.events("bac-01") == list(range(1, 5 * COUPS + 1))
    stored = [msgspec.json.decode(entry.payload) for entry in floor.entries() if entry.topic in ("coup", "alarm")]
    assert [message["coup"] for message in stored if "winner" in message] == list(range(1, COUPS + 1))
    names = [message["name"] for message in stored if "name" in message]
    assert names.count("discrepancy") <= 40
    assert 1 <= names.count("alarm_flood") <= 3
    assert len(floor.app.retained_topics()["sabot/v1/test/bac-01/alarms"]) <= 17_000
    message = floor.retained("bac-01/alarms")
    assert len(message["alarms"]) + message.get("more", 0) == len(table.verifier.active())
    status = floor.app._requests.status(floor.app._at())["tables"][0]
    assert len(status["alarms"]) + status["more_alarms"] == len(table.verifier.active())
    assert floor.status("bac-02")["state"] == "online"


def test_of_many_disputed_coups_the_newest_can_be_decided_and_then_the_older_before_and_after_a_restart(
    floors: Callable[[], Floor],
) -> None:
    floor = floors()
    before = flooded(floor)
    there = [coup.coup for coup in before.verifier.disputed()]
    assert there == list(range(51, 151))
    floor.goodbye()
    floor = floors()
    table = floor.app._tables["bac-01"]
    assert [coup.coup for coup in table.verifier.disputed()] == there
    status = floor.app._requests.status(floor.app._at())["tables"][0]
    assert (len(status["disputed"]), status["more_disputed"]) == (100, 50)
    with pytest.raises(NotThereError, match="the ledger holds 50 older ones, which follow as these are"):
        table.verifier.disputes.find("bac-01-5")
    for number, coup in enumerate(table.verifier.disputed()[:60], 1000):
        source = Source(floor.app._ledger.gateway(), number, "2026-01-01T00:00:00.000Z")
        records = table.verifier.decide(coup, "void", Decider("A. Smith", "12.13"), source)
        floor.app._own.add_records(table, records, source)
    floor.step(10, pass_s=0.1)
    assert [coup.coup for coup in table.verifier.disputed()] == [*range(1, 51), *range(111, 151)]
    assert table.verifier.disputes.more == 0


def test_a_shoe_that_is_somebody_else_every_time_fills_neither_the_log_nor_the_status(
    floors: Callable[[], Floor],
) -> None:
    floor, statuses = floors(), set[str]()
    line = floor.lines["bac-01"]
    with capture_logs() as logs:
        for number in range(400):  # twenty seconds
            line.write(line.shoe.say("hello", hello_body(protocol_hash=number.to_bytes(8, "big"))))
            floor.step(pass_s=0.05)
            statuses.add(str(floor.status("bac-01")))
    assert 2 <= len(statuses) <= 20
    assert sum(entry.get("table") == "bac-01" for entry in logs) <= 20
    floor.step(10, pass_s=0.5)
    assert f"{399:016x}" in floor.status("bac-01")["problem"]  # the last problem is published in the end


def test_an_event_that_our_checks_cannot_take_again_and_again_does_not_fill_the_log(
    floors: Callable[[], Floor], monkeypatch: pytest.MonkeyPatch
) -> None:
    floor = floors()
    floor.greet()
    table = floor.app._tables["bac-01"]
    monkeypatch.setattr(table, "verifier", StandIn(table.verifier, take=fail))
    with capture_logs() as logs:
        for number in range(1, 31):
            floor.lines["bac-01"].coup(number)
            floor.step(pass_s=0.1)
    assert floor.events("bac-01") == list(range(1, 151))
    assert 1 <= sum("exc_info" in entry for entry in logs) <= 4


def fail(*_: object) -> None:
    raise ZeroDivisionError("a fault of ours")


def test_the_alarms_of_a_table_are_published_a_few_times_a_second(floors: Callable[[], Floor]) -> None:
    floor = floors()
    floor.greet()
    line, published, before = floor.lines["bac-01"], 0, b""
    for number in range(1, 101):  # ten seconds
        line.coup(number, *LOST)
        floor.step(pass_s=0.1)
        now = floor.app.retained_topics()["sabot/v1/test/bac-01/alarms"]
        published, before = published + (now != before), now
    assert 10 <= published <= 8 + 40
    floor.step(3, pass_s=1.0)
    assert len(floor.retained("bac-01/alarms")["alarms"]) + floor.retained("bac-01/alarms").get("more", 0) == len(
        floor.app._tables["bac-01"].verifier.active()
    )
