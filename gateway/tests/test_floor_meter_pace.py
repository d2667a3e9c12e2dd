"""How often a meter is published: at once when it moves, then a few times a second, the newest in the end."""

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
