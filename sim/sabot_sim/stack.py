"""The stack of cards in a shoe: shuffled by a seed, with a cutting card, and stacked if a coup is to come out."""

import random
from collections.abc import Sequence

from sabot_protocol.cards import DECK

CUT = "CUT"
CUT_FROM_BACK = 20  # cards behind the cutting card: the least that the rulebooks allow


def shuffled(decks: int, rng: random.Random) -> list[str]:
    """Return the cards of these decks in the order in which they are drawn, cutting card included."""
    cards = list(DECK) * decks
    rng.shuffle(cards)
    cards.insert(len(cards) - CUT_FROM_BACK, CUT)
    return cards


def stacked(cards: list[str], top: Sequence[str | None]) -> list[str]:
    """Return the same cards with these drawn first; None leaves what lies there. ValueError if a card is missing."""
    found = list(cards)
    for place, card in enumerate(top):
        if card is not None:
            other = found.index(card, place)
            found[place], found[other] = found[other], found[place]
    return found
