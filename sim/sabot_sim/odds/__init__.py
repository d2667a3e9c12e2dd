"""Odds: exact probabilities of every wager, and whole shoes by the million."""
