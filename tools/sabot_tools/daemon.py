"""How a command reaches the daemon that runs on this machine."""

from pathlib import Path
from typing import Annotated

import typer
from sabot_gateway import config as configs
from sabot_gateway.control import Answer, ControlError, Request
from sabot_gateway.control import ask as ask_socket

Config = Annotated[Path, typer.Option(envvar="SABOT_CONFIG", help="The gateway's TOML file: it names the socket.")]
CONFIG = Path("/etc/sabot/gateway.toml")
Socket = Annotated[Path | None, typer.Option(envvar="SABOT_CONTROL", help="The daemon's socket itself.")]


def ask(config: Path, socket: Path | None, request: Request) -> Answer:
    """The daemon's answer; a refusal, or none, is a sentence on stderr and exit status 1."""
    try:
        answer = ask_socket(socket or configs.load(config).control_path(), request)
    except (ControlError, configs.ConfigError) as error:
        typer.echo(f"sabot: {error}", err=True)
        raise typer.Exit(1) from error
    if not answer.ok:
        typer.echo(f"sabot: {answer.say}", err=True)
        raise typer.Exit(1)
    return answer
