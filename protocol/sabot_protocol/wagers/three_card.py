"""Three Card Baccarat: three cards each, ranked by Crown's Table 18."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from sabot_protocol.cards import POINTS

PICTURES: Final = frozenset("JQK")


class ThreeCardHand(NamedTuple):
    """What counts of three cards."""

    points: int
    pictures: int

    def rank(self) -> int:
        """Higher is better: three pictures, then nine down to nought."""
        return 10 if self.pictures == 3 else self.points


def hand(cards: Sequence[str]) -> ThreeCardHand:
    """Three cards as a hand."""
    return ThreeCardHand(sum(POINTS[card] for card in cards) % 10, sum(card[0] in PICTURES for card in cards))


def three_card(player: ThreeCardHand, dealer: ThreeCardHand) -> str:
    """The higher rank wins; a win with six points is its own outcome; equal ranks stand off."""
    if player.rank() == dealer.rank():
        return "tie"
    if player.rank() < dealer.rank():
        return "lose"
    return "point_6" if player.points == 6 else "win"


def same_rank(player: ThreeCardHand, dealer: ThreeCardHand) -> str:
    """Equal ranks, not merely equal points (A-26)."""
    return "win" if player.rank() == dealer.rank() else "lose"


def three_pictures(player: ThreeCardHand, dealer: ThreeCardHand) -> str:
    """Two pictures or three in the player's hand."""
    return {3: "three_pictures", 2: "two_pictures"}.get(player.pictures, "lose")


BETS: Final[dict[str, Callable[[ThreeCardHand, ThreeCardHand], str]]] = {
    "three_card": three_card,
    "same_rank": same_rank,
    "three_pictures": three_pictures,
}
