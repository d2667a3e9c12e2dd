"""Rigs: the firmware on the MicroPython VM, on the emulated chip and on a board, behind one interface."""
