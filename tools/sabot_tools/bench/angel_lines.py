"""Lines of Angel Eye shoes for a load: whole shoes dealt beforehand, as the bytes of the line, and what they mean."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Final, NamedTuple

from sabot_protocol.angel_eye import build
from sabot_sim.angel_eye import drawing
from sabot_sim.angel_eye.settings import BAUD, CYCLES
from sabot_sim.stack import CUT, shuffled

BYTES_A_SECOND: Final = BAUD // 10  # a character is ten bits
COPIES: Final = 3
RULEBOOK: Final = "star-baccarat"
_DECKS: Final = 8
_LINES: Final = 8  # different lines; every eighth table sends the same one
_RANKS: Final = "A23456789TJQK"
_NOT_NOISE: Final = b"\x02\x05\x06\x15"  # would be a frame or an answer of their own


class Dealt(NamedTuple):
    """A coup as it was dealt; `first` and `last` are the numbers of its first and last message on the line."""

    first: int
    last: int
    shoe: int
    number: int  # in its shoe
    player: list[str]
    banker: list[str]
    winner: str
    player_pair: bool
    banker_pair: bool


class Sent(NamedTuple):
    """A message: its frame, and where on the line its good copies begin and end."""

    frame: bytes
    good: list[tuple[int, int]]


@dataclass
class Line:
    """What one shoe sends: `data` has every copy of every message, one behind the other."""

    data: bytes = b""
    messages: list[Sent] = field(default_factory=list)
    coups: list[Dealt] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)  # where the first copy of each message begins


class _Shoe:
    """Deals coups and collects the messages; the sequence character goes on, except at `S`."""

    def __init__(self, cycle: str, rng: random.Random, first_cards: int) -> None:
        self.frames: list[bytes] = []
        self.coups: list[Dealt] = []
        self._rng, self._cycle, self._seq = rng, cycle, 0
        self._shoes, self._number, self._first_cards = 0, 0, first_cards

    def _send(self, made: Callable[[str], bytes]) -> None:
        self.frames.append(made(self._cycle[self._seq % len(self._cycle)]))
        self._seq += 1

    def _card(self, target: str, index: int, card: str | None) -> None:
        self._send(lambda seq: build.card(seq, target, index, card))

    def _letter(self, letter: str) -> None:
        self._send(lambda seq: build.frame(seq, letter))
        self._seq -= letter == "S"

    def shoe(self) -> None:
        """Deal one shoe: start, burn, coups, cutting card, the last coup."""
        cards = shuffled(_DECKS, self._rng)
        self._cards, self._ended = iter(cards if self._shoes else cards[-self._first_cards :]), False
        self._shoes, self._number = self._shoes + 1, 0
        self._letter("S")
        self._letter("P")
        burn = next(self._cards)
        self._card("burn_first", 0, burn)
        count = min(_RANKS.index(burn[0]) + 1, 10)
        self._card("burn_count", count, None)
        for index in range(1, count + 1):
            self._card("burn", index, next(self._cards))
        last = False
        while not last:
            last = self._ended
            last |= self._coup()
            self._letter("P")

    def _draw(self, target: str, hand: list[str]) -> bool:
        """Draw a card; return True if the cutting card came out before it."""
        card = next(self._cards)
        cut = card == CUT
        if cut:
            self._letter("C")
            self._ended = True
            card = next(self._cards)
        hand.append(card)
        self._card(target, len(hand), card)
        return cut

    def _coup(self) -> bool:
        """Deal a coup; return True if the cutting card came out before its first card."""
        hands: dict[str, list[str]] = {"player": [], "banker": []}
        player, banker = hands.values()
        cut, first = False, 0
        while place := drawing.next_place(player, banker):
            cut |= self._draw(place.target, hands[place.target]) and not first
            first = first or len(self.frames) - 1
        winner, pairs = drawing.winner(player, banker), (drawing.is_pair(player), drawing.is_pair(banker))
        self._send(lambda seq: build.result(seq, winner, player_pair=pairs[0], banker_pair=pairs[1]))
        self._number += 1
        last = len(self.frames) - 1
        self.coups.append(Dealt(first, last, self._shoes, self._number, player, banker, winner, *pairs))
        return cut


@cache
def line(number: int, seconds: float, spoilt: float, mixed: float = 0.0) -> Line:
    """Return what a shoe sends in so many seconds without a pause.

    Shares of the messages have one spoilt copy, and copies mixed with those of the next message.
    """
    number %= _LINES
    rng = random.Random(f"angel eye {number}")
    first_cards = _DECKS * 52 * (number + 1) // _LINES  # the lines change their cards at different times
    shoe, made = _Shoe(list(CYCLES.values())[number % len(CYCLES)], rng, first_cards), Line()
    wanted, data, done = seconds * BYTES_A_SECOND, bytearray(), 0
    while len(data) < wanted:
        shoe.shoe()
        for sent, good, copy in _copies(shoe.frames, done, rng, spoilt, mixed):
            _place(made, shoe.frames[sent], sent, good=good, at=len(data), size=len(copy))
            data += copy
        done = len(shoe.frames)
    made.data, made.coups = bytes(data), shoe.coups
    return made


def _place(made: Line, sent_frame: bytes, number: int, *, good: bool, at: int, size: int) -> None:
    if number == len(made.messages):
        made.messages.append(Sent(sent_frame, []))
        made.starts.append(at)
    if good:
        made.messages[number].good.append((at, at + size))


def _copies(
    frames: list[bytes], done: int, rng: random.Random, spoilt: float, mixed: float
) -> Iterator[tuple[int, bool, bytes]]:
    """Yield message, whether the copy is good, and its bytes.

    Of two mixed messages the first copy of the first is good: their order on the line is that of the shoe.
    """
    at = done
    while at < len(frames):
        together = 2 if rng.random() < mixed and at + 1 < len(frames) else 1
        bad = [rng.randrange(together - 1, COPIES) if rng.random() < spoilt else None for _ in range(together)]
        for turn in range(COPIES):
            for place in range(together):
                good = turn != bad[place]
                yield at + place, good, frames[at + place] if good else _spoil(frames[at + place], rng)
        at += together


def _spoil(good: bytes, rng: random.Random) -> bytes:
    """Return a copy with a bit changed, a byte missing, or its end missing."""
    at = rng.randrange(1, len(good))
    kind = rng.randrange(3)
    if kind == 0:
        return good[:at]
    if kind == 1:
        return good[:at] + good[at + 1 :]
    changed = good[at] ^ 1 << rng.randrange(8)
    return good[:at] + bytes([changed]) + good[at + 1 :] if changed not in _NOT_NOISE else good[:at]
