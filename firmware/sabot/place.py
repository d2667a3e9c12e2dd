"""Place: are ten columns where a card's columns are, and is what passed one card long?

Speed squared is taken as a polynomial of travel: constant speed and constant acceleration are exact, a pull that is
smooth comes close. A stop can only lengthen a time, so a time that is too short is always a refusal.
"""

from micropython import const

from sabot.generated import CARD_UM, EXIT_UM, FIRST_UM, LAST_UM, PITCH_UM

_COLUMNS = const(10)
_ONE = const(1024)  # of a speed, or of its square
_SAME = const(256)  # of a time against the time that was expected
_JUMP_PCT = const(140)  # a distance this much longer than its neighbour is a break: a stop, or a column that is missing
_LEAST_TO_FIRST = const(192)  # of _SAME: three pitches are a third of the way from the entry to the first column
_LEAST_TO_EXIT = const(166)  # three pitches are 44 % of the way from the last column to the exit
_OFF_ENTRY = const(15)  # of _SAME: half a pitch is 5.4 % of the way from the entry to the first column
_OFF_EXIT = const(20)  # and 7.4 % of the way from the last column to the exit
_MOST_LOOSE = const(2)  # a code word bears three wrong columns
_LONG_PCT = const(109)
_SHORT_PCT = const(85)
_SHORT_CUTTING_CARD_PCT = const(65)  # its speed is known from entry to exit only
_LONGEST = const(0x7FFFF)  # what a time of marks.py can be, doubled
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
# Where the speeds that tell the speed of the tail are measured.
_STRIP_UM = (FIRST_UM + LAST_UM) // 2
_REAR_UM = LAST_UM - 2 * PITCH_UM
_GAP_UM = (LAST_UM + EXIT_UM) // 2
_OUT_UM = CARD_UM + EXIT_UM // 2
_MIDDLE_UM = EXIT_UM // 2


def _weight(at_um, one_um, other_um):
    """How much the speed at one place counts for the tail, if there are two others."""
    return (_TAIL_UM - one_um) * _ONE // (at_um - one_um) * (_TAIL_UM - other_um) // (at_um - other_um)


_BY_STRIP = _weight(_STRIP_UM, _GAP_UM, _OUT_UM)
_BY_GAP = _weight(_GAP_UM, _STRIP_UM, _OUT_UM)
_BY_OUT = _ONE - _BY_STRIP - _BY_GAP
# And how much the speed on the way out counts if there is one other.
_OUT_TO_GAP = (_TAIL_UM - _GAP_UM) * _ONE // (_OUT_UM - _GAP_UM)
_OUT_TO_REAR = (_TAIL_UM - _REAR_UM) * _ONE // (_OUT_UM - _REAR_UM)
_OUT_TO_MIDDLE = (_TAIL_UM - _MIDDLE_UM) * _ONE // (_OUT_UM - _MIDDLE_UM)


