"""Garbage: what lives on is left out of Python's collections, which would take 50 to 150 ms of the loop each time.

A gateway with 200 tables has 150,000 objects that live as long as the tables do; most come with the first events of a
shoe, after the start. Each collection of the oldest generation would look at all of them.
"""

import gc

_YOUNG = 10_000  # objects, until the youngest generation is collected: most of a turn's are gone by then
_SETTLED_S = 5.0, 30.0, 120.0  # after the start, or after a change of the tables
_EVERY_S = 3600.0


class Garbage:
    """`step` with the time; what is frozen is looked at again once an hour, so that no cycle stays for good."""

    def __init__(self) -> None:
        self._due_s: list[float] = []

    def begin(self, now_s: float) -> None:
        """Leave out what exists now; what the tables then make is left out soon after."""
        gc.set_threshold(_YOUNG, *gc.get_threshold()[1:])
        self._thaw(now_s)
        self._due_s = [now_s + after_s for after_s in _SETTLED_S]

    def tables_changed(self, now_s: float) -> None:
        """The same once more, unless it has not begun."""
        if self._due_s:
            self.begin(now_s)

    def step(self, now_s: float) -> None:
        """Collect and leave out what is new, if that is due."""
        if not self._due_s or now_s < self._due_s[0]:
            return
        self._due_s = [due_s for due_s in self._due_s if due_s > now_s]
        if self._due_s:
            gc.collect()
            gc.freeze()
        else:
            self._thaw(now_s)

    def _thaw(self, now_s: float) -> None:
        """Look at everything once."""
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._due_s = [now_s + _EVERY_S]
