"""The 52 cards as text (`8H`) and as the number 0..51 that travels on the wire."""

RANKS = "A23456789TJQK"
SUITS = "CDHS"
DECK = tuple(rank + suit for suit in SUITS for rank in RANKS)
INDEX = {card: index for index, card in enumerate(DECK)}
POINTS = {card: 0 if card[0] in "TJQK" else RANKS.index(card[0]) + 1 for card in DECK}
