"""Facts of a check, as lines for people or as JSON lines."""

from collections.abc import Iterable

import msgspec
import typer
from sabot_protocol.inputs.plain_text import escaped_json, printable
from sabot_service.facts import Fact


def print_facts(command: str, facts: Iterable[Fact], *, as_json: bool) -> None:
    """Print each fact as it comes; exit with status 1 if one of them is wrong."""
    wrong = 0
    for fact in facts:
        line = f"{fact.status:8}{fact.subject}: {fact.says}"
        typer.echo(escaped_json(msgspec.json.encode(fact._asdict())) if as_json else printable(line))
        wrong += fact.status == "wrong"
    if wrong:
        typer.echo(f"sabot {command}: {wrong} wrong; each line above says what to do", err=True)
        raise typer.Exit(1)
