"""Geometry: checks that ten columns are where a card has them, and that what passed is one card long.

Speed squared is taken as a polynomial of travel: constant speed and constant acceleration are exact, a smooth pull
comes close. A stop can only lengthen a time, so a time that is too short is always a reject.
"""

from micropython import const

from sabot.wire import CARD_UM, EXIT_UM, FIRST_UM, LAST_UM, PITCH_UM

_COLUMNS = const(10)
_ONE = const(1024)  # of a speed, or of its square
_SAME = const(256)  # of a time against the time that was expected
_JUMP_PCT = const(140)  # a distance this much longer than its neighbour is a break: a stop, or a column that is missing
_STOP_PCT = const(330)  # and one this much longer is no missing column
_OFF_ENTRY = const(15)  # of _SAME: half a pitch is 5.4 % of the way from the entry to the first column
_OFF_EXIT = const(20)  # and 7.4 % of the way from the last column to the exit
_WHOLE_OFF_ENTRY = const(22)  # a strip without a break can only be shifted by whole pitches: 28 of _SAME
_WHOLE_OFF_EXIT = const(30)  # and 38
_MOST_LOOSE = const(2)  # no code word becomes another by three wrong columns
_LONG_PCT = const(120)  # 8 mm more than a card at a steady speed; a hand's speed may well change by a tenth on the way
_LONG_UNREAD_PCT = const(115)  # of a card whose strip was not read: it is keyed in only if it is surely one
_SHORT_PCT = const(70)
_LONGEST_DOUBLE_PCT = const(400)  # two cards end to end are 332 %: what takes longer has stopped
_LONGEST = const(0x7FFFF)  # twice what a time of marks.py can be, doubled
_MOST_ROOT = const(8191)
_MOST_SPEED_UP = const(5120)

# Places on the way, as steps of speed squared between the first four columns and the last four, in 256ths.
_FRONT_UM = FIRST_UM + 3 * PITCH_UM // 2
_STEP_UM = 6 * PITCH_UM
_AT_ENTRY = -_FRONT_UM * 256 // _STEP_UM
_AT_FIRST = (FIRST_UM - _FRONT_UM) * 256 // _STEP_UM
_AT_LAST = (LAST_UM - _FRONT_UM) * 256 // _STEP_UM
_AT_EXIT = (EXIT_UM - _FRONT_UM) * 256 // _STEP_UM
# Ways in units of three pitches, for a speed given as the sum of two ends.
_TO_FIRST = FIRST_UM * 2 * _ONE // (16 * 3 * PITCH_UM)
_TO_EXIT = (EXIT_UM - LAST_UM) * 2 * _ONE // (16 * 3 * PITCH_UM)

# The tail: the way from the exit's rise to the entry's fall, as a share of that from entry to exit, and its middle.
_TAIL = (CARD_UM - EXIT_UM) * _ONE // EXIT_UM
_TAIL_UM = (EXIT_UM + CARD_UM) // 2
# Where the speeds from which that of the tail follows are measured: the middle of each stretch.
_LEAD_UM = FIRST_UM // 2
_CODE_UM = (FIRST_UM + EXIT_UM) // 2
_GAP_UM = (LAST_UM + EXIT_UM) // 2
_OUT_UM = CARD_UM + EXIT_UM // 2
_MIDDLE_UM = EXIT_UM // 2

# How much the speed at each of three places counts for the tail.
_BY_LEAD = (_TAIL_UM - _GAP_UM) * _ONE // (_LEAD_UM - _GAP_UM) * (_TAIL_UM - _OUT_UM) // (_LEAD_UM - _OUT_UM)
_BY_GAP = (_TAIL_UM - _LEAD_UM) * _ONE // (_GAP_UM - _LEAD_UM) * (_TAIL_UM - _OUT_UM) // (_GAP_UM - _OUT_UM)
_BY_OUT = _ONE - _BY_LEAD - _BY_GAP
# And how much the speed on the way out counts if there is one other.
_OUT_TO_CODE = (_TAIL_UM - _CODE_UM) * _ONE // (_OUT_UM - _CODE_UM)
_OUT_TO_MIDDLE = (_TAIL_UM - _MIDDLE_UM) * _ONE // (_OUT_UM - _MIDDLE_UM)


