"""Reading: edges of the sensors become a card, the cutting card, or a reject with its reason."""
