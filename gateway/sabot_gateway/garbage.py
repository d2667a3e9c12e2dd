"""Garbage: Python's collections in small pieces, so that none of them is a pause that a person or a shoe notices.

A gateway with 200 tables has 150,000 objects that live as long as the tables do, and makes 2,000 more a second that
live for some seconds. Left alone, Python looks at all of them again and again, for 10 to 150 ms of the loop.
"""

import gc

_EVERY_S = 0.25
_ALL_EVERY_S = 3600.0


class Garbage:
    """`step` with the time: what is new is looked at once and then left alone, and everything once an hour."""

    def __init__(self) -> None:
        self._next_s = self._all_s = 0.0
        self._began = False

    def begin(self, now_s: float) -> None:
        """Take over from Python."""
        gc.disable()
        self._began = True
        self._look_at_all(now_s)

    def tables_changed(self, now_s: float) -> None:
        """Look at everything: what belonged to tables that are gone is garbage."""
        if self._began:
            self._look_at_all(now_s)

    def step(self, now_s: float) -> None:
        """Collect what is due."""
        if now_s >= self._all_s:
            self._look_at_all(now_s)
        elif now_s >= self._next_s:
            self._next_s = now_s + _EVERY_S
            gc.collect(0)
            gc.freeze()

    def _look_at_all(self, now_s: float) -> None:
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._next_s, self._all_s = now_s + _EVERY_S, now_s + _ALL_EVERY_S
