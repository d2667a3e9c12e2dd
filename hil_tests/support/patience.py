"""How long a test waits for a condition before it fails: a limit for defects, never a measure of the machine."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

PATIENCE_S: Final = float(os.environ.get("SABOT_PATIENCE_S", "300"))


TRIES: Final = 4  # of something that is to be quick: a machine that stands still only makes one of them longer


def crowd() -> float:
    """Return how many processes share a core now, at least 1: what a time on an idle machine is multiplied with."""
    waiting = int(Path("/proc/loadavg").read_text().split()[3].partition("/")[0])
    return max(1.0, max(waiting, os.getloadavg()[0]) / (os.cpu_count() or 1))


def is_quick(took_s: Callable[[], float], most_s: float) -> bool:
    """Do something until it took no longer than it may on an idle machine; False if it always takes longer."""
    return any(took_s() <= most_s * crowd() for _ in range(TRIES))
