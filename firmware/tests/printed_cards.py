"""Cards with marks other than printed, and the reason for which the reader rejects them."""

from sabot.reading.reader import REJECT, Reader
from support import A, B, edges, read, word


def reject_reason(pulled, set_no=1, still_us=2000):
    """Return the reason for which the reader rejects these edges."""
    reader = Reader()
    reader.set_no = set_no
    assert read(reader, pulled, 0, still_us) == (REJECT, 1)
    assert reader.margin_pct == 0
    return reader.reason


def card_with(tracks):
    """Return a card of the first set whose fifth column is on these tracks."""
    return next(card for card in range(52) if word(card)[4] == tracks)


def part_marked(card, share):
    """Return the marks of a card whose fifth column is A from end to end and B for `share` thousandths of it."""
    marks = []
    for column, tracks in enumerate(word(card)):
        at = 18000 + 2000 * column
        marks.append((at, tracks if column != 4 else A | B))
        if column == 4:
            marks.append((at + share, A))
        marks.append((at + 1000, 0))
    return marks


def marked(marks):
    """Return the edges of marks (start, end, tracks)."""
    levels = []
    for start, end, tracks in sorted(marks):
        levels += [(start, tracks), (end, 0)]
    return edges(levels)


def whole_marks(columns, first=18000):
    """Return marks as printed."""
    return [(first + 2000 * i, first + 2000 * i + 1000, tracks) for i, tracks in enumerate(columns)]
