"""For all tests: a tally of the emulated RP2040, assertions rewritten once, floor stores, lean tests, hypothesis."""

from hypothesis import settings

pytest_plugins = ("support.chip_tally", "support.rewritten", "floor_stores", "lean")

# The same on every machine: seeded, and without a clock.
settings.register_profile("sabot", derandomize=True, deadline=None)
settings.load_profile("sabot")
