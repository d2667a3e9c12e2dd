"""Runs one test on the MicroPython VM: micropython vm.py MODULE FUNCTION."""

import sys

sys.path.append("firmware")
sys.path.append("firmware/tests")
getattr(__import__(sys.argv[1]), sys.argv[2])()
