"""Operator: the control socket, and what a person may ask of a table."""
