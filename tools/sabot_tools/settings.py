"""Options that several actions share: a rulebook, and its settings."""

from typing import Annotated

import typer

RulebookOption = Annotated[str, typer.Option("--rulebook", help="The house rules, by id.")]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", help="axis=value: game=even_money, tie_percent=5; may be given again.")
]


def chosen(pairs: list[str] | None) -> dict[str, str]:
    """`axis=value` pairs; one axis twice, or no equals sign, is an error."""
    found: dict[str, str] = {}
    for pair in pairs or []:
        axis, equals, value = pair.partition("=")
        if not equals or not axis or not value:
            raise typer.BadParameter(f"{pair!r}: write it as axis=value, for example game=even_money")
        if axis in found:
            raise typer.BadParameter(f"{axis} is set twice")
        found[axis] = value
    return found
