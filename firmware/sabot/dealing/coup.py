"""Coup: which card is due by Table 1 and Table 2, the points, the pairs and the winner."""

from micropython import const

from sabot.wire import (
    NO_CARD,
    SLOT_BANKER_1,
    SLOT_BANKER_2,
    SLOT_BANKER_3,
    SLOT_PLAYER_1,
    SLOT_PLAYER_2,
    SLOT_PLAYER_3,
    WINNER_BANKER,
    WINNER_PLAYER,
    WINNER_TIE,
)

NONE = const(0)  # in place of a slot: no card is due
_DRAW = const(68)  # ord("D")

# Table 1: Draw or Stand, by the points of the Player.
_TABLE_1 = b"DDDDDDSSSS"
# Table 2: a row for each point count of the Banker; columns: the Player took no card, took 0, 1, ... 9.
_TABLE_2 = (
    b"DDDDDDDDDDD"  # Banker 0
    b"DDDDDDDDDDD"  # Banker 1
    b"DDDDDDDDDDD"  # Banker 2
    b"DDDDDDDDDSD"  # Banker 3
    b"DSSDDDDDDSS"  # Banker 4
    b"DSSSSDDDDSS"  # Banker 5
    b"SSSSSSSDDSS"  # Banker 6
    b"SSSSSSSSSSS"  # Banker 7
    b"SSSSSSSSSSS"  # Banker 8
    b"SSSSSSSSSSS"  # Banker 9
)


def value(card):
    """Return the points of a card 0..51: one for an ace, none for a ten or a picture."""
    rank = card % 13 + 1
    return rank if rank < 10 else 0


class Coup:
    """One coup: `due` is the slot of the next card, NONE when the coup is complete."""

    def __init__(self):
        self.cards = bytearray(7)
        self.start()

    def start(self):
        """Take all cards off the table."""
        for slot in range(7):
            self.cards[slot] = NO_CARD
        self.due = SLOT_PLAYER_1
        self.player_points = 0
        self.banker_points = 0

    def draw(self, card):
        """Put a card in the slot that is due."""
        slot = self.due
        self.cards[slot] = card
        if slot & 1:
            self.player_points = (self.player_points + value(card)) % 10
        else:
            self.banker_points = (self.banker_points + value(card)) % 10
        self.due = slot + 1 if slot < SLOT_BANKER_2 else self._third_card(slot)

    def _third_card(self, drawn):
        if drawn == SLOT_BANKER_2:
            if self.natural():
                return NONE
            if _TABLE_1[self.player_points] == _DRAW:
                return SLOT_PLAYER_3
            return self._banker(0)
        if drawn == SLOT_PLAYER_3:
            return self._banker(value(self.cards[SLOT_PLAYER_3]) + 1)
        return NONE

    def _banker(self, column):
        return SLOT_BANKER_3 if _TABLE_2[self.banker_points * 11 + column] == _DRAW else NONE

    def natural(self):
        """Return True if either hand has eight or nine with its first two cards."""
        return self.cards[SLOT_PLAYER_3] == self.cards[SLOT_BANKER_3] == NO_CARD and (
            self.player_points >= 8 or self.banker_points >= 8
        )

    def winner(self):
        """Return the winner, once no card is due."""
        if self.player_points == self.banker_points:
            return WINNER_TIE
        return WINNER_PLAYER if self.player_points > self.banker_points else WINNER_BANKER

    def player_pair(self):
        """Return True if the Player's first two cards are of one rank."""
        return self.cards[SLOT_PLAYER_1] % 13 == self.cards[SLOT_PLAYER_2] % 13

    def banker_pair(self):
        """Return True if the Banker's first two cards are of one rank."""
        return self.cards[SLOT_BANKER_1] % 13 == self.cards[SLOT_BANKER_2] % 13
