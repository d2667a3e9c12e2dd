"""`sabot`: finds the module of an action by name and imports only that one."""

import sys
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from sabot_tools.text.errors import describe, not_installed

# action: (module, what it does). The module's `app` holds the action.
ACTIONS = {
    "bench": ("sabot_tools.actions.bench", "Measure speed and memory, one JSON line a figure."),
    "cards": ("sabot_tools.actions.cards", "What is printed on the cards of a set, and where."),
    "demo": ("sabot_tools.actions.demo", "Run everything on this machine and print each coup."),
    "flash": ("sabot_tools.actions.flash", "Put the firmware on a board, or compare what is there."),
    "gateway": ("sabot_tools.actions.gateway", "Run the daemon of the table PC."),
    "generate": ("sabot_tools.actions.generate", "Rewrite the checked-in files that follow from a definition."),
    "inspect": ("sabot_tools.actions.inspect", "Captured bytes or a recording: one JSON line a frame."),
    "irregularity": ("sabot_tools.actions.irregularity", "What follows from an irregularity, by the book."),
    "keys": ("sabot_tools.actions.keys", "Make, show and rotate the keys of shoes."),
    "ledger": ("sabot_tools.actions.ledger", "Verify, show, export, rebuild and prune the gateway's ledger."),
    "odds": ("sabot_tools.actions.odds", "Exact house edge and price of every wager."),
    "optics": ("sabot_tools.actions.optics", "What the sensors see of a card, as edges or as a picture."),
    "play": ("sabot_tools.actions.play", "Play a shoe card by card on the firmware: JSON lines in, JSON lines out."),
    "record": ("sabot_tools.actions.record", "Write a recording: from the simulator, from edges, from a port."),
    "read": ("sabot_tools.actions.read", "Read cards from changes of the sensors: JSON lines in, JSON lines out."),
    "replay": ("sabot_tools.actions.replay", "Replay recordings through the whole path and compare every event."),
    "settle": ("sabot_tools.actions.settle", "What became of every wager: JSON lines in, JSON lines out."),
    "shoe": ("sabot_tools.actions.shoe", "Run a simulated shoe on a pty or a TCP port, for your own gateway."),
    "simulate": ("sabot_tools.actions.simulate", "Deal whole shoes and compare with the exact odds."),
    "table": ("sabot_tools.actions.table", "Say something to a table: confirm, void, key in a card."),
    "watch": ("sabot_tools.actions.watch", "Print the coups that a broker delivers."),
}

# What an action needs beyond the base install: an extra of pyproject.toml.
EXTRAS = {
    "bench": "dev",
    "cards": "gateway",
    "demo": "demo",
    "flash": "flash",
    "gateway": "gateway",
    "generate": "gateway",
    "inspect": "gateway",
    "irregularity": "gateway",
    "keys": "gateway",
    "ledger": "gateway",
    "odds": "gateway,odds",
    "optics": "demo",
    "play": "demo",
    "record": "gateway",
    "read": "demo",
    "replay": "demo",
    "settle": "gateway",
    "shoe": "demo",
    "simulate": "gateway,odds",
    "table": "gateway",
    "watch": "gateway",
}


class LazyGroup(TyperGroup):
    """Lists the actions from the table; imports one when it is called. What an action lacks is a sentence."""

    action = ""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run an action; a package that is missing, or a file that cannot be used, is no traceback."""
        try:
            return super().main(*args, **kwargs)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("sabot"):
                raise
            problem = not_installed(error.name, EXTRAS[self.action])
        except OSError as error:
            problem = describe(error)
        typer.echo(f"sabot {self.action}: {problem}", err=True)
        sys.exit(1)

    def list_commands(self, ctx: Any) -> list[str]:
        """The actions."""
        return sorted(ACTIONS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The action, from its module."""
        self.action = cmd_name
        return _load(cmd_name) if cmd_name in ACTIONS else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list of actions, without importing them."""
        with formatter.section("Actions"):
            formatter.write_dl([(name, ACTIONS[name][1]) for name in self.list_commands(ctx)])


def _load(name: str) -> Any:
    command = typer.main.get_command(import_module(ACTIONS[name][0]).app)
    command.name = name
    return command


app = typer.Typer(
    cls=LazyGroup,
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"sabot {version('sabot')}")
        raise typer.Exit


@app.callback(epilog="Example: sabot demo --coups 5")
def sabot(
    show: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Sabot: the card-scanning shoe, its gateway, simulator and benches."""


def main() -> None:
    """The console script."""
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
