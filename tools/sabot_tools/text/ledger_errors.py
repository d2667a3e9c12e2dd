"""Errors of a ledger as sentences on stderr."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from sabot_gateway.ledger import LedgerError


@contextmanager
def errors_to_stderr() -> Iterator[None]:
    """Print an error on stderr and exit with status 1."""
    try:
        yield
    except LedgerError as error:
        problem = str(error)
    except sqlite3.Error as error:
        problem = f"{error}; find the cause with `sabot ledger verify FILE`"
    except BrokenPipeError:
        raise
    except OSError as error:
        problem = f"{error.filename}: {error.strerror}; check the path, the disk and its permissions"
    else:
        return
    typer.echo(f"sabot ledger: {problem}", err=True)
    raise typer.Exit(1)
