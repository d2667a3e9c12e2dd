"""Millions of whole shoes, shuffled, burnt, cut and dealt with numpy; coups are counted by their facts."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sabot_protocol.cards import DECK, POINTS
from sabot_protocol.wagers.facts import SAME_SUIT, Facts, Hand, pair

from sabot_sim.dealing.stack import CUT_FROM_BACK
from sabot_sim.odds.enumeration import DrawTables

_SHOES = 2048  # dealt side by side
_MOST_CARDS = 6
_NOT_SEEN = -1  # the cutting card; from then on, coups still to come
_VALUE = np.array([POINTS[card] for card in DECK], dtype=np.uint32)
# The kind of pair that two cards make, by their numbers.
_PAIR = np.array([[pair(one, other) for other in DECK] for one in DECK], dtype=np.uint8)


@dataclass(frozen=True)
class CoupTable:
    """Every sequence of six card values, played: how many cards the coup takes, and which point facts it has."""

    consumed: NDArray[np.uint8]
    fact_id: NDArray[np.uint16]
    facts: list[tuple[int, int, int, int, int, int]]  # two-card totals, third cards drawn, final points

    @classmethod
    def of(cls, draw: DrawTables) -> "CoupTable":
        """Play all 10**6 sequences at once: Player, Banker, Player, Banker, then third cards."""
        first, second, third, fourth, fifth, sixth = np.indices((10,) * _MOST_CARDS, dtype=np.int16).reshape(6, -1)
        player, banker = (first + third) % 10, (second + fourth) % 10
        open_ = (player < 8) & (banker < 8)
        player_draws = open_ & draw.player[player]
        banker_draws = open_ & draw.banker[banker, np.where(player_draws, fifth, 10)]
        player_final = np.where(player_draws, (player + fifth) % 10, player)
        banker_card = np.where(player_draws, sixth, fifth)
        banker_final = np.where(banker_draws, (banker + banker_card) % 10, banker)
        sizes = (10, 10, 2, 2, 10, 10)
        parts = (player, banker, player_draws, banker_draws, player_final, banker_final)
        keys = np.ravel_multi_index([part.astype(np.int64) for part in parts], sizes)
        unique, ids = np.unique(keys, return_inverse=True)
        columns = (column.tolist() for column in np.unravel_index(unique, sizes))
        consumed = (4 + player_draws + banker_draws).astype(np.uint8)
        return cls(consumed, ids.astype(np.uint16), list(zip(*columns, strict=True)))


@dataclass
class Simulation:
    """Counts coups by their facts. Without `pairs` only points are counted, which is faster."""

    decks: int
    table: CoupTable
    rng: np.random.Generator
    burn: int = 1
    cut_first_card_is_last_coup: bool = True
    pairs: bool = True
    coups: int = 0
    shoes: int = 0
    _counts: NDArray[np.int64] = field(init=False)
    _draws: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        """Prepare arrays; nothing has been dealt."""
        kinds = 4 * 4 * 2 * 2 * 2 if self.pairs else 1
        self._counts = np.zeros(len(self.table.facts) * kinds, dtype=np.int64)
        self._draws = np.array(self.table.facts)[:, 2:4] == 1  # by fact id: whether Player and Banker drew

    def run(self, coups: int, progress: Callable[[int], None] = lambda done: None) -> None:
        """Deal whole shoes until there are at least this many coups."""
        while self.coups < coups:
            before = self.coups
            shoes = min(_SHOES, max(1, -(-(coups - self.coups) // (6 * self.decks))))
            self._batch(shoes)
            progress(self.coups - before)

    def _batch(self, shoes: int) -> None:
        """Shuffle, play from every place in every shoe, then walk each shoe from coup to coup."""
        cards = self._shuffled(shoes)
        values = _VALUE[cards] if self.pairs else cards
        places = values.shape[1] - _MOST_CARDS + 1
        codes = values[:, :places].astype(np.int32)
        for offset in range(1, _MOST_CARDS):
            codes *= 10
            codes += values[:, offset : offset + places]
        starts = self._walk(self.table.consumed[codes])
        ids = self.table.fact_id[codes.ravel()[starts]].astype(np.int64)
        if self.pairs:
            ids = self._with_pairs(cards, starts, places, ids)
        self._counts += np.bincount(ids, minlength=self._counts.size)
        self.coups += starts.size
        self.shoes += shoes

    def _shuffled(self, shoes: int) -> NDArray[np.uint32]:
        """Return cards, or without pairs their values, in random order: sorted by 26 random bits above them.

        Two cards of a shoe draw the same bits once in 780 shoes; those two then stand in order instead of at random.
        """
        one_shoe = np.tile(np.arange(52, dtype=np.uint32), self.decks)
        keys = self.rng.integers(0, 2**26, size=(shoes, one_shoe.size), dtype=np.uint32)
        keys <<= np.uint32(6)
        keys |= one_shoe if self.pairs else _VALUE[one_shoe]
        keys.sort(axis=1)
        keys &= np.uint32(63)
        return keys

    def _walk(self, consumed: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return where each coup begins, as an index into the flat table of places, from the burn to the last coup."""
        shoes, places = consumed.shape
        flat, rows = consumed.ravel(), np.arange(shoes, dtype=np.int64) * places
        cut = rows + (places + _MOST_CARDS - 1 - CUT_FROM_BACK)
        at = rows + self.burn
        left = np.full(shoes, _NOT_SEEN)
        begun = []
        while at.size:
            begun.append(at)
            after = at + flat[at]
            if (after > cut).any():
                first = (at == cut) & self.cut_first_card_is_last_coup
                seen = np.where(after > cut, np.where(first, 0, 1), _NOT_SEEN)
                left = np.where(left == _NOT_SEEN, seen, left - 1)
                going = left != 0
                after, cut, left = after[going], cut[going], left[going]
            at = after
        return np.concatenate(begun)

    def _with_pairs(
        self, cards: NDArray[np.uint32], starts: NDArray[np.int64], places: int, ids: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return fact ids extended by what ranks and suits decide."""
        flat = cards.ravel()
        at = starts + starts // places * (_MOST_CARDS - 1)  # the same place, counted in cards
        drawn = [flat[at + offset] for offset in range(4)]
        player, banker = _PAIR[drawn[0], drawn[2]].astype(np.int64), _PAIR[drawn[1], drawn[3]].astype(np.int64)
        twin = (player > 0) & (banker > 0) & (drawn[0] % 13 == drawn[1] % 13)
        player_draws, banker_draws = self._draws[ids].T
        fifth = flat[at + 4]
        banker_third = np.where(player_draws, flat[at + 5], fifth)
        triple = (player == SAME_SUIT) & player_draws & (fifth == drawn[0])
        banker_triple = (banker == SAME_SUIT) & banker_draws & (banker_third == drawn[1])
        code = ((player * 4 + banker) * 2 + twin) * 2 + triple
        joined: NDArray[np.int64] = ids * 128 + code * 2 + banker_triple
        return joined

    def facts(self) -> list[tuple[Facts, int]]:
        """Yield what occurred and how often, in the form that odds.of_coups takes."""
        found = []
        kinds = self._counts.size // len(self.table.facts)
        for key in np.flatnonzero(self._counts).tolist():
            p2, b2, p_draws, b_draws, pp, bp = self.table.facts[key // kinds]
            code = key % kinds
            player = Hand(p2, 2 + p_draws, pp, code >> 5, bool(code >> 1 & 1))
            banker = Hand(b2, 2 + b_draws, bp, code >> 3 & 3, bool(code & 1))
            found.append((Facts(player, banker, bool(code >> 2 & 1)), int(self._counts[key])))
        return found
