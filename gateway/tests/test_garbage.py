"""Garbage: what lives on is left out of collections, and a cycle that dies later is still found."""

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
    threshold = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*threshold)


def test_what_lives_on_is_left_out_soon_after_it_is_made() -> None:
    garbage = Garbage()
    garbage.begin(100.0)
    kept = [Cycle() for _ in range(1000)]
    frozen = gc.get_freeze_count()
    garbage.step(104.9)
    assert gc.get_freeze_count() == frozen
    garbage.step(105.0)
    assert gc.get_freeze_count() >= frozen + 1000
    assert len(kept) == 1000


def test_a_cycle_that_was_left_out_and_died_is_found_within_two_hours() -> None:
    garbage = Garbage()
    dying = Cycle()
    watched = weakref.ref(dying)
    garbage.begin(0.0)
    del dying
    for now_s in (5.0, 30.0, 119.0):
        garbage.step(now_s)
        gc.collect()
    assert watched() is not None
    for now_s in (120.0, 3700.0):
        garbage.step(now_s)
    assert watched() is None


def test_a_change_of_the_tables_looks_at_everything_only_where_it_has_begun() -> None:
    garbage, frozen = Garbage(), gc.get_freeze_count()
    garbage.tables_changed(50.0)
    assert gc.get_freeze_count() == frozen
    dying = Cycle()
    watched = weakref.ref(dying)
    garbage.begin(60.0)
    del dying
    garbage.tables_changed(70.0)
    assert watched() is None


def test_young_cycles_are_collected_as_ever() -> None:
    garbage = Garbage()
    garbage.begin(0.0)
    watched = weakref.ref(Cycle())
    garbage.step(5.0)
    assert watched() is None
    assert gc.isenabled()
