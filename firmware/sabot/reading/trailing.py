"""Trailing: what the tracks see after the strip. The cutting card stays dark; marks belong to a second card."""

from micropython import const

from sabot.wire import CODE_UM, EXIT_UM

_TRACKS = const(6)
_SOLID_PCT = const(90)  # of a cutting card is dark on both tracks
# Its tail passes the code sensors on the way from the entry to the exit; a second card under it moves that place.
_TAIL_PCT = CODE_UM * 100 // EXIT_UM
_TAIL_OFF_PCT = const(8)
_LONG = const(10)  # a stretch that is dark for as many marks
_LONG_COUNTS = const(10)  # is no dirt: it counts as this many
_SCALED = const(0xFFFFF)


def share_pct(part, whole):
    """Return part as a percentage of whole, without leaving 30 bits."""
    while whole > _SCALED:
        part >>= 1
        whole >>= 1
    return part * 100 // (whole or 1)


class Trailing:
    """Counts marks and dark time after reset(). Times are microseconds from the entry's rise."""

    def __init__(self):
        self.reset(0, 0)

    def reset(self, at_us, shortest_us):
        """Begin at `at_us`; marks are at least `shortest_us` long."""
        self.marks = 0
        self._shortest_us = shortest_us
        self._from_us = at_us
        self._at_us = at_us
        self._mark_us = at_us
        self._solid_us = 0
        self._solid_until_us = at_us

    def feed(self, at_us, before, after):
        """Take a change of the tracks from `before` to `after`."""
        if before == _TRACKS:
            self._solid_us += at_us - self._at_us
            self._solid_until_us = at_us
        if not before:
            self._mark_us = at_us
        elif not after and at_us - self._mark_us >= self._shortest_us:
            self.marks += _LONG_COUNTS if at_us - self._mark_us >= _LONG * self._shortest_us else 1
        self._at_us = at_us

    def solid(self):
        """Return True if both tracks were dark until the last time that they were."""
        return share_pct(self._solid_us, self._solid_until_us - self._from_us) >= _SOLID_PCT

    def solid_until_tail(self, tail_us, out_us):
        """Return True if they were dark until the tail of one card had passed the code sensors."""
        if self._solid_until_us < tail_us:
            return False
        off_pct = share_pct(self._solid_until_us - tail_us, out_us - tail_us) - _TAIL_PCT
        return -_TAIL_OFF_PCT <= off_pct <= _TAIL_OFF_PCT