def root(square):
    """Return the whole part of a square root below 2**13."""
    guess = _MOST_ROOT
    better = (guess + square // guess) >> 1
    while better < guess:
        guess = better
        better = (guess + square // guess) >> 1
    return guess


def _speed(grow, at):
    """Return the speed at a place, in 1024ths of that of the first four columns; never 0."""
    square = _ONE + (grow * at >> 8)
    return root((square if square > 16 else 16) << 10)


def _square(unit, time):
    """Return the square of a speed; `unit` is the time at speed 1."""
    ratio = unit * _ONE // (time if time > 0 else 1)
    ratio = ratio if ratio < _MOST_SPEED_UP else _MOST_SPEED_UP
    return ratio * ratio >> 10


def _share(time, expected):
    return time * _SAME // (expected if expected > 0 else 1)


def _nearest(time, one, other, third):
    """Return how much longer or shorter a time is than the nearest of three expected times, in 256ths of it."""
    nearest = _share(time, one) - _SAME
    off = _share(time, other) - _SAME
    nearest = off if abs(off) < abs(nearest) else nearest
    off = _share(time, third) - _SAME
    return off if abs(off) < abs(nearest) else nearest


def _at_constant_speed(three_pitches, way):
    return three_pitches * way // (2 * _ONE) * 16


def _whole_way(time, way_um):
    """Return the time from entry to exit at the speed of a part of the way."""
    return time * (EXIT_UM // 500) // (way_um // 500)


def _left_pct(off, most):
    off = off if off >= 0 else -off
    return 100 - off * 100 // most if off < most else 0


class Geometry:
    """Checks one card in the time units of its marks, doubled; margins tell how far it was from a reject."""

    def __init__(self):
        self.reset()

    def reset(self):
        """Begin a new card."""
        self.margin_entry_pct = 100
        self.margin_exit_pct = 100
        self._first_break = -1
        self._last_break = -1
        self._hole = False  # a break that may be a missing column

    def columns_fit(self, centres, exit_at):
        """Return True if every column is where it belongs; times count from the entry's rise."""
        self._find_breaks(centres)
        to_exit = exit_at - centres[_COLUMNS - 1]
        if self._first_break < 0:
            return self._smooth(centres, to_exit)
        return self._loose() <= _MOST_LOOSE and self._front(centres) and self._rear(centres, to_exit)

    def _find_breaks(self, centres):
        for i in range(_COLUMNS - 2):
            one = centres[i + 1] - centres[i]
            other = centres[i + 2] - centres[i + 1]
            if one * 100 > other * _JUMP_PCT:
                self._break(i, one, other)
            elif other * 100 > one * _JUMP_PCT:
                self._break(i + 1, other, one)

    def _break(self, i, longer, shorter):
        if self._first_break < 0:
            self._first_break = i
        if i > self._last_break:
            self._last_break = i
        if longer * 100 < shorter * _STOP_PCT:
            self._hole = True

    def _loose(self):
        """Return how many columns nothing holds in place: those between breaks, and one alone at an end."""
        return self._last_break - self._first_break + (not self._first_break) + (self._last_break == _COLUMNS - 2)

    def _smooth(self, centres, to_exit):
        """Check a strip without breaks. A shift makes the way at one end shorter; a stop at neither."""
        front = centres[3] - centres[0]
        rear = centres[_COLUMNS - 1] - centres[_COLUMNS - 4]
        speed_up = front * _ONE // (rear if rear > 0 else 1)
        if front <= 0 or speed_up > 4 * _ONE:
            return False
        grow = (speed_up * speed_up >> 10) - _ONE
        first = front * _TO_FIRST // (_speed(grow, _AT_ENTRY) + _speed(grow, _AT_FIRST)) * 16
        last = front * _TO_EXIT // (_speed(grow, _AT_LAST) + _speed(grow, _AT_EXIT)) * 16
        strip = (centres[_COLUMNS - 1] - centres[0]) // 3
        entry = _nearest(centres[0], first, _at_constant_speed(front, _TO_FIRST), _at_constant_speed(strip, _TO_FIRST))
        exit_ = _nearest(to_exit, last, _at_constant_speed(rear, _TO_EXIT), _at_constant_speed(strip, _TO_EXIT))
        self.margin_entry_pct = _left_pct(entry, _OFF_ENTRY)
        if abs(entry) <= _WHOLE_OFF_ENTRY or abs(exit_) <= _WHOLE_OFF_EXIT:
            return True
        return entry > 0 and exit_ > 0

    def _front(self, centres):
        """Check the columns before the first break, held by the entry edge."""
        pitches = min(self._first_break, 3)
        if not pitches:
            return True
        way = (centres[pitches] - centres[0]) * (FIRST_UM // 250) // (pitches * (PITCH_UM // 250))
        off = _share(centres[0], way) - _SAME
        most = _OFF_ENTRY if self._hole else 2 * _OFF_ENTRY
        self.margin_entry_pct = _left_pct(off, most)
        return -most <= off <= most

    def _rear(self, centres, to_exit):
        """Check the columns after the last break, held by the exit edge."""
        last = _COLUMNS - 1
        pitches = min(last - 1 - self._last_break, 3)
        if not pitches:
            return True
        way = (centres[last] - centres[last - pitches]) * ((EXIT_UM - LAST_UM) // 250) // (pitches * (PITCH_UM // 250))
        off = _share(to_exit, way) - _SAME
        most = _OFF_EXIT if self._hole else 2 * _OFF_EXIT
        return -most <= off <= most

    def card_fits(self, centres, exit_at, tail, out):
        """Return True if one card passed: `tail` from the exit's rise to the entry's fall, `out` to the exit's fall."""
        last = centres[_COLUMNS - 1]
        gap = _whole_way(exit_at - last, EXIT_UM - LAST_UM)
        rear = _whole_way(last - centres[_COLUMNS - 5], 4 * PITCH_UM)
        code = gap if self._first_break >= 0 else _whole_way(exit_at - centres[0], EXIT_UM - FIRST_UM)
        stopped = gap * 2 > rear * 3  # between the strip and the exit: the speed before it counts
        code = rear if stopped else code
        unit = min(code, gap)
        if not 0 < unit <= min(4 * out, _LONGEST):  # no hand lets go of a card four times as fast as it drew it
            return False
        by_out = _square(unit, out)
        by_code = _square(unit, code)
        straight = by_code + ((by_out - by_code) * _OUT_TO_CODE >> 10)
        by_lead = _square(unit, _whole_way(centres[0], FIRST_UM))
        bent = (by_lead * _BY_LEAD + _square(unit, gap) * _BY_GAP + by_out * _BY_OUT) >> 10
        bent = straight if stopped else bent
        share_pct = self._tail_pct(unit, max(straight, bent), tail)
        self.margin_exit_pct = _left_pct(share_pct - 100, _LONG_PCT - 100)
        if share_pct > _LONG_PCT:
            return share_pct > _LONGEST_DOUBLE_PCT
        return share_pct >= _SHORT_PCT or stopped

    def cutting_card_fits(self, exit_at, tail, out):
        """Return True if one card without columns passed."""
        return _SHORT_PCT <= self._whole_pct(exit_at, tail, out) <= _LONG_PCT

    def longer_than_card(self, exit_at, tail, out):
        """Return True if more than one card passed, whatever its columns are; what takes longer still has stopped."""
        return _LONG_UNREAD_PCT < self._whole_pct(exit_at, tail, out) <= _LONGEST_DOUBLE_PCT

    def _whole_pct(self, exit_at, tail, out):
        """Return the same as _tail_pct(), from the speeds before and after the tail alone."""
        straight = _ONE + ((_square(exit_at, out) - _ONE) * _OUT_TO_MIDDLE >> 10)
        return self._tail_pct(exit_at, straight, tail)

    @staticmethod
    def _tail_pct(unit, square, tail):
        """Return the time of the tail as a percentage of what it takes at this speed; a second card makes it longer."""
        tail = tail if tail < 8 * _LONGEST else 8 * _LONGEST
        return tail * 100 // (unit * _TAIL // root((square if square > 64 else 64) << 10) or 1)
