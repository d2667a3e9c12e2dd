"""sabot irregularity: what a rulebook makes of an irregularity, one JSON line a question."""

import sys
from typing import Annotated, Any

import msgspec
import typer
from sabot_protocol.irregularities import Book, IrregularityError, Row, advise, load

app = typer.Typer(rich_markup_mode=None)

EPILOG = """\b
Example: sabot irregularity --rulebook star-rapid --table
Example: echo '{"id": 0, "case": "wrong_shoe"}' | sabot irregularity --rulebook star-rapid
"""


class Question(msgspec.Struct, forbid_unknown_fields=True):
    """One line in."""

    id: int | str
    case: str
    context: dict[str, Any] = {}


@app.command(epilog=EPILOG)
def irregularity(
    rulebook: Annotated[str, typer.Option(help="The book's id.", metavar="ID")],
    table: Annotated[
        bool, typer.Option("--table", help="Print every case of the book for people; read nothing.")
    ] = False,
) -> None:
    """Say what follows from an irregularity: JSON lines in, code, rule and next step out."""
    try:
        book = load(rulebook)
    except IrregularityError as error:
        typer.echo(f"sabot irregularity: {error}", err=True)
        raise typer.Exit(1) from error
    if table:
        typer.echo("\n".join(table_lines(book)))
        return
    raise typer.Exit(int(_answer_all(rulebook)))


def _answer_all(rulebook: str) -> bool:
    """Answer stdin line by line; whether one of the lines was bad."""
    bad = False
    for number, line in enumerate(sys.stdin.buffer, 1):
        reply = answer(rulebook, number, line)
        bad = bad or "error" in reply
        sys.stdout.buffer.write(msgspec.json.encode(reply) + b"\n")
        sys.stdout.buffer.flush()
    return bad


def answer(rulebook: str, number: int, line: bytes) -> dict[str, Any]:
    """The reply to one line."""
    try:
        question = msgspec.json.decode(line, type=Question)
        advice = advise(rulebook, question.case, question.context)
    except (ValueError, RecursionError) as error:
        reason = str(error) if line.strip() else "empty; one JSON object a line"
        return {"id": _id_of(line), "error": f"line {number}: {reason}"}
    return {"id": question.id, "code": advice.code, "rule": advice.clause, "say": advice.say}


def _id_of(line: bytes) -> int | str | None:
    """The id of a bad line, where it can be read."""
    try:
        return msgspec.json.decode(line, type=_Identified).id
    except (ValueError, RecursionError):
        return None


class _Identified(msgspec.Struct):
    id: int | str | None = None


def table_lines(book: Book) -> list[str]:
    """Every case of a book as columns; of the rows of a case the first that fits counts."""
    cells = [("case", "facts", "code", "clause")]
    for case, rows in book.cases.items():
        cells += [("" if place else case, _facts(row, place), row.code, row.clause) for place, row in enumerate(rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    return [f"{book.id}: of the rows of a case the first that fits counts", "", *lines]


def _facts(row: Row, place: int) -> str:
    told = ", ".join(fact if value else f"not {fact}" for fact, value in row.when.items())
    return told or ("otherwise" if place else "always")
