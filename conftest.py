"""For all tests: temporary files, tally of the emulated chip, assertions rewritten once, stores, lean tests."""

from hypothesis import settings

pytest_plugins = ("support.short_temp", "support.chip_tally", "support.rewritten", "floor_stores", "lean")

# The same on every machine: seeded, and without a clock.
settings.register_profile("sabot", derandomize=True, deadline=None)
settings.load_profile("sabot")
