"""sabot sign: what stands on the sign of a table, and changes of it by people who log in at the floor service."""

from pathlib import Path
from typing import Annotated, Any

import typer
from sabot_protocol.inputs.plain_text import escaped_json, printable
from sabot_service.messages import Request

from sabot_tools.stand.floor_daemon import CONFIG, Socket, ask
from sabot_tools.stand.secret_prompt import ask_login

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

TableName = Annotated[str, typer.Argument(help="Name of the table.", metavar="TABLE")]
Floor = Annotated[
    Path,
    typer.Option(
        *("--floor", "--config"),
        envvar="SABOT_FLOOR_CONFIG",
        readable=False,
        metavar="FLOOR.toml",
        help="The floor service's TOML file.",
    ),
]
As = Annotated[str, typer.Option("--as", metavar="PERSON", help="Who logs in; PIN, password or badge is asked for.")]
At = Annotated[
    str,
    typer.Option(help="21:30 or '2026-11-17 21:30', time zone of the site; default: as early as the rulebook allows."),
]
Minimum = Annotated[str, typer.Option(help="Amount of money, such as 50 or 2,500.")]
Maximum = Annotated[str, typer.Option(help="Amount of money; default: as it is.")]


@app.callback()
def sign() -> None:
    """Show the sign of a table, or change it. Each change needs a log-in and the role that the table's book demands."""


def _change(floor: Path, socket: Path | None, person: str, table: str, change: str, **args: Any) -> None:
    given = {name: value for name, value in args.items() if value not in ("", False)}
    request = {"table": table, "change": change, "login": ask_login(person), **given}
    typer.echo(printable(ask(floor, socket, Request("sign", args=request)).say))


@app.command(epilog="Example: sabot sign show bac-01 --floor floor.toml")
def show(
    table: TableName,
    floor: Floor = CONFIG,
    socket: Socket = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON line.")] = False,
) -> None:
    """Print the sign of a table, and what is wrong with it."""
    import json

    from sabot_tools.text.table_sign import lines

    data = bytes(ask(floor, socket, Request("show-sign", args={"table": table})).data)
    typer.echo(escaped_json(data) if as_json else "\n".join(map(printable, lines(json.loads(data)))))


@app.command(epilog="Example: sabot sign minimum bac-01 50 --at 21:30 --as asmith")
def minimum(
    table: TableName,
    amount: Annotated[str, typer.Argument(help="Amount of money, such as 50 or 2,500.")],
    person: As,
    maximum: Maximum = "",
    at: At = "",
    keep_old: Annotated[
        bool, typer.Option("--keep-old", help="At once; players at the table keep the old limits (The Star).")
    ] = False,
    floor: Floor = CONFIG,
    socket: Socket = None,
) -> None:
    """Change the limits of a table. A higher minimum needs notice where the book demands it."""
    _change(
        floor, socket, person, table, "minimum", minimum=amount, maximum=maximum, at=at, keep_old=keep_old
    )  # fmt: skip


@app.command("one-minimum", epilog="Example: sabot sign one-minimum bac-01 --as asmith")
def one_minimum(table: TableName, person: As, floor: Floor = CONFIG, socket: Socket = None) -> None:
    """Take the old limits off the sign: no player who has them is at the table any more."""
    _change(floor, socket, person, table, "one-minimum")


@app.command(epilog="Example: sabot sign close bac-01 --at 23:00 --as asmith")
def close(table: TableName, person: As, at: At = "", floor: Floor = CONFIG, socket: Socket = None) -> None:
    """Announce that the table closes. `cancel closure` opens it again."""
    _change(floor, socket, person, table, "close", at=at)


@app.command(epilog="Example: sabot sign game bac-01 even_money --at 21:30 --as asmith")
def game(
    table: TableName,
    to: Annotated[str, typer.Argument(help="Id of the game in the rulebook.", metavar="GAME")],
    person: As,
    at: At = "",
    players_agree: Annotated[bool, typer.Option("--players-agree", help="All players consent.")] = False,
    floor: Floor = CONFIG,
    socket: Socket = None,
) -> None:
    """Announce another game. The gateway's config decides what is played: change it for that time."""
    _change(floor, socket, person, table, "game", game=to, at=at, players_agree=players_agree)


@app.command(epilog="Example: sabot sign personal bac-01 3 --minimum 500 --maximum 50,000 --as asmith")
def personal(
    table: TableName,
    place: Annotated[str, typer.Argument(help="Place of the player at the table, such as 3.")],
    person: As,
    minimum: Minimum = "",
    maximum: Annotated[str, typer.Option(help="Amount of money.")] = "",
    end: Annotated[bool, typer.Option("--end", help="The player has the limits of the table again.")] = False,
    floor: Floor = CONFIG,
    socket: Socket = None,
) -> None:
    """Put limits of one player on the sign, by his place."""
    _change(floor, socket, person, table, "personal", place=place, minimum=minimum, maximum=maximum, end=end)


@app.command(epilog="Example: sabot sign restrict bac-01 pair --notified 'B. Jones' --as asmith")
def restrict(
    table: TableName,
    wager: Annotated[str, typer.Argument(help="Wager of the rulebook; pair is pair_player and pair_banker.")],
    person: As,
    notified: Annotated[str, typer.Option(help="Who was notified at surveillance, before.")] = "",
    end: Annotated[bool, typer.Option("--end", help="The wager is for all players again.")] = False,
    floor: Floor = CONFIG,
    socket: Socket = None,
) -> None:
    """Limit a side wager to players with a wager on Player, Banker or Tie."""
    _change(floor, socket, person, table, "restrict", wager=wager, notified=notified, end=end)


@app.command(epilog="Example: sabot sign cancel bac-01 closure --as asmith")
def cancel(
    table: TableName,
    what: Annotated[str, typer.Argument(help="minimum, closure or game.")],
    person: As,
    floor: Floor = CONFIG,
    socket: Socket = None,
) -> None:
    """Take back what was announced. A table that has closed is open again."""
    _change(floor, socket, person, table, "cancel", what=what)
