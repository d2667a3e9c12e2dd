"""The stack of cards in a shoe: shuffled by a seed, with a cutting card."""

import random

from sabot_protocol.cards import DECK

CUT = "CUT"
CUT_FROM_BACK = 20  # cards behind the cutting card: the least that the rulebooks allow


def shuffled(decks: int, rng: random.Random) -> list[str]:
    """Return the cards of these decks in the order in which they are drawn, cutting card included."""
    cards = list(DECK) * decks
    rng.shuffle(cards)
    cards.insert(len(cards) - CUT_FROM_BACK, CUT)
    return cards
