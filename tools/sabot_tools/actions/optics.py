"""sabot optics: simulated reads of the sensors, as JSON lines and as pictures."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from sabot_protocol.cardcode import LETTERS, SETS
from sabot_sim.optics.profiles import PROFILES
from sabot_sim.optics.signals import Edge, Read, read
from sabot_sim.rigs.reader import Answer, CPythonReader

from sabot_tools.plot import picture
from sabot_tools.plot.card_read import Caption, Column, read_shapes, speed_text
from sabot_tools.text.errors import failure, same_file

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

ProfileOption = Annotated[str, typer.Option(help=f"Conditions of the read: {', '.join(PROFILES)}.")]
SeedOption = Annotated[int, typer.Option(help="Seed of the series of reads.")]
NumberOption = Annotated[int, typer.Option(help="Number of the read in the series.")]
CardSetOption = Annotated[int, typer.Option("--set", help="Number of the card set.", min=1, max=SETS)]

Drawing = tuple[list[picture.Shape], int, int]


class ReadLine(msgspec.Struct):
    """An input line of `sabot read`; `kind` and `truth` are set if the simulator made the read."""

    edges: list[tuple[int, int]]
    id: Any = None
    set: Annotated[int, msgspec.Meta(ge=1, le=SETS)] = 1
    kind: str = ""
    truth: str | None = None


def decode(edges: Sequence[Edge], card_set: int) -> tuple[str, list[Column]]:
    """Return the reader's answer as text, and the columns of the last card."""
    bench = CPythonReader()
    (answers,) = bench.read(card_set, [edges])
    text = " · ".join(map(_answer_text, answers)) or "reject: nothing"
    columns = [(start_us, end_us, LETTERS[value], doubtful) for start_us, end_us, value, doubtful in bench.columns()]
    return text, columns


def _answer_text(one: Answer) -> str:
    if one.card:
        return f"{one.card}, margin {one.margin_pct / 100:.2f}, {one.speed_mm_s} mm/s"
    return f"reject: {(one.reason or '').replace('_', ' ')}"


@app.command(epilog="Example: sabot optics show --profile dirty --seed 1 --number 7 --count 3 | sabot read")
def show(
    profile: ProfileOption,
    seed: SeedOption = 1,
    number: NumberOption = 0,
    count: Annotated[int, typer.Option(help="How many reads, from this number on.", min=1)] = 1,
    card_set: CardSetOption = 1,
) -> None:
    """Print simulated reads as JSON lines, with the kind of read and the right answer."""
    for one in range(number, number + count):
        typer.echo(_line(_read("show", profile, seed, one, card_set), card_set))


def _line(one: Read, card_set: int) -> str:
    line = {"id": one.number, "set": card_set, "edges": one.edges, "kind": one.kind, "truth": one.truth}
    return msgspec.json.encode(line).decode()


def _read(action: str, profile: str, seed: int, number: int, card_set: int) -> Read:
    try:
        return read(profile, seed, number, card_set)
    except ValueError as error:
        raise failure(f"optics {action}", error) from error


@app.command(epilog="Example: sabot optics plot --profile dirty --seed 1 --number 7 --out read.svg")
def plot(
    out: Annotated[Path, typer.Option(help="Picture to write: .svg or .png.")],
    profile: ProfileOption = "normal",
    seed: SeedOption = 1,
    number: NumberOption = 0,
    card_set: CardSetOption = 1,
    edges: Annotated[Path | None, typer.Option(help="Draw the first JSON line of this file instead.")] = None,
) -> None:
    """Draw a read: the inputs over time, and the decoded columns."""
    if out.suffix not in (".svg", ".png"):
        raise failure("optics plot", ValueError(f"{out}: choose a name that ends in .svg or .png"))
    if edges is not None and same_file(edges, out):
        raise failure("optics plot", ValueError(f"--out {out} is the input file; choose another name"))
    if edges is not None:
        drawing = _drawing_of_file(edges)
    else:
        drawing = _drawing_of_read(_read("plot", profile, seed, number, card_set), seed, card_set)
    _write(out, *drawing)
    typer.echo(f"sabot optics plot: wrote {out}", err=True)


def _drawing_of_read(one: Read, seed: int, card_set: int) -> Drawing:
    line = ReadLine(one.edges, one.number, card_set, one.kind, one.truth)
    return _drawing(line, f"{one.profile}, seed {seed}, read {one.number}, set {card_set}", "; ".join(one.notes))


def _drawing_of_file(file: Path) -> Drawing:
    """Draw the first line of a file."""
    try:
        with file.open("rb") as lines:
            line = msgspec.json.decode(lines.readline(), type=ReadLine)
        return _drawing(line, f"{file.name}, id {line.id}, set {line.set}", "")
    except (OSError, ValueError) as error:
        raise failure("optics plot", error if isinstance(error, OSError) else ValueError(f"{file}: {error}")) from error


def _drawing(line: ReadLine, where: str, notes: str) -> Drawing:
    answer, columns = decode(line.edges, line.set)
    title = " · ".join(part for part in (_description(line), speed_text(line.edges), where) if part)
    return read_shapes(line.edges, columns, Caption(title, answer, right(answer, line), notes))


def _description(line: ReadLine) -> str:
    if not line.kind:
        return "recorded read"
    return f"{line.truth or 'no card'}: {line.kind.replace('_', ' ')}"


def right(answer: str, line: ReadLine) -> bool | None:
    """Return whether the answer is right; None for a recorded read, and for a reject of a readable card."""
    if not line.kind:
        return None
    if answer.startswith("reject"):
        return True if line.truth is None else None
    return answer.partition(",")[0] == line.truth


def _write(out: Path, shapes: list[picture.Shape], wide: int, high: int) -> None:
    try:
        if out.suffix == ".png":
            out.write_bytes(picture.png(shapes, wide, high))
        else:
            out.write_text(picture.svg(shapes, wide, high))
    except ModuleNotFoundError as error:
        raise failure("optics plot", ValueError("a .png needs Pillow: pip install pillow, or write a .svg")) from error
    except OSError as error:
        raise failure("optics plot", error) from error
