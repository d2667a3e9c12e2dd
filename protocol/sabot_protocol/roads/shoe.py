"""All roads of one shoe, coup by coup."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sabot_protocol.roads.grid import Grid
from sabot_protocol.roads.results import NO_BET, RoadResult

ROWS = 6
RED, BLUE = "R", "L"  # in the derived roads: a regular and an irregular pattern, never Banker and Player
SIDES = ("B", "P")


class Cell(NamedTuple):
    """A mark and its cell."""

    row: int
    column: int
    mark: str


@dataclass(slots=True)
class BigCell:
    """A circle of the big road; `ties` counts the ties that came after it."""

    row: int
    column: int
    mark: str
    banker_pair: bool
    player_pair: bool
    natural: bool = False
    ties: int = 0


class Added(NamedTuple):
    """What one coup added: its bead, its circle (for a tie None) and its marks in the derived roads."""

    bead: Cell
    big: BigCell | None
    derived: tuple[Cell | None, ...]


class Derived:
    """Big eye boy, small road or cockroach pig: compares a column with the one `distance` columns before it."""

    def __init__(self, distance: int, rows: int) -> None:
        self.cells: list[Cell] = []
        self._distance = distance
        self._grid = Grid(rows)

    def colour(self, depths: list[int], column: int, row: int) -> str | None:
        """Return the mark for a result at this column and row of the big road, None if this road has not begun."""
        other = column - self._distance
        if row:
            return None if other < 0 else BLUE if depths[other] == row else RED
        return None if other < 1 else RED if depths[column - 1] == depths[other - 1] else BLUE

    def add(self, colour: str | None) -> Cell | None:
        """Lay out the next mark."""
        if colour is None:
            return None
        self.cells.append(Cell(*self._grid.place(colour), colour))
        return self.cells[-1]

    def marks(self) -> str:
        """Return the marks in the order drawn, such as RRLR."""
        return "".join(cell.mark for cell in self.cells)


class Roads:
    """The roads of a shoe; each coup costs the same, however many came before it."""

    def __init__(self, rows: int = ROWS) -> None:
        self.rows = rows
        self.bead: list[Cell] = []
        self.results: list[RoadResult] = []
        self.big: list[BigCell] = []
        self.leading_ties = 0  # ties before the first circle; they are drawn in its cell
        self.derived = tuple(Derived(distance, rows) for distance in (1, 2, 3))
        self._grid = Grid(rows)
        self._depths: list[int] = []  # results in each streak of the big road, ties not counted

    @classmethod
    def of(cls, results: Iterable[RoadResult], rows: int = ROWS) -> "Roads":
        """Return the roads of a whole shoe: after a correction, of all results with the corrected one."""
        roads = cls(rows)
        for result in results:
            roads.add(result)
        return roads

    def add(self, result: RoadResult) -> Added:
        """Take the next coup; return its marks."""
        column, row = divmod(len(self.bead), self.rows)
        self.bead.append(Cell(row, column, result.mark))
        self.results.append(result)
        if result.mark in SIDES:
            return self._add_side(result)
        if result.mark != NO_BET:
            self._add_tie()
        return Added(self.bead[-1], None, (None,) * len(self.derived))

    def updated(self, results: Sequence[RoadResult]) -> "Roads":
        """Return the roads of these results: this object if they only continue its own, else a new one."""
        known = len(self.results)
        if self.results != list(results[:known]):
            return Roads.of(results, self.rows)
        for result in results[known:]:
            self.add(result)
        return self

    def ask(self, side: str) -> tuple[str | None, ...]:
        """Return the next mark of big eye boy, small road and cockroach pig if this side won now."""
        column, row = self._next(side)
        return tuple(road.colour(self._depths, column, row) for road in self.derived)

    def _add_side(self, result: RoadResult) -> Added:
        marks = self.ask(result.mark)
        column, _ = self._next(result.mark)
        if column == len(self._depths):
            self._depths.append(0)
        self._depths[column] += 1
        place = self._grid.place(result.mark)
        pairs = result.banker_pair, result.player_pair
        self.big.append(BigCell(*place, result.mark, *pairs, result.natural))
        added = tuple(road.add(mark) for road, mark in zip(self.derived, marks, strict=True))
        return Added(self.bead[-1], self.big[-1], added)

    def _add_tie(self) -> None:
        if self.big:
            self.big[-1].ties += 1
        else:
            self.leading_ties += 1

    def streak(self) -> tuple[str, int]:
        """Return the side of the newest streak and its length, ties not counted; no side before the first."""
        return (self.big[-1].mark, self._depths[-1]) if self.big else ("", 0)

    def _next(self, side: str) -> tuple[int, int]:
        """Return streak and depth of the next result, by counted depths and not by drawn cells."""
        if self.big and self.big[-1].mark == side:
            return len(self._depths) - 1, self._depths[-1]
        return len(self._depths), 0
