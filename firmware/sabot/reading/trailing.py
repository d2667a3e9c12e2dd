"""Behind: what the tracks show once the leading edge is at the exit. The cutting card goes on, a second card begins."""

from micropython import const

from sabot.wire import CODE_UM, EXIT_UM

_TRACKS = const(6)
_SOLID_PCT = const(90)  # of a cutting card is dark on both tracks
# Its tail passes the code sensors on the way from the entry to the exit; a second card under it moves that place.
_TAIL_PCT = CODE_UM * 100 // EXIT_UM
_TAIL_OFF_PCT = const(8)
_LONG = const(10)  # what is dark for so many marks
_LONG_COUNTS = const(10)  # is no dirt
_SCALED = const(0xFFFFF)


def share_pct(part, whole):
    """Without leaving 30 bits."""
    while whole > _SCALED:
        part >>= 1
        whole >>= 1
    return part * 100 // (whole or 1)


class Behind:
    """Times are microseconds from the entry's rise."""

    def __init__(self):
        self.reset(0, 0)

    def reset(self, at_us, shortest_us):
        """From here on; a mark is at least so long."""
        self.marks = 0
        self._shortest_us = shortest_us
        self._from_us = at_us
        self._at_us = at_us
        self._mark_us = at_us
        self._solid_us = 0
        self._solid_until_us = at_us

    def feed(self, at_us, before, after):
        """The tracks changed from `before` to `after`."""
        if before == _TRACKS:
            self._solid_us += at_us - self._at_us
            self._solid_until_us = at_us
        if not before:
            self._mark_us = at_us
        elif not after and at_us - self._mark_us >= self._shortest_us:
            self.marks += _LONG_COUNTS if at_us - self._mark_us >= _LONG * self._shortest_us else 1
        self._at_us = at_us

    def solid(self):
        """Dark on both tracks, as far as they were dark at all."""
        return share_pct(self._solid_us, self._solid_until_us - self._from_us) >= _SOLID_PCT

    def solid_until_tail(self, tail_us, out_us):
        """Dark until the tail of one card had passed the code sensors."""
        if self._solid_until_us < tail_us:
            return False
        off_pct = share_pct(self._solid_until_us - tail_us, out_us - tail_us) - _TAIL_PCT
        return -_TAIL_OFF_PCT <= off_pct <= _TAIL_OFF_PCT
