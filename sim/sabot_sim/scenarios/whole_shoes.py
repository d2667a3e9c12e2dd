"""Stacks of cards for a whole shoe: shuffled, or arranged for their winners; and how they are dealt."""

import random
from collections.abc import Iterable

from sabot_protocol.cards import DECK

from sabot_sim.dealing.stack import CUT, CUT_FROM_BACK
from sabot_sim.scenarios import draw_tables
from sabot_sim.scenarios.script import Script

_MOST_CARDS = 6
_TRIES = 10_000


def size(cards: list[str]) -> int:
    """How many cards the coup takes that these begin with."""
    return sum(map(len, draw_tables.hands([card for card in cards[: _MOST_CARDS + 1] if card != CUT])))


def whole_shoe(s: Script, stack: list[str], *, cut_may_be_last: bool = True, results: bool = False) -> None:
    """New shoe, burn, coup after coup until the last one is confirmed; `results`: the dealer enters each."""
    s.open(stack[0])
    at, left = 1, 0
    while left != 1:
        taken = size(stack[at:])
        seen = CUT in stack[at : at + taken]
        first = stack[at] == CUT and cut_may_be_last
        left = left - 1 if left else (1 if first else 2) if seen else 0
        s.coup(" ".join(stack[at : at + taken + seen]))
        at += taken + seen
        if results:
            enter_result(s)
        s.confirm()


def recut(stack: list[str], from_back: int) -> list[str]:
    """The same cards with so many behind the cutting card."""
    cards = [card for card in stack if card != CUT]
    return [*cards[:-from_back], CUT, *cards[-from_back:]]


def enter_result(s: Script) -> None:
    """The dealer presses the winner of the last coup."""
    s.think(0.5, 1.5)
    s.press(s.truth.coups[-1]["winner"])


def arranged(decks: int, rng: random.Random, winners: Iterable[str]) -> list[str]:
    """So many decks whose coups have these winners, as long as cards for it are left; the cutting card behind them."""
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
    """A coup with this winner out of the rest, or nothing."""
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
