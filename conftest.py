"""For all tests: what ran on the emulated RP2040, assertions rewritten once, and stores of the floor service."""

pytest_plugins = ("support.chip_tally", "support.rewritten", "floor_stores")
