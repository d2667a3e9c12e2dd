"""Strip: what the code of a card says once the leading edge is at the exit, and why it may say nothing."""

from micropython import const

from sabot.reading.geometry import Place
from sabot.reading.marks import Marks
from sabot.wire import CARD_OF, SET_OF, WORDS

_TRACKS = const(6)
_COLUMNS = const(10)
_TURN_COLUMNS = const(4)  # so many columns that come back in reverse are a turn
_SOLID_PCT = const(90)  # least margin of the strip of a cutting card
_BEFORE = const(12)  # it begins at a quarter of the way to the exit; one that begins before a twelfth is a stuck sensor

# Reasons of a reject, as messages.py numbers them.
BLANK = const(1)
NOT_TEN_COLUMNS = const(2)
DOUBTFUL = const(3)
NOT_IN_SET = const(4)
FOREIGN = const(9)
PUSHED_BACK_MIDWAY = const(10)
SPACING = const(12)


class Strip:
    """After decode(): `card` if `reason` is 0; or `solid`, as the cutting card is."""

    def __init__(self):
        self.marks = Marks()
        self.place = Place()
        self.card = 0
        self.reason = 0
        self.solid = False

    def decode(self, set_no, exit_us, tracks):
        """The exit's rise came so long after the entry's; the tracks show `tracks`."""
        marks = self.marks
        self.place.reset()
        marks.decode(exit_us)
        self.reason = self._read(set_no, exit_us)
        self.solid = (
            marks.columns == 1
            and tracks == _TRACKS
            and self.margin_pct() >= _SOLID_PCT
            and marks.start(0) * _BEFORE > exit_us >> marks.scale
        )

    def margin_pct(self):
        """Of the worse track."""
        return min(self.marks.margin_a_pct, self.marks.margin_b_pct)

    def _read(self, set_no, exit_us):
        """0 and the card, or the reason why there is none."""
        marks = self.marks
        if not marks.columns:
            return BLANK
        if marks.overflow or marks.columns != _COLUMNS:
            return PUSHED_BACK_MIDWAY if self._mirrored() else NOT_TEN_COLUMNS
        marks.place()
        if marks.doubtful:
            return DOUBTFUL
        if not self.place.columns_fit(marks.centres, exit_us >> marks.scale << 1):
            return SPACING
        return self._look_up(marks.word, set_no)

    def _mirrored(self):
        """More than ten columns, and somewhere they came back in reverse: the card was pushed back."""
        columns = self.marks.columns
        if columns <= _COLUMNS:
            return False
        for turn in range(_TURN_COLUMNS, columns - _TURN_COLUMNS + 1):
            if self._turned(turn, turn - 1) or self._turned(turn, turn - 2):
                return True
        return False

    def _turned(self, after, before):
        """The columns from `after` on are those up to `before`, backwards."""
        values = self.marks.values
        for i in range(_TURN_COLUMNS):
            if before < i or values[before - i] != values[after + i]:
                return False
        return True

    def _look_up(self, word, set_no):
        """Whose word it is."""
        low = 0
        high = len(SET_OF)
        while low < high:
            middle = (low + high) >> 1
            found = WORDS[middle << 1] | WORDS[(middle << 1) + 1] << 8
            if found == word:
                self.card = CARD_OF[middle]
                return 0 if SET_OF[middle] == set_no else FOREIGN
            if found < word:
                low = middle + 1
            else:
                high = middle
        return NOT_IN_SET
