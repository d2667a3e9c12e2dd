"""Dealing: the stack of cards in the shoe, and simulated dealers."""
