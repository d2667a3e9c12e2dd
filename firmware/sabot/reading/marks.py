"""Marks: turns the changes of the two code tracks into columns, each A, B or both, and the centre of each."""

from array import array

from micropython import const

_TICKS = const(0x3FFFFFFF)
_A = const(2)
_B = const(4)
_TRACKS = const(6)
_MOST_CHANGES = const(128)  # a card whose marks are all double and skewed has 41
_MOST_RUNS = const(32)  # while specks and split marks are still among the columns
_COLUMNS = const(10)
_SPIKE_US = const(25)  # shorter is no mark: 75 µm at 3 m/s
_LONGEST = const(0x1FFFF)  # time units between entry and exit; slower cards are scaled, so that products stay small
_MARKED_PCT = const(50)  # a track on for this share of a column is marked, and
_EMPTY_PCT = const(36)  # on for less than this it is not; between the two it is doubtful
_SCRATCH = const(5)  # a gap this many times shorter than the marks of this card does not end one
_SPECK = const(4)  # a run this many times shorter is none
_NARROWEST_PCT = const(42)  # of a pitch: narrower marks are a lamp or a threshold on its way out; none is left at 17
_WIDEST_PCT = const(62)
_BIG_SPECK_PCT = const(58)  # and where there are too many, runs shorter than this share of a mark are none


def _middle(mid, on, other_mid, other_on):
    """Return the middle of two runs together: from the start of the one to the end of the other."""
    return (mid - on + other_mid + other_on) >> 1


def _margin(share_pct):
    """Return 100 for a track that is on, or off, all along; 0 in doubt."""
    if share_pct >= _MARKED_PCT:
        return (share_pct - _MARKED_PCT + 1) * 100 // (101 - _MARKED_PCT)
    if share_pct < _EMPTY_PCT:
        return (_EMPTY_PCT - share_pct) * 100 // _EMPTY_PCT
    return 0


