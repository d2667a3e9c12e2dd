"""A check of options that are numbers."""

from math import isfinite

import typer


def finite(value: float | None) -> float | None:
    """Return the value of an option; BadParameter for nan and inf, which no bound refuses."""
    if value is not None and not isfinite(value):
        raise typer.BadParameter(f"{value} is not a number that can be used here")
    return value
