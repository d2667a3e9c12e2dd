"""The roads of a shoe as text: grids of letters, with colours on a terminal."""

from collections.abc import Iterable

from sabot_protocol.roads import Roads

_RESET, _RED, _BLUE, _GREEN = "\033[0m", "\033[31m", "\033[34m", "\033[32m"
_COLOURS = {"B": _RED, "P": _BLUE, "T": _GREEN, "R": _RED, "L": _BLUE}
_DERIVED = ("big eye boy", "small road", "cockroach pig")
_MARKS = {"R": "red", "L": "blue", None: "none yet"}


def road_lines(title: str, roads: Roads, colour: bool) -> list[str]:
    """Return the roads of one shoe; a number behind a circle of the big road counts its ties."""
    big = [(cell.row, cell.column, cell.mark, cell.ties) for cell in roads.big]
    lines = [title, f"bead plate, {len(roads.bead)} coups"]
    lines += _grid([(*cell, 0) for cell in roads.bead], roads.rows, colour)
    lines += [f"big road{f', ties before its first circle: {roads.leading_ties}' * bool(roads.leading_ties)}"]
    lines += _grid(big, roads.rows, colour)
    for name, road in zip(_DERIVED, roads.derived, strict=True):
        lines += [f"{name}, R red, L blue: {road.marks() or 'not begun'}"]
        lines += _grid([(*cell, 0) for cell in road.cells], roads.rows, colour)
    return [*lines, *(_ask(roads, side, name) for side, name in (("B", "Banker"), ("P", "Player")))]


def _ask(roads: Roads, side: str, name: str) -> str:
    marks = zip(_DERIVED, roads.ask(side), strict=True)
    return f"if {name} wins next: {', '.join(f'{road} {_MARKS[mark]}' for road, mark in marks)}"


def _grid(cells: Iterable[tuple[int, int, str, int]], rows: int, colour: bool) -> list[str]:
    """Return the rows of a road as far as it reaches; none for a road without a mark."""
    placed = {(row, column): (mark, ties) for row, column, mark, ties in cells}
    columns = max((column + 1 for _, column in placed), default=0)
    deepest = max((row + 1 for row, _ in placed), default=0)
    drawn = [
        "".join(_cell(*placed.get((row, column), (".", 0)), colour) for column in range(columns)).rstrip()
        for row in range(min(rows, deepest))
    ]
    return [f"  {line}" for line in drawn]


def _cell(mark: str, ties: int, colour: bool) -> str:
    shown = f"{_COLOURS[mark]}{mark}{_RESET}" if colour and mark in _COLOURS else mark
    return f"{shown}{_count(ties)} "


def _count(ties: int) -> str:
    return " " if not ties else str(ties) if ties < 10 else "+"
