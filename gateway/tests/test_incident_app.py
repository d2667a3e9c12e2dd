"""Incidents in the daemon: stored with their cause, published as a retained list, there again after a kill."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from sabot_service.moment import Moment
from shoe_events import UNIT
from test_app import Bench, dealt, retained

OPEN = "sabot/v1/test/bac-01/open"


@pytest.fixture
def benches(tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    with ExitStack() as stack:

        def make(**options: Any) -> Bench:
            made = Bench(tmp_path, **options)
            stack.callback(os.close, made.line)
            return made

        yield make


def kinds(bench: Bench) -> list[str]:
    return [incident["kind"] for incident in retained(bench.app, OPEN)["incidents"]]


def test_an_incident_is_stored_with_its_cause_and_restored_after_a_kill(benches: Callable[..., Bench]) -> None:
    bench = benches()
    assert retained(bench.app, OPEN) == {"table": "bac-01", "incidents": []}
    bench.greet()
    commits = list[list[str]]()
    append = bench.app._ledger.append
    bench.app._ledger.append = lambda entries: (commits.append([entry.topic for entry in entries]), append(entries))  # type: ignore[assignment, method-assign, func-returns-value]
    bench.send(*dealt(bench.shoe, "banker"))
    assert [commit[-3:] for commit in commits if "incident" in commit] == [["coup", "alarm", "incident"]]
    assert kinds(bench) == ["discrepancy"]
    bench.app.crash()
    again = benches()
    assert kinds(again) == ["discrepancy"]
    (table,) = again.app._requests.status(Moment(0.0, "2026-01-01T00:00:00.000Z"))["tables"]
    assert [incident.incident for incident in table["incidents"]] == [f"{UNIT}-5-incident"]
    again.app.crash()


def test_an_internal_error_about_incidents_stops_no_event(benches: Callable[..., Bench]) -> None:
    bench = benches()
    bench.greet()
    bench.app._tables["bac-01"].incidents.book = "no-such-book"
    assert bench.send(*dealt(bench.shoe, "banker"))[-1] == ("ack", 5)
    assert bench.entries()[-2:] == [(5, "coup"), (None, "alarm")]
    bench.app.crash()
