"""sabot irregularity: the consequence of an irregularity by a rulebook, one JSON line per request."""

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


class Request(msgspec.Struct, forbid_unknown_fields=True):
    """One line of input."""

    id: int | str
    case: str
    context: dict[str, Any] | None = None


@app.command(epilog=EPILOG)
def irregularity(
    rulebook: RulebookOption,
    table: Annotated[
        bool, typer.Option("--table", help="Print every case of the rulebook as a table; read no input.")
    ] = False,
) -> None:
    """Look up the consequence of an irregularity: JSON lines in; code, rule and next step out."""
    try:
        book = load(rulebook)
    except IrregularityError as error:
        raise failure("irregularity", error) from error
    if table:
        typer.echo("\n".join(table_lines(book)))
        return
    answer_lines(lambda line: answer(rulebook, line))


def answer(rulebook: str, line: dict[str, Any]) -> bytes:
    """Return the answer to one line, from behind its id."""
    request = msgspec.convert(line, Request)
    advice = advise(rulebook, request.case, request.context or {})
    return msgspec.json.encode({"code": advice.code, "rule": advice.clause, "say": advice.say})[1:]


def table_lines(book: Book) -> list[str]:
    """Return every case of a rulebook as a table."""
    cells = [("case", "facts", "code", "clause")]
    for case, rows in book.cases.items():
        cells += [("" if place else case, _facts(row, place), row.code, row.clause) for place, row in enumerate(rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    return [f"{book.id}: the first row of a case that applies is the answer", "", *lines]


def _facts(row: Row, place: int) -> str:
    facts = ", ".join(fact if value else f"not {fact}" for fact, value in row.when.items())
    return facts or ("otherwise" if place else "always")
