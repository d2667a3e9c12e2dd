"""Options for a rulebook and its settings."""

from typing import Annotated

import typer
from sabot_protocol import rulebooks
from sabot_protocol.rulebooks import Rulebook, RulebookError
from sabot_protocol.wagers.table import Settings

from sabot_tools.text.errors import failure

RulebookOption = Annotated[str, typer.Option("--rulebook", help=f"Id of the rulebook: {', '.join(rulebooks.ids())}.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", help="Setting of the rulebook: game=even_money, tie_percent=5; may be repeated."),
]
DecksOption = Annotated[int | None, typer.Option("--decks", help="Decks in the shoe.")]


def table_settings(
    action: str, rulebook: str, pairs: list[str] | None, decks: int | None
) -> tuple[Rulebook, Settings, int]:
    """Return the rulebook, its settings and the number of decks; exit with a message if they do not fit together."""
    try:
        book = rulebooks.load(rulebook)
        settings = Settings.of(book, parse_pairs(pairs))
        in_shoe = book.decks_for(settings.game, decks)
    except RulebookError as error:
        raise failure(action, error) from error
    if clause := book.game[settings.game].tournament_clause:
        typer.echo(f"sabot {action}: {book.id} offers {settings.game} only in a tournament (clause {clause})", err=True)
    return book, settings, in_shoe


def parse_pairs(pairs: list[str] | None) -> dict[str, str]:
    """Return `axis=value` pairs as a dict; BadParameter if one is malformed or repeated."""
    found: dict[str, str] = {}
    for pair in pairs or []:
        axis, equals, value = pair.partition("=")
        if not equals or not axis or not value:
            raise typer.BadParameter(f"{pair!r}: write it as axis=value, for example game=even_money")
        if axis in found:
            raise typer.BadParameter(f"{axis} is set twice")
        found[axis] = value
    return found
