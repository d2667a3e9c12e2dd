"""Coup: which card is due by Table 1 and Table 2, the points, the pairs and the winner."""

from micropython import const

# Slots, as messages.py numbers them; 0 is no slot here.
NONE = const(0)
PLAYER_1 = const(1)
BANKER_1 = const(2)
PLAYER_2 = const(3)
BANKER_2 = const(4)
PLAYER_3 = const(5)
BANKER_3 = const(6)

PLAYER = const(1)
BANKER = const(2)
TIE = const(3)

_NO_CARD = const(0xFF)
_DRAW = const(68)  # ord("D")

# Table 1: the Player by his points, Draw or Stand.
_TABLE_1 = b"DDDDDDSSSS"
# Table 2: a row for each point count of the Banker; columns: Player took no card, took 0, 1, ... 9.
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
    """Points of a card 0..51: ace one, ten and pictures nothing."""
    rank = card % 13 + 1
    return rank if rank < 10 else 0


class Coup:
    """One coup: `due` is the slot of the next card, NONE when the coup is complete."""

    def __init__(self):
        self.cards = bytearray(7)
        self.start()

    def start(self):
        """Before the first card."""
        for slot in range(7):
            self.cards[slot] = _NO_CARD
        self.due = PLAYER_1
        self.player_points = 0
        self.banker_points = 0

    def draw(self, card):
        """The card that was due has been drawn."""
        slot = self.due
        self.cards[slot] = card
        if slot & 1:
            self.player_points = (self.player_points + value(card)) % 10
        else:
            self.banker_points = (self.banker_points + value(card)) % 10
        self.due = slot + 1 if slot < BANKER_2 else self._third_card(slot)

    def _third_card(self, drawn):
        if drawn == BANKER_2:
            if self.natural():
                return NONE
            if _TABLE_1[self.player_points] == _DRAW:
                return PLAYER_3
            return self._banker(0)
        if drawn == PLAYER_3:
            return self._banker(value(self.cards[PLAYER_3]) + 1)
        return NONE

    def _banker(self, column):
        return BANKER_3 if _TABLE_2[self.banker_points * 11 + column] == _DRAW else NONE

    def natural(self):
        """Eight or nine with the first two cards of either hand."""
        return self.cards[PLAYER_3] == self.cards[BANKER_3] == _NO_CARD and (
            self.player_points >= 8 or self.banker_points >= 8
        )

    def winner(self):
        """PLAYER, BANKER or TIE, once no card is due."""
        if self.player_points == self.banker_points:
            return TIE
        return PLAYER if self.player_points > self.banker_points else BANKER

    def player_pair(self):
        """The Player's first two cards are of one rank."""
        return self.cards[PLAYER_1] % 13 == self.cards[PLAYER_2] % 13

    def banker_pair(self):
        """The Banker's first two cards are of one rank."""
        return self.cards[BANKER_1] % 13 == self.cards[BANKER_2] % 13
