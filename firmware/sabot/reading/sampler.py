"""Sampler: the ring between the board and the stages, with one producer and one consumer, and the clock.

The board puts a sample at every change, and one without a change often enough that no time-out and no wrap of the
30-bit tick counter (17.9 minutes) is missed.
"""

from array import array

from micropython import const

_TICKS = const(0x3FFFFFFF)  # microsecond ticks wrap here, as time.ticks_us() does on the board


class Sampler:
    """Levels of all inputs at each change; a full ring refuses and counts, it never overwrites."""

    def __init__(self, size=256):
        self._size = size
        self._times = array("I", bytes(4 * size))
        self._levels = array("H", bytes(2 * size))
        self._head = 0
        self._tail = 0
        self._us = 0
        self.overruns = 0
        self.t_us = 0
        self.pins = 0
        self.now_ms = 0

    def free(self):
        """Return how many samples still fit."""
        return self._size - 1 - (self._head - self._tail) % self._size

    def put(self, t_us, pins):
        """Store a sample of the board: the inputs are `pins` since `t_us`."""
        if not self.free():
            self.overruns += 1
            return
        self._times[self._head] = t_us
        self._levels[self._head] = pins
        self._head = (self._head + 1) % self._size

    def get(self):
        """Take the next sample into `t_us` and `pins` and advance the clock; False when there is none."""
        if self._tail == self._head:
            return False
        t_us = self._times[self._tail]
        elapsed_us = (t_us - self.t_us) & _TICKS
        self._us += elapsed_us % 1000
        self._advance(elapsed_us // 1000 + self._us // 1000)
        self._us %= 1000
        self.t_us = t_us
        self.pins = self._levels[self._tail]
        self._tail = (self._tail + 1) % self._size
        return True

    def _advance(self, ms):
        """Advance the clock, which wraps and never takes more than 30 bits."""
        left_ms = _TICKS - self.now_ms
        self.now_ms = self.now_ms + ms if ms <= left_ms else ms - left_ms - 1
