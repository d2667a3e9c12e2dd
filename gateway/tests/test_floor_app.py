"""The floor service on a real broker: counted once whatever is killed, refused in a sentence, held without a store."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from floor_rig import INCREMENT, Rig, server
from sabot_tools.stand.broker import LocalBroker

__all__ = ["server"]
BASE = 100_000


@pytest.fixture
def rig(server: LocalBroker, tmp_path: Path, store_url: str, request: pytest.FixtureRequest) -> Iterator[Rig]:
    with ExitStack() as stack:
        yield Rig(stack, server, tmp_path, store_url)


def test_increments_move_the_meter(rig: Rig) -> None:
    rig.start()
    table = rig.table()
    rig.send(*(table.increment() for _ in range(40)))
    rig.settle()
    assert rig.meter().meters.display == BASE + 40 * INCREMENT
    assert rig.meter().meters.in_ == 40 * INCREMENT
    assert rig.meter().balanced
