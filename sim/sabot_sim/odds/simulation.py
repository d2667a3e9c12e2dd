"""Millions of whole shoes, shuffled, burnt, cut and dealt with numpy; coups are counted by their facts."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sabot_protocol.cards import DECK, POINTS
from sabot_protocol.wagers.facts import SAME_SUIT, Facts, Hand, pair

from sabot_sim.odds.enumeration import DrawTables
from sabot_sim.stack import CUT_FROM_BACK

_SHOES = 2048  # dealt side by side
_BLOCK = 64  # of them, shuffled at once: their numbers fit the processor's cache
_NOT_SEEN = -1  # the cutting card; from then on, coups still to come
_VALUE = np.array([POINTS[card] for card in DECK], dtype=np.uint8)
# The kind of pair that two cards make, by their numbers.
_PAIR = np.array([[pair(one, other) for other in DECK] for one in DECK], dtype=np.uint8)


@dataclass(frozen=True)
class CoupTable:
    """Every coup by its code, played: which point facts it has, and how many cards it takes.

    The digits of a code are the points of Player's and Banker's first two cards, and the values of two cards more.
    """

    fact_id: NDArray[np.int64]
    consumed: NDArray[np.uint8]
    facts: list[tuple[int, int, int, int, int, int]]  # two-card totals, third cards drawn, final points

    @classmethod
    def of(cls, draw: DrawTables) -> "CoupTable":
        """Play all coups at once."""
        player, banker, fifth, sixth = np.indices((10,) * 4).reshape(4, -1)
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
        return cls(ids.astype(np.int64), consumed, list(zip(*columns, strict=True)))


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
    _low: NDArray[np.uint32] = field(init=False)
    _cards: NDArray[np.uint8] = field(init=False)
    _codes: NDArray[np.uint16] = field(init=False)
    _starts: NDArray[np.int64] = field(init=False)
    _ids: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        """Prepare arrays, which every batch fills again; nothing has been dealt."""
        kinds = 4 * 4 * 2 * 2 * 2 if self.pairs else 1
        self._counts = np.zeros(len(self.table.facts) * kinds, dtype=np.int64)
        self._draws = np.array(self.table.facts)[:, 2:4] == 1  # by fact id: whether Player and Banker drew
        one_shoe = np.tile(np.arange(52), self.decks)
        self._low = (one_shoe if self.pairs else _VALUE[one_shoe]).astype(np.uint32)
        self._cards = np.zeros((_SHOES, one_shoe.size), dtype=np.uint8)
        self._codes = np.zeros(self._cards.size, dtype=np.uint16)
        self._starts, self._ids = np.zeros(
            (2, self._cards.size // 4), dtype=np.int64
        )  # a coup takes four cards or more

    def run(self, coups: int, progress: Callable[[int], None] = lambda done: None) -> None:
        """Deal whole shoes until there are at least this many coups."""
        while self.coups < coups:
            before = self.coups
            shoes = min(_SHOES, max(1, -(-(coups - self.coups) // (6 * self.decks))))
            self._batch(shoes)
            progress(self.coups - before)

    def _batch(self, shoes: int) -> None:
        """Shuffle, code the coup that would begin at each place, then walk each shoe from coup to coup."""
        for first in range(0, shoes, _BLOCK):
            self._shuffle(self._cards[first : min(first + _BLOCK, shoes)], self._codes[first * 52 * self.decks :])
        starts = self._walk(self._codes, shoes)
        ids = self.table.fact_id.take(self._codes[starts], out=self._ids[: starts.size], mode="clip")
        keys = self._with_pairs(self._cards.ravel(), starts, ids) if self.pairs else ids
        self._counts += np.bincount(keys, minlength=self._counts.size)
        self.coups += starts.size
        self.shoes += shoes

    def _shuffle(self, cards: NDArray[np.uint8], codes: NDArray[np.uint16]) -> None:
        """Fill some shoes with cards in random order, or without pairs with their values, and code their coups.

        Cards are sorted by the random bits above them. A shoe in which two cards draw the same bits is shuffled again,
        so every order is equally likely.
        """
        bits = 6 if self.pairs else 4
        keys = self._sorted(len(cards), bits)
        tied = _tied(keys, bits)
        while tied.size:
            keys[tied] = self._sorted(tied.size, bits)
            tied = tied[_tied(keys[tied], bits)]
        np.bitwise_and(keys, np.uint32(2**bits - 1), out=cards, casting="unsafe")
        made = coup_codes((_VALUE[cards] if self.pairs else cards).ravel())
        codes[: made.size] = made

    def _sorted(self, shoes: int, bits: int) -> NDArray[np.uint32]:
        """Return sorted random numbers whose low bits are the cards of a shoe."""
        raw = np.asarray(self.rng.bit_generator.random_raw(-(-shoes * self._low.size // 2)))
        keys = raw.view(np.uint32)[: shoes * self._low.size].reshape(shoes, -1)
        keys &= np.uint32(2**32 - 2**bits)
        keys |= self._low
        keys.sort(axis=1)
        return keys

    def _walk(self, codes: NDArray[np.uint16], shoes: int) -> NDArray[np.int64]:
        """Return where each coup begins in the row of all cards, from the burn to the last coup of each shoe."""
        in_shoe = 52 * self.decks
        first = np.arange(shoes, dtype=np.int64) * in_shoe
        at, cut = first + self.burn, first + (in_shoe - CUT_FROM_BACK)
        left = np.full(shoes, _NOT_SEEN)
        begun = 0
        while at.size:
            self._starts[begun : begun + at.size] = at
            begun += at.size
            after = at + self.table.consumed[codes[at]]
            if (after > cut).any():
                last = (at == cut) & self.cut_first_card_is_last_coup
                seen = np.where(after > cut, np.where(last, 0, 1), _NOT_SEEN)
                left = np.where(left == _NOT_SEEN, seen, left - 1)
                going = left != 0
                after, cut, left = after[going], cut[going], left[going]
            at = after
        return self._starts[:begun]

    def _with_pairs(self, cards: NDArray[np.uint8], at: NDArray[np.int64], ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return fact ids extended by what ranks and suits decide."""
        drawn = [cards[at + offset] for offset in range(4)]
        player, banker = _PAIR[drawn[0], drawn[2]].astype(np.int64), _PAIR[drawn[1], drawn[3]].astype(np.int64)
        twin = (player > 0) & (banker > 0) & (drawn[0] % 13 == drawn[1] % 13)
        player_draws, banker_draws = self._draws[ids].T
        fifth = cards[at + 4]
        banker_third = np.where(player_draws, cards[at + 5], fifth)
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


def _tied(keys: NDArray[np.uint32], bits: int) -> NDArray[np.int64]:
    """Return the rows in which two neighbours are equal above these low bits."""
    equal = (keys[:, 1:] ^ keys[:, :-1]) < 2**bits
    return np.flatnonzero(equal.any(axis=1)) if equal.any() else np.zeros(0, dtype=np.int64)


def coup_codes(values: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Return, for every place, the code of the coup that begins there; cards go to Player and Banker in turn."""
    points = values[:-2] + values[2:]
    points -= (points > 9) * np.uint8(10)
    both = points[:-1] * np.uint8(10) + points[1:]
    rest = values[4:-1] * np.uint8(10) + values[5:]
    codes = both[: rest.size].astype(np.uint16)
    codes *= np.uint16(100)
    codes += rest
    return codes
