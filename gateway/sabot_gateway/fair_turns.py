"""Fair turns: a turn of the loop serves sources for a short time; those left over come first in the next."""

from collections.abc import Callable, Iterator

_LONGEST_S = 0.01  # then what was read is committed and published: a burst on all ports delays no message for long


class FairTurns:
    """Every source that is ready is served before any other has two turns."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._left: list[object] = []
        self.served: list[object] = []  # in this turn

    def take(self, ready: list[object], now_s: float) -> Iterator[object]:
        """Yield the sources of a turn that began at `now_s`, at least one."""
        ready = self._in_order(ready) if self._left else ready
        self.served, self._left = [], []
        for number, source in enumerate(ready, 1):
            self.served.append(source)
            yield source
            if self._monotonic() - now_s >= _LONGEST_S:
                self._left = ready[number:]
                return

    def _in_order(self, ready: list[object]) -> list[object]:
        """Return those left over first, then those that are new, then those of the last turn."""
        now, known = dict.fromkeys(ready), {*self._left, *self.served}
        new = (source for source in ready if source not in known)
        return [*filter(now.__contains__, self._left), *new, *filter(now.__contains__, self.served)]
