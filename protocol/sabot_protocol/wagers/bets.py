"""Predicates: the outcome of a coup for a bet. The rulebook has the price of each outcome.

An outcome without a price loses.
"""

from collections.abc import Callable
from typing import Final

from sabot_protocol.wagers.facts import COLOURED, MIXED, SAME_SUIT, Facts, Hand

NOT_OFFERED: Final = "not_offered"
LOSE: Final = "lose"
WIN: Final = "win"
TIE: Final = "tie"

Bet = Callable[[Facts, str], str]


def _won(own: Hand, other: Hand) -> bool:
    return own.points > other.points


def _if(condition: bool) -> str:
    return WIN if condition else LOSE


def backed(facts: Facts, side: str) -> str:
    """Player or Banker: win, tie, lose."""
    own, other = facts.sides(side)
    if own.points == other.points:
        return TIE
    return _if(_won(own, other))


def backed_six(facts: Facts, side: str) -> str:
    """As backed; a win with six has its own outcome."""
    outcome = backed(facts, side)
    return f"{side}_6" if outcome == WIN and facts.sides(side)[0].points == 6 else outcome


def backed_two_to_one(facts: Facts, side: str) -> str:
    """As backed; a win with eight or nine in three cards has its own outcome."""
    own, _ = facts.sides(side)
    outcome = backed(facts, side)
    return "three_card_8_or_9" if outcome == WIN and own.cards == 3 and own.points >= 8 else outcome


def backed_two_to_one_six(facts: Facts, side: str) -> str:
    """Both of the above; they exclude each other."""
    outcome = backed_two_to_one(facts, side)
    return backed_six(facts, side) if outcome == WIN else outcome


def backed_ez(facts: Facts, side: str) -> str:
    """As backed; a win with seven in three cards has its own outcome."""
    own, _ = facts.sides(side)
    outcome = backed(facts, side)
    return "three_card_7" if outcome == WIN and own.cards == 3 and own.points == 7 else outcome


def tie(facts: Facts, side: str) -> str:
    """Equal points."""
    return _if(facts.player.points == facts.banker.points)


def pair(facts: Facts, side: str) -> str:
    """The first two cards of the hand have the same rank."""
    return _if(bool(facts.sides(side)[0].pair))


def suited_pair(names: dict[int, str]) -> Bet:
    """Return the bet on a pair, with these names for its kinds."""

    def bet(facts: Facts, side: str) -> str:
        return names.get(facts.sides(side)[0].pair, LOSE)

    return bet


perfect_pair = suited_pair({MIXED: "mixed", COLOURED: "coloured", SAME_SUIT: "perfect"})
crown_pair = suited_pair({MIXED: "mixed", COLOURED: "coloured", SAME_SUIT: "crown"})
match = suited_pair({MIXED: "mixed_match", COLOURED: "coloured_match", SAME_SUIT: "lucky_match"})


def lucky_match(facts: Facts, side: str) -> str:
    """The first two cards decide; three cards of one rank and suit are a Lucky Triple Match (A-10)."""
    return "lucky_triple_match" if facts.sides(side)[0].triple else match(facts, side)


def banker_wins_with_six(facts: Facts, side: str) -> str:
    """Super Six, Super 6."""
    return _if(_won(facts.banker, facts.player) and facts.banker.points == 6)


def tiger(facts: Facts, side: str) -> str:
    """Tiger, Lucky 6: the Banker wins with six, by number of cards."""
    if banker_wins_with_six(facts, side) == LOSE:
        return LOSE
    return "two_card" if facts.banker.cards == 2 else "three_card"


def big_tiger(facts: Facts, side: str) -> str:
    """The Banker wins with six in three cards."""
    return _if(tiger(facts, side) == "three_card")


def small_tiger(facts: Facts, side: str) -> str:
    """The Banker wins with six in two cards."""
    return _if(tiger(facts, side) == "two_card")


def tiger_tie(facts: Facts, side: str) -> str:
    """A tie on six."""
    return _if(facts.player.points == facts.banker.points == 6)


def tiger_pair(facts: Facts, side: str) -> str:
    """One pair, two pairs, two pairs of the same rank: only the best counts (A-02, A-03, A-04)."""
    pairs = bool(facts.player.pair) + bool(facts.banker.pair)
    if pairs == 2:
        return "twin" if facts.twin else "double"
    return "single" if pairs else LOSE


def dragon_tiger(facts: Facts, side: str) -> str:
    """The Player wins with seven over a six, by number of cards."""
    if facts.player.points != 7 or facts.banker.points != 6:
        return LOSE
    return {4: "two_two", 5: "three_two", 6: "three_three"}[facts.player.cards + facts.banker.cards]


