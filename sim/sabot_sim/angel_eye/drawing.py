"""The drawing rules as the shoe itself knows them: where the next card goes, who wins, which hands are pairs."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sabot_protocol.cards import POINTS

_NATURAL: Final = 8
_PLAYER_STANDS: Final = 6
_STOOD: Final = "-"
# By the Banker's points: the points of Player's third card on which the Banker draws; - if Player stood.
_BANKER_DRAWS: Final = (
    *("0123456789-",) * 3,
    "012345679-",
    "234567-",
    "4567-",
    "67",
    *("",) * 3,
)


class Place(NamedTuple):
    """Where a card goes: `player` or `banker`, and 1 to 3."""

    target: str
    number: int


_FIRST_FOUR: Final = (Place("player", 1), Place("banker", 1), Place("player", 2), Place("banker", 2))


def points(hand: Sequence[str]) -> int:
    """Return the points of a hand."""
    return sum(POINTS[card] for card in hand) % 10


def next_place(player: Sequence[str], banker: Sequence[str]) -> Place | None:
    """Return where the next card of this coup goes; None if the coup is complete."""
    drawn = len(player) + len(banker)
    if drawn < len(_FIRST_FOUR):
        return _FIRST_FOUR[drawn]
    if len(banker) == 3 or max(points(player[:2]), points(banker)) >= _NATURAL:
        return None
    if len(player) == 2 and points(player) < _PLAYER_STANDS:
        return Place("player", 3)
    third = str(POINTS[player[2]]) if len(player) == 3 else _STOOD
    return Place("banker", 3) if third in _BANKER_DRAWS[points(banker)] else None


def winner(player: Sequence[str], banker: Sequence[str]) -> str:
    """Return player, banker or tie."""
    difference = points(player) - points(banker)
    return "tie" if not difference else "player" if difference > 0 else "banker"


def is_pair(hand: Sequence[str]) -> bool:
    """Return True if the first two cards have the same rank."""
    return hand[0][0] == hand[1][0]
