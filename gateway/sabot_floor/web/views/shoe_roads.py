"""Results of a shoe as the pages draw them: the cells of each road as short texts, counts, streak, Dragon Tail.

A cell is `B0.12bpn=2`: mark, row, column, then b and p for pairs, n for a natural, = and the number of ties. The beads
are the results themselves, down six, then the next column. `ask` has the next mark of each derived road, - if none.
"""

from collections.abc import Iterable
from functools import lru_cache

import msgspec
from sabot_protocol.roads import BigCell, Cell, Counts, DragonTail, ResultError, Roads, counts, dragon_tail, parse

MOST_RESULTS = 400  # of a shoe; a table without an end of the shoe shows its newest
_CACHED_SHOES = 512  # two for each table of the largest floor we know, and some


class RoadsView(msgspec.Struct, kw_only=True, frozen=True):
    """The five roads of a shoe."""

    bead: str = ""
    big: str = ""
    big_eye: str = ""
    small: str = ""
    cockroach: str = ""
    ask_banker: str = "---"
    ask_player: str = "---"


class ShoeView(msgspec.Struct, kw_only=True, frozen=True):
    """All that the results of one shoe give; `readable` is False if one of them is no result."""

    roads: RoadsView
    counts: Counts
    streak_side: str
    streak: int
    chop: int  # streaks of one result at the end, one after the other
    tail: DragonTail
    readable: bool = True


@lru_cache(maxsize=_CACHED_SHOES)
def shoe_view(results: str) -> ShoeView:
    """Return what the results of a shoe give, as `history` has them: `B Pb T X`."""
    try:
        parsed = [parse(text) for text in results.split()[-MOST_RESULTS:]]
    except ResultError:
        return msgspec.structs.replace(shoe_view(""), readable=False)
    roads = Roads.of(parsed)
    side, streak = roads.streak()
    return ShoeView(
        roads=_roads_view(roads),
        counts=counts(parsed),
        streak_side=side,
        streak=streak,
        chop=_chop(roads.big),
        tail=dragon_tail(parsed),
    )


def newest_columns(cells: str, columns: int) -> str:
    """Return the cells of the newest columns, moved to the left; the newest cell is always among them."""
    found = [(cell, _column(cell)) for cell in cells.split()]
    last = max((column for _, column in found), default=0)
    first = min(max(0, last - columns + 1), found[-1][1] if found else 0)
    return " ".join(_moved(cell, column, first) for cell, column in found if first <= column < first + columns)


def _roads_view(roads: Roads) -> RoadsView:
    big_eye, small, cockroach = (_cells(road.cells) for road in roads.derived)
    return RoadsView(
        bead=" ".join(result.text() for result in roads.results),
        big=_big_cells(roads),
        big_eye=big_eye,
        small=small,
        cockroach=cockroach,
        ask_banker=_ask(roads, "B"),
        ask_player=_ask(roads, "P"),
    )


def _cells(cells: Iterable[Cell]) -> str:
    return " ".join(f"{cell.mark}{cell.row}.{cell.column}" for cell in cells)


def _big_cells(roads: Roads) -> str:
    """Return the circles; ties before the first are counted in its cell, which has the mark T while it is empty."""
    if not roads.big:
        return f"T0.0={roads.leading_ties}" if roads.leading_ties else ""
    first, *others = roads.big
    return " ".join([_big_cell(first, roads.leading_ties), *(_big_cell(cell, 0) for cell in others)])


def _big_cell(cell: BigCell, leading_ties: int) -> str:
    ties = cell.ties + leading_ties
    flags = "b" * cell.banker_pair + "p" * cell.player_pair + "n" * cell.natural
    return f"{cell.mark}{cell.row}.{cell.column}{flags}{f'={ties}' if ties else ''}"


def _ask(roads: Roads, side: str) -> str:
    return "".join(mark or "-" for mark in roads.ask(side))


def _chop(big: list[BigCell]) -> int:
    """Return how many of the newest results each changed the side."""
    count = 0
    for newer, older in zip(reversed(big), [*reversed(big[:-1]), None], strict=False):
        if older is not None and newer.mark == older.mark:
            break
        count += 1
    return count


def _column(cell: str) -> int:
    digits = cell.partition(".")[2]
    end = next((at for at, letter in enumerate(digits) if not letter.isdigit()), len(digits))
    return int(digits[:end])


def _moved(cell: str, column: int, first: int) -> str:
    head, _, rest = cell.partition(".")
    return f"{head}.{column - first}{rest[len(str(column)) :]}"
