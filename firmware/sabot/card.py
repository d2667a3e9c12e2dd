"""Card: entry, marks and exit become a certain card, the cutting card, or a reject with its reason."""

from micropython import const

from sabot.generated import COLUMNS, EXIT_UM, WORDS
from sabot.marks import Marks

_ENTRY = const(1)
_EXIT = const(8)
_ENDS = const(9)
_TICKS = const(0x3FFFFFFF)

# What feed() answers.
NOTHING = const(0)
CARD = const(1)
CUT = const(2)
REJECT = const(3)

# Reasons of a reject, as messages.py numbers them.
BLANK = const(1)
NOT_TEN_COLUMNS = const(2)
DOUBTFUL = const(3)
NOT_IN_SET = const(4)
SHORT_PULL = const(5)
PUSHED_BACK = const(6)
DOUBLE = const(7)

# Where a card is.
_CLEAR = const(0)
_ENTERED = const(1)
_UNDER_BOTH = const(2)
_LEAVING = const(3)
_SPOILT = const(4)


class Reader:
    """One card at a time; after feed() said so: `card`, or `reason`, and `speed_mm_s`, `margin_pct`, `columns`."""

    def __init__(self):
        self.set_no = 1
        self.card = 0
        self.reason = 0
        self.speed_mm_s = 0
        self.margin_pct = 0
        self.columns = 0
        self._marks = Marks()
        self._where = _CLEAR
        self._entered_us = 0
        self._length_us = 0

    def feed(self, t_us, pins):
        """The inputs changed to `pins` at `t_us`: NOTHING, CARD, CUT or REJECT."""
        self._marks.feed(t_us, pins)
        ends = pins & _ENDS
        where = self._where
        if where == _CLEAR:
            return self._from_clear(t_us, ends)
        if where == _ENTERED:
            return self._from_entered(t_us, ends)
        if where == _UNDER_BOTH:
            return self._from_under_both(t_us, ends)
        if where == _LEAVING:
            return self._from_leaving(ends)
        return self._from_spoilt(ends)

    def _from_clear(self, t_us, ends):
        if ends == _ENTRY:
            self._where = _ENTERED
            self._entered_us = t_us
            self.speed_mm_s = 0
            self._marks.reset()
        elif ends:
            self._spoil(PUSHED_BACK)
        return NOTHING

    def _from_entered(self, t_us, ends):
        if ends == _ENDS:
            self._where = _UNDER_BOTH
            self.speed_mm_s = EXIT_UM * 1000 // (((t_us - self._entered_us) & _TICKS) or 1)
        elif not ends:
            self._where = _CLEAR
            return self._reject(SHORT_PULL)
        elif ends == _EXIT:
            self._spoil(DOUBTFUL)
        return NOTHING

    def _from_under_both(self, t_us, ends):
        if ends == _EXIT:
            self._where = _LEAVING
            self._length_us = (t_us - self._entered_us) & _TICKS
        elif ends == _ENTRY:
            self._spoil(PUSHED_BACK)
        elif not ends:
            self._where = _CLEAR
            return self._reject(DOUBTFUL)
        return NOTHING

    def _from_leaving(self, ends):
        if not ends:
            self._where = _CLEAR
            return self._decode()
        if ends & _ENTRY:
            self._spoil(DOUBLE)
        return NOTHING

    def _from_spoilt(self, ends):
        if ends:
            return NOTHING
        self._where = _CLEAR
        return self._reject(self.reason)

    def _spoil(self, reason):
        """This card cannot be trusted; say so once the way is clear."""
        self._where = _SPOILT
        self.reason = reason

    def _reject(self, reason):
        self.reason = reason
        self.columns = self._marks.columns
        self.margin_pct = 0
        return REJECT

    def _decode(self):
        marks = self._marks
        if marks.columns == 1 and marks.word == 2 and marks.longest_us >= self._length_us - (self._length_us >> 2):
            return CUT
        if not marks.columns:
            return self._reject(BLANK)
        if marks.columns != COLUMNS:
            return self._reject(NOT_TEN_COLUMNS)
        if marks.doubtful:
            return self._reject(DOUBTFUL)
        return self._look_up(marks.word)

    def _look_up(self, word):
        words = WORDS
        at = (self.set_no - 1) * 104
        for card in range(52):
            if words[at] | words[at + 1] << 8 == word:
                self.card = card
                self.columns = COLUMNS
                self.margin_pct = self._marks.margin_pct
                return CARD
            at += 2
        return self._reject(NOT_IN_SET)
