"""The Table of Play: which card of a coup is due, and the cell of Table 1 or Table 2 that decides it."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from sabot_protocol.cards import POINTS
from sabot_protocol.rulebooks.model import Draw

Side = Literal["player", "banker"]
Basis = Literal["natural", "table_1", "table_2", "player_stands"]  # keys of [draw] of a rulebook

FIRST_FOUR: Final = ("player_1", "banker_1", "player_2", "banker_2")
SLOTS: Final = (*FIRST_FOUR, "player_3", "banker_3")
# The Banker's points, and the Player's third cards to which he draws; all five rulebooks print the same.
_BANKER_DRAWS_TO: Final = {3: "012345679", 4: "234567", 5: "4567", 6: "67"}


class Decision(NamedTuple):
    """Whether a hand draws a third card, and why."""

    side: Side
    draws: bool
    points: int  # of the first two cards
    third: int | None  # points of the Player's third card, where Table 2 looks at it
    basis: Basis
    clause: str


def points(cards: Sequence[str]) -> int:
    """Return the point count of a hand."""
    return sum(POINTS[card] for card in cards) % 10


def banker_draws(banker_points: int, third: int | None) -> bool:
    """Return True if the Banker draws; `third` are the points of the Player's third card, None if he stands."""
    if banker_points <= 2:
        return True
    return banker_points <= 5 if third is None else str(third) in _BANKER_DRAWS_TO.get(banker_points, "")


def decisions(draw: Draw, player: Sequence[str], banker: Sequence[str]) -> tuple[Decision, ...]:
    """Return what is decided about third cards so far; empty before the fourth card."""
    if len(player) < 2 or len(banker) < 2:
        return ()
    of_player, of_banker = points(player[:2]), points(banker[:2])
    if of_player >= 8 or of_banker >= 8:
        return (
            Decision("player", False, of_player, None, "natural", draw.natural),
            Decision("banker", False, of_banker, None, "natural", draw.natural),
        )
    first = Decision("player", of_player <= 5, of_player, None, "table_1", draw.table_1)
    if first.draws and len(player) < 3:
        return (first,)
    third = POINTS[player[2]] if first.draws else None
    basis: Basis = "player_stands" if third is None else "table_2"
    clause = draw.player_stands if third is None else draw.table_2
    return first, Decision("banker", banker_draws(of_banker, third), of_banker, third, basis, clause)


def due(player: Sequence[str], banker: Sequence[str]) -> str:
    """Return the slot of the card that is due; empty if the coup is complete."""
    laid = len(player) + len(banker)
    if laid < len(FIRST_FOUR):
        return FIRST_FOUR[laid]
    hands = {"player": player, "banker": banker}
    for one in decisions(_NO_CLAUSES, player, banker):
        if one.draws and len(hands[one.side]) < 3:
            return f"{one.side}_3"
    return ""


_NO_CLAUSES: Final = Draw("", "", "", "")
