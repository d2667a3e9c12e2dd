"""Rigs: the firmware on the MicroPython VM, on the emulated chip and on a board, behind the interface in rig.py."""
