"""sabot irregularity: what a rulebook makes of an irregularity, one JSON line a question."""

from typing import Annotated, Any

import msgspec
import typer
from sabot_protocol.irregularities import Book, IrregularityError, Row, advise, load

from sabot_tools.options.rulebook import RulebookOption
from sabot_tools.text.errors import failure
from sabot_tools.text.json_lines import answer_lines

app = typer.Typer(rich_markup_mode=None, add_completion=False)

EPILOG = """\b
Example: sabot irregularity --rulebook star-rapid --table
Example: echo '{"id": 0, "case": "wrong_shoe"}' | sabot irregularity --rulebook star-rapid
"""


class Question(msgspec.Struct, forbid_unknown_fields=True):
    """One line in."""

    id: int | str
    case: str
    context: dict[str, Any] | None = None


@app.command(epilog=EPILOG)
def irregularity(
    rulebook: RulebookOption,
    table: Annotated[
        bool, typer.Option("--table", help="Print every case of the book for people; read nothing.")
    ] = False,
) -> None:
    """Say what follows from an irregularity: JSON lines in, code, rule and next step out."""
    try:
        book = load(rulebook)
    except IrregularityError as error:
        raise failure("irregularity", error) from error
    if table:
        typer.echo("\n".join(table_lines(book)))
        return
    answer_lines(lambda line: answer(rulebook, line))


def answer(rulebook: str, line: dict[str, Any]) -> bytes:
    """The reply to one line, from behind its id."""
    question = msgspec.convert(line, Question)
    advice = advise(rulebook, question.case, question.context or {})
    return msgspec.json.encode({"code": advice.code, "rule": advice.clause, "say": advice.say})[1:]


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
