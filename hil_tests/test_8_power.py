"""The power is cut on the MicroPython VM: no event is lost, none doubled, and the shoe stands where it would stand.

SABOT_VM_CUTS=10000 .venv/bin/pytest hil_tests/test_8_power.py cuts more often.
python -m sabot_sim.rigs.power_cuts SEED replays one seed.
"""

import os
from collections import Counter

import pytest
from sabot_sim.rigs.power_cuts import Run

CUTS = int(os.environ.get("SABOT_VM_CUTS", "100"))
PARTS = max(4, CUTS // 100)
SEEDS_A_PART = 10_001  # other books and ways to be cut come first in each


@pytest.mark.parametrize("part", range(PARTS))
def test_a_shoe_that_is_cut_logs_what_one_that_is_not_does(part: int) -> None:
    cut_in: Counter[str] = Counter()
    seed = part * SEEDS_A_PART
    while cut_in.total() < CUTS / PARTS:
        run = Run(seed)
        run.run()
        cut_in += run.cut_in
        seed += 1
    print(f"part {part}: {cut_in.total()} cuts of {seed - part * SEEDS_A_PART} scripts: {dict(cut_in)}")


def test_a_seed_is_the_same_every_time() -> None:
    one, other = Run(3, 40), Run(3, 40)
    assert one.run() == other.run() > 3
    assert one.cut_in == other.cut_in
    assert one.cut_in["event"] > 3
    assert one.end == other.end


def test_a_killed_shoe_goes_on_from_its_flash() -> None:
    run = Run(0, 30)
    run.run()
    assert run.cut_in.total() > 8
    at, image = run.last_cut
    again = Run(0, 30)
    again.replay(image, at)
    assert not again.cut_in
