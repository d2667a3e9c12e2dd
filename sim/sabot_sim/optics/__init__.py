"""Optics: what the four sensors see of a card in a hand."""
