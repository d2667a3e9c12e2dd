"""Strip: decodes the code strip of a card once the leading edge is at the exit."""

from micropython import const

from sabot import wire
from sabot.reading.geometry import Geometry
from sabot.reading.marks import Marks
from sabot.wire import CARD_OF, SET_OF, WORDS

_TRACKS = const(6)
_COLUMNS = const(10)
_TURN_COLUMNS = const(4)  # as many columns that come back in reverse are a turn
_SOLID_PCT = const(90)  # least margin of the strip of a cutting card
_BEFORE = const(12)  # it begins at a quarter of the way to the exit; one that begins before a twelfth is a stuck sensor


class Strip:
    """After decode(): `card` if `reason` is 0, else `reason`; `solid` if it may be the cutting card."""

    def __init__(self):
        self.marks = Marks()
        self.geometry = Geometry()
        self.card = 0
        self.reason = 0
        self.solid = False

    def decode(self, set_no, exit_us, tracks):
        """Decode the marks seen until `exit_us` after the entry's rise; the tracks are at `tracks` now."""
        marks = self.marks
        self.geometry.reset()
        marks.decode(exit_us)
        self.reason = self._read(set_no, exit_us)
        self.solid = (
            marks.columns == 1
            and tracks == _TRACKS
            and self.margin_pct() >= _SOLID_PCT
            and marks.starts[0] * _BEFORE > exit_us >> marks.scale
        )

    def margin_pct(self):
        """Return the margin of the worse track."""
        return min(self.marks.margin_a_pct, self.marks.margin_b_pct)

    def _read(self, set_no, exit_us):
        """Set `card` and return 0, or return the reason of the reject."""
        marks = self.marks
        if not marks.columns:
            return wire.REJECT_BLANK
        if marks.overflow or marks.columns != _COLUMNS:
            return wire.REJECT_PUSHED_BACK_MIDWAY if self._mirrored() else wire.REJECT_COLUMNS
        marks.place()
        if marks.doubtful:
            return wire.REJECT_DOUBTFUL
        if not self.geometry.columns_fit(marks.centres, exit_us >> marks.scale << 1):
            return wire.REJECT_SPACING
        return self._look_up(marks.word, set_no)

    def _mirrored(self):
        """Return True if more than ten columns were seen, some of them again in reverse: the card was pushed back."""
        columns = self.marks.columns
        if columns <= _COLUMNS:
            return False
        for turn in range(_TURN_COLUMNS, columns - _TURN_COLUMNS + 1):
            if self._turned(turn, turn - 1) or self._turned(turn, turn - 2):
                return True
        return False

    def _turned(self, after, before):
        """Return True if the columns from `after` on are those up to `before`, backwards."""
        values = self.marks.values
        for i in range(_TURN_COLUMNS):
            if before < i or values[before - i] != values[after + i]:
                return False
        return True

    def _look_up(self, word, set_no):
        """Set `card` to the card of this word and return 0, or return the reason of the reject."""
        low = 0
        high = len(SET_OF)
        while low < high:
            middle = (low + high) >> 1
            found = WORDS[middle << 1] | WORDS[(middle << 1) + 1] << 8
            if found == word:
                self.card = CARD_OF[middle]
                return 0 if SET_OF[middle] == set_no else wire.REJECT_FOREIGN
            if found < word:
                low = middle + 1
            else:
                high = middle
        return wire.REJECT_NOT_IN_SET
