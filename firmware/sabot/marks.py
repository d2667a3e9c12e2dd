"""Marks: the two code tracks become columns, each A, B or both, with the margin of the worst decision."""

from micropython import const

_TICKS = const(0x3FFFFFFF)
_A = const(2)
_B = const(4)
_TRACKS = const(6)
_SURE_PCT = const(75)  # a track marked for this share of a column is a mark; for the rest of 100, none
_LONGEST_US = const(0xFFFFF)  # longer columns are scaled, so that shares stay below 2**30


class Marks:
    """The columns since reset(): `columns`, `word` in base 3, `doubtful`, `margin_pct`, `longest_us`."""

    def __init__(self):
        self._level = 0
        self._t_us = 0
        self.reset()

    def reset(self):
        """A new card begins."""
        self.columns = 0
        self.word = 0
        self.doubtful = 0
        self.margin_pct = 100
        self.longest_us = 0
        self._wide_us = 0
        self._a_us = 0
        self._b_us = 0

    def feed(self, t_us, pins):
        """The inputs changed to `pins` at `t_us`."""
        elapsed_us = (t_us - self._t_us) & _TICKS
        level = self._level
        self._t_us = t_us
        self._level = pins & _TRACKS
        if not level:
            return
        self._wide_us += elapsed_us
        if level & _A:
            self._a_us += elapsed_us
        if level & _B:
            self._b_us += elapsed_us
        if not self._level:
            self._close_column()

    def _close_column(self):
        wide_us = self._wide_us
        scale = 0
        while wide_us >> scale > _LONGEST_US:
            scale += 1
        wide = (wide_us >> scale) or 1
        a = self._decide((self._a_us >> scale) * 100 // wide)
        b = self._decide((self._b_us >> scale) * 100 // wide)
        if wide_us > self.longest_us:
            self.longest_us = wide_us
        if self.columns < 255:
            self.columns += 1
        if self.columns <= 10:
            self.word = self.word * 3 + (2 if a and b else 1 if b else 0)
        self._wide_us = self._a_us = self._b_us = 0

    def _decide(self, share_pct):
        """Whether a track counts as marked; what lies between is noted as doubtful."""
        if share_pct > 100 - _SURE_PCT and share_pct < _SURE_PCT:
            self.doubtful += 1
        margin_pct = 2 * (share_pct - 50 if share_pct >= 50 else 50 - share_pct)
        if margin_pct < self.margin_pct:
            self.margin_pct = margin_pct
        return share_pct >= 50
