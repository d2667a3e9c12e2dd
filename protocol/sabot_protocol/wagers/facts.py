"""What a wager can depend on: the facts of a finished coup, a few numbers for each hand."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from sabot_protocol.cards import POINTS

NO_PAIR, MIXED, COLOURED, SAME_SUIT = range(4)


class Hand(NamedTuple):
    """One hand of a coup."""

    two: int  # points of the first two cards
    cards: int
    points: int
    pair: int  # NO_PAIR, MIXED (two colours), COLOURED (one colour, two suits) or SAME_SUIT
    triple: bool  # three cards alike in rank and suit

    def natural(self) -> bool:
        """Return True for eight or nine points with the first two cards."""
        return self.two >= 8


class Facts(NamedTuple):
    """Both hands, and whether both are pairs of the same rank."""

    player: Hand
    banker: Hand
    twin: bool

    def sides(self, side: str) -> tuple[Hand, Hand]:
        """Return the hand backed, then the other."""
        return (self.player, self.banker) if side == "player" else (self.banker, self.player)


def coup_facts(player: Sequence[str], banker: Sequence[str]) -> Facts:
    """Return the facts of a coup with these hands."""
    one, other = hand(player), hand(banker)
    return Facts(one, other, bool(one.pair and other.pair) and player[0][0] == banker[0][0])


def hand(cards: Sequence[str]) -> Hand:
    """Return the facts of one hand, cards in the order drawn."""
    two, kind = _first_two(cards[0], cards[1])
    if len(cards) == 2:
        return Hand(two, 2, two, kind, False)
    return Hand(two, 3, (two + POINTS[cards[2]]) % 10, kind, cards[0] == cards[1] == cards[2])


@cache  # there are 2,704
def _first_two(one: str, other: str) -> tuple[int, int]:
    """Return points and kind of pair of the first two cards."""
    return (POINTS[one] + POINTS[other]) % 10, pair(one, other)


def pair(one: str, other: str) -> int:
    """Return which kind of pair two cards make: same rank, reading A-01."""
    if one[0] != other[0]:
        return NO_PAIR
    if one[1] == other[1]:
        return SAME_SUIT
    return COLOURED if (one[1] in "DH") == (other[1] in "DH") else MIXED