def root(square):
    """The whole part of a square root below 2**13."""
    guess = _MOST_ROOT
    better = (guess + square // guess) >> 1
    while better < guess:
        guess = better
        better = (guess + square // guess) >> 1
    return guess


def _speed(grow, at):
    """The speed at a place, in 1024ths of that of the first four columns; never quite nothing."""
    square = _ONE + (grow * at >> 8)
    return root((square if square > 16 else 16) << 10)


def _square(unit, time):
    """The square of a speed: `unit` is the time at speed 1."""
    ratio = unit * _ONE // (time if time > 0 else 1)
    ratio = ratio if ratio < _MOST_SPEED_UP else _MOST_SPEED_UP
    return ratio * ratio >> 10


def _share(time, expected):
    return time * _SAME // (expected if expected > 0 else 1)


def _left_pct(off, most):
    off = off if off >= 0 else -off
    return 100 - off * 100 // most if off < most else 0


class Place:
    """Checks of one card in the time units of its marks, doubled; margins say how far from refusal it was."""

    def __init__(self):
        self.reset()

    def reset(self):
        """A new card."""
        self.margin_entry_pct = 100
        self.margin_exit_pct = 100
        self._first_break = -1
        self._last_break = -1

    def columns_fit(self, centres, exit_at):
        """Ten centres and the exit's rise, from the entry's rise: is every column surely where it belongs?"""
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
                self._break(i)
            elif other * 100 > one * _JUMP_PCT:
                self._break(i + 1)

    def _break(self, i):
        if self._first_break < 0:
            self._first_break = i
        if i > self._last_break:
            self._last_break = i

    def _loose(self):
        """Columns between the first break and the last, and one alone at an end: nothing holds them in place."""
        return self._last_break - self._first_break + (not self._first_break) + (self._last_break == _COLUMNS - 2)

    def _smooth(self, centres, to_exit):
        """No break: the strip is whole, and the card sets are such that a shift by two columns is no other card."""
        front = centres[3] - centres[0]
        rear = centres[_COLUMNS - 1] - centres[_COLUMNS - 4]
        speed_up = front * _ONE // (rear if rear > 0 else 1)
        if front <= 0 or speed_up > 4 * _ONE:
            return False
        grow = (speed_up * speed_up >> 10) - _ONE
        first = front * _TO_FIRST // (_speed(grow, _AT_ENTRY) + _speed(grow, _AT_FIRST)) * 16
        last = front * _TO_EXIT // (_speed(grow, _AT_LAST) + _speed(grow, _AT_EXIT)) * 16
        self.margin_entry_pct = _left_pct(_share(centres[0], first) - _SAME, _OFF_ENTRY)
        first = min(first, front * _TO_FIRST // (2 * _ONE) * 16)
        last = min(last, rear * _TO_EXIT // (2 * _ONE) * 16)
        return _share(centres[0], first) >= _LEAST_TO_FIRST and _share(to_exit, last) >= _LEAST_TO_EXIT

    def _front(self, centres):
        """The columns before the first break, held by the entry edge."""
        pitches = min(self._first_break, 3)
        if not pitches:
            return True
        way = (centres[pitches] - centres[0]) * (FIRST_UM // 250) // (pitches * (PITCH_UM // 250))
        off = _share(centres[0], way) - _SAME
        self.margin_entry_pct = _left_pct(off, _OFF_ENTRY)
        return -_OFF_ENTRY <= off <= _OFF_ENTRY

    def _rear(self, centres, to_exit):
        """The columns after the last break, held by the exit edge."""
        last = _COLUMNS - 1
        pitches = min(last - 1 - self._last_break, 3)
        if not pitches:
            return True
        way = (centres[last] - centres[last - pitches]) * ((EXIT_UM - LAST_UM) // 250) // (pitches * (PITCH_UM // 250))
        off = _share(to_exit, way) - _SAME
        return -_OFF_EXIT <= off <= _OFF_EXIT

    def card_fits(self, centres, exit_at, tail, out):
        """From the exit's rise to the entry's fall, and on to the exit's fall: one card whose columns were seen?"""
        last = _COLUMNS - 1
        strip = (centres[last] - centres[0]) * (EXIT_UM // 500) // ((LAST_UM - FIRST_UM) // 500)
        rear = (centres[last] - centres[last - 4]) * (EXIT_UM // 500) // (4 * PITCH_UM // 500)
        gap = (exit_at - centres[last]) * (EXIT_UM // 500) // ((EXIT_UM - LAST_UM) // 500)
        unit = min(strip, rear, gap)
        if not 0 < unit <= _LONGEST:
            return False
        by_out = _square(unit, out)
        by_gap = _square(unit, gap)
        square = by_gap + ((by_out - by_gap) * _OUT_TO_GAP >> 10)
        by_rear = _square(unit, rear)
        square = max(square, by_rear + ((by_out - by_rear) * _OUT_TO_REAR >> 10))
        if self._first_break < 0:
            by_strip = _square(unit, strip)
            square = max(square, (by_strip * _BY_STRIP + by_gap * _BY_GAP + by_out * _BY_OUT) >> 10)
        return self._tail_fits(unit, square, tail, _SHORT_PCT)

    def cutting_card_fits(self, exit_at, tail, out):
        """The same for a card without columns."""
        by_out = _square(exit_at, out)
        return self._tail_fits(exit_at, _ONE + ((by_out - _ONE) * _OUT_TO_MIDDLE >> 10), tail, _SHORT_CUTTING_CARD_PCT)

    def _tail_fits(self, unit, square, tail, least_pct):
        """A card passes in the time that its speed tells: less than 4 mm longer, or it is two."""
        tail = tail if tail < 8 * _LONGEST else 8 * _LONGEST
        expected = unit * _TAIL // root((square if square > 64 else 64) << 10) or 1
        share_pct = tail * 100 // expected
        self.margin_exit_pct = _left_pct(share_pct - 100, _LONG_PCT - 100)
        return least_pct <= share_pct <= _LONG_PCT
