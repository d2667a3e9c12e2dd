"""The roads as SVG: red Banker, blue Player, green Tie; a picture refers to nothing outside itself.

Bead plate: filled circles with a letter, underlined for a natural, and dots for pairs: red top left for Banker, blue
bottom right for Player.
Big road: hollow circles, a green stroke for ties. Derived roads: hollow rings, solid dots, slashes, red or blue.
"""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import NamedTuple

from sabot_protocol.inputs.plain_text import printable
from sabot_protocol.roads.results import NO_BET, RoadResult
from sabot_protocol.roads.shoe import RED, BigCell, Cell, Roads

RED_INK, BLUE_INK, GREEN_INK, GREY_INK, GRID_INK, TEXT_INK = (
    "#c8102e",
    "#0b4fb3",
    "#1a7f37",
    "#57606a",
    "#d0d7de",
    "#1f2328",
)
CELL, SMALL_CELL = 20, 10  # units of the picture
_INKS = {"B": RED_INK, "P": BLUE_INK, "T": GREEN_INK, NO_BET: GREY_INK}
_NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
_LEAST_COLUMNS, _MARGIN, _HEADING = 12, 12, 18
_DERIVED_NAMES = ("Big eye boy", "Small road", "Cockroach pig")


class Drawing(NamedTuple):
    """One road: its size and its shapes, drawn from 0, 0."""

    name: str
    wide: int
    high: int
    shapes: list[str]


def bead_plate(roads: Roads) -> Drawing:
    """Draw every coup, column by column."""
    beads = zip(roads.bead, roads.results, strict=True)
    shapes = [shape for cell, result in beads for shape in _bead(cell, result)]
    return _on_grid("Bead plate", roads, CELL, _columns(roads.bead), shapes)


def big_road(roads: Roads, letters: bool = False) -> Drawing:
    """Draw the big road; with letters B and P in the circles for paper without colours."""
    shapes = [shape for cell in roads.big for shape in _circle(cell)]
    ties = [(cell.row, cell.column, cell.ties) for cell in roads.big] or [(0, 0, 0)]
    ties[0] = (*ties[0][:2], ties[0][2] + roads.leading_ties)
    shapes += [shape for row, column, count in ties if count for shape in _ties(row, column, count, letters)]
    shapes += [_letter(cell) for cell in roads.big if letters]
    return _on_grid("Big road", roads, CELL, _columns(roads.big), shapes)


def derived_roads(roads: Roads) -> list[Drawing]:
    """Draw big eye boy, small road and cockroach pig."""
    glyphs = (_ring, _dot, _slash)
    return [
        _on_grid(name, roads, SMALL_CELL, _columns(road.cells), [_derived_mark(cell, glyph) for cell in road.cells])
        for name, road, glyph in zip(_DERIVED_NAMES, roads.derived, glyphs, strict=True)
    ]


def svg(drawing: Drawing, label: str = "") -> str:
    """Return one road as an SVG document."""
    return "\n".join([_head(drawing.wide, drawing.high, label or drawing.name), *drawing.shapes, "</svg>"]) + "\n"


def inline(drawing: Drawing, label: str = "") -> str:
    """Return one road as an element of an HTML page, which needs no namespace."""
    return svg(drawing, label).replace(_NAMESPACE, "", 1)


def sheet(shoes: Iterable[tuple[str, Roads]]) -> str:
    """Return all roads of some shoes, each below the one before it, as one SVG document."""
    drawn = [(title, [bead_plate(roads), big_road(roads), *derived_roads(roads)]) for title, roads in shoes]
    wide = max((drawing.wide for _, drawings in drawn for drawing in drawings), default=0) + 2 * _MARGIN
    shapes, y = [], _MARGIN
    for title, drawings in drawn:
        shapes.append(_text(_MARGIN, y + 12, title, 15, TEXT_INK, "start"))
        y += _HEADING + 6
        for drawing in drawings:
            shapes.append(_text(_MARGIN, y + 11, drawing.name, 11, GREY_INK, "start"))
            shapes.append(f'<g transform="translate({_MARGIN} {y + _HEADING})">')
            shapes += [*drawing.shapes, "</g>"]
            y += _HEADING + drawing.high + _MARGIN
    background = f'<rect width="{wide}" height="{y}" fill="white"/>'
    return "\n".join([_head(wide, y, "Roads"), background, *shapes, "</svg>"]) + "\n"