class Marks:
    """The changes of the tracks since reset(); after decode(): columns, values, centres and margins."""

    def __init__(self):
        self.times = array("I", bytes(4 * _MOST_CHANGES))  # the first is the tick of the entry edge
        self._levels = bytearray(_MOST_CHANGES)
        self.starts = array("I", bytes(4 * _MOST_RUNS))  # of runs and then columns, in time units from the entry edge
        self.ends = array("I", bytes(4 * _MOST_RUNS))
        self._on_a = array("I", bytes(4 * _MOST_RUNS))
        self._on_b = array("I", bytes(4 * _MOST_RUNS))
        self._mids_a = array("I", bytes(4 * _MOST_RUNS))  # twice the middle of what track A saw in a run
        self._mids_b = array("I", bytes(4 * _MOST_RUNS))
        self._sorted = array("I", bytes(4 * _MOST_RUNS))
        self.values = bytearray(_MOST_RUNS)  # 0 A, 1 B, 2 both
        self.centres = array("i", bytes(4 * _COLUMNS))  # twice the time from the entry edge
        self.spikes = array("H", bytes(4))  # of tracks A and B
        self.reset(0, 0)

    def reset(self, t_us, pins):
        """Begin a card: its leading edge is at the entry, and the inputs are `pins`."""
        self.times[0] = t_us
        self._levels[0] = pins & _TRACKS
        self._count = 1
        self.overflow = False
        self.columns = 0
        self.word = 0
        self.doubtful = 0  # a bit a column, the first column is bit 0
        self.margin_a_pct = 100
        self.margin_b_pct = 100
        self.width = 0  # of a typical mark, in time units
        self.scale = 0  # a time unit is 2**scale microseconds

    def feed(self, t_us, pins):
        """Take the tracks, which changed to `pins` at `t_us`; a spike is removed."""
        last = self._count - 1
        level = pins & _TRACKS
        if last and level == self._levels[last - 1] and (t_us - self.times[last]) & _TICKS < _SPIKE_US:
            self._count = last
            track = 0 if (level ^ self._levels[last]) & _A else 1
            if self.spikes[track] < 0xFFFF:
                self.spikes[track] += 1
        elif self._count == _MOST_CHANGES:
            self.overflow = True
        else:
            self.times[self._count] = t_us
            self._levels[self._count] = level
            self._count += 1

    def decode(self, end_us):
        """Find the columns seen until `end_us`, microseconds after reset(), and the word of the first ten."""
        self.scale = 0
        while end_us >> self.scale > _LONGEST:
            self.scale += 1
        self._find_runs(end_us)
        self._find_width()
        self._bridge()
        self._drop(self.width // _SPECK)
        if self.columns > _COLUMNS:
            self._drop(self.width * _BIG_SPECK_PCT // 100)
        self._decide()

    def _find_runs(self, end_us):
        """Find the stretches in which a track is on."""
        runs = 0
        times = self.times
        levels = self._levels
        scale = self.scale
        first_us = times[0]
        count = self._count
        before = 0
        at = 0
        for i in range(count):
            level = levels[i]
            until_us = (times[i + 1] - first_us) & _TICKS if i + 1 < count else end_us
            until = (until_us if until_us < end_us else end_us) >> scale
            if level:
                if not before:
                    if runs == _MOST_RUNS:
                        self.overflow = True
                        break
                    self._open_run(runs, at)
                    runs += 1
                self._extend_run(runs - 1, level, at, until)
            before = level
            at = until
        self.columns = runs

    def _open_run(self, run, at):
        self.starts[run] = at
        self._on_a[run] = self._on_b[run] = self._mids_a[run] = self._mids_b[run] = 0

    def _extend_run(self, run, level, at, until):
        """Extend a run; a track's middle is the sum of its first time on and its last time off."""
        self.ends[run] = until
        if level & _A:
            self._mids_a[run] += (until - at) if self._on_a[run] else at + until
            self._on_a[run] += until - at
        if level & _B:
            self._mids_b[run] += (until - at) if self._on_b[run] else at + until
            self._on_b[run] += until - at

    def _find_width(self):
        """Set the length of a typical mark: the sixth longest run is one even among specks and a stop or two."""
        lengths = self._sorted
        runs = self.columns
        for i in range(runs):
            length = self.ends[i] - self.starts[i]
            j = i
            while j and lengths[j - 1] > length:
                lengths[j] = lengths[j - 1]
                j -= 1
            lengths[j] = length
        self.width = 0 if not runs else lengths[runs - 6 if runs >= _COLUMNS else runs // 2]

    def _bridge(self):
        """Join runs between which there is only a scratch."""
        ends = self.ends
        kept = 0
        for i in range(1, self.columns):
            if self._is_scratch(self.starts[i] - ends[kept], kept, i):
                ends[kept] = ends[i]
                self._join(kept, i)
            else:
                kept += 1
                self._copy(i, kept)
        if self.columns:
            self.columns = kept + 1

    def _is_scratch(self, gap, run, other):
        """Return True if a short gap is between two runs that are both longer."""
        if gap * _SCRATCH >= self.width or gap > self.ends[run] - self.starts[run]:
            return False
        return gap <= self.ends[other] - self.starts[other]

    def _join(self, run, other):
        on_a = self._on_a
        on_b = self._on_b
        if on_a[run] and on_a[other]:
            self._mids_a[run] = _middle(self._mids_a[run], on_a[run], self._mids_a[other], on_a[other])
        elif on_a[other]:
            self._mids_a[run] = self._mids_a[other]
        if on_b[run] and on_b[other]:
            self._mids_b[run] = _middle(self._mids_b[run], on_b[run], self._mids_b[other], on_b[other])
        elif on_b[other]:
            self._mids_b[run] = self._mids_b[other]
        on_a[run] += on_a[other]
        on_b[run] += on_b[other]

    def _drop(self, shortest):
        """Remove specks: runs that are too short for a mark."""
        kept = 0
        for i in range(self.columns):
            if self.ends[i] - self.starts[i] >= shortest:
                self._copy(i, kept)
                kept += 1
        self.columns = kept

    def _copy(self, run, to):
        if run != to:
            self.starts[to] = self.starts[run]
            self.ends[to] = self.ends[run]
            self._on_a[to] = self._on_a[run]
            self._on_b[to] = self._on_b[run]
            self._mids_a[to] = self._mids_a[run]
            self._mids_b[to] = self._mids_b[run]

    def _decide(self):
        """Decide the value of each column, and the word of the first ten."""
        word = 0
        for i in range(self.columns):
            wide = (self.ends[i] - self.starts[i]) or 1
            a_pct = self._on_a[i] * 100 // wide
            b_pct = self._on_b[i] * 100 // wide
            if i < _COLUMNS and self._doubted(a_pct, b_pct):
                self.doubtful |= 1 << i
            a = a_pct >= _MARKED_PCT
            b = b_pct >= _MARKED_PCT
            self.values[i] = 2 if a and b else 1 if b else 0
            if i < _COLUMNS:
                word = word * 3 + self.values[i]
        self.word = word

    def _doubted(self, a_pct, b_pct):
        """Note how far both tracks are from doubt; return True if one is in doubt."""
        margin_pct = _margin(a_pct)
        if margin_pct < self.margin_a_pct:
            self.margin_a_pct = margin_pct
        sure = margin_pct
        margin_pct = _margin(b_pct)
        if margin_pct < self.margin_b_pct:
            self.margin_b_pct = margin_pct
        return not sure or not margin_pct

    def place(self):
        """Set the centres of ten columns without the skew between the tracks; faint or swollen marks cost margin."""
        centres = self.centres
        for i in range(_COLUMNS):
            centres[i] = self.starts[i] + self.ends[i]
        self.margin_a_pct = min(self.margin_a_pct, self._width_margin(self._on_a, 1))
        self.margin_b_pct = min(self.margin_b_pct, self._width_margin(self._on_b, 0))
        skew = self._skew()
        for i in range(_COLUMNS):
            if self.values[i] != 2:
                half = skew * self._pitch(i) >> 9
                centres[i] += half if self.values[i] == 0 else -half

    def _width_margin(self, on, other):
        """Return 100 if a track's marks are half a pitch long in the mean; `other` is the value without this track."""
        marked = pitches = 0
        for i in range(_COLUMNS):
            if self.values[i] != other:
                marked += on[i]
                pitches += self._pitch(i)
        width_pct = marked * 200 // pitches if pitches > 0 else 0
        if width_pct > _WIDEST_PCT:
            return max(0, 100 - (width_pct - _WIDEST_PCT) * 4)
        return max(0, 100 - (_NARROWEST_PCT - width_pct) * 4) if width_pct < _NARROWEST_PCT else 100

    def _skew(self):
        """Return how far track B is behind track A, in 256ths of a pitch: the mean of the columns with both."""
        total = both = 0
        for i in range(_COLUMNS):
            if self.values[i] == 2:
                skew = ((self._mids_b[i] - self._mids_a[i]) << 8) // (self._pitch(i) or 1)
                if -128 < skew < 128:
                    total += skew
                    both += 1
        return total // both if both else 0

    def _pitch(self, i):
        """Return the distance to the nearer neighbour: a stop can only lengthen one."""
        after = self.starts[i + 1] + self.ends[i + 1] - self.starts[i] - self.ends[i] if i < _COLUMNS - 1 else _TICKS
        before = self.starts[i] + self.ends[i] - self.starts[i - 1] - self.ends[i - 1] if i else _TICKS
        return after if after < before else before
