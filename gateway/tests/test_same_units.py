"""Two gateways, each with a shoe of the same unit id: the floor reports what neither gateway can see."""

import msgspec
import pytest
from sabot_floor.commands.tables import Tables
from sabot_protocol.topics import StatusMessage
from shoe_events import UNIT
from structlog.testing import capture_logs

OTHER = "5ab0000000000002"
TIME = "2026-11-18T12:00:00.000Z"


def take(tables: Tables, topic: str, state: str = "online", **fields: str | None) -> None:
    status = msgspec.convert({"state": state, "time": TIME, **fields}, StatusMessage)
    tables.received(f"sabot/v1/test/{topic}/status", msgspec.json.encode(status))


@pytest.fixture
def tables() -> Tables:
    """Two gateways with a table each, and one unit id."""
    made = Tables("test")
    for number in ("1", "2"):
        take(made, f"gateway/gw-{number}")
        take(made, f"bac-0{number}", unit=UNIT, gateway=f"gw-{number}")
    made.look(100.0)
    return made


def problems(tables: Tables, now_s: float) -> list[str]:
    tables.look(now_s)
    return tables.same_units.problems(now_s)


def test_two_shoes_with_one_id_at_two_gateways_are_a_problem(tables: Tables) -> None:
    assert problems(tables, 105.0) == []  # a shoe that was carried: the first gateway has not missed it yet
    with capture_logs() as logs:
        [said] = problems(tables, 110.0)
        problems(tables, 111.0)
    assert [log["event"] for log in logs] == [said]
    assert said.startswith(f"two shoes answer with the unit id {UNIT}, at bac-01 and bac-02: stop these tables")


@pytest.mark.parametrize(
    ("topic", "changes"),
    [
        ("bac-01", {"state": "offline"}),
        ("bac-02", {"unit": OTHER, "gateway": "gw-2"}),
        ("gateway/gw-2", {"state": "offline"}),
    ],
)
def test_it_ends_when_one_of_them_is_gone(tables: Tables, topic: str, changes: dict[str, str]) -> None:
    assert problems(tables, 120.0)
    take(tables, topic, **changes)
    assert problems(tables, 121.0) == []


def test_a_carried_shoe_is_no_problem(tables: Tables) -> None:
    take(tables, "bac-01", "offline", gateway="gw-1")
    assert problems(tables, 106.0) == []
    take(tables, "bac-01", unit=UNIT, gateway="gw-1")  # back again, and the other gateway misses it in its turn
    assert problems(tables, 112.0) == []
