"""Texts about the floor service: messages that wait, and tables that can be drawn though nobody may play there."""

from typing import Any

from msgspec.structs import replace
from sabot_protocol.jackpots.messages import MeterMessage, Meters
from sabot_tools.text.floor_status import status_lines
from sabot_tools.text.jackpot_show import show_lines

METER = MeterMessage(
    jackpot="seat", title="Lucky Seat", time="", entry=4, hash="", parameters="", version=1, currency="NZD",
    meters=Meters(base=100, in_=0, display=100, hits=0, wins=0, overflow=0, reserve=0), balanced=True,
)  # fmt: skip


def status(**broker: Any) -> list[str]:
    return status_lines(
        {
            "site": "s", "worker": "1", "time": "", "store": {"place": "floor.db", "problem": None},
            "broker": {"url": "mqtt://b", "connected": True, "problem": None, **broker}, "jackpots": [], "refused": {},
            "newest_refusals": [],
        }
    )  # fmt: skip


def test_the_status_has_for_how_long_messages_wait() -> None:
    waits = "floor: 3 messages wait for others that should have come before them"
    assert status(ahead=3, ahead_s=42, patience_s=300)[-1] == (
        f"{waits}, the first for 42 s; after 300 s those are taken as missing"
    )
    assert status(ahead=3)[-1] == waits  # of an earlier release
    assert not any("wait" in line for line in status(ahead=0, ahead_s=0, patience_s=300))


def test_show_names_tables_that_can_be_drawn_though_nobody_may_play_there() -> None:
    data: dict[str, Any] = {"open": [], "closed": [], "missed": [], "waiting": None, "parameters": {}}
    lines = show_lines({**data, "meter": replace(METER, commitment="ab"), "doubtful": {"nz-02": "is offline"}})
    assert "  nz-02 can be drawn, but is offline: withdraw it if nobody plays there" in lines
