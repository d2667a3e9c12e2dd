"""For all tests: a tally of the emulated RP2040, assertions rewritten once, stores of the floor service, hypothesis."""

from hypothesis import settings

pytest_plugins = ("support.chip_tally", "support.rewritten", "floor_stores")

# The same on every machine: seeded, and without a clock.
settings.register_profile("sabot", derandomize=True, deadline=None)
settings.load_profile("sabot")
