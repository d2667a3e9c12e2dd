"""Targets: one module for each kind of bytes that an outsider can send."""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Protocol, cast

NAMES = ("frames", "angel_eye", "control", "packets", "commands", "floor", "http", "config", "files")


class Target(Protocol):
    """What a module here has."""

    MOST_BYTES: int  # of an input
    run: Callable[[bytes], None]  # any exception is a finding
    seeds: Callable[[], Iterable[bytes]]


def load(name: str) -> Target:
    """Return the module of a target."""
    return cast(Target, import_module(f"fuzzing.targets.{name}"))
