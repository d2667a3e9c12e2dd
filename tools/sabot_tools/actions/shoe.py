"""sabot shoe: a simulated shoe on a line that your own gateway can open: our own, or an emulated Angel Eye."""

import contextlib
import json
import random
import re
import selectors
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import typer
from sabot_protocol import rulebooks
from sabot_protocol.service.signals import Signals
from sabot_protocol.wagers.table import Settings, check_whole_offer
from sabot_sim.angel_eye.settings import BAUD
from sabot_sim.rigs.rig import BenchError

from sabot_tools.options import shoe as options
from sabot_tools.options.rulebook import table_settings
from sabot_tools.stand.angel_eye_ports import AngelEyePort, ConverterPort, SerialLine
from sabot_tools.stand.angel_eye_table import AngelEyePlan
from sabot_tools.stand.children import DeadChildError
from sabot_tools.stand.emulated_shoe import EmulatedShoe, EmulationPlan
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
Example: sabot shoe --kind angel-eye --tcp 4001 --speed 10
Example: sabot shoe --kind angel-eye --pty /tmp/angel-eye --mishaps --bad-line 0.1
"""

_HIGHEST_PORT = 65_535
_UNIT = re.compile(r"[0-9a-f]{16}")
_ERRORS = (BenchError, DeadChildError, ShoePortError, StateError, OSError, ValueError)


def config_lines(plan: ShoePlan | EmulationPlan, port: str) -> str:
    """Return the lines of this table for a gateway's config."""
    values: dict[str, object] = {
        "name": plan.name,
        "port": port,
        "rulebook": plan.rulebook,
        "decks": plan.decks,
    }
    if isinstance(plan, ShoePlan):
        values["card_set"] = plan.card_set
    else:
        values["driver"] = "angel-eye"
        if plan.angel_eye.settings.baud != BAUD:
            values["baud"] = plan.angel_eye.settings.baud
    if not _may_offer_everything(plan):
        values["wagers"] = ["player", "banker", "tie"]
    return "".join(["[[table]]\n", *(f"{key} = {json.dumps(value)}\n" for key, value in values.items())])


def _may_offer_everything(plan: ShoePlan | EmulationPlan) -> bool:
    """Return True if the rulebook lets a table offer every wager of its game, which a table without `wagers` does."""
    book = rulebooks.load(plan.rulebook)
    return not check_whole_offer(book, Settings.of(book, {}), plan.decks)


def _print_notes(*notes: str) -> None:
    for note in notes:
        typer.echo(f"sabot shoe: {note}", err=True)


@app.command(epilog=EPILOG)
def shoe(
    kind: options.KindOption = "sabot",
    rulebook: options.BookOption = "star-baccarat",
    speed: options.SpeedOption = 1.0,
    pty: options.PtyOption = None,
    tcp: options.TcpOption = None,
    decks: options.DecksOption = None,
    seed: options.SeedOption = 1,
    table: options.TableOption = "bac-01",
    coups: options.CoupsOption = None,
    mishaps: options.MishapsOption = False,
    patience: options.PatienceOption = 30.0,
    card_set: options.CardSetOption = None,
    unit: options.UnitOption = None,
    key: options.KeyOption = None,
    state: options.StateOption = None,
    cycle: options.CycleOption = None,
    baud: options.BaudOption = None,
    gap: options.GapOption = None,
    interleaved: options.InterleavedOption = False,
    bcc: options.BccOption = None,
    bad_line: options.BadLineOption = None,
    naks: options.NaksOption = None,
    burn: options.BurnOption = None,
    data_bits: options.DataBitsOption = None,
) -> None:
    """Run a simulated shoe for your own gateway, and print each coup.

    Our own shoe: the firmware runs unchanged on the MicroPython VM; only the cards and the dealer's hands are
    simulated. An Angel Eye is emulated as a whole, from public facts; no recording of a real one exists. stdout has
    first the lines for the gateway's config, then one line per coup: as our own shoe reports it, or as an Angel Eye has
    dealt it, DISPUTED where its result is not that of the cards.
    """
    own = {"--unit": unit, "--key": key, "--state": state, "--card-set": card_set}
    line = options.Line(cycle, baud, gap, interleaved, bcc, bad_line, naks, burn, data_bits)
    options.refuse_other_kind(kind, own, line)
    options.refuse_table(table)
    signals = Signals()
    signals.listen()  # first: a signal during the start must not be lost
    try:
        _, _, decks = table_settings("shoe", rulebook, None, decks)
        if kind == "angel-eye":
            people = AngelEyePlan(line.settings(), options.MISHAP_SHARE * mishaps, patience_s=patience)
            emulation = EmulationPlan(table, rulebook, decks, speed, seed, coups, people)
            with _emulated(emulation, signals, pty, tcp) as emulated:
                run_emulated(emulated, signals)
            return
        plan = ShoePlan(table, rulebook, decks, card_set or 1, speed, seed, mishaps, patience, coups)
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


@contextmanager
def _emulated(plan: EmulationPlan, signals: Signals, pty: Path | None, tcp: str | None) -> Iterator[EmulatedShoe]:
    """Start an emulated Angel Eye; release everything at the end."""
    with selectors.DefaultSelector() as selector:
        selector.register(signals, selectors.EVENT_READ)
        address = _tcp_address(pty, tcp)
        port: AngelEyePort = ConverterPort(selector, *address, random.Random(plan.seed)) if address else SerialLine(pty)
        with contextlib.closing(port):
            yield EmulatedShoe(plan, port, selector)


def _open_port(selector: selectors.BaseSelector, pty: Path | None, tcp: str | None) -> ShoePort:
    address = _tcp_address(pty, tcp)
    return TcpPort(selector, *address) if address else PtyPort(selector, pty)


def _tcp_address(pty: Path | None, tcp: str | None) -> tuple[str, int] | None:
    """Return where to listen; None for a pty."""
    if tcp is None:
        return None
    if pty is not None:
        raise typer.BadParameter("choose either --pty or --tcp")
    host, _, port = tcp.rpartition(":")
    if not port.isdecimal():
        raise typer.BadParameter(f"{tcp!r} is not a port: write 7001 or 0.0.0.0:7001", param_hint="--tcp")
    if int(port) > _HIGHEST_PORT:
        raise ShoePortError(f"--tcp {tcp}: the highest port is {_HIGHEST_PORT}; choose another port")
    return host or "127.0.0.1", int(port)


def run(simulated: SimulatedShoe, signals: Signals) -> None:
    """Deal and print until there are enough coups, or until a signal."""
    monitor = simulated.monitor
    typer.echo(config_lines(simulated.plan, monitor.port))
    _print_notes(
        f"waiting for a gateway on {monitor.port}; the shoe stays locked until a gateway has sent it the table's rules"
    )
    _loop(simulated, signals, monitor.coups, lambda: monitor.done(simulated.plan.coups))


def run_emulated(emulated: EmulatedShoe, signals: Signals) -> None:
    """Deal and print until there are enough coups, or until a signal."""
    typer.echo(config_lines(emulated.plan, emulated.port.port))
    _print_notes(f"waiting for a gateway on {emulated.port.port}; then the dealer begins, and goes on also without it")
    _loop(emulated, signals, emulated.coups, emulated.done)


def _loop(
    simulated: SimulatedShoe | EmulatedShoe, signals: Signals, coups: list[str], done: Callable[[], bool]
) -> None:
    while not (signals.stopping or signals.reloading or done()):
        simulated.step()
        _print_notes(*simulated.take_notes())
        for line in coups:
            typer.echo(line)
        coups.clear()
