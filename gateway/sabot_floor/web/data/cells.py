"""Cells: which cell of the printed Tables 1 and 2 decided about each third card of a coup; pure."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta
from sabot_protocol.rulebooks.model import Draw
from sabot_protocol.table_of_play import Basis, Decision, Side, banker_draws, decisions

_PLAYER_DRAWS = range(6)  # Table 1: 0 to 5


class Cell(msgspec.Struct, kw_only=True, frozen=True):
    """Whether a hand drew a third card, and the cell that decided it; `table` is 0 for a natural."""

    side: Side
    basis: Basis
    table: Annotated[int, Meta(description="1 or 2; 0: a natural, both hands stand")]
    row: Annotated[int, Meta(description="points of the hand's first two cards")]
    column: Annotated[int | None, Meta(description="points of the Player's third card, if Table 2 looks at it")]
    draws: bool
    draws_on: Annotated[str, Meta(description="points on which this hand draws here, such as 0 to 2; empty: none")]
    clause: str
    say: str


def cells(draw: Draw, player: Sequence[str], banker: Sequence[str]) -> list[Cell]:
    """Return the cells that decided about third cards; none before the fourth card."""
    return [_cell(one) for one in decisions(draw, player, banker)]


def _cell(decided: Decision) -> Cell:
    on = _span([points for points in range(10) if _draws(decided, points)])
    return Cell(
        side=decided.side,
        basis=decided.basis,
        table={"natural": 0, "table_1": 1, "table_2": 2, "player_stands": 2}[decided.basis],
        row=decided.points,
        column=decided.third,
        draws=decided.draws,
        draws_on=on,
        clause=decided.clause,
        say=_say(decided, on),
    )


def _draws(decided: Decision, points: int) -> bool:
    """Return True if the hand would draw on these points, everything else being the same."""
    if decided.basis == "natural":
        return False
    return points in _PLAYER_DRAWS if decided.side == "player" else banker_draws(points, decided.third)


def _span(points: list[int]) -> str:
    return f"{points[0]} to {points[-1]}" if points else ""


def _say(decided: Decision, on: str) -> str:
    name, act = decided.side.capitalize(), "draws" if decided.draws else "stands"
    has = f"{name} has {decided.points} and {act}."
    if decided.basis == "natural":
        return f"A natural, 8 or 9: {name} stands on {decided.points}."
    if decided.basis == "table_1":
        return f"Player draws on {on}, Table 1. {has}"
    if decided.basis == "player_stands":
        return f"Player stands: Banker draws on {on}, Table 2. {has}"
    return f"Player's third card counts {decided.third}: Banker draws on {on}, Table 2. {has}"
