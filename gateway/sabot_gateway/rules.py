"""Rules: how a coup is played, written for the gateway from the printed rules and from no other code.

NZ 9.2-9.5, The Star 9.2-9.5, Crown 8.1-8.3, Rapid 7.7.4.4-7.7.4.7; all five print the same two tables (A-21).
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

Winner = Literal["player", "banker", "tie"]

FIRST_FOUR: tuple[str, ...] = ("player_1", "banker_1", "player_2", "banker_2")  # slots, whatever the cards are
_VALUES = {"A": 1, **{str(pips): pips for pips in range(2, 10)}, **dict.fromkeys("TJQK", 0)}
# Banker's points: the Player's third cards on which he draws. He always draws on less, never on more.
_BANKER_DRAWS_ON = {
    3: {0, 1, 2, 3, 4, 5, 6, 7, 9},
    4: {2, 3, 4, 5, 6, 7},
    5: {4, 5, 6, 7},
    6: {6, 7},
}


class NotACoupError(ValueError):
    """These cards are no coup by the rules: too few of them."""


class Coup(NamedTuple):
    """A complete coup."""

    player: tuple[str, ...]
    banker: tuple[str, ...]
    player_points: int
    banker_points: int
    winner: Winner
    natural: bool
    player_pair: bool
    banker_pair: bool
    slots: tuple[str, ...]  # in the order drawn


def points(hand: Sequence[str]) -> int:
    """Return the point count of a hand: the last digit of its sum."""
    total = 0
    for card in hand:
        total += _VALUES[card[0]]
    return total % 10


def is_pair(hand: Sequence[str]) -> bool:
    """Return True if the first two cards are of one rank (A-01)."""
    return hand[0][0] == hand[1][0]


def player_draws(player_points: int) -> bool:
    """Return True if the Player draws (Table 1)."""
    return player_points <= 5


def banker_draws(banker_points: int, player_third: int | None) -> bool:
    """Return True if the Banker draws (Table 2); `player_third` is the Player's third card's value, or None."""
    if player_third is None:
        return banker_points <= 5
    if banker_points <= 2:
        return True
    return player_third in _BANKER_DRAWS_ON.get(banker_points, ())


def due(cards: Sequence[str]) -> str | None:
    """Return the slot of the next card of a coup that has these, in the order drawn; None when it is complete."""
    if len(cards) < 4:
        return FIRST_FOUR[len(cards)]
    player, banker = points((cards[0], cards[2])), points((cards[1], cards[3]))
    if player >= 8 or banker >= 8:
        return None
    third = None
    thirds = list(cards[4:])
    if player_draws(player):
        if not thirds:
            return "player_3"
        third = _VALUES[thirds.pop(0)[0]]
    return "banker_3" if banker_draws(banker, third) and not thirds else None


def play(cards: Sequence[str]) -> Coup:
    """Play the cards in the order drawn; cards beyond the coup's end are left alone."""
    if len(cards) < 4:
        raise NotACoupError(f"{len(cards)} cards: a coup has at least four")
    player: tuple[str, ...] = cards[0], cards[2]
    banker: tuple[str, ...] = cards[1], cards[3]
    player_points, banker_points = points(player), points(banker)
    natural = player_points >= 8 or banker_points >= 8
    slots, third = FIRST_FOUR, None
    if not natural and player_draws(player_points):
        player += (_next(cards, 4),)
        slots += ("player_3",)
        third = _VALUES[player[2][0]]
        player_points = (player_points + third) % 10
    if not natural and banker_draws(banker_points, third):
        banker += (_next(cards, len(slots)),)
        slots += ("banker_3",)
        banker_points = points(banker)
    won = winner(player_points, banker_points)
    pairs = is_pair(player), is_pair(banker)
    return Coup(player, banker, player_points, banker_points, won, natural, pairs[0], pairs[1], slots)


def _next(cards: Sequence[str], drawn: int) -> str:
    """Return the card that follows after so many."""
    if len(cards) <= drawn:
        raise NotACoupError("a third card is due by the tables and there is none")
    return cards[drawn]


def winner(player_points: int, banker_points: int) -> Winner:
    """Return the side with more points, or tie."""
    if player_points == banker_points:
        return "tie"
    return "player" if player_points > banker_points else "banker"
