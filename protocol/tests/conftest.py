"""Hypothesis the same on every machine: seeded, and without a clock."""

from hypothesis import settings

settings.register_profile("sabot", derandomize=True, deadline=None)
settings.load_profile("sabot")
