"""The power is cut on the MicroPython VM: no event is lost, none doubled, and the state is that of a shoe without cuts.

SABOT_VM_CUTS=10000 .venv/bin/pytest hil_tests/test_8_power.py makes more cuts.
python -m sabot_sim.dealing.power_cuts SEED replays one seed.
"""

import os
from collections import Counter

import pytest
from sabot_sim.dealing.power_cuts import CutRun

CUTS = int(os.environ.get("SABOT_VM_CUTS", "100"))
PARTS = max(4, CUTS // 100)
SEEDS_A_PART = 10_001  # so that each part begins with another rulebook


@pytest.mark.parametrize("part", range(PARTS))
def test_a_shoe_with_power_cuts_logs_the_same_as_one_without(part: int) -> None:
    cut_in: Counter[str] = Counter()
    seed = part * SEEDS_A_PART
    while cut_in.total() < CUTS / PARTS:
        run = CutRun(seed)
        run.run()
        cut_in += run.cut_in
        seed += 1
    print(f"part {part}: {cut_in.total()} cuts of {seed - part * SEEDS_A_PART} runs: {dict(cut_in)}")


def test_a_seed_is_the_same_every_time() -> None:
    one, other = CutRun(3, 40), CutRun(3, 40)
    assert one.run() == other.run() > 3
    assert one.cut_in == other.cut_in
    assert one.cut_in["event"] > 3
    assert one.end == other.end


def test_a_killed_shoe_continues_from_its_flash() -> None:
    run = CutRun(0, 30)
    run.run()
    assert run.cut_in.total() > 8
    at, image = run.last_cut
    again = CutRun(0, 30)
    again.replay(image, at)
    assert not again.cut_in
