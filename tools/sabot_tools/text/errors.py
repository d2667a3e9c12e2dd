"""Errors as sentences: what happened, where, what to do."""

import os
from pathlib import Path

import typer


def describe(error: Exception) -> str:
    """Return the error as a sentence; for a file, with its path and what to do."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}; check the path and its permissions"
    return str(error)


def failure(action: str, error: Exception) -> typer.Exit:
    """Print why an action failed; return the exit for the caller to raise."""
    typer.echo(f"sabot {action}: {describe(error)}", err=True)
    return typer.Exit(1)


def not_installed(package: str | None, extra: str) -> str:
    """Return the sentence for a missing package; extras are installed from a checkout."""
    return f"{package} is not installed; in a checkout of Sabot: pip install -c constraints.txt -e '.[{extra}]'"


def same_file(one: str | Path, other: str | Path) -> bool:
    """Return whether two paths are the same existing file."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
