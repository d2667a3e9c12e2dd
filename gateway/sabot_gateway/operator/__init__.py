"""Operator: what a person may ask of a table, and what comes of it."""
