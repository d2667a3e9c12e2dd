"""The rebuild of the floor's projection from one ledger, with progress bars and what came of it as a sentence."""

import sqlite3
from pathlib import Path

import typer
from sabot_floor.projection import coverage
from sabot_floor.projection.rebuild import LedgerSpan, Rebuilt, rebuild
from sabot_floor.store import Store
from sabot_gateway.ledger import LedgerError
from sabot_protocol.inputs.plain_text import counted, printable

from sabot_tools.stand import ledger_source
from sabot_tools.stand.daemon import fail
from sabot_tools.text.progress import bar


def rebuilt(store: Store, path: Path) -> str:
    """Verify a ledger, replace the rows of its gateway, and return what was done; on an error exit with status 1."""
    try:
        heads = coverage.heads_of(store, ledger_source.gateway_of(path))
        entries = ledger_source.count(path)
        with bar("verifying", entries) as progress, ledger_source.opened(path, heads, progress) as source:
            for note in source.notes:
                typer.echo(f"sabot floor: {path}: {printable(note)}", err=True)
            with bar("rebuilding", entries) as advance:
                reached = source.span.origin

                def to(entry: int) -> None:
                    nonlocal reached
                    advance(entry - reached)
                    reached = entry

                done = rebuild(store, source.span, source.entries, to)
    except (LedgerError, sqlite3.Error) as error:
        fail(
            f"{path}: nothing was rebuilt from it: {printable(str(error))}. Check it with `sabot ledger verify {path}`"
        )
    return _sentence(path, source.span, done, len(heads))


def _sentence(path: Path, span: LedgerSpan, done: Rebuilt, heads: int) -> str:
    unread = ", ".join(map(str, done.first_unreadable))
    more = f"; {done.unreadable} could not be read and have no row, the first: {unread}" if done.unreadable else ""
    return (
        f"{path}: gateway {span.gateway}, entries {span.origin + 1} to {span.last} verified and compared with "
        f"{counted(heads, 'head')}; {done.entries} published, {counted(done.rows, 'row')}{more}"
    )
