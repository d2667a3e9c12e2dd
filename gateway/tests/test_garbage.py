"""Garbage: what lives on is looked at once, and a cycle that dies later is still found."""

import gc
import weakref
from collections.abc import Iterator

import pytest
from sabot_gateway.garbage import Garbage


class Cycle:
    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.enable()


@pytest.fixture
def garbage() -> Garbage:
    made = Garbage()
    made.begin(100.0)
    return made


def test_what_lives_on_is_left_out_once_it_was_looked_at(garbage: Garbage) -> None:
    kept, frozen = [Cycle() for _ in range(1000)], gc.get_freeze_count()
    garbage.step(100.2)
    assert gc.get_freeze_count() == frozen
    garbage.step(100.25)
    assert gc.get_freeze_count() >= frozen + 1000
    assert len(kept) == 1000


def test_a_cycle_that_is_dead_when_it_is_looked_at_is_gone(garbage: Garbage) -> None:
    watched = weakref.ref(Cycle())
    garbage.step(100.2)
    assert watched() is not None
    garbage.step(100.25)
    assert watched() is None


def test_a_cycle_that_dies_later_is_found_within_an_hour(garbage: Garbage) -> None:
    dying = Cycle()
    watched = weakref.ref(dying)
    garbage.step(100.25)
    del dying
    garbage.step(3699.9)
    assert watched() is not None
    garbage.step(3700.0)
    assert watched() is None


def test_what_belonged_to_tables_that_are_gone_is_found_at_once(garbage: Garbage) -> None:
    dying = Cycle()
    watched = weakref.ref(dying)
    garbage.step(100.25)
    del dying
    garbage.tables_changed(101.0)
    assert watched() is None


def test_a_gateway_whose_loop_somebody_else_runs_leaves_collections_to_python() -> None:
    Garbage().tables_changed(1.0)
    assert gc.isenabled()
