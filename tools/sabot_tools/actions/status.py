"""sabot status: the gateway and the floor service of this machine, each found by its config."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from sabot_protocol.inputs.plain_text import printable
from sabot_service.daemons import FLOOR, GATEWAY, Daemon
from sabot_service.messages import Request

from sabot_tools.stand import daemon, floor_daemon
from sabot_tools.text import floor_status
from sabot_tools.text.status import status_lines

app = typer.Typer(rich_markup_mode=None, add_completion=False)

FloorConfig = Annotated[
    Path,
    typer.Option("--floor", envvar="SABOT_FLOOR_CONFIG", readable=False, help="The floor service's TOML file."),
]


EPILOG = """\b
Example: sabot status
Example: sabot status --config gateway.toml --floor floor.toml
"""


@app.command(epilog=EPILOG)
def status(config: daemon.Config = daemon.CONFIG, floor: FloorConfig = floor_daemon.CONFIG) -> None:
    """Show the gateway and the floor service of this machine; exit 1 if there is none, or if one does not answer."""
    found = [one for one in (_gateway(config), _floor(floor)) if one is not None]
    if not found:
        daemon.fail(
            "this machine has neither a gateway nor a floor service: set one up with `sabot gateway install` or "
            "`sabot floor install`, or name its file with --config or --floor"
        )
    raise typer.Exit(int(not all(found)))


def _gateway(config: Path) -> bool | None:
    return _show(
        GATEWAY,
        config,
        "gateway",
        "--config",
        lambda: _answer(daemon.ask(config, None, Request("status")), status_lines),
    )


def _floor(config: Path) -> bool | None:
    def lines(status: dict[str, Any]) -> list[str]:
        return floor_status.status_lines(status, str(config))

    return _show(
        FLOOR, config, "floor", "--floor", lambda: _answer(floor_daemon.ask(config, None, Request("status")), lines)
    )


_ELSEWHERE: Final = {"gateway": "`sabot gateway status --control PATH`", "floor": "`sabot floor status --control PATH`"}


def _answer(answer: Any, lines: Callable[[dict[str, Any]], list[str]]) -> Iterator[str]:
    return map(printable, lines(json.loads(bytes(answer.data))))


def _show(service: Daemon, config: Path, command: str, option: str, ask: Callable[[], Iterator[str]]) -> bool | None:
    """Print the status of a service; return whether it answered, None if it has no config here."""
    if _is_missing(config):
        typer.echo(f"{service.name}: none here; there is no {config} ({option} names another)", err=True)
        return None
    typer.echo(f"{service.name} of {config}", err=True)
    try:
        typer.echo("\n".join(ask()) + "\n")
    except typer.Exit:  # the reason is printed
        typer.echo(f"{_ELSEWHERE[command]} asks at another socket", err=True)
        return False
    return True


def _is_missing(config: Path) -> bool:
    """Return True if there is no such file; what may not be looked at is there."""
    try:
        config.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        pass
    return False
