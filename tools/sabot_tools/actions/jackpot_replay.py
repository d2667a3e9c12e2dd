"""sabot jackpot replay: entries of a jackpot through the engine, one JSON line each."""

from pathlib import Path
from typing import Annotated

import typer
from sabot_protocol.inputs.config_file import ConfigError
from sabot_protocol.jackpots.loading import load
from sabot_protocol.jackpots.parameters import Parameters

from sabot_tools.jackpot.replayer import Replayer
from sabot_tools.text.errors import failure
from sabot_tools.text.json_lines import answer_lines

EPILOG = """\b
Lines: coup (table, kind, stock, wagers, time), corrects (kind, stock, wagers), record_win (at), confirm (by, role),
invalid (by, role, reason), adjust (by, reason, role), malfunction, cured, make_good (by, role), parameters, draw.
A record_win without at comes after all times in the lines before. Amounts are minor units.
\b
Example: echo '{"coup": "1", "table": "bac-01", "kind": "live", "stock": ["8H","8D","8S","8C"]}' | \\
         sabot jackpot replay --config gateway/examples/jackpots.toml
"""


def replay(
    config: Annotated[Path, typer.Option(help="TOML file with the parameters of jackpots.", metavar="FILE")],
    jackpot: Annotated[
        str | None, typer.Option(help="Id of the jackpot in the file; default: the first.", metavar="ID")
    ] = None,
) -> None:
    """Apply entries to a jackpot: JSON lines in; increment, meters, pending wins and pay-outs out."""
    try:
        replayer = Replayer(_choose(load(config), jackpot))
    except ConfigError as error:
        raise failure("jackpot replay", error) from error
    answer_lines(replayer.answer, replayer.levels)


def _choose(jackpots: tuple[Parameters, ...], wanted: str | None) -> Parameters:
    for one in jackpots:
        if wanted in (None, one.id):
            return one
    names = ", ".join(one.id for one in jackpots)
    raise ConfigError(f"--jackpot: no jackpot {wanted!r} in this file; it has {names or 'none'}")
