"""Every event once and in order, whatever the line does and whichever end restarts. A failing seed is repeatable.

SABOT_SEEDS=10000 .venv/bin/pytest hil_tests/test_7_chaos.py tries more of them; a single one is World(seed).run(STEPS).
"""

import os

import pytest
from sabot_sim.line.faulty_line import Faults, FaultyLine
from support.link_chaos import UNIT, World

STEPS = 300
SEEDS = int(os.environ.get("SABOT_SEEDS", "400"))
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_what_was_logged_is_in_the_ledger_once_and_in_order(part: int) -> None:
    events = proved = 0
    for seed in range(part, SEEDS, PARTS):
        world = World(seed)
        world.run(STEPS)
        assert world.differences() == [], f"seed {seed}"
        events += len(world.gateway.events)
        proved += world.gateway.link.authenticated
    assert events > 20 * SEEDS // PARTS
    assert proved > 0.9 * SEEDS // PARTS  # the others restarted in the last moment


@pytest.mark.parametrize("part", range(PARTS))
def test_the_same_without_a_key(part: int) -> None:
    """Only CRC-16 protects against damage here; protocol/README.md describes what the key adds."""
    for seed in range(part, SEEDS // 4, PARTS):
        world = World(seed, keyed=False)
        world.run(STEPS)
        assert world.differences() == [], f"seed {seed}"
        assert not world.gateway.link.authenticated


@pytest.mark.parametrize("keyed", [False, True], ids=["no key", "key"])
def test_an_erased_journal_gets_no_acknowledgement_whatever_the_line_does(keyed: bool) -> None:
    """It has more events than the ledger when it connects, so that only their content shows the difference."""
    tried = 0
    for seed in range(60):
        world = World(seed, keyed=keyed)
        world.run(30)
        before = list(world.gateway.events)
        world.shoe.erase()
        for _ in range(len(before) + 10):
            world.shoe.journal.housekeep()
            world.shoe.log(world.rng, world._now_ms)
        tried += world.shoe.journal.next_no > len(before) > 5
        world.gateway.restart()
        faults = Faults.drawn(world.rng, 0.2)
        world.up, world.down = FaultyLine(world.rng, faults), FaultyLine(world.rng, faults)  # with nothing under way
        for _ in range(500):
            world._step()
        assert world.gateway.events == before, f"seed {seed}"
        assert world.shoe.journal.acked == 0, f"seed {seed}"
    assert tried > 20


def test_the_same_seed_is_the_same_world() -> None:
    one, other = World(7), World(7)
    one.run(STEPS)
    other.run(STEPS)
    assert one.gateway.events == other.gateway.events
    assert one.gateway.link.line_counters() == other.gateway.link.line_counters()


def test_the_storm_is_a_storm() -> None:
    """Over many seeds the counters of damage move: nothing is tested by lines that are always good."""
    seen: dict[str, int] = {}
    for seed in range(100):
        world = World(seed)
        world.run(STEPS)
        for name, count in world.gateway.link.line_counters().items():
            seen[name] = seen.get(name, 0) + count
    assert all(seen[name] > 100 for name in ("repeated", "gaps", "crc_errors", "cobs_errors"))


def test_a_calm_line_loses_nothing_and_resends_nothing() -> None:
    world = World(1, most=0.0)
    world.up.faults = world.down.faults = Faults()
    world._restarts = 0.0
    world.run(STEPS)
    assert world.differences() == []
    counters = world.gateway.link.line_counters()
    assert counters.pop("repeated") <= 1  # HELLO and WHO may cross at the start
    assert set(counters.values()) == {0}
    assert world.shoe.link.resends == 0
    assert world.gateway.link.unit == UNIT.hex()
