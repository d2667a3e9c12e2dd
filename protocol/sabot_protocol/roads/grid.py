"""The cells of a road: a streak runs down its column, then to the right as a dragon tail."""

from typing import NamedTuple


class Place(NamedTuple):
    """A cell of a grid; row 0 is on top, column 0 on the left."""

    row: int
    column: int


class Grid:
    """Gives each mark of one road its cell; a mark costs the same however long the road is.

    Tails run to the right, so the taken cells of a row from the start of the newest streak on have no gap: the last
    taken column of each row is all that must be known.
    """

    def __init__(self, rows: int) -> None:
        self._last_column = [-1] * rows
        self._streak = ""
        self._start = self._row = self._column = -1

    def place(self, mark: str) -> Place:
        """Return the cell of the next mark; a mark other than the one before it starts a streak."""
        if mark != self._streak:
            self._streak, self._row = mark, 0
            self._start = self._column = self._last_column[0] + 1
        elif self._can_go_down():
            self._row += 1
        else:
            self._column += 1
        self._last_column[self._row] = self._column
        return Place(self._row, self._column)

    def _can_go_down(self) -> bool:
        """Return whether the cell below the streak's own column is free; a streak that turned stays on its row."""
        below = self._row + 1
        return below < len(self._last_column) and self._last_column[below] < self._start
