"""sabot bench: speed and memory as ratios, each with its goal; and the accuracy of the card reader."""

import json
from dataclasses import asdict
from importlib import import_module
from typing import Annotated

import typer

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

# Each group is a module of sabot_tools.bench.figures.
GROUPS = (
    "angel",
    "backup",
    "chip",
    "cli",
    "firmware",
    "gateway",
    "jackpot",
    "ledger",
    "parse",
    "path",
    "reader",
    "replay",
    "reports",
    "rules",
    "screens",
    "stages",
)


@app.callback()
def bench() -> None:
    """Measure speed, memory and the accuracy of the card reader."""


@app.command(epilog="Example: sabot bench figures --only cli")
def figures(
    only: Annotated[str | None, typer.Option(help=f"Measure one group: {', '.join(GROUPS)}.")] = None,
) -> None:
    """Print one JSON line per figure; the exit status is 0 whether or not goals are met."""
    if only is not None and only not in GROUPS:
        raise typer.BadParameter(f"unknown group {only!r}: choose one of {', '.join(GROUPS)}", param_hint="--only")
    for group in GROUPS:
        if only in (None, group):
            _print_group(group)


def _print_group(group: str) -> None:
    from sabot_sim.rigs.rig import BenchError

    from sabot_tools.stand.broker import NoBrokerError
    from sabot_tools.text.errors import failure

    try:
        for figure in import_module(f"sabot_tools.bench.figures.{group}").figures():
            print(json.dumps(asdict(figure)), flush=True)
    except (BenchError, NoBrokerError) as error:
        raise failure(f"bench figures {group}", error) from error


@app.command(epilog="Example: sabot bench optics --reads 2000 --seed 1")
def optics(
    reads: Annotated[int, typer.Option(min=1, help="Number of reads of each profile.")] = 20_000,
    seed: Annotated[int, typer.Option(help="Seed of the simulated cards and dirt.")] = 1,
    first: Annotated[int, typer.Option(min=0, help="Number of the first read, to continue an earlier run.")] = 0,
    profile: Annotated[
        list[str] | None, typer.Option(help="Measure this profile; may be repeated.", show_default="all profiles")
    ] = None,
    bench: Annotated[
        str, typer.Option("--bench", help="unix: on the MicroPython VM; cpython: in this interpreter.")
    ] = "unix",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs.")] = False,
) -> None:
    """Read thousands of simulated cards; exit 1 on a wrong card or more rejects than allowed."""
    from sabot_tools.bench import reader_accuracy

    profiles = reader_accuracy.known_profiles(profile or [], bench)
    ok = reader_accuracy.measure(profiles, seed, range(first, first + reads), bench, as_json)
    raise typer.Exit(int(not ok))
