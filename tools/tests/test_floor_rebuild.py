"""sabot floor rebuild and dump: from a ledger to the projection; a ledger that cannot be trusted changes nothing."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sabot_floor.inbox import Arrived
from sabot_floor.projection import coverage
from sabot_floor.projection.feed import Feed
from sabot_floor.store import open_store
from sabot_gateway.ledger import Entry, Ledger
from sabot_gateway.publish.outgoing import outgoing
from sabot_tools.cli import app
from typer.testing import CliRunner

UNIT = "5ab0000000000001"


def shoe(number: int, **changes: Any) -> Entry:
    """A shoe is opened, as a gateway stores it."""
    time = f"2026-05-01T10:{number:02}:00.000Z"
    fields = {"id": f"{UNIT}-{number}", "unit": UNIT, "event_no": number, "table": "bac-01", "shoe": number, "coup": 0}
    fields |= {"time": time, "rulebook": "ff", "state": "open", "decks": 8, "card_set": 1, "burn": "one", **changes}
    return Entry(UNIT, number, "bac-01", "shoe", msgspec.json.encode(fields), b"", time)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A ledger of five shoes; the third cannot be read."""
    path = tmp_path / "ledger.db"
    with closing(Ledger(path)) as made:
        made.append([shoe(1), shoe(2), shoe(3, decks="many"), shoe(4), shoe(5)])
    return path


def gateway(path: Path) -> str:
    with closing(Ledger(path)) as opened:
        return opened.gateway_id().hex()


def sabot(*args: object) -> Any:
    return CliRunner().invoke(app, ["floor", *map(str, args)])


def feed(path: Path, store: Path, *numbers: int) -> None:
    """Give a floor's store what the gateway publishes of these entries."""
    with closing(Ledger(path)) as opened, open_store(str(store)) as found:
        messages = outgoing(opened.since(0, 99), opened.gateway_id().hex(), 0)
        listed = [Arrived("sabot/v1/s/bac-01/shoe", one.payload) for one in messages if one.first_seq in numbers]
        Feed(found, "s").take(listed)


def dumped(store: Path) -> str:
    result = sabot("dump", "--store", store)
    assert result.exit_code == 0
    return str(result.stdout)


def test_a_rebuild_fills_the_gaps_and_gives_what_a_live_feed_gives(ledger: Path, tmp_path: Path) -> None:
    live, gappy, empty = (tmp_path / name for name in ("live.db", "gappy.db", "empty.db"))
    feed(ledger, live, 1, 2, 3, 4, 5)
    feed(ledger, gappy, 2, 5)
    assert dumped(gappy) != dumped(live)
    for store in (gappy, empty):
        result = sabot("rebuild", "--ledger", ledger, "--store", store)
        assert result.stdout.startswith(f"{ledger}: gateway {gateway(ledger)}, entries 1 to 5 verified")
        assert "5 published, 4 rows; 1 could not be read and have no row, the first: 3\n" in result.stdout
        assert dumped(store) == dumped(live)
        with open_store(str(store)) as opened:
            assert coverage.intervals_of(opened, gateway(ledger)) == [(0, 5)]
    assert [msgspec.json.decode(line)["shoe"] for line in dumped(live).splitlines()] == [1, 2, 4, 5]


def test_a_ledger_whose_chain_is_broken_is_refused_and_nothing_is_changed(ledger: Path, tmp_path: Path) -> None:
    store = tmp_path / "floor.db"
    feed(ledger, store, 1, 2)
    before = dumped(store)
    with closing(sqlite3.connect(ledger)) as file:
        file.execute("UPDATE entries SET payload = ? WHERE seq = 4", (shoe(9).payload,))
        file.commit()
    result = sabot("rebuild", "--ledger", ledger, "--store", store)
    assert result.exit_code == 1
    assert "nothing was rebuilt from it" in result.stderr
    assert "entry 4 is not what was written" in result.stderr
    assert dumped(store) == before


def test_a_ledger_that_ends_before_a_head_that_came_over_mqtt_is_refused(ledger: Path, tmp_path: Path) -> None:
    store = tmp_path / "floor.db"
    with closing(Ledger(ledger)) as opened:
        older = sqlite3.connect(tmp_path / "older.db")
        with closing(sqlite3.connect(ledger)) as file, closing(older):
            file.backup(older)
        opened.append([shoe(6)])
        head = msgspec.json.encode(opened.head())
    with open_store(str(store)) as found:
        Feed(found, "s").take([Arrived("sabot/v1/s/ledger", head)])
    result = sabot("rebuild", "--ledger", tmp_path / "older.db", "--store", store)
    assert result.exit_code == 1
    assert "nothing was rebuilt from it" in result.stderr
    assert dumped(store) == ""
    assert sabot("rebuild", "--ledger", ledger, "--store", store).exit_code == 0
    assert len(dumped(store).splitlines()) == 5
