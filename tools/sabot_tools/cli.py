"""The `sabot` command: looks up the module of an action and imports only that one."""

import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from sabot_tools.text.errors import describe, not_installed

# action: (module, description). The module's `app` is the action.
ACTIONS = {
    "angel-eye": ("sabot_tools.actions.angel_eye", "Decode the bytes of an Angel Eye shoe: messages and coups."),
    "authority": ("sabot_tools.actions.authority", "Look up who may do what by a rulebook, and which reports are due."),
    "bench": ("sabot_tools.actions.bench", "Measure speed, memory and the accuracy of the card reader."),
    "cards": ("sabot_tools.actions.cards", "Print the code words and the geometry of a card set."),
    "demo": ("sabot_tools.actions.demo", "Run a whole site on this machine and print each coup."),
    "firmware": ("sabot_tools.actions.firmware", "Build, sign and show firmware images; push one to a shoe."),
    "flash": ("sabot_tools.actions.flash", "Write the firmware to a board, or check it."),
    "floor": ("sabot_tools.actions.floor", "Set up, check and run the floor service: linked jackpots of many tables."),
    "gateway": ("sabot_tools.actions.gateway", "Set up, check and run the daemon of the table PC."),
    "generate": ("sabot_tools.actions.generate", "Rewrite the checked-in files that are generated from definitions."),
    "inspect": ("sabot_tools.actions.inspect", "Print captured bytes or a recording as one JSON line per frame."),
    "irregularity": ("sabot_tools.actions.irregularity", "Look up what a rulebook prescribes for an irregularity."),
    "jackpot": ("sabot_tools.actions.jackpot", "Show, confirm, adjust, verify and replay the jackpots of a floor."),
    "keys": ("sabot_tools.actions.keys", "Make, show and rotate the keys of shoes."),
    "ledger": ("sabot_tools.actions.ledger", "Verify, show, export, back up, restore and prune the gateway's ledger."),
    "odds": ("sabot_tools.actions.odds", "Compute the exact house edge and probabilities of every wager."),
    "optics": ("sabot_tools.actions.optics", "Simulate reads of the sensors, as JSON lines or as a picture."),
    "play": ("sabot_tools.actions.play", "Play a shoe card by card on the firmware: JSON lines in, JSON lines out."),
    "read": ("sabot_tools.actions.read", "Read cards from changes of the sensors: JSON lines in, JSON lines out."),
    "record": ("sabot_tools.actions.record", "Write a recording: of the simulator, of edges, of a serial port."),
    "replay": ("sabot_tools.actions.replay", "Replay recordings through the whole path and compare every event."),
    "roads": ("sabot_tools.actions.roads", "Draw the roads of shoes: bead plate, big road, derived roads."),
    "report": ("sabot_tools.actions.report", "Report on a day, a month, a shoe, a coup or a person."),
    "rulebook": ("sabot_tools.actions.rulebook", "Check a new rulebook for what it lacks; show a rulebook's facts."),
    "settle": ("sabot_tools.actions.settle", "Settle every wager of a coup: JSON lines in, JSON lines out."),
    "shoe": ("sabot_tools.actions.shoe", "Run a simulated shoe on a pty or a TCP port for your own gateway."),
    "sign": ("sabot_tools.actions.sign", "Show and change the sign of a table: limits, game, closure."),
    "simulate": ("sabot_tools.actions.simulate", "Deal whole shoes and compare them with the exact odds."),
    "status": ("sabot_tools.actions.status", "Show the gateway and the floor service of this machine."),
    "table": ("sabot_tools.actions.table", "Send a supervisor's command to a table: confirm, void, key in a card."),
    "users": ("sabot_tools.actions.users", "Add and change the people of a site: roles, PINs, badges."),
    "watch": ("sabot_tools.actions.watch", "Subscribe to a broker and print each coup once it is confirmed."),
}

# The extra of pyproject.toml that an action needs.
EXTRAS = {
    "angel-eye": "gateway",
    "authority": "gateway",
    "bench": "dev",
    "cards": "gateway",
    "demo": "demo",
    "firmware": "gateway",
    "flash": "flash",
    "floor": "floor",
    "gateway": "gateway",
    "generate": "gateway",
    "inspect": "gateway",
    "irregularity": "gateway",
    "jackpot": "floor",
    "keys": "gateway",
    "ledger": "gateway",
    "odds": "gateway,odds",
    "optics": "demo",
    "play": "demo",
    "record": "gateway",
    "read": "demo",
    "replay": "demo",
    "roads": "gateway",
    "report": "floor",
    "rulebook": "gateway",
    "settle": "gateway",
    "shoe": "demo",
    "sign": "floor",
    "simulate": "gateway,odds",
    "status": "gateway",
    "table": "gateway",
    "users": "floor",
    "watch": "gateway",
}


class LazyGroup(TyperGroup):
    """Lists the actions without importing them; imports one when it is called."""

    action = ""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run an action; print a missing package or a file error as a message, without a traceback."""
        try:
            return super().main(*args, **kwargs)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("sabot"):
                raise
            problem = not_installed(error.name, EXTRAS[self.action])
        except OSError as error:
            problem = describe(error)
        except ValueError as error:
            from sabot_protocol.rulebooks import RulebookError

            if not isinstance(error, RulebookError):
                raise
            problem = f"{error}; `sabot rulebook check FILE` lists everything that a file lacks"
        typer.echo(f"sabot {self.action}: {problem}", err=True)
        sys.exit(1)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the actions."""
        return sorted(ACTIONS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import an action; None if there is none of this name."""
        self.action = cmd_name
        return app_command(cmd_name) if cmd_name in ACTIONS else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of actions."""
        with formatter.section("Actions"):
            formatter.write_dl([(name, ACTIONS[name][1]) for name in self.list_commands(ctx)])


def app_command(name: str) -> Any:
    """Import an action; return its command."""
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


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # half of what `import sabot_tools.cli` would take

        typer.echo(f"sabot {version('sabot')}")
        raise typer.Exit


@app.callback(epilog="Example: sabot demo --coups 5")
def sabot(
    show: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Sabot: card-scanning baccarat shoes, their gateway, a simulator and test benches."""


def main() -> None:
    """Run the console script."""
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
