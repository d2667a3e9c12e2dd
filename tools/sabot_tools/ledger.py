"""sabot ledger: verifies, shows, exports, rebuilds and prunes the gateway's ledger."""

import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from itertools import islice
from pathlib import Path
from typing import IO, Annotated, Any, Literal

import typer
from sabot_gateway.ledger import Ledger, LedgerError, Reader, Stored, audit, retention

from sabot_tools import ledger_export, ledger_words
from sabot_tools.progress import bar

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="The ledger: `ledger` of the gateway's config.", metavar="FILE")]
_PROGRESS_EVERY = 1000


@contextmanager
def _in_words() -> Iterator[None]:
    """An error is a sentence on stderr and exit status 1."""
    try:
        yield
    except LedgerError as error:
        problem = str(error)
    except sqlite3.Error as error:
        problem = f"{error}; `sabot ledger verify FILE` says what is wrong"
    except BrokenPipeError:
        raise
    except OSError as error:
        problem = f"{error.filename}: {error.strerror}; check the path, the disk and its permissions"
    else:
        return
    typer.echo(f"sabot ledger: {problem}", err=True)
    raise typer.Exit(1)


@app.callback()
def ledger() -> None:
    """Verify, show, export, rebuild and prune the gateway's ledger."""


@app.command(epilog="Example: sabot ledger verify /var/lib/sabot/ledger.db")
def verify(
    file: File,
    key: Annotated[
        Path | None, typer.Option(help="The key of its checkpoints; else FILE-key, if it is there.", metavar="KEY")
    ] = None,
) -> None:
    """Check every entry, every derived table and every byte; exit status 1 names the first bad entry."""
    with _in_words(), bar("verifying", _count(file)) as progress:
        verdict = audit.verify(file, retention.read(key or retention.key_path(file)), progress)
    for said in verdict.notes + verdict.faults:
        typer.echo(f"sabot ledger: {file}: {said.removeprefix(f'ledger {file}: ')}", err=True)
    if verdict.faults:
        raise typer.Exit(1)
    typer.echo(f"{file}: {verdict.entries} entries, intact")


def _count(file: Path) -> int:
    """How much there is to do; of a file that cannot be read the verdict says why."""
    with suppress(LedgerError, sqlite3.Error), closing(Reader(file)) as reader:
        return reader.count()
    return 0


@app.command(epilog="Example: sabot ledger show ledger.db --table bac-01 --shoe 3 --coup 17")
def show(
    file: File,
    table: Annotated[str | None, typer.Option(help="Only this table.")] = None,
    shoe: Annotated[int | None, typer.Option(help="Only this shoe.")] = None,
    coup: Annotated[int | None, typer.Option(help="Only this coup.")] = None,
    last: Annotated[int, typer.Option(min=1, help="The newest so many.")] = 20,
    json: Annotated[bool, typer.Option("--json", help="One JSON line an entry.")] = False,
) -> None:
    """Print the newest entries, oldest first: number, time, table, shoe and coup, what."""
    with _in_words(), closing(Reader(file)) as reader:
        wanted = (entry for entry in reader.latest(table) if _is_of(entry, shoe, coup))
        for entry in reversed(list(islice(wanted, last))):
            if json:
                sys.stdout.buffer.write(ledger_export.json_line(entry))
            else:
                typer.echo(ledger_words.line(entry))


def _is_of(entry: Stored, shoe: int | None, coup: int | None) -> bool:
    if shoe is None and coup is None:
        return True
    message = ledger_words.said(entry)
    return shoe in (None, message.get("shoe")) and coup in (None, message.get("coup"))


@app.command(epilog="Example: sabot ledger export ledger.db --format csv --what coups --out coups.csv")
def export(
    file: File,
    format_: Annotated[Literal["csv", "jsonl", "parquet"], typer.Option("--format", help="Parquet needs pyarrow.")],
    what: Annotated[Literal["entries", "coups", "shoes", "alarms"], typer.Option(help="Which table.")] = "entries",
    out: Annotated[Path | None, typer.Option(help="Where to; else stdout.")] = None,
) -> None:
    """Write the entries, or a table that follows from them, for other programs."""
    with _in_words(), closing(Reader(file)) as reader:
        write, rows = ledger_export.writer(format_), ledger_export.rows(reader, what)
        with _output(out, format_) as target, bar("exporting", reader.count(what)) as progress:
            write(_counted(rows, progress), target)


def _output(out: Path | None, format_: str) -> Any:
    if out is not None:
        return out.open("wb")
    if format_ == "parquet":
        raise LedgerError("a Parquet file cannot go to stdout; say where to with --out FILE")
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
    """Check every entry, then make shoes, coups and alarms and the page sums anew; not while the daemon runs."""
    with _in_words(), closing(_owned(file)) as book:
        with bar("rebuilding", book.count()) as progress:
            book.rebuild(progress)
        for note in book.notes:
            typer.echo(f"sabot ledger: {file}: {note}", err=True)
        typer.echo(f"{file}: tables rebuilt from {book.count()} entries")


@app.command(epilog="Example: sabot ledger prune /var/lib/sabot/ledger.db --before 2026-01-31")
def prune(
    file: File,
    before: Annotated[str, typer.Option(help="Older entries may go: a date, or a time as 2026-01-31T06:00:00Z.")],
) -> None:
    """Remove old entries that nobody needs; a signed checkpoint stays. Export them first; not while the daemon runs."""
    with _in_words(), closing(_owned(file, recheck=False)) as book:
        plan = book.prune(before)
        for note in book.notes:
            typer.echo(f"sabot ledger: {file}: {note}", err=True)
        up_to = f", up to {plan.seq}" if plan.count else ""
        typer.echo(f"{file}: {plan.count} entries removed{up_to}; the next one stays: it is {plan.kept_by}")


def _owned(file: Path, *, recheck: bool = True) -> Ledger:
    """An existing ledger, to be written."""
    Reader(file).close()
    return Ledger(file, recheck=recheck)
