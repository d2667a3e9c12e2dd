"""Cards and the rules of punto banco, written from the printed rules: points, third cards, burn, pairs."""

import random
from dataclasses import dataclass, field

RANKS, SUITS = "A23456789TJQK", "CDHS"
PLAYER, BANKER, TIE = 1, 2, 3
WINNERS = {PLAYER: "player", BANKER: "banker", TIE: "tie"}
CUT = -1  # the cutting card in a stack
_CUT_FROM_BACK = 20
# The Banker draws on these points against the Player's third card; None is a Player who stood.
_BANKER_DRAWS: dict[int, set[int | None]] = {
    0: {None, *range(10)},
    1: {None, *range(10)},
    2: {None, *range(10)},
    3: {None, *range(10)} - {8},
    4: {None, *range(2, 8)},
    5: {None, *range(4, 8)},
    6: {6, 7},
    7: set(),
}


def name(card: int) -> str:
    """0 is AC, 51 is KS."""
    return RANKS[card % 13] + SUITS[card // 13]


def points(cards: list[int]) -> int:
    """Of a hand: the last digit of the sum; tens and courts count nothing."""
    return sum(min(card % 13 + 1, 10) for card in cards) % 10


def burn_value(card: int) -> int:
    """How many cards follow a burn card that lies face up: ten for tens and courts."""
    return min(card % 13 + 1, 10)


def player_draws(player: list[int], banker: list[int]) -> bool:
    """On 0 to 5 with two cards, unless somebody has a natural."""
    return points(player) <= 5 and points(banker) < 8


def banker_draws(player: list[int], banker: list[int]) -> bool:
    """By Table 2, once the Player has drawn or stood."""
    if points(player[:2]) >= 8 or points(banker) >= 8:
        return False
    third = points(player[2:]) if len(player) == 3 else None
    return third in _BANKER_DRAWS[points(banker)]


@dataclass(frozen=True)
class Result:
    """A coup as its cards decide it."""

    player: list[int]
    banker: list[int]

    @property
    def winner(self) -> int:
        """PLAYER, BANKER or TIE."""
        ours, theirs = points(self.player), points(self.banker)
        return TIE if ours == theirs else PLAYER if ours > theirs else BANKER

    @property
    def player_pair(self) -> bool:
        """The Player's first two cards are of one rank."""
        return self.player[0] % 13 == self.player[1] % 13

    @property
    def banker_pair(self) -> bool:
        """The Banker's first two cards are of one rank."""
        return self.banker[0] % 13 == self.banker[1] % 13

    @property
    def natural(self) -> bool:
        """Eight or nine on two cards."""
        return points(self.player[:2]) >= 8 or points(self.banker[:2]) >= 8


@dataclass
class Hands:
    """Cards of a coup as they come; `due` is the slot of the next one, or None."""

    player: list[int] = field(default_factory=list)
    banker: list[int] = field(default_factory=list)

    def due(self) -> int | None:
        """Slots: 1 player_1, 2 banker_1, 3 player_2, 4 banker_2, 5 player_3, 6 banker_3."""
        if len(self.player) + len(self.banker) < 4:
            return len(self.player) + len(self.banker) + 1
        if len(self.player) == 2 and len(self.banker) == 2 and player_draws(self.player, self.banker):
            return 5
        return 6 if len(self.banker) == 2 and banker_draws(self.player, self.banker) else None

    def take(self, card: int) -> int:
        """Put the card where it is due; return the slot."""
        slot = self.due()
        if slot is None:
            raise ValueError("no card is due")
        (self.player if slot % 2 else self.banker).append(card)
        return slot


def stack(rng: random.Random, decks: int, short: int | None = None) -> list[int]:
    """Return shuffled decks with the cutting card near the back, or after `short` cards."""
    cards = [card for card in range(52) for _ in range(decks)]
    rng.shuffle(cards)
    cards.insert(short or len(cards) - _CUT_FROM_BACK, CUT)
    return cards
