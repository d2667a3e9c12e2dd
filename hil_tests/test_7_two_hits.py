"""Two tables hit a jackpot within a millisecond, over a real broker: the order of the dealers' records decides.

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
NOON, A_MILLISECOND_LATER = "2026-11-17T12:00:00.000Z", "2026-11-17T12:00:00.001Z"
TIMES = {  # records of bac-01 and of bac-02
    "bac-01 first": (NOON, A_MILLISECOND_LATER),
    "bac-02 first": (A_MILLISECOND_LATER, NOON),
    "in the same millisecond": (NOON, NOON),
}
PRIZES = {
    "bac-01 first": [("bac-01", 150_15), ("bac-02", 851_00)],
    "bac-02 first": [("bac-02", 1001_00), ("bac-01", 150_00)],
    "in the same millisecond": [("bac-01", 150_15), ("bac-02", 851_00)],  # by the name of the table
}
DISPLAY_AFTER = {
    "bac-01 first": 1000_00,
    "bac-02 first": 850_00,
    "in the same millisecond": 1000_00,
}


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


@pytest.mark.parametrize("arrival", [(0, 1), (1, 0)], ids=["bac-01 arrives first", "bac-02 arrives first"])
@pytest.mark.parametrize("recorded", list(TIMES))
def test_the_second_hit_sees_the_meter_after_the_first(rig: Rig, recorded: str, arrival: tuple[int, int]) -> None:
    tables = [rig.table("bac-01"), rig.table("bac-02")]
    hits = [tables[0].increment(trigger="coloured"), tables[1].increment(trigger="suited")]
    rig.send(*hits)
    rig.settle()
    for number in arrival:
        rig.send(tables[number].recorded(hits[number], TIMES[recorded][number], {"tie": [100]}))
        rig.settle()
    assert pending(rig) == PRIZES[recorded]
    wins = {hit.table: hit.coup_id for hit in hits}
    for table, prize in PRIZES[recorded]:
        act = {"win": wins[table], "role": "area_manager", "notified": "B. Jones"}
        answer = rig.ask("confirm", "A. Smith", jackpot=JACKPOT, **act)
        assert answer.ok, answer.say
        rig.settle()
        paid = [message["win"] for message in rig.client.on("win") if message["win"]["state"] == "paid"]
        assert (paid[-1]["table"], paid[-1]["prize"]) == (table, prize)
    assert pending(rig) == []
    meters = rig.meter().meters
    assert (meters.display, meters.hits) == (DISPLAY_AFTER[recorded], 2)
    assert meters.wins == sum(prize for _, prize in PRIZES[recorded])
    assert rig.meter().balanced
