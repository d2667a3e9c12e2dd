"""The run of `sabot shoe`: a shoe on a pty or a TCP port, and what is printed of it."""

import contextlib
import json
import random
import selectors
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import typer
from sabot_protocol import rulebooks
from sabot_protocol.wagers.table import Settings, check_whole_offer
from sabot_service.signals import Signals
from sabot_sim.angel_eye.settings import BAUD
from sabot_sim.rigs.rig import BenchError

from sabot_tools.stand.angel_eye_ports import AngelEyePort, ConverterPort, SerialLine
from sabot_tools.stand.children import DeadChildError
from sabot_tools.stand.emulated_shoe import EmulatedShoe, EmulationPlan
from sabot_tools.stand.shoe_port import PtyPort, ShoePort, ShoePortError, TcpPort
from sabot_tools.stand.shoe_state import StateDir, StateError
from sabot_tools.stand.simulated_shoe import ShoePlan, SimulatedShoe

_HIGHEST_PORT = 65_535
ERRORS = (BenchError, DeadChildError, ShoePortError, StateError, OSError, ValueError)


class Keys(NamedTuple):
    """What a shoe of our own gets with it; None: it keeps what it has."""

    shoe: bytes | None = None
    publisher: bytes | None = None  # of its firmware


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
        values |= {"driver": "angel-eye", "shoe.dealing": "face_up"}
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


@contextmanager
def _running(
    plan: ShoePlan,
    signals: Signals,
    unit: str | None,
    state: Path | None,
    keys: Keys,
    pty: Path | None,
    tcp: str | None,
) -> Iterator[SimulatedShoe]:
    """Start the shoe; stop it and release everything at the end."""
    with ExitStack() as stack:
        selector = stack.enter_context(selectors.DefaultSelector())
        selector.register(signals, selectors.EVENT_READ)
        path = state or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sabot-shoe-")))
        state_dir = stack.enter_context(contextlib.closing(StateDir(path, unit, *keys)))
        shoe_port = stack.enter_context(contextlib.closing(_open_port(selector, pty, tcp)))
        yield stack.enter_context(contextlib.closing(SimulatedShoe(plan, state_dir, shoe_port, selector)))


@contextmanager
def _emulated(plan: EmulationPlan, signals: Signals, pty: Path | None, tcp: str | None) -> Iterator[EmulatedShoe]:
    """Start an emulated Angel Eye; release everything at the end."""
    with selectors.DefaultSelector() as selector:
        selector.register(signals, selectors.EVENT_READ)
        address = tcp_address(pty, tcp)
        port: AngelEyePort = ConverterPort(selector, *address, random.Random(plan.seed)) if address else SerialLine(pty)
        with contextlib.closing(port):
            yield EmulatedShoe(plan, port, selector)


def _open_port(selector: selectors.BaseSelector, pty: Path | None, tcp: str | None) -> ShoePort:
    address = tcp_address(pty, tcp)
    return TcpPort(selector, *address) if address else PtyPort(selector, pty)


def tcp_address(pty: Path | None, tcp: str | None) -> tuple[str, int] | None:
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


def run(
    plan: ShoePlan,
    signals: Signals,
    unit: str | None,
    state: Path | None,
    keys: Keys,
    pty: Path | None,
    tcp: str | None,
) -> None:
    """Deal with our own shoe and print, until there are enough coups, or until a signal."""
    with _running(plan, signals, unit, state, keys, pty, tcp) as simulated:
        monitor = simulated.monitor
        typer.echo(config_lines(plan, monitor.port))
        _print_notes(
            f"waiting for a gateway on {monitor.port}; the shoe stays locked until a gateway has sent it the table's "
            "rules"
        )
        _loop(simulated, signals, monitor.coups, lambda: monitor.done(plan.coups))


def run_emulated(plan: EmulationPlan, signals: Signals, pty: Path | None, tcp: str | None) -> None:
    """Deal with an emulated Angel Eye and print, until there are enough coups, or until a signal."""
    with _emulated(plan, signals, pty, tcp) as emulated:
        port = emulated.port.port
        typer.echo(config_lines(plan, port))
        _print_notes(f"waiting for a gateway on {port}; then the dealer begins, and goes on also without it")
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
