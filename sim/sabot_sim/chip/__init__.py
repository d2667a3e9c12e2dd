"""Chip: an emulated RP2040 that runs real MicroPython."""
