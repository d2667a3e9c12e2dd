"""sabot roads: bead plate, big road and the derived roads of shoes, a JSON line per shoe; as text and as a picture."""

import sys
from collections import deque
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from sabot_protocol.inputs.plain_text import printable
from sabot_protocol.roads import ResultError, Roads, parse
from sabot_protocol.roads.picture import sheet
from sabot_protocol.roads.shoe import ROWS, SIDES

from sabot_tools.text.errors import failure
from sabot_tools.text.json_lines import BadLineError, answer_lines, request_of
from sabot_tools.text.roads import road_lines

app = typer.Typer(rich_markup_mode=None, add_completion=False)
_MOST_ROWS = 100
Titled = tuple[str, Roads]

EPILOG = """\b
Example: echo '{"id": 0, "results": ["B", "P", "T", "Bb", "Pbp", "X", "P"]}' | sabot roads --json
Example: echo '{"id": 0, "results": ["B", "B", "P", "P", "P", "B"], "rows": 6}' | sabot roads --text
Example: echo '{"id": "bac-01 shoe 3", "results": ["T", "P", "P", "Bp"]}' | sabot roads --svg roads.svg
"""


class Shoe(msgspec.Struct, forbid_unknown_fields=True):
    """One line of input."""

    id: int | str
    results: list[str]
    rows: Annotated[int, msgspec.Meta(ge=1, le=_MOST_ROWS)] = ROWS


@app.command(epilog=EPILOG)
def roads(
    as_json: Annotated[
        bool, typer.Option("--json", help="Answer with JSON lines; the default unless stdout is a terminal.")
    ] = False,
    as_text: Annotated[
        bool, typer.Option("--text", help="Answer with grids of letters; the default if stdout is a terminal.")
    ] = False,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also draw all shoes as one picture in this SVG file.")
    ] = None,
) -> None:
    """Draw the roads of shoes: JSON lines with results in; the marks of every road with their cells out.

    A result is B, P or T, then b for a banker pair and p for a player pair, then n for a natural. X is a coup without
    wagers: it has a cell of the bead plate only. Leave void coups out.
    """
    if as_json and as_text:
        raise typer.BadParameter("--json and --text exclude each other")
    drawn: deque[Titled] = deque(maxlen=None if svg else 0)
    for_people = as_text or (sys.stdout.isatty() and not as_json)
    status = print_text(drawn) if for_people else print_json(drawn)
    if svg is not None:
        write_picture(svg, drawn)
    raise typer.Exit(status)


def print_json(drawn: deque[Titled]) -> int:
    """Answer each line of stdin with one of JSON; add the roads to `drawn` and return the exit status."""

    def answer(line: dict[str, Any]) -> bytes:
        title, found = roads_of(line)
        drawn.append((title, found))
        return msgspec.json.encode(as_answer(found))[1:]

    try:
        answer_lines(answer)
    except typer.Exit as end:
        return end.exit_code
    return 0


def print_text(drawn: deque[Titled]) -> int:
    """Print the roads of each line of stdin for people; add them to `drawn` and return the exit status."""
    status = 0
    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            title, found = roads_of(request_of(line))
        except (ValueError, RecursionError) as error:
            typer.echo(f"sabot roads: line {number}: {error}", err=True)
            status = 1
        else:
            drawn.append((title, found))
            typer.echo("\n".join([*road_lines(title, found, colour=sys.stdout.isatty()), ""]))
    return status


def roads_of(line: dict[str, Any]) -> Titled:
    """Return the title and the roads of one line of input."""
    shoe = msgspec.convert(line, Shoe)
    found = Roads(shoe.rows)
    for at, text in enumerate(shoe.results):
        try:
            found.add(parse(text))
        except ResultError as error:
            raise BadLineError(f"results[{at}]: {error}") from error
    return printable(shoe.id if isinstance(shoe.id, str) else f"Shoe {shoe.id}"), found


def as_answer(found: Roads) -> dict[str, Any]:
    """Return all roads of a shoe as JSON: marks in the order drawn, cells from 0."""
    big_eye, small, cockroach = found.derived
    return {
        "bead": found.bead,
        "bead_pairs": bead_pairs(found),
        "bead_naturals": bead_naturals(found),
        "big": [(cell.row, cell.column, cell.mark, cell.ties) for cell in found.big],
        "leading_ties": found.leading_ties,
        "big_eye": big_eye.marks(),
        "small": small.marks(),
        "cockroach": cockroach.marks(),
        "big_eye_cells": big_eye.cells,
        "small_cells": small.cells,
        "cockroach_cells": cockroach.cells,
        "ask": {side: found.ask(side) for side in SIDES},
    }


def bead_pairs(found: Roads) -> list[tuple[int, int, str]]:
    """Return the cells of the bead plate with a pair: b for a banker pair, p for a player pair, bp for both."""
    beads = zip(found.bead, found.results, strict=True)
    pairs = ((cell, "b" * result.banker_pair + "p" * result.player_pair) for cell, result in beads)
    return [(cell.row, cell.column, pair) for cell, pair in pairs if pair]


def bead_naturals(found: Roads) -> list[tuple[int, int]]:
    """Return the cells of the bead plate with a natural."""
    return [cell[:2] for cell, result in zip(found.bead, found.results, strict=True) if result.natural]


def write_picture(path: Path, drawn: deque[Titled]) -> None:
    """Write all shoes to an SVG file."""
    if not drawn:
        raise failure("roads", ValueError(f"{path} not written: stdin has no shoe that can be drawn"))
    path.write_text(sheet(drawn), encoding="utf-8")
    typer.echo(f"sabot roads: {path} written", err=True)
