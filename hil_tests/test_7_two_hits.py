"""Two tables hit a jackpot at once, over a real broker: the order in which the records come decides, and no clock.

The Lucky Tie of table bac-01 is coloured (15 %), that of bac-02 suited (100 %); base 1,000.00, two increments of 0.25,
payable in whole dollars. By hand (003 13.4.7):
bac-01 first: 15 % of 1,001.00 = 150.15; 850.35 stays, rounded up 851.00 for bac-02, and the meter begins at its base.
bac-02 first: 100 % of 1,001.00; the meter begins at 1,000.00, of which bac-01 gets 15 % = 150.00.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from floor_rig import JACKPOT, Rig, server
from sabot_tools.stand.broker import LocalBroker

__all__ = ["server"]
NOON, LATER = "2026-11-17T12:00:00.000Z", "2026-11-17T12:10:00.000Z"
CLOCKS = {  # times in the records of bac-01 and of bac-02: they decide nothing
    "equal clocks": (NOON, NOON),
    "bac-01 is ahead": (LATER, NOON),
    "bac-02 is ahead": (NOON, LATER),
}
PRIZES = {
    "bac-01": [("bac-01", 150_15), ("bac-02", 851_00)],
    "bac-02": [("bac-02", 1001_00), ("bac-01", 150_00)],
}
DISPLAY_AFTER = {"bac-01": 1000_00, "bac-02": 850_00}


@pytest.fixture
def rig(server: LocalBroker, tmp_path: Path) -> Iterator[Rig]:
    with ExitStack() as stack:
        made = Rig(stack, server, tmp_path, str(tmp_path / "floor.db"))
        made.key = bytes(32)
        (tmp_path / "jackpot.key").touch(mode=0o600)
        (tmp_path / "jackpot.key").write_text(f"{made.key.hex()}\n")
        made.start(jackpot_key=str(tmp_path / "jackpot.key"))
        yield made


def pending(rig: Rig) -> list[tuple[str, int]]:
    """Return table and prize of the wins that wait for confirmation, as published last, in order."""
    lists = rig.client.on("pending")
    return [(win["table"], win["prize"]) for win in lists[-1]["wins"] if win["state"] == "pending"] if lists else []


@pytest.mark.parametrize("first", ["bac-01", "bac-02"])
@pytest.mark.parametrize("clocks", list(CLOCKS))
def test_the_second_hit_sees_the_meter_after_the_first(rig: Rig, clocks: str, first: str) -> None:
    tables = [rig.table("bac-01"), rig.table("bac-02")]
    hits = [tables[0].increment(trigger="coloured"), tables[1].increment(trigger="suited")]
    rig.send(*hits)
    rig.settle()
    for number in (0, 1) if first == "bac-01" else (1, 0):
        rig.send(tables[number].recorded(hits[number], CLOCKS[clocks][number], {"tie": [100]}))
        rig.settle()
    assert pending(rig) == PRIZES[first]
    wins = {hit.table: hit.coup_id for hit in hits}
    for table, prize in PRIZES[first]:
        act = {"win": wins[table], "role": "area_manager", "notified": "B. Jones"}
        answer = rig.ask("confirm", "A. Smith", jackpot=JACKPOT, **act)
        assert answer.ok, answer.say
        rig.settle()
        paid = [message["win"] for message in rig.client.on("win") if message["win"]["state"] == "paid"]
        assert (paid[-1]["table"], paid[-1]["prize"]) == (table, prize)
    assert pending(rig) == []
    meters = rig.meter().meters
    assert (meters.display, meters.hits) == (DISPLAY_AFTER[first], 2)
    assert meters.wins == sum(prize for _, prize in PRIZES[first])
    assert rig.meter().balanced
