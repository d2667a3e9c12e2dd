"""Lines of a jackpot's history: who did what, in which role, and why."""

from typing import Any

import msgspec
import pytest
from sabot_floor.jackpots.engine import Entry, Logged
from sabot_floor.jackpots.engine.entries import (
    Adjusted,
    Confirmed,
    Invalid,
    MadeGood,
    Ordered,
    Restored,
    Settled,
    Withdrawn,
)
from sabot_floor.store import Stored
from sabot_protocol.jackpots.messages import Meters
from sabot_tools.text.jackpot_history import line

TIME = "2026-11-17T12:00:00.000Z"
METERS = Meters(base=100, in_=0, display=100, hits=0, wins=0, overflow=0, reserve=0)
WHO: dict[str, Any] = {"time": TIME, "by": "A. Smith", "role": "area_manager"}


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (Confirmed(win="u-9", **WHO), "win u-9 by A. Smith, area_manager"),
        (
            Ordered(win="u-9", before="u-7", reason="video", **WHO),
            "win u-9 before u-7, by A. Smith, area_manager: video",
        ),
        (Settled(win="u-9", reason="paid", **WHO), "difference of win u-9 by A. Smith, area_manager: paid"),
        (Confirmed(win="u-9", notified="B. Jones", **WHO), "win u-9 by A. Smith, area_manager; notified: B. Jones"),
        (Invalid(win="u-9", reason="no wager", **WHO), "win u-9 by A. Smith, area_manager: no wager"),
        (
            Adjusted(time=TIME, id="a", amount=-250, by=("A", "B"), role="area_manager", reason="two coups"),
            "AUD -2.50 by A and B, area_manager: two coups",
        ),
        (Withdrawn(table="bac-01", reason="dark", **WHO), "bac-01 by A. Smith, area_manager: dark"),
        (Withdrawn(time=TIME, table="bac-01", reason="Fault of the shoe: card"), "bac-01: Fault of the shoe: card"),
        (Restored(table="bac-01", **WHO), "bac-01 by A. Smith, area_manager"),
        (
            MadeGood(time=TIME, missed="u-8", by="A. Smith", role="area_manager", reason="12 March"),
            "u-8 by A. Smith, area_manager: 12 March",
        ),
    ],
)
def test_a_line_has_the_person_the_role_and_the_reason(entry: Entry, says: str) -> None:
    payload = msgspec.json.encode(Logged(entry, 1, "2026-11-01", "a" * 16, METERS))
    stored = Stored(log="jackpot/x", seq=7, id="x", kind="kind", time=TIME, payload=payload, hash=b"")
    assert line(stored, "AUD").endswith(f"  {says}; display AUD 1.00")
