"""Dealing: the stack in the shoe, and dealers who draw it."""
