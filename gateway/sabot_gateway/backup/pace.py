"""Pace: work in small pieces, with a pause after each, so that the daemon comes first."""

import os
import time
from collections.abc import Callable
from contextlib import suppress


class Pace:
    """After each piece of work rests as long as it took."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._clock, self._sleep = clock, sleep
        self._begun_s = clock()

    def rest(self) -> None:
        """End a piece of work and begin the next one after a pause."""
        self._sleep(max(self._clock() - self._begun_s, 0.0))
        self._begun_s = self._clock()


def give_way() -> None:
    """Let the daemon go first, at the processor and at the disk; on a busy machine this one still comes to an end."""
    with suppress(OSError):  # a sandbox can forbid it
        os.nice(19)
