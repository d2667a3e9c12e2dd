"""A stack of cards in a shoe: shuffled by a seed, with its cutting card."""

import random

from sabot_protocol.cards import DECK

CUT = "CUT"
CUT_FROM_BACK = 20  # cards behind the cutting card, as the books ask for at least


def shuffled(decks: int, rng: random.Random) -> list[str]:
    """The cards of so many decks in the order in which they will be drawn, cutting card included."""
    cards = list(DECK) * decks
    rng.shuffle(cards)
    cards.insert(len(cards) - CUT_FROM_BACK, CUT)
    return cards
