"""How a command reaches the daemon that runs on this machine: it reads the socket's path, and no more of the config."""

from itertools import islice
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from sabot_gateway.operator.client import ask as ask_socket
from sabot_gateway.operator.messages import Answer, ControlError, Request
from sabot_gateway.operator.plain_text import shown
from sabot_gateway.operator.socket_path import SocketPathError, socket_path
from typer.core import TyperGroup

# Whether a file can be read is found out by using it: then the error says which group to join.
Config = Annotated[
    Path, typer.Option(envvar="SABOT_CONFIG", readable=False, help="The gateway's TOML file: it names the socket.")
]
CONFIG = Path("/etc/sabot/gateway.toml")
Socket = Annotated[
    Path | None,
    typer.Option(
        *("--control", "--socket"),
        envvar="SABOT_CONTROL",
        readable=False,
        help="The daemon's socket; no config is read.",
    ),
]


_ANYWHERE = ("--config", "--control", "--socket")


class OptionsAnywhere(TyperGroup):
    """The options that say which daemon is meant may stand before the table or behind the command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put them first, as the group expects them."""
        first: list[str] = []
        rest: list[str] = []
        words = iter(args)
        for word in words:
            if word == "--":
                rest += [word, *words]
            elif word in _ANYWHERE:
                first += [word, *islice(words, 1)]
            else:
                (first if word.startswith(tuple(f"{name}=" for name in _ANYWHERE)) else rest).append(word)
        return list(super().parse_args(ctx, first + rest))


def ask(config: Path, socket: Path | None, request: Request) -> Answer:
    """The daemon's answer; a refusal, or none, is a sentence on stderr and exit status 1."""
    try:
        answer = ask_socket(socket or socket_path(config), request)
    except (ControlError, SocketPathError) as error:
        fail(str(error))
    if not answer.ok:
        fail(answer.say)
    return answer


def fail(why: str) -> NoReturn:
    typer.echo(f"sabot: {shown(why)}", err=True)
    raise typer.Exit(1)
