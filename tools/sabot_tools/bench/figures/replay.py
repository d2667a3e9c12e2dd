"""replay: every recording of the checkout through firmware on the VM, gateway, ledger and broker."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sabot_sim.rigs.rig import BenchError

from sabot_tools.bench.figure import Figure, at_least, children_cpu_s

RECORDINGS: Final = Path(__file__).parents[4] / "hil_tests/recordings"
_GOAL_S: Final = 60


def figures() -> Iterator[Figure]:
    """Replay them once, on all processors."""
    files = sorted(map(str, RECORDINGS.glob("*/*.shoe")))
    if not files:
        raise BenchError(f"no recordings in {RECORDINGS}: run it in a checkout")
    before_s, start_s = children_cpu_s(), time.perf_counter()
    subprocess.run([sys.executable, "-m", "sabot_tools", "replay", *files], stdout=subprocess.DEVNULL, check=True)
    took_s, cpu_s = time.perf_counter() - start_s, children_cpu_s() - before_s
    what = f"{took_s:.0f} s for {len(files)} recordings on {os.cpu_count()} processors, {cpu_s:.0f} s of their time"
    yield at_least("replay.60_s_over_all_recordings", _GOAL_S / took_s, 1, what)
