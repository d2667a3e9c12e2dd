"""The stand as a fixture: broker, gateway and firmware as processes of their own, dealers in this one."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from brokers import Site
from rig import FLAT_OUT, Rig
from sabot_tools.stand import Plan, Stand


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Callable[..., Rig]]:
    """Makes a rig; the stand is taken down after the test."""
    with ExitStack() as stack:
        yield lambda **plan: Rig(stack.enter_context(Stand(Plan(tmp_path, speed=plan.pop("speed", FLAT_OUT), **plan))))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Where brokers are started; they are stopped after the test."""
    made = Site(tmp_path)
    yield made
    made.children.stop()
