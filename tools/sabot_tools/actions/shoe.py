"""sabot shoe: a simulated shoe on a line that your own gateway can open."""

import contextlib
import json
import re
import selectors
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import typer
from sabot_protocol import cardcode, rulebooks
from sabot_protocol.service.signals import Signals
from sabot_protocol.wagers.table import Settings, check_whole_offer
from sabot_sim.rigs.rig import BenchError

from sabot_tools.options.rulebook import table_settings
from sabot_tools.stand.children import DeadChildError
from sabot_tools.stand.shoe_port import PtyPort, ShoePort, ShoePortError, TcpPort
from sabot_tools.stand.shoe_state import StateDir, StateError
from sabot_tools.stand.simulated_shoe import ShoePlan, SimulatedShoe
from sabot_tools.text.errors import failure
from sabot_tools.text.macs import read_key

app = typer.Typer(rich_markup_mode=None, add_completion=False)

EPILOG = """\b
Example: sabot shoe --rulebook crown-baccarat --speed 10
Example: sabot shoe --pty /tmp/shoe-1 --state shoe-1 --mishaps
Example: sabot shoe --tcp 7001 --unit 5ab0000000000002 --key key.bin --coups 20
"""

_UNIT = re.compile(r"[0-9a-f]{16}")
_ERRORS = (BenchError, DeadChildError, ShoePortError, StateError, OSError, ValueError)


def config_lines(plan: ShoePlan, port: str) -> str:
    """Return the lines of this table for a gateway's config."""
    values: dict[str, object] = {
        "name": plan.name,
        "port": port,
        "rulebook": plan.rulebook,
        "decks": plan.decks,
        "card_set": plan.card_set,
    }
    if not _may_offer_everything(plan):
        values["wagers"] = ["player", "banker", "tie"]
    return "".join(["[[table]]\n", *(f"{key} = {json.dumps(value)}\n" for key, value in values.items())])


def _may_offer_everything(plan: ShoePlan) -> bool:
    """Return True if the rulebook lets a table offer every wager of its game, which a table without `wagers` does."""
    book = rulebooks.load(plan.rulebook)
    return not check_whole_offer(book, Settings.of(book, {}), plan.decks)


def _print_notes(*notes: str) -> None:
    for note in notes:
        typer.echo(f"sabot shoe: {note}", err=True)


@app.command(epilog=EPILOG)
def shoe(
    rulebook: Annotated[str, typer.Option(help=f"The rulebook: {', '.join(rulebooks.ids())}.")] = "star-baccarat",
    speed: Annotated[float, typer.Option(min=0.1, help="Speed of the dealer; 1 is real time.")] = 1.0,
    pty: Annotated[Path | None, typer.Option(help="Name of the serial line: a symbolic link to its pty.")] = None,
    tcp: Annotated[
        str | None,
        typer.Option(
            metavar="[HOST:]PORT", help="Listen on this port instead of a pty, for socket://; 0 chooses a free port."
        ),
    ] = None,
    decks: Annotated[int | None, typer.Option(help="Decks in the shoe.", show_default="as in the rulebook")] = None,
    card_set: Annotated[int, typer.Option(min=1, max=cardcode.SETS, help="Number of the card set.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the shuffle.")] = 1,
    unit: Annotated[
        str | None,
        typer.Option(help="Unit id of the shoe, 16 hex digits; every shoe needs its own.", show_default="5ab0…01"),
    ] = None,
    key: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Key of the shoe, made by `sabot keys new UNIT --shoe FILE`.")
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(file_okay=False, help="Keep flash and cards in this directory: the next start continues the log."),
    ] = None,
    table: Annotated[str, typer.Option(help="Name of the table in the lines for the config.")] = "bac-01",
    coups: Annotated[
        int | None, typer.Option(min=1, help="Stop after this many confirmed coups.", show_default="until Ctrl-C")
    ] = None,
    mishaps: Annotated[
        bool, typer.Option("--mishaps", help="Now and then deal wrongly, open the lid, or pull an unreadable card.")
    ] = False,
    patience: Annotated[
        float,
        typer.Option(min=0, help="Seconds until the simulated supervisor unlocks a shoe that has stopped; 0: never."),
    ] = 30.0,
) -> None:
    """Run a simulated shoe for your own gateway, and print each coup.

    The firmware runs unchanged on the MicroPython VM; only the cards and the dealer's hands are simulated. stdout has
    first the lines for the gateway's config, then one line per coup as the shoe reports it to the gateway.
    """
    signals = Signals()
    signals.listen()  # first: a signal during the start must not be lost
    try:
        _, _, decks = table_settings("shoe", rulebook, None, decks)
        plan = ShoePlan(table, rulebook, decks, card_set, speed, seed, mishaps, patience, coups)
        with _running(plan, signals, _unit(unit), state, read_key(key) if key else None, pty, tcp) as simulated:
            run(simulated, signals)
    except BrokenPipeError:  # the program that read our stdout has ended
        raise
    except _ERRORS as error:
        raise failure("shoe", error) from error


def _unit(text: str | None) -> str | None:
    if text is not None and not _UNIT.fullmatch(text.lower()):
        raise typer.BadParameter(f"{text!r} is not a unit id: write 16 hex digits", param_hint="--unit")
    return text.lower() if text else None


@contextmanager
def _running(
    plan: ShoePlan,
    signals: Signals,
    unit: str | None,
    state: Path | None,
    key: bytes | None,
    pty: Path | None,
    tcp: str | None,
) -> Iterator[SimulatedShoe]:
    """Start the shoe; stop it and release everything at the end."""
    with ExitStack() as stack:
        selector = stack.enter_context(selectors.DefaultSelector())
        selector.register(signals, selectors.EVENT_READ)
        path = state or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sabot-shoe-")))
        state_dir = stack.enter_context(contextlib.closing(StateDir(path, unit, key)))
        shoe_port = stack.enter_context(contextlib.closing(_open_port(selector, pty, tcp)))
        yield stack.enter_context(contextlib.closing(SimulatedShoe(plan, state_dir, shoe_port, selector)))


def _open_port(selector: selectors.BaseSelector, pty: Path | None, tcp: str | None) -> ShoePort:
    if tcp is None:
        return PtyPort(selector, pty)
    if pty is not None:
        raise typer.BadParameter("choose either --pty or --tcp")
    host, _, port = tcp.rpartition(":")
    if not port.isdecimal():
        raise typer.BadParameter(f"{tcp!r} is not a port: write 7001 or 0.0.0.0:7001", param_hint="--tcp")
    return TcpPort(selector, host or "127.0.0.1", int(port))


def run(simulated: SimulatedShoe, signals: Signals) -> None:
    """Deal and print until there are enough coups, or until a signal."""
    monitor = simulated.monitor
    typer.echo(config_lines(simulated.plan, monitor.port))
    _print_notes(
        f"waiting for a gateway on {monitor.port}; the shoe stays locked until a gateway has sent it the table's rules"
    )
    while not (signals.stopping or signals.reloading or monitor.done(simulated.plan.coups)):
        simulated.step()
        for line in monitor.coups:
            typer.echo(line)
        monitor.coups.clear()
        _print_notes(*simulated.take_notes())
