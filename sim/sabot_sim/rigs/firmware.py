"""The firmware's modules in this interpreter, for benches and tests without a board."""

import sys
from importlib import import_module
from types import ModuleType

from sabot_sim.rigs.vm import firmware_dir


def module(name: str) -> ModuleType:
    """Import a module of the firmware; a stand-in for `micropython` has the one name that its stages use."""
    if "micropython" not in sys.modules:
        stand_in = ModuleType("micropython")
        stand_in.const = lambda value: value  # type: ignore[attr-defined]
        sys.modules["micropython"] = stand_in
    for folder in (firmware_dir(), firmware_dir() / "bench"):
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
    return import_module(name)
