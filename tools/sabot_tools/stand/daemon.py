"""The daemon on this machine: options that name it, and one request to its socket."""

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from sabot_gateway.operator.socket_path import socket_path
from sabot_protocol.inputs.plain_text import printable
from sabot_service.client import ask as ask_socket
from sabot_service.daemons import GATEWAY, Daemon
from sabot_service.messages import Answer, ControlError, Request
from sabot_service.socket_path import SocketPathError
from typer.core import TyperGroup

# readable=False: the error on opening the file names the group to join.
Config = Annotated[
    Path,
    typer.Option(envvar="SABOT_CONFIG", readable=False, help="The gateway's TOML file, for the path of its socket."),
]
CONFIG = Path("/etc/sabot/gateway.toml")
Socket = Annotated[
    Path | None,
    typer.Option(
        *("--control", "--socket"),
        envvar="SABOT_CONTROL",
        readable=False,
        help="The daemon's socket; then no config is read.",
    ),
]


_ANYWHERE = ("--config", "--control", "--socket", "--floor", "--as", "--second")


class OptionsAnywhere(TyperGroup):
    """Accept the options that name the daemon and the people before the table or after the command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Move them to the front, where the group expects them."""
        first: list[str] = []
        rest: list[str] = []
        arguments = iter(args)
        for argument in arguments:
            if argument == "--":
                rest += [argument, *arguments]
            elif argument in _ANYWHERE:
                first += [argument, *islice(arguments, 1)]
            else:
                (first if argument.startswith(tuple(f"{name}=" for name in _ANYWHERE)) else rest).append(argument)
        return list(super().parse_args(ctx, first + rest))


def ask(config: Path, socket: Path | None, request: Request) -> Answer:
    """Return the gateway's answer; print a refusal or an error on stderr and exit with status 1."""
    return ask_daemon(lambda: socket or socket_path(config), request, GATEWAY)


def ask_daemon(path: Callable[[], Path], request: Request, daemon: Daemon) -> Answer:
    """Return the answer of the daemon at this socket; print a refusal or an error on stderr and exit with status 1."""
    try:
        answer = ask_socket(path(), request, daemon)
    except (ControlError, SocketPathError) as error:
        fail(str(error))
    if not answer.ok:
        fail(answer.say)
    return answer


def fail(problem: str) -> NoReturn:
    """Print the problem on stderr and exit with status 1."""
    typer.echo(f"sabot: {printable(problem)}", err=True)
    raise typer.Exit(1)
