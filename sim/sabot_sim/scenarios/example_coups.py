"""Coups that scenarios share, named for their number of cards or their winner."""

from typing import Final

FOUR: Final = "9S 2H KD 5C"  # Player 9, Banker 7: a natural
FIVE: Final = "2S KH 2D 7C 3S"  # Player 4 draws to 7, Banker 7 stands: a tie
SIX: Final = "2S KH 2D 3C 5S 4H"  # Player 4 draws to 9, Banker 3 draws to 7: Player
STANDS: Final = "6S KH KD 3C 4S"  # Player 6 stands, Banker 3 draws to 7: Banker
BANKER: Final = "3H 9C 4D KS"  # Banker 9 against 7
PLAYER: Final = "8D 2C QS 4H"  # Player 8 against 6
