"""A hostile table at full speed over TCP beside two honest ones, every part a process of its own."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from support.hostile_table import HONEST, HOSTILE, UNIT, Floor, HostileShoe

COUPS = 1000


@pytest.fixture
def floors(tmp_path: Path) -> Iterator[Callable[..., Floor]]:
    with ExitStack() as stack:
        yield lambda *what: Floor(stack, tmp_path, HostileShoe(*what))


def test_a_flood_of_disputed_coups_loses_nothing_and_its_alarms_are_few_and_small(
    floors: Callable[..., Floor],
) -> None:
    floor = floors("disputes", COUPS)
    floor.run(3.0)
    floor.until(lambda: floor.count(f"{HOSTILE}/coup") >= COUPS)
    assert floor.stored(UNIT) == list(range(1, 5 * COUPS + 1))
    for name in HONEST:
        line = floor.lines[name]
        assert floor.stored(line.unit) == list(range(1, line.next_no))
    raised = Counter(alarm["name"] for alarm in floor.messages(f"{HOSTILE}/alarm") if alarm["state"] == "raised")
    assert raised.keys() == {"discrepancy", "alarm_flood"}
    assert raised["discrepancy"] < COUPS / 5
    assert max(len(payload) for _, topic, payload in floor.received if topic.endswith("/alarms")) < 17_000
    assert floor.messages(f"{HOSTILE}/alarms")[-1]["more"] > 0


@pytest.mark.parametrize("kind", ["noise", "frames"])
def test_bytes_without_end_on_one_port_end_nothing(floors: Callable[..., Floor], kind: str) -> None:
    floor = floors(kind)
    floor.run(2.0)
    for name in HONEST:
        line = floor.lines[name]
        assert floor.stored(line.unit) == list(range(1, line.next_no))
    assert floor.stored(UNIT) == []
    assert "Traceback" not in (floor.work_dir / "gateway.log").read_text()
    status = floor.messages("status")[-1]
    assert (status["state"], status.get("problem")) == ("online", None)
