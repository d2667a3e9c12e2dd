"""sabot jackpot sign: what players must be able to read at a table, and the parameters it is made from."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer
from sabot_protocol.inputs.config_file import ConfigError
from sabot_protocol.inputs.plain_text import escaped_json, printable
from sabot_protocol.jackpots.loading import choose, describe, load
from sabot_protocol.jackpots.sign import sign as text_of

from sabot_tools.text.errors import failure

EPILOG = "Example: sabot jackpot sign --config gateway/examples/jackpots.toml --jackpot lucky-tie"


def sign(
    config: Annotated[Path, typer.Option(help="TOML file with the parameters of jackpots.", metavar="FILE")],
    jackpot: Annotated[
        str | None, typer.Option(help="Id of the jackpot in the file; default: all.", metavar="ID")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON line per jackpot: its digest, its parameters, and the text.")
    ] = False,
) -> None:
    """Print the text of the table sign: contribution, winning hands, percentages, rounding and division."""
    try:
        jackpots = load(config)
        chosen = jackpots if jackpot is None else (choose(jackpots, jackpot),)
    except ConfigError as error:
        raise failure("jackpot sign", error) from error
    for number, parameters in enumerate(chosen):
        if as_json:
            found = {**describe(parameters), "text": text_of(parameters)}
            typer.echo(escaped_json(msgspec.json.encode(found)))
        else:
            typer.echo(("\n" if number else "") + "\n".join(map(printable, text_of(parameters).splitlines())))
