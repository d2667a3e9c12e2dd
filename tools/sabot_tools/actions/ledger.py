"""sabot ledger: verify, show, export, back up, restore, rebuild, prune and accept the gateway's ledger."""

import os
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, nullcontext, suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import IO, Annotated, Any, Literal

import typer
from sabot_gateway.ledger import Ledger, LedgerError, Reader, audit, retention
from sabot_gateway.ledger.files import LockedError
from sabot_protocol.inputs.plain_text import escaped_json, printable
from sabot_service.messages import Request

from sabot_tools.actions import ledger_backup
from sabot_tools.stand.daemon import ask
from sabot_tools.text import ledger_export
from sabot_tools.text.errors import same_file
from sabot_tools.text.ledger_errors import errors_to_stderr
from sabot_tools.text.progress import bar

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="The ledger file: `ledger` in the gateway's config.", metavar="FILE")]
_PROGRESS_EVERY = 1000
_FORK_FROM = 20_000  # entries from which a second process pays


@app.callback()
def ledger() -> None:
    """Verify, show, export, back up, restore, rebuild, prune and accept the gateway's ledger."""


@app.command(epilog="Example: sabot ledger verify /var/lib/sabot/ledger.db --heads heads.jsonl")
def verify(
    file: File,
    key: Annotated[
        Path | None, typer.Option(help="The key of its checkpoints and heads; default: FILE-key.", metavar="KEY")
    ] = None,
    heads_file: Annotated[
        Path | None,
        typer.Option("--heads", help="Heads kept elsewhere, as published: one JSON line each.", metavar="HEADS"),
    ] = None,
    broker: Annotated[
        str | None, typer.Option(help="Compare with the head that this broker keeps: mqtt://host:1883.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="The gateway's config, for its broker and login.", metavar="TOML")
    ] = None,
) -> None:
    """Check every entry of a ledger. Also its derived tables, cursors and heads; a bad entry is named, status 1."""
    with errors_to_stderr():
        known = ledger_backup.known_heads(heads_file, broker, config)
        count = _count(file)
        with bar("verifying", count) as progress:
            verdict = audit.verify(file, _key(file, key), progress, known, fork=count > _FORK_FROM)
    for note in verdict.notes + verdict.faults:
        typer.echo(f"sabot ledger: {file}: {printable(note.removeprefix(f'ledger {file}: '))}", err=True)
    if verdict.faults:
        raise typer.Exit(1)
    typer.echo(f"{file}: {verdict.entries} entries, intact")


def _key(file: Path, given: Path | None) -> bytes | None:
    """Return the key of the checkpoints; None if only the daemon can read it."""
    path = given or retention.key_path(file)
    if given is not None and not given.exists():
        raise LedgerError(f"--key {given}: no such file; leave it out, or give the key that belongs to this ledger")
    return None if given is None and not os.access(path, os.R_OK) else retention.read(path)


def _count(file: Path) -> int:
    """Return the number of entries, 0 if the file cannot be read."""
    with suppress(LedgerError, sqlite3.Error), closing(Reader(file)) as reader:
        return reader.count()
    return 0


@app.command(epilog="Example: sabot ledger show ledger.db --table bac-01 --shoe 3 --coup 17")
def show(
    file: File,
    table: Annotated[str | None, typer.Option(help="Only this table.")] = None,
    shoe: Annotated[int | None, typer.Option(help="Only this shoe.")] = None,
    coup: Annotated[int | None, typer.Option(help="Only this coup.")] = None,
    last: Annotated[int, typer.Option(min=1, help="How many of the newest entries.")] = 20,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON line per entry.")] = False,
) -> None:
    """Print the newest entries. Oldest first: number, time, table, shoe and coup, what happened."""
    from sabot_tools.text import ledger_entries  # the messages of every kind of shoe

    with errors_to_stderr(), closing(Reader(file)) as reader:
        wanted = (entry for entry in reader.latest(table) if ledger_entries.is_of(entry, shoe, coup))
        for entry in reversed(list(islice(wanted, last))):
            if json:
                sys.stdout.buffer.write(escaped_json(ledger_export.json_line(entry)))
            else:
                typer.echo(printable(ledger_entries.line(entry)))


@app.command(epilog="Example: sabot ledger export ledger.db --format csv --what coups --out coups.csv")
def export(
    file: File,
    format_: Annotated[Literal["csv", "jsonl", "parquet"], typer.Option("--format", help="Parquet needs pyarrow.")],
    what: Annotated[
        Literal["entries", "coups", "shoes", "alarms", "incidents", "increments", "recorded_wins"],
        typer.Option(help="Which table."),
    ] = "entries",
    out: Annotated[Path | None, typer.Option(help="File to write; default: stdout.")] = None,
) -> None:
    """Write the entries, or a derived table, for other programs."""
    with errors_to_stderr(), closing(Reader(file)) as reader:
        if out is not None and any(same_file(one, out) for one in file.absolute().parent.glob(f"{file.name}*")):
            raise LedgerError(f"--out {out} is a file of the ledger itself; give another path")
        write, rows = ledger_export.writer(format_), ledger_export.rows(reader, what)
        with _output(out, format_) as target, bar("exporting", reader.count(what)) as progress:
            write(_counted(rows, progress), target)


def _output(out: Path | None, format_: str) -> Any:
    if out is not None:
        return out.open("wb")
    if format_ == "parquet":
        raise LedgerError("a Parquet file cannot go to stdout; give a file with --out FILE")
    return nullcontext(_stdout())


def _stdout() -> IO[bytes]:
    return sys.stdout.buffer


def _counted(rows: Iterable[ledger_export.Row], progress: Callable[[int], None]) -> Iterator[ledger_export.Row]:
    for number, row in enumerate(rows, 1):
        yield row
        if number % _PROGRESS_EVERY == 0:
            progress(_PROGRESS_EVERY)


@app.command(epilog="Example: sabot ledger rebuild /var/lib/sabot/ledger.db")
def rebuild(file: File) -> None:
    """Rebuild the derived tables. Every entry is checked first; stop the daemon."""
    with errors_to_stderr(), closing(_open_for_writing(file)) as book:
        with bar("rebuilding", book.count()) as progress:
            book.rebuild(progress)
        _show_notes(book)
        typer.echo(f"{file}: tables rebuilt from {book.count()} entries")


@app.command(epilog="Example: sabot ledger prune /var/lib/sabot/ledger.db --before 2026-01-31 --dry-run")
def prune(
    file: File,
    before: Annotated[
        str, typer.Option(help="Remove entries older than this: a date, or a time as 2026-01-31T06:00:00Z.")
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be removed; remove nothing.")] = False,
) -> None:
    """Remove old entries. A signed checkpoint takes their place. Export them first, and stop the daemon."""
    with errors_to_stderr():
        if retention.moment(before) > retention.moment(datetime.now(UTC).isoformat()):
            raise LedgerError(f"--before {before} is in the future: give a date in the past, such as 2026-01-31")
        if dry_run:
            with closing(Reader(file)) as reader:
                plan = reader.plan(before)
            typer.echo(f"{file}: {_planned(plan, 'would be removed')}")
            return
        with closing(_open_for_writing(file, recheck=False)) as book:
            with bar("pruning", book.plan(before).count) as progress:
                plan = book.prune(before, progress)
            _show_notes(book)
            typer.echo(f"{file}: {_planned(plan, 'removed')}")


def _planned(plan: retention.Plan, what: str) -> str:
    up_to = f", up to {plan.seq}" if plan.count else ""
    return f"{plan.count} entries {what}{up_to}; the next one stays: it is {plan.kept_by}"


@app.command(
    epilog="Example: sabot ledger accept ledger.db --by 'A. Smith' --reason 'disk exchanged, backup of Monday'"
)
def accept(
    file: File,
    by: Annotated[str, typer.Option(help="Your name, for the ledger.")],
    reason: Annotated[str, typer.Option(help="Why entries are missing, as far as known.")],
    socket: Annotated[
        Path | None, typer.Option(help="The daemon's socket; default: control.sock beside the ledger.", metavar="PATH")
    ] = None,
) -> None:
    """Accept that entries are missing. The daemon then goes on; the ledger keeps who, why and which."""
    with errors_to_stderr():
        try:
            with closing(_open_for_writing(file, recheck=False)) as book:
                book.accept(by, reason, retention.moment(datetime.now(UTC).isoformat()))
        except LockedError:  # the daemon has it open, and waits for this
            answer = ask(
                Path(),
                socket or file.with_name("control.sock"),
                Request("accept-ledger", "", by, "", {"reason": reason}),
            )
            typer.echo(f"{file}: {answer.say}")
            return
        typer.echo(f"{file}: accepted; the daemon goes on from entry {book.last_seq()} at its next start")


def _show_notes(book: Ledger) -> None:
    for note in book.notes:
        typer.echo(f"sabot ledger: {book.path}: {note}", err=True)


def _open_for_writing(file: Path, *, recheck: bool = True) -> Ledger:
    """Open an existing ledger for writing."""
    Reader(file).close()
    return Ledger(file, recheck=recheck)


app.registered_commands += ledger_backup.app.registered_commands
