"""A dealer at an independent shoe: whole shoes from seeded cards, at a pace of its own, and what each coup must be."""

import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from independent import cards
from independent.cards import Hands, Result
from independent.shoe import Profile, Shoe

BOOT, SHOE_OPENED, CARD, CUTTING_CARD, COUP, BUTTON, SHOE_CLOSED, SENSOR = 1, 3, 4, 5, 6, 8, 9, 11
SELF_TEST, BURN, HEALTH = 12, 13, 23
_CONFIRM, _NEW_SHOE = 4, 5
_BURN_NONE, _BURN_FACE_UP = 0, 3
_FACE_UP = 2  # CardFlags
_CUT_FIRST_IS_LAST = 1  # Switches
_LAST_COUP_CLOSES = 1
_LIVE = 1
_MOST_WAITING = 200  # events without an ACK: the journal is full, no card is released

Key = tuple[int, int]  # shoe and coup


@dataclass
class Expected:
    """A coup that was dealt, in the words of topic `coup`, and when its event went out first."""

    event_no: int
    fields: dict[str, Any]
    sent_s: float | None = None
    stored_s: float | None = None  # when its ACK came
    phase: str = ""  # in which it went out


@dataclass
class Dealer:
    """Call `step` often: it logs what is due by the clock."""

    shoe: Shoe
    rng: random.Random
    card_ms: int = 60
    shoe_cards: int | None = 80  # before the cutting card; None: whole decks
    coups: dict[Key, Expected] = field(default_factory=dict)
    by_event: dict[int, Expected] = field(default_factory=dict)
    resting: bool = False  # stops before the next coup
    _shoe_no: int = 0
    _coup_no: int = 0
    _now_ms: int = 0
    _due_ms: int = 0
    _stack: list[int] = field(default_factory=list)
    _last_coup: int = 0  # of the shoe on the table; 0 while unknown

    def __post_init__(self) -> None:
        """The power is on."""
        self.shoe.log(0, BOOT, struct.pack("<HB", self.shoe.identity.boot_count, 1))
        self.shoe.log(0, SELF_TEST, bytes([15]) + bytes(8))
        self._play = self._life()

    def step(self, now_ms: int) -> None:
        """Everything that is due now."""
        self._now_ms = now_ms
        while self._due_ms <= now_ms:
            if self.shoe.journal.waiting > _MOST_WAITING or self.shoe.locked:
                self._due_ms = now_ms + self.card_ms
                return
            self._due_ms = now_ms + next(self._play)

    def _life(self) -> Iterator[int]:
        """One shoe after the other; yields how long the next step takes."""
        while self.shoe.profile is None:
            yield self.card_ms
        while True:
            yield from self._one_shoe(self.shoe.profile)

    def _one_shoe(self, profile: Profile) -> Iterator[int]:
        self._shoe_no, self._coup_no, self._last_coup = self._shoe_no + 1, 0, 0
        self._stack = cards.stack(self.rng, profile.decks, self.shoe_cards)
        self.shoe.shoe_open = True
        self._log(SHOE_OPENED, struct.pack("<HBBB", self._shoe_no, profile.card_set, profile.decks, profile.burn))
        yield self.card_ms
        yield from self._burn(profile.burn)
        while not self._last_coup or self._coup_no < self._last_coup:
            while self.resting:
                yield self.card_ms
            yield from self._one_coup(profile)
        self._close()
        yield self.card_ms

    def _burn(self, mode: int) -> Iterator[int]:
        count = 0 if mode == _BURN_NONE else 1
        burnt = 0
        while burnt < count:
            card = self._stack.pop(0)
            face_up = mode == _BURN_FACE_UP and burnt == 0
            count += cards.burn_value(card) if face_up else 0
            self._log_card(0, 0, card, _FACE_UP if face_up else 0)
            burnt += 1
            yield self.card_ms
        self._log(BURN, struct.pack("<HBBB", self._shoe_no, mode, burnt, 0))

    def _one_coup(self, profile: Profile) -> Iterator[int]:
        self._coup_no += 1
        hands = Hands()
        while hands.due() is not None:
            card = self._stack.pop(0)
            if card == cards.CUT:
                self._cutting_card(profile, first=not hands.player)
            else:
                self._log_card(self._coup_no, hands.take(card), card)
            yield self.card_ms
        self._result(Result(hands.player, hands.banker))
        yield self.card_ms
        self._log(BUTTON, struct.pack("<HHB", self._shoe_no, self._coup_no, _CONFIRM))
        yield self.card_ms

    def _cutting_card(self, profile: Profile, *, first: bool) -> None:
        this_one = first and profile.switches & _CUT_FIRST_IS_LAST
        self._last_coup = self._coup_no + (0 if this_one else 1)
        self._log(CUTTING_CARD, struct.pack("<HHB", self._shoe_no, self._coup_no, first))

    def _log_card(self, coup_no: int, slot: int, card: int, flags: int = 0) -> None:
        speed, margin = self.rng.randint(300, 1500), self.rng.randint(40, 95)
        self._log(CARD, struct.pack("<HHBBHBB", self._shoe_no, coup_no, slot, card, speed, margin, flags))

    def _result(self, result: Result) -> None:
        ends = self._coup_no == self._last_coup
        flags = result.player_pair | result.banker_pair << 1 | result.natural << 2 | ends << 3
        sides = (cards.points(result.player), cards.points(result.banker))
        data = struct.pack("<HHBBBBB", self._shoe_no, self._coup_no, result.winner, *sides, flags, _LIVE)
        self._expect(result, ends, self.shoe.journal.next_no)
        self._log(COUP, data)

    def _expect(self, result: Result, ends: bool, event_no: int) -> None:
        fields = {
            "shoe": self._shoe_no,
            "coup": self._coup_no,
            "kind": "live",
            "status": "verified",
            "winner": cards.WINNERS[result.winner],
            "player": [cards.name(card) for card in result.player],
            "banker": [cards.name(card) for card in result.banker],
            "player_points": cards.points(result.player),
            "banker_points": cards.points(result.banker),
            "player_pair": result.player_pair,
            "banker_pair": result.banker_pair,
            "natural": result.natural,
            "last_coup": ends,
        }
        expected = Expected(event_no, fields)
        self.coups[self._shoe_no, self._coup_no] = self.by_event[event_no] = expected

    def _close(self) -> None:
        self.shoe.shoe_open = False
        self._log(SHOE_CLOSED, struct.pack("<HHB", self._shoe_no, self._coup_no, _LAST_COUP_CLOSES))
        for sensor in range(4):
            self._log(SENSOR, struct.pack("<HBHHHBBHHH", self._shoe_no, sensor, 80, 0, 0, 80, 40, 900, 300, 1500))
        self._log(HEALTH, struct.pack("<IIIHHHH", 90_000, 80_000, 5_000, 0, 0, 0, 0))

    def _log(self, kind: int, data: bytes) -> None:
        self.shoe.log(self._now_ms, kind, data)
