"""For all tests: the last line of a run counts what ran on the emulated RP2040."""

pytest_plugins = ("support.chip_tally",)
