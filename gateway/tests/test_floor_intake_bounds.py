"""Bounds of what a message of MQTT may hold, with every way to write it as JSON."""

import json
from typing import Any

import pytest
from sabot_floor.inbox import Arrived
from sabot_floor.jackpots.intake import ForJackpot, Intake, Rejected

MESSAGE: dict[str, Any] = {
    "id": "u-8-j", "unit": "u", "event_no": 8, "table": "bac-01", "shoe": 1, "coup": 1, "time": "now", "rulebook": "r",
    "gateway": "g", "jackpot": "j", "parameters": "p", "currency": "AUD", "amount": 25, "count": 1, "total": 25,
    "coup_id": "u-8", "kind": "live",
}  # fmt: skip


def parsed(changes: dict[str, Any], *, ascii_only: bool = True) -> object:
    """Read an increment with these values."""
    payload = json.dumps(MESSAGE | changes, ensure_ascii=ascii_only).encode()
    return Intake("site", b"").parse(Arrived("sabot/v1/site/bac-01/jackpot/j", payload), "now")


TAKEN: list[dict[str, Any]] = [
    {},
    {"id": "x" * 160},
    {"unit": "é" * 160},
    {"id": 'quo"ted'},
    {"id": "back\\slash"},
    {"count": 10**15},
    {"amount": -(10**15)},
    {"stakes": {"tie": [100, 300]}, "carry": "1/3", "trigger": "suited"},
]
REJECTED: list[tuple[dict[str, Any], str]] = [
    ({"id": ""}, "id is empty"),
    ({"id": "x" * 161}, "id is longer than 160 characters"),
    ({"rulebook": "é" * 161}, "rulebook is longer than 160 characters"),
    ({"unit": "a\nb"}, "unit is longer than 160 characters, or has some that cannot be printed"),
    ({"unit": "a\x7fb"}, "unit is longer than"),
    ({"unit": "a\u202eb"}, "unit is longer than"),
    ({"signature": "a\0b"}, "signature is longer than"),
    ({"count": 10**15 + 1}, "count is beyond"),
    ({"total": -(10**15) - 1}, "total is beyond"),
    ({"event_no": 2**70}, "event_no is beyond"),
    ({"amount": 25.5}, "not an increment: Expected"),
]


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("changes", TAKEN, ids=str)
def test_values_within_bounds_are_taken(changes: dict[str, Any], ascii_only: bool) -> None:
    found = parsed(changes, ascii_only=ascii_only)
    assert isinstance(found, ForJackpot)
    assert all(getattr(found.entry.message, name) == value for name, value in changes.items())


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize(("changes", "say"), REJECTED, ids=str)
def test_values_out_of_bounds_are_rejected(changes: dict[str, Any], say: str, ascii_only: bool) -> None:
    found = parsed(changes, ascii_only=ascii_only)
    assert isinstance(found, Rejected)
    assert found.reason == "malformed"
    assert say in found.say
