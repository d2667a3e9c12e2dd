"""Jackpots at the edge: confirmed coups → increments, in the transaction that stores the coup."""
