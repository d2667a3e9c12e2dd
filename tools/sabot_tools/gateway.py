"""sabot gateway: the daemon of the table PC."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)


@app.callback()
def gateway() -> None:
    """Run the daemon of the table PC."""


@app.command(epilog="Example: sabot gateway run --config /etc/sabot/gateway.toml")
def run(config: Annotated[Path, typer.Option(help="The gateway's TOML file.")]) -> None:
    """Serve the tables of a config file until stopped."""
    from sabot_gateway import app as daemon
    from sabot_gateway.config import ConfigError, load
    from sabot_gateway.ledger import LedgerError

    try:
        daemon.main(load(config))
    except (ConfigError, LedgerError) as error:
        typer.echo(f"sabot gateway: {error}", err=True)
        raise typer.Exit(1) from error