def player_wins_with_seven(cards: int) -> Bet:
    """Big Dragon with three cards, Small Dragon with two."""

    def bet(facts: Facts, side: str) -> str:
        own, other = facts.player, facts.banker
        return _if(_won(own, other) and own.points == 7 and own.cards == cards)

    return bet


def dragon_bonus(facts: Facts, side: str) -> str:
    """A natural that wins, or a win by four points and more without one; a tie of naturals is a push."""
    own, other = facts.sides(side)
    if own.natural() and own.points == other.points and other.natural():
        return "natural_tie"
    if not _won(own, other):
        return LOSE
    return "natural" if own.natural() else f"by_{own.points - other.points}"


def dragon_7(facts: Facts, side: str) -> str:
    """The Banker wins with seven in three cards."""
    return _if(backed_ez(facts, "banker") == "three_card_7")


def panda_8(facts: Facts, side: str) -> str:
    """The Player wins with eight in three cards."""
    own = facts.player
    return _if(_won(own, facts.banker) and own.cards == 3 and own.points == 8)


def insurance_1(facts: Facts, side: str) -> str:
    """After two cards: the hand holds 7, 8 or 9 (A-11, A-13)."""
    own, other = facts.sides(side)
    if own.two < 7:
        return NOT_OFFERED
    if own.two == 9:
        return "9_ties_natural_9" if other.two == 9 else LOSE
    if other.natural() and other.two > own.two:
        return "7_v_natural" if own.two == 7 else "8_v_natural_9"
    return TIE if own.points == other.points else LOSE


def insurance_2(facts: Facts, side: str) -> str:
    """After four cards: the hand leads and cards are still to come."""
    own, other = facts.sides(side)
    if own.two <= other.two or own.cards + other.cards == 4:
        return NOT_OFFERED
    if own.points == other.points:
        return TIE
    if _won(own, other) or (side == "player" and own.two == 5 and other.two != 4):
        return LOSE
    return f"interim_{own.two}"


def insurance_3(facts: Facts, side: str) -> str:
    """After five cards: the hand has its third card, leads, and the other is still to draw."""
    own, other = facts.sides(side)
    if own.cards + other.cards != 6 or own.points <= other.two:
        return NOT_OFFERED
    if own.points == other.points:
        return "final_9_ties" if own.points == 9 else TIE
    return LOSE if _won(own, other) else f"final_{own.points}"


def shield(facts: Facts, side: str) -> str:
    """After four cards: the hand holds 6 or 7 against 0 to 5; wins when the other hand wins."""
    own, other = facts.sides(side)
    if own.two not in (6, 7) or other.two > 5:
        return NOT_OFFERED
    if own.points == other.points:
        return TIE
    return LOSE if _won(own, other) else f"{side}_{own.two}"


def insurance_no_6(facts: Facts, side: str) -> str:
    """The Banker holds six and the Player must draw: loses only when the Banker wins with six (A-28)."""
    if facts.banker.two != 6 or facts.player.two > 5:
        return NOT_OFFERED
    return LOSE if banker_wins_with_six(facts, side) == WIN else "no_6"


# Bets that the pairs and triples of a coup decide; all others look only at its points and numbers of cards.
BY_PAIRS: Final = frozenset({"pair", "perfect_pair", "crown_pair", "lucky_match", "tiger_pair"})
# Bets on one of the hands: each wager names its side.
ON_A_SIDE: Final = frozenset(
    {
        "backed", "backed_six", "backed_two_to_one", "backed_two_to_one_six", "backed_ez", "pair", "perfect_pair",
        "crown_pair", "lucky_match", "dragon_bonus", "insurance_1", "insurance_2", "insurance_3", "shield",
    }
)  # fmt: skip
BETS: Final[dict[str, Bet]] = {
    "backed": backed,
    "backed_six": backed_six,
    "backed_two_to_one": backed_two_to_one,
    "backed_two_to_one_six": backed_two_to_one_six,
    "backed_ez": backed_ez,
    "tie": tie,
    "pair": pair,
    "perfect_pair": perfect_pair,
    "crown_pair": crown_pair,
    "lucky_match": lucky_match,
    "banker_wins_with_six": banker_wins_with_six,
    "tiger": tiger,
    "big_tiger": big_tiger,
    "small_tiger": small_tiger,
    "tiger_tie": tiger_tie,
    "tiger_pair": tiger_pair,
    "dragon_tiger": dragon_tiger,
    "big_dragon": player_wins_with_seven(3),
    "small_dragon": player_wins_with_seven(2),
    "dragon_bonus": dragon_bonus,
    "dragon_7": dragon_7,
    "panda_8": panda_8,
    "insurance_1": insurance_1,
    "insurance_2": insurance_2,
    "insurance_3": insurance_3,
    "shield": shield,
    "insurance_no_6": insurance_no_6,
}
