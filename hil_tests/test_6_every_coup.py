"""Every coup of six point values on the VM, compared with the gateway's own rules."""

import os
import subprocess
from pathlib import Path

import pytest
from sabot_gateway import rules
from sabot_sim.rigs.vm import HEAP, firmware_dir, micropython

ROOT = Path(__file__).parents[1]
PART = 100_000


def expected(number: int) -> bytes:
    """Return what the VM must print for the coup whose points as drawn are the digits of a number."""
    played = rules.play([f"{'TA23456789'[int(points)]}C" for points in f"{number:06}"])
    thirds = ("player_3" in played.slots) | ("banker_3" in played.slots) << 1
    winner = 1 + ("player", "banker", "tie").index(played.winner)
    result = thirds << 6 | winner << 4 | played.natural << 1 | 1
    return bytes((result, played.player_points << 4 | played.banker_points))


@pytest.mark.parametrize("first", range(0, 1_000_000, PART))
def test_every_coup_of_six_point_values(first: int) -> None:
    program = ROOT / "firmware" / "tests" / "all_coups.py"
    args = [micropython(), "-X", HEAP, str(program), str(first), str(first + PART)]
    env = {**os.environ, "MICROPYPATH": f"{firmware_dir()}:.frozen"}
    with subprocess.Popen(args, env=env, stdout=subprocess.PIPE) as vm:
        assert vm.stdout
        for number in range(first, first + PART):
            assert vm.stdout.read(2) == expected(number), f"{number:06}"
        assert vm.stdout.read() == b""
    assert vm.returncode == 0
