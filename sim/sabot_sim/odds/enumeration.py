"""Every coup of a full shoe, counted exactly: how often each combination of facts occurs, as whole numbers.

Weights count ordered draws of six cards without replacement; they fit 64 bits for eight decks and fewer.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import perm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sabot_protocol.cards import POINTS, RANKS
from sabot_protocol.wagers.facts import SAME_SUIT, Facts, Hand, pair

Ints = NDArray[np.int64]

_VALUES = tuple(POINTS[rank + "S"] for rank in RANKS)
_SUITS = "CDHS"
# Sizes of the parts of a key: totals of two cards, third cards drawn, final points, kinds of pair, twin, triples.
_SIZES = (10, 10, 2, 2, 10, 10, 4, 4, 2, 2, 2)


class DrawTables(NamedTuple):
    """When a third card is drawn: Player by points, Banker by points and the Player's third card (last: none)."""

    player: NDArray[np.bool_]
    banker: NDArray[np.bool_]


class Pattern(NamedTuple):
    """What the suits of the first four cards decide."""

    player_pair: int
    banker_pair: int
    twin: bool
    at_banker: int  # cards of the Banker equal to the card of the Player's suited pair
    at_player: int  # and the other way round
    same: bool  # both suited pairs are of the same card


def _patterns(ranks: tuple[int, ...], decks: int) -> Counter[Pattern]:
    """Count the ways to draw four cards of these ranks, by suit pattern; only which ranks are equal matters."""
    ways: Counter[Pattern] = Counter()
    names = [RANKS[rank] for rank in ranks]
    for suits in product(_SUITS, repeat=4):
        cards = [name + suit for name, suit in zip(names, suits, strict=True)]
        weight, seen = 1, Counter[str]()
        for card in cards:
            weight *= decks - seen[card]
            seen[card] += 1
        if weight > 0:
            ways[_pattern(cards)] += weight
    return ways


def _pattern(cards: list[str]) -> Pattern:
    one, two, three, four = cards
    kind, other = pair(one, two), pair(three, four)
    return Pattern(
        kind,
        other,
        bool(kind and other) and one[0] == three[0],
        [three, four].count(one) if kind == SAME_SUIT else 0,
        [one, two].count(three) if other == SAME_SUIT else 0,
        kind == other == SAME_SUIT and one == three,
    )


def _initial_rows(decks: int) -> tuple[Ints, Ints]:
    """Return values of the first four cards (Player's two, Banker's two), their pattern, and the number of draws."""
    by_equality: dict[tuple[int, ...], Counter[Pattern]] = {}
    rows: Counter[tuple[int, ...]] = Counter()
    for ranks in product(range(13), repeat=4):
        equality = tuple(ranks.index(rank) for rank in ranks)
        if equality not in by_equality:
            by_equality[equality] = _patterns(ranks, decks)
        values = tuple(_VALUES[rank] for rank in ranks)
        for pattern, weight in by_equality[equality].items():
            rows[values + tuple(map(int, pattern))] += weight
    return np.array(list(rows), dtype=np.int64), np.array(list(rows.values()), dtype=np.int64)


