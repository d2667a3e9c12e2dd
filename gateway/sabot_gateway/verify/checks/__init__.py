"""Checks: one file a check; each compares an event of the shoe with the gateway's own reading of the rules."""
