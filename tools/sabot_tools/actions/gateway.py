"""sabot gateway: the daemon of the table PC; write, check and run its config."""

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sabot_tools.options.install import DryRun
from sabot_tools.stand import daemon

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sabot_service.facts import Fact

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

ConfigFile = Annotated[Path, typer.Option("--config", envvar="SABOT_CONFIG", help="The gateway's TOML file.")]
_CLEAR_LINE = "\r\x1b[K"


@app.callback()
def gateway() -> None:
    """Run the daemon of the table PC."""


@app.command(epilog="Example: sabot gateway run --config /etc/sabot/gateway.toml")
def run(config: ConfigFile = daemon.CONFIG) -> None:
    """Serve the tables of a config until stopped."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until the daemon handles it: it is about to read the config anyway
    from sabot_gateway import app as gateway_app
    from sabot_gateway.ledger import LedgerError
    from sabot_protocol.inputs.config_file import ConfigError
    from sabot_service.messages import ControlError

    try:
        gateway_app.main(config)
    except (ConfigError, ControlError, LedgerError) as error:
        typer.echo(f"sabot gateway: {error}", err=True)
        raise typer.Exit(1) from error


@app.command(epilog="Example: sabot gateway check --config /etc/sabot/gateway.toml")
def check(
    config: ConfigFile = daemon.CONFIG,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON line per check: status, subject, says.")
    ] = False,
) -> None:
    """Check a config on this PC. Ports, keys, rulebooks, broker, clock and disk; nothing is changed."""
    from sabot_tools.text.facts import print_facts

    print_facts("gateway check", _facts(config), as_json=as_json)


def _facts(config: Path) -> "Iterator[Fact]":
    """Yield the facts; what is being checked is shown until the next one is there."""
    from sabot_gateway.ops.check import facts

    for fact in facts(config, _show_progress):
        _show_progress("")
        yield fact


def _show_progress(doing: str) -> None:
    """Show what is being checked, on a terminal."""
    if sys.stderr.isatty():
        typer.echo(f"{_CLEAR_LINE}{f'{doing} …' if doing else ''}", nl=False, err=True)


@app.command(epilog="Example: sabot gateway status --config /etc/sabot/gateway.toml")
def status(
    config: daemon.Config = daemon.CONFIG,
    socket: daemon.Socket = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the daemon's JSON.")] = False,
) -> None:
    """Show the tables of the running daemon, and what is wrong."""
    import json

    from sabot_protocol.inputs.plain_text import escaped_json, printable
    from sabot_service.messages import Request

    from sabot_tools.text.status import status_lines

    data = bytes(daemon.ask(config, socket, Request("status")).data)
    typer.echo(escaped_json(data) if as_json else "\n".join(map(printable, status_lines(json.loads(data)))))


@app.command(epilog="Example: sabot gateway install --dry-run")
def install(dry_run: DryRun = False) -> None:
    """Set up this PC for an installed wheel: account, directories, config, udev rule, unit. What exists is kept."""
    from sabot_tools.package.installer import install_service
    from sabot_tools.package.steps import GATEWAY

    install_service(GATEWAY, dry_run=dry_run)


@app.command(epilog="Example: sabot gateway init --config gateway.toml")
def init(
    config: ConfigFile,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a commented example config. It has the serial ports of this PC."""
    from sabot_gateway.ops import example
    from sabot_gateway.shoe import ports

    try:
        with config.open("w" if force else "x", encoding="utf-8") as file:
            file.write(example.text(ports.found()))
    except FileExistsError as error:
        typer.echo(f"sabot gateway: {config} exists; edit it, or overwrite it with --force", err=True)
        raise typer.Exit(1) from error
    except OSError as error:
        typer.echo(f"sabot gateway: {config}: {error.strerror}; give a path that you can write to", err=True)
        raise typer.Exit(1) from error
    typer.echo(
        f"wrote {config}. Edit it, then:\n"
        f"  sabot gateway check --config {config}\n"
        f"  sabot gateway run --config {config}",
        err=True,
    )
