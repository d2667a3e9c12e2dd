"""sabot rulebook: check a rulebook file for the facts that it lacks, and show the facts of a rulebook."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from sabot_protocol import rulebooks
from sabot_protocol.rulebooks import RulebookError
from sabot_protocol.rulebooks.check import Lack, lacks

from sabot_tools.text.errors import failure

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

CHECK = """\b
Example: sabot rulebook check protocol/sabot_protocol/rulebooks/star-baccarat.toml
"""
SHOW = """\b
Example: sabot rulebook show crown-baccarat
Example: sabot rulebook show crown-baccarat --json
"""


@app.callback(epilog="Example: sabot rulebook show crown-baccarat")
def rulebook() -> None:
    """Check a new rulebook for what it lacks; show the facts of a rulebook."""


@app.command(epilog=CHECK)
def check(
    file: Annotated[Path, typer.Argument(help="TOML file; its irregularities and clauses are beside it.")],
) -> None:
    """List every fact that a rulebook lacks, one a line with file and key; exit 1 if there is one."""
    found = list(lacks(file)) or list(_lost_alarms(file))
    for lack in found:
        typer.echo(str(lack))
    if found:
        raise typer.Exit(1)


def _lost_alarms(file: Path) -> Iterator[Lack]:
    """Yield every alarm that opens an incident and that no gateway raises."""
    from sabot_gateway.verify.alarms.catalogue import ALARMS

    book = rulebooks.parse(file.name, file.read_text(encoding="utf-8"))
    for kind, incident in book.incident.items():
        for name in incident.alarms:
            if name not in ALARMS:
                yield Lack(file, f"incident.{kind}.alarms", f"no alarm is called {name!r}")


@app.command(epilog=SHOW)
def show(
    name: Annotated[str, typer.Argument(metavar="ID", help=f"One of {', '.join(rulebooks.ids())}.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Show every fact of a rulebook, one a line: its key and its value."""
    try:
        book = rulebooks.load(name)
    except RulebookError as error:
        raise failure("rulebook", error) from error
    if as_json:
        typer.echo(msgspec.json.encode(book))
        return
    for key, value in facts(msgspec.to_builtins(book), ""):
        typer.echo(f"{key} = {msgspec.json.encode(value).decode()}")


def facts(value: Any, key: str) -> Iterator[tuple[str, Any]]:
    """Yield every leaf with its key; a list of tables is numbered from 1."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from facts(one, f"{key}.{name}" if key else name)
    elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
        for number, one in enumerate(value, 1):
            yield from facts(one, f"{key}[{number}]")
    else:
        yield key, value
