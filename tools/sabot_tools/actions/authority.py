"""sabot authority: whether a role may do an act by a rulebook, one JSON line per request; or the whole matrix."""

from typing import Annotated, Any

import msgspec
import typer
from sabot_protocol import authority as rights
from sabot_protocol.authority import AuthorityError

from sabot_tools.options.rulebook import RulebookOption
from sabot_tools.text.authority_table import table_json, table_lines
from sabot_tools.text.errors import failure
from sabot_tools.text.json_lines import answer_lines

app = typer.Typer(rich_markup_mode=None, add_completion=False)

EPILOG = """\b
Example: sabot authority --rulebook star-rapid --table
Example: sabot authority --rulebook star-rapid --table --json
Example: echo '{"id": 0, "act": "void_misdeal", "role": "casino_supervisor", "context": {"reconstructible": false}}' | sabot authority --rulebook star-baccarat
"""  # noqa: E501 - a line that people copy


class Request(msgspec.Struct, forbid_unknown_fields=True):
    """One line of input."""

    id: int | str
    act: str
    role: str
    context: dict[str, Any] | None = None


@app.command(epilog=EPILOG)
def authority(
    rulebook: RulebookOption,
    operator: Annotated[
        str, typer.Option(metavar="ROLE", help="Role that acts for the casino operator; default: the rulebook's.")
    ] = "",
    table: Annotated[
        bool, typer.Option("--table", help="Print every act and report of the rulebook; read no input.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --table: one JSON document.")] = False,
) -> None:
    """Look up who may do what: JSON lines with act, role and context in; allowed, second person and clause out."""
    try:
        rights.load(rulebook)
        if operator:
            rights.find_role(rulebook, operator)
    except AuthorityError as error:
        raise failure("authority", error) from error
    if as_json and not table:
        raise typer.BadParameter("--json goes with --table; without --table input and output are JSON lines")
    if table:
        typer.echo(table_json(rulebook, operator) if as_json else "\n".join(table_lines(rulebook, operator)))
        return
    answer_lines(lambda line: answer(rulebook, operator, line))


def answer(rulebook: str, operator: str, line: dict[str, Any]) -> bytes:
    """Return the answer to one line, from behind its id."""
    request = msgspec.convert(line, Request)
    verdict = rights.check(rulebook, request.act, request.role, request.context or {}, operator=operator)
    return msgspec.json.encode(verdict._asdict())[1:]
