"""Bench: speed and memory as ratios."""
