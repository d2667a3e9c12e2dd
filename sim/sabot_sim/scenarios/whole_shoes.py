"""Whole shoes: stacks arranged for their winners, and how a stack is dealt to its end."""

import random
from collections.abc import Iterable

from sabot_protocol.cards import DECK

from sabot_sim.scenarios import draw_tables
from sabot_sim.scenarios.script import Script
from sabot_sim.stack import CUT, CUT_FROM_BACK

_MOST_CARDS = 6
_TRIES = 10_000


def size(cards: list[str]) -> int:
    """Return how many cards the coup takes that these cards begin with."""
    return sum(map(len, draw_tables.hands([card for card in cards[: _MOST_CARDS + 1] if card != CUT])))


def whole_shoe(s: Script, stack: list[str], *, cut_may_be_last: bool = True) -> None:
    """Deal a stack from New shoe until the last coup is confirmed."""
    s.open(stack[0])
    at, left = 1, 0
    while left != 1:
        taken = size(stack[at:])
        seen = CUT in stack[at : at + taken]
        first = stack[at] == CUT and cut_may_be_last
        left = left - 1 if left else (1 if first else 2) if seen else 0
        s.coup(" ".join(stack[at : at + taken + seen]))
        at += taken + seen
        s.confirm()


def recut(stack: list[str], from_back: int) -> list[str]:
    """Return the same cards with the cutting card moved: `from_back` cards are behind it."""
    cards = [card for card in stack if card != CUT]
    return [*cards[:-from_back], CUT, *cards[-from_back:]]


def arranged(decks: int, rng: random.Random, winners: Iterable[str]) -> list[str]:
    """Return a stack whose coups have these winners as long as the cards allow; the cutting card is near their end."""
    rest = rng.sample(DECK * decks, len(DECK) * decks)
    stack = [rest.pop()]
    for winner in winners:
        cards = _won_by(winner, rest, rng)
        if not cards:
            break
        stack += cards
    stack.insert(len(stack) - CUT_FROM_BACK, CUT)
    return stack + rest


def _won_by(winner: str, rest: list[str], rng: random.Random) -> list[str]:
    """Take a coup with this winner out of `rest`; return an empty list if none was found."""
    if len(rest) < CUT_FROM_BACK:
        return []
    for _ in range(_TRIES):
        drawn = rng.sample(rest, _MOST_CARDS)
        player, banker = draw_tables.hands(drawn)
        if draw_tables.winner(player, banker) == winner:
            cards = drawn[: len(player) + len(banker)]
            for card in cards:
                rest.remove(card)
            return cards
    return []