class Enumeration:
    """Fills a table of weights by facts, row by row of the first four cards, all rows of a kind at once."""

    def __init__(self, decks: int, draw: DrawTables) -> None:
        self.decks = decks
        self._draw = draw
        self._weights = np.zeros(int(np.prod(_SIZES)), dtype=np.int64)
        self.total = perm(52 * decks, 6)
        self._run()

    def _run(self) -> None:
        rows, weights = _initial_rows(self.decks)
        values = rows[:, :4]
        self._left = 52 * self.decks - 4
        player, banker = values[:, :2].sum(axis=1) % 10, values[:, 2:].sum(axis=1) % 10
        remaining = np.array([[16 if value == 0 else 4] for value in range(10)], dtype=np.int64) * self.decks
        counts = remaining - np.array([(values == value).sum(axis=1) for value in range(10)])
        natural = (player >= 8) | (banker >= 8)
        stands = ~natural & ~self._draw.player[player]
        draws = ~natural & self._draw.player[player]
        self._no_third(rows[natural], weights[natural], player[natural], banker[natural])
        self._player_stands(*(part[..., stands] for part in (rows.T, weights, player, banker, counts)))
        self._player_draws(*(part[..., draws] for part in (rows.T, weights, player, banker, counts)))

    def _no_third(self, rows: Ints, weights: Ints, player: Ints, banker: Ints) -> None:
        rest = self._left * (self._left - 1)
        self._add(rows.T, weights * rest, (player, banker, 0, 0, player, banker), 0, 0)

    def _player_stands(self, rows: Ints, weights: Ints, player: Ints, banker: Ints, counts: Ints) -> None:
        draws = self._draw.banker[banker, 10]
        keep = ~draws
        rest = self._left * (self._left - 1)
        self._add(
            rows[:, keep], weights[keep] * rest, (player[keep], banker[keep], 0, 0, player[keep], banker[keep]), 0, 0
        )
        rows, weights, player, banker, counts = (part[..., draws] for part in (rows, weights, player, banker, counts))
        alike = np.where(rows[5] == SAME_SUIT, self.decks - 2 - rows[8], 0)
        for value in range(10):
            final = (player, banker, 0, 1, player, (banker + value) % 10)
            own = np.where(rows[2] == value, alike, 0)
            self._add(rows, weights * (counts[value] - own) * (self._left - 1), final, 0, 0)
            self._add(rows, weights * own * (self._left - 1), final, 0, 1)

    def _player_draws(self, rows: Ints, weights: Ints, player: Ints, banker: Ints, counts: Ints) -> None:
        """Add rows in which the Player's third card repeats Player's suited pair, Banker's, both, or neither."""
        mine = np.where(rows[4] == SAME_SUIT, self.decks - 2 - rows[7], 0)
        his = np.where(rows[5] == SAME_SUIT, self.decks - 2 - rows[8], 0)
        same = rows[9] == 1
        for value in range(10):
            of_mine = np.where(rows[0] == value, mine, 0)
            of_his = np.where((rows[2] == value) & ~same, his, 0)
            other = counts[value] - of_mine - of_his
            for ways, triple, takes in ((other, 0, 0), (of_his, 0, 1), (of_mine, 1, same.astype(np.int64))):
                self._banker_after(rows, weights * ways, player, banker, counts, value, triple, his - takes)

    def _banker_after(
        self, rows: Ints, weights: Ints, player: Ints, banker: Ints, counts: Ints, third: int, triple: int, his: Ints
    ) -> None:
        some = weights > 0
        if not some.any():
            return
        rows, weights, player, banker, counts, his = (
            part[..., some] for part in (rows, weights, player, banker, counts, his)
        )
        points = (player + third) % 10
        draws = self._draw.banker[banker, third]
        keep = ~draws
        self._add(
            rows[:, keep],
            weights[keep] * (self._left - 1),
            (player[keep], banker[keep], 1, 0, points[keep], banker[keep]),
            triple,
            0,
        )
        rows, weights, player, banker, counts, his, points = (
            part[..., draws] for part in (rows, weights, player, banker, counts, his, points)
        )
        for value in range(10):
            final = (player, banker, 1, 1, points, (banker + value) % 10)
            own = np.where((rows[2] == value) & (rows[5] == SAME_SUIT), his, 0)
            left = counts[value] - (value == third)
            self._add(rows, weights * (left - own), final, triple, 0)
            self._add(rows, weights * own, final, triple, 1)

    def _add(self, rows: Ints, weights: Ints, points: tuple[Ints | int, ...], triple: int, banker_triple: int) -> None:
        shape = weights.shape
        parts = [np.broadcast_to(np.asarray(part), shape) for part in (*points, *rows[4:7], triple, banker_triple)]
        np.add.at(self._weights, np.ravel_multi_index(parts, _SIZES), weights)

    def facts(self) -> Iterator[tuple[Facts, int]]:
        """Yield every combination of facts that occurs, with its weight; the weights sum to `total`."""
        keys = np.flatnonzero(self._weights)
        columns = np.unravel_index(keys, _SIZES)
        for *key, weight in zip(*(column.tolist() for column in columns), self._weights[keys].tolist(), strict=True):
            p2, b2, p_draws, b_draws, pp, bp, kind, other, twin, triple, banker_triple = key
            player = Hand(p2, 2 + p_draws, pp, kind, bool(triple))
            yield Facts(player, Hand(b2, 2 + b_draws, bp, other, bool(banker_triple)), bool(twin)), weight
