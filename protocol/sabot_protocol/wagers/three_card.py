"""Three Card Baccarat: three cards each, ranked by Crown's Table 18."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from sabot_protocol.cards import POINTS

PICTURES: Final = frozenset("JQK")


class ThreeCardHand(NamedTuple):
    """What a wager can depend on in three cards."""

    points: int
    pictures: int

    def rank(self) -> int:
        """Return the rank; higher is better: three pictures, then nine points down to zero."""
        return 10 if self.pictures == 3 else self.points


def hand(cards: Sequence[str]) -> ThreeCardHand:
    """Return three cards as a hand."""
    return ThreeCardHand(sum(POINTS[card] for card in cards) % 10, sum(card[0] in PICTURES for card in cards))


def three_card(player: ThreeCardHand, dealer: ThreeCardHand) -> str:
    """Return who has the higher rank; a win with six points has its own outcome; equal ranks tie."""
    if player.rank() == dealer.rank():
        return "tie"
    if player.rank() < dealer.rank():
        return "lose"
    return "point_6" if player.points == 6 else "win"


def same_rank(player: ThreeCardHand, dealer: ThreeCardHand) -> str:
    """Equal ranks, not merely equal points (A-26)."""
    return "win" if player.rank() == dealer.rank() else "lose"


def three_pictures(player: ThreeCardHand, dealer: ThreeCardHand) -> str:
    """Two or three pictures in the player's hand."""
    return {3: "three_pictures", 2: "two_pictures"}.get(player.pictures, "lose")


BETS: Final[dict[str, Callable[[ThreeCardHand, ThreeCardHand], str]]] = {
    "three_card": three_card,
    "same_rank": same_rank,
    "three_pictures": three_pictures,
}
