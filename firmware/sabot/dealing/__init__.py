"""Dealing: cards, buttons and commands become events, and events become the state of the shoe."""
