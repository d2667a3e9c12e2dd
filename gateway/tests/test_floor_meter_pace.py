"""How often states are published: a meter when it moves, a few times a second; open wins when they change."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from floor_rig import INCREMENT, Rig, server
from sabot_tools.stand.broker import LocalBroker

__all__ = ["server"]
STEP_S = 0.01  # of the services' clock, in each turn


@pytest.fixture
def rig(server: LocalBroker, tmp_path: Path) -> Iterator[Rig]:
    with ExitStack() as stack:
        yield Rig(stack, server, tmp_path, str(tmp_path / "floor.db"))


def test_a_busy_meter_is_published_five_times_a_second_and_its_last_state(rig: Rig) -> None:
    app = rig.start()
    rig.settle()
    table, before, start_s = rig.table(), len(rig.client.on("meter")), rig.now_s
    for number in range(1, 101):
        rig.send(table.increment())
        rig.until(lambda number=number: app.logs.state("lucky-tie").in_ == number * INCREMENT, STEP_S)  # type: ignore[misc,union-attr]
    rig.until(lambda: rig.meter().meters.in_ == 100 * INCREMENT, STEP_S)
    published, seconds = len(rig.client.on("meter")) - before, rig.now_s - start_s
    assert 2 <= published <= 5 * seconds + 2


def test_a_meter_that_rests_is_published_at_once(rig: Rig) -> None:
    app = rig.start()
    rig.settle()
    rig.step(pass_s=10.0)
    rig.send(rig.table().increment())
    rig.until(lambda: app.logs.state("lucky-tie").in_ == INCREMENT, STEP_S)  # type: ignore[union-attr]
    moved_s = rig.now_s
    rig.until(lambda: rig.meter().meters.in_ == INCREMENT, pass_s=0.0)
    assert rig.now_s == moved_s


def lists(rig: Rig) -> int:
    """Return how many lists of open wins were published until now, all of which have come."""
    rig.settle()
    mark = (rig.topic("jackpot", "mark", "x"), str(rig.now_s).encode())
    rig.client.publish(*mark)
    rig.until(lambda: mark in rig.client.messages)
    return len(rig.client.on("pending"))


def test_open_wins_are_published_when_they_change_and_not_with_each_increment(rig: Rig) -> None:
    apps = [rig.start("1"), rig.start("2")]
    table, before = rig.table(), lists(rig)
    for number in range(1, 6):
        rig.send(table.increment())
        rig.until(lambda number=number: rig.meter().meters.in_ == number * INCREMENT)  # type: ignore[misc]
        rig.step(pass_s=1.5)
    assert lists(rig) == before
    assert rig.client.on("pending")[-1]["wins"] == []
    won = table.increment(trigger="suited")
    rig.send(won, table.recorded(won, stakes={"tie": [100]}))
    rig.until(lambda: rig.client.on("pending")[-1]["wins"])
    rig.settle()
    rig.kill(apps.pop())
    apps.append(rig.start("2"))  # a later time in the same list: the two do not overwrite each other
    rig.send(table.increment())
    rig.until(lambda: rig.meter().meters.in_ == 7 * INCREMENT)
    rig.kill(apps.pop())
    apps.append(rig.start("2"))
    before = lists(rig)
    for _ in range(20):
        rig.step(pass_s=1.5)
    assert lists(rig) == before


def test_open_wins_that_somebody_else_overwrites_are_published_again(rig: Rig) -> None:
    app = rig.start()
    rig.settle()
    for payload in (b"[]", b'{"jackpot":"lucky-tie","time":"","wins":[],"more":7}'):
        rig.client.publish(rig.topic("jackpot", "lucky-tie", "pending"), payload, retain=True)
        rig.until(lambda payload=payload: rig.client.messages[-1][1] == payload)  # type: ignore[misc]
        before = app.publisher.republished
        rig.until(lambda before=before: app.publisher.republished == before + 1)  # type: ignore[misc]
        rig.until(lambda payload=payload: rig.client.messages[-1][1] != payload)  # type: ignore[misc]
