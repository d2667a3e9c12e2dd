"""Errors as sentences: the fact, the place, the next step."""

import os
from pathlib import Path

import typer


def in_words(error: Exception) -> str:
    """What happened, where, and of a file what to do."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}; check the path and its permissions"
    return str(error)


def failure(action: str, error: Exception) -> typer.Exit:
    """Print why an action failed; return the exit for the caller to raise."""
    typer.echo(f"sabot {action}: {in_words(error)}", err=True)
    return typer.Exit(1)


def not_installed(package: str | None, extra: str) -> str:
    """A package is missing; the project is not on an index, so its extras come from a checkout."""
    return f"{package} is not installed; in a checkout of Sabot: pip install '.[{extra}]'"


def same_file(one: str | Path, other: str | Path) -> bool:
    """Whether two names are of one file that is there: what is read must not be written."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
