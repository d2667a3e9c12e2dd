"""Roulette of the Rapid table: the wagers of the single-zero layout, and announced wagers by their pieces."""

from fractions import Fraction
from functools import cache
from typing import Final

from sabot_protocol.rulebooks.model import Roulette
from sabot_protocol.wagers.settled import Settled, lost

NUMBERS: Final = range(37)
RED: Final = frozenset({1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36})


@cache
def layout() -> dict[str, tuple[str, frozenset[int]]]:
    """Return every wager of the layout: its kind and the numbers it covers."""
    found: dict[str, tuple[str, frozenset[int]]] = {}
    for kind, groups in _groups().items():
        for numbers in groups:
            found["_".join([kind, *map(str, numbers)])] = (kind, frozenset(numbers))
    for nth in (1, 2, 3):
        found[f"column_{nth}"] = ("column", frozenset(range(nth, 37, 3)))
        found[f"dozen_{nth}"] = ("dozen", frozenset(range(12 * nth - 11, 12 * nth + 1)))
    chances = {
        "low": range(1, 19),
        "high": range(19, 37),
        "even": range(2, 37, 2),
        "odd": range(1, 37, 2),
        "red": RED,
        "black": frozenset(range(1, 37)) - RED,
    }
    return found | {name: (name, frozenset(numbers)) for name, numbers in chances.items()}


def _groups() -> dict[str, list[tuple[int, ...]]]:
    """Return the groups of adjacent numbers by kind; those with the zero are from rules 5.1.2 to 5.1.4."""
    rows = [(n, n + 1, n + 2) for n in range(1, 37, 3)]
    across = [(n, n + 1) for n in range(1, 37) if n % 3]
    down = [(n, n + 3) for n in range(1, 34)]
    return {
        "straight": [(n,) for n in NUMBERS],
        "split": [(0, 1), (0, 2), (0, 3), *across, *down],
        "street": [(0, 1, 2), (0, 2, 3), *rows],
        "corner": [(0, 1, 2, 3), *((n, n + 1, n + 3, n + 4) for n in range(1, 33) if n % 3)],
        "six_line": [(*row, *(n + 3 for n in row)) for row in rows[:-1]],
    }


def settle(prices: Roulette, number: int) -> dict[str, Settled]:
    """Return what a number makes of every wager; an announced wager is the sum of its pieces, one unit in all."""
    settled = {}
    for name, (kind, numbers) in layout().items():
        settled[name] = _settled(prices, kind, number in numbers)
    for name, pieces in prices.announced.items():
        net = sum((settled[piece].odds for piece in pieces), Fraction(0)) / len(pieces)
        hit = any(settled[piece].result == "win" for piece in pieces)
        settled[name] = Settled("win" if hit else "lose", net, "win" if hit else "lose", prices.announced_clauses[name])
    return settled


def _settled(prices: Roulette, kind: str, hit: bool) -> Settled:
    if hit:
        return Settled("win", Fraction(prices.odds[kind]), "win", prices.clause)
    return lost(prices.clauses[kind])
