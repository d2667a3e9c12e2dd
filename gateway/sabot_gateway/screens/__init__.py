"""Screens: what the retained topics `history` and `hand` show of a table, from its records and its verifier."""
