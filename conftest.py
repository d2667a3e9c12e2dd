"""For all tests: the last line of a run counts what ran on the emulated RP2040, and stores of the floor service."""

pytest_plugins = ("support.chip_tally", "floor_stores")