def _columns(cells: Sequence[Cell] | Sequence[BigCell]) -> int:
    return max(_LEAST_COLUMNS, *(cell.column + 1 for cell in cells), 0)


def _head(wide: int, high: int, label: str) -> str:
    return (
        f'<svg{_NAMESPACE} width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" '
        f'role="img" aria-label="{escape(printable(label))}" font-family="sans-serif">'
    )


def _on_grid(name: str, roads: Roads, cell: int, columns: int, shapes: list[str]) -> Drawing:
    wide, high = columns * cell, roads.rows * cell
    path = [f"M{x} 0V{high}" for x in range(0, wide + 1, cell)] + [f"M0 {y}H{wide}" for y in range(0, high + 1, cell)]
    return Drawing(name, wide + 1, high + 1, [f'<path d="{"".join(path)}" stroke="{GRID_INK}" fill="none"/>', *shapes])


def _middle(row: int, column: int, cell: int) -> tuple[int, int]:
    return column * cell + cell // 2, row * cell + cell // 2


def _bead(cell: Cell, result: RoadResult) -> list[str]:
    x, y = _middle(cell.row, cell.column, CELL)
    ink = _INKS[cell.mark]
    fill, letter = ("white", ink) if cell.mark == NO_BET else (ink, "white")
    return [
        f'<circle cx="{x}" cy="{y}" r="8.5" fill="{fill}" stroke="{ink}"/>',
        _text(x, y + 4, cell.mark, 11, letter, "middle"),
        *([f'<path d="M{x - 3} {y + 6}H{x + 3}" stroke="{letter}" stroke-width="1.2"/>'] if result.natural else []),
        *_pairs(x, y, result.banker_pair, result.player_pair),
    ]


def _pairs(x: int, y: int, banker: bool, player: bool) -> list[str]:
    return [
        f'<circle cx="{x + at}" cy="{y + at}" r="3" fill="{ink}" stroke="white"/>'
        for at, ink, is_pair in ((-6, RED_INK, banker), (6, BLUE_INK, player))
        if is_pair
    ]


def _circle(cell: BigCell) -> list[str]:
    x, y = _middle(cell.row, cell.column, CELL)
    ink = _INKS[cell.mark]
    return [
        f'<circle cx="{x}" cy="{y}" r="7.5" fill="none" stroke="{ink}" stroke-width="2"/>',
        *_pairs(x, y, cell.banker_pair, cell.player_pair),
    ]


def _letter(cell: BigCell) -> str:
    """Return the letter of a circle with a white edge, so that a stroke for ties does not hide it."""
    x, y = _middle(cell.row, cell.column, CELL)
    written = _text(x, y + 3.5, cell.mark, 9, _INKS[cell.mark], "middle")
    return written.replace("<text ", '<text stroke="white" stroke-width="3" paint-order="stroke" ', 1)


def _ties(row: int, column: int, count: int, letters: bool) -> list[str]:
    x, y = _middle(row, column, CELL)
    stroke = f'<path d="M{x - 8} {y + 8}L{x + 8} {y - 8}" stroke="{GREEN_INK}" stroke-width="2"/>'
    place = (x + 6, y + 9.5) if letters else (x, y + 3.5)
    halo = f'<circle cx="{place[0]}" cy="{place[1] - 3.5}" r="4.5" fill="white"/>'
    return [stroke, *([halo, _text(*place, str(count), 9, GREEN_INK, "middle")] if count > 1 else [])]


def _derived_mark(cell: Cell, glyph: Callable[[int, int, str], str]) -> str:
    return glyph(*_middle(cell.row, cell.column, SMALL_CELL), RED_INK if cell.mark == RED else BLUE_INK)


def _ring(x: int, y: int, ink: str) -> str:
    return f'<circle cx="{x}" cy="{y}" r="3.5" fill="none" stroke="{ink}" stroke-width="1.5"/>'


def _dot(x: int, y: int, ink: str) -> str:
    return f'<circle cx="{x}" cy="{y}" r="3.5" fill="{ink}"/>'


def _slash(x: int, y: int, ink: str) -> str:
    return f'<path d="M{x - 3} {y + 3}L{x + 3} {y - 3}" stroke="{ink}" stroke-width="1.5"/>'


def _text(x: float, y: float, text: str, size: int, ink: str, anchor: str) -> str:
    place = f'x="{x}" y="{y}" font-size="{size}" font-weight="bold" text-anchor="{anchor}"'
    return f'<text {place} fill="{ink}">{escape(printable(text))}</text>'
