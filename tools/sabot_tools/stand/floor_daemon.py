"""The floor service on this machine: options that name it, and one request to its socket."""

from pathlib import Path
from typing import Annotated, Any

import typer
from sabot_floor.socket_path import default_control
from sabot_service.daemons import FLOOR
from sabot_service.messages import Answer, Request
from sabot_service.socket_path import socket_path

from sabot_tools.stand.daemon import ask_daemon

# readable=False: the error on opening the file names the group to join.
Config = Annotated[
    Path,
    typer.Option(envvar="SABOT_FLOOR_CONFIG", readable=False, help="The floor service's TOML file."),
]
CONFIG = Path("/etc/sabot/floor.toml")
Socket = Annotated[
    Path | None,
    typer.Option(
        *("--control", "--socket"),
        envvar="SABOT_FLOOR_CONTROL",
        readable=False,
        help="The service's socket; then no config is read.",
    ),
]


def ask(config: Path, socket: Path | None, request: Request) -> Answer:
    """Return the service's answer; print a refusal or an error on stderr and exit with status 1."""
    return ask_daemon(lambda: socket or socket_path(config, FLOOR, _default), request, FLOOR)


def _default(data: dict[str, Any]) -> str | None:
    store, worker = data.get("store"), data.get("worker", "1")
    return default_control(store, worker) if isinstance(store, str) and isinstance(worker, str) else None
