"""For all tests: the last line of a run says what ran on the emulated RP2040."""

pytest_plugins = ("support.chip_tally",)
