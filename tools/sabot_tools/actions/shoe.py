"""sabot shoe: the firmware on the MicroPython VM with a simulated dealer, on a line that your own gateway can open."""

import contextlib
import json
import os
import random
import re
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from sabot_gateway.ops.signals import Signals
from sabot_protocol import cardcode, rulebooks
from sabot_protocol.wagers.table import Settings, check_whole_offer
from sabot_sim.dealing import stack as cards
from sabot_sim.dealing.patient_dealer import PatientDealer
from sabot_sim.dealing.table import SimTable
from sabot_sim.rigs.rig import BenchError
from sabot_sim.rigs.vm import VmShoe

from sabot_tools.options.rulebook import table_settings
from sabot_tools.stand.children import Children, DeadChildError
from sabot_tools.stand.shoe_monitor import ShoeMonitor
from sabot_tools.stand.shoe_port import PtyPort, ShoePort, ShoePortError, TcpPort
from sabot_tools.stand.shoe_state import StateDir, StateError
from sabot_tools.text.coups import Painter
from sabot_tools.text.errors import failure
from sabot_tools.text.macs import read_key

app = typer.Typer(rich_markup_mode=None, add_completion=False)

EPILOG = """\b
Example: sabot shoe --rulebook crown-baccarat --speed 10
Example: sabot shoe --pty /tmp/shoe-1 --state shoe-1 --mishaps
Example: sabot shoe --tcp 7001 --unit 5ab0000000000002 --key key.bin --coups 20
"""

_MISHAP_SHARE = 0.03
_LONGEST_SLEEP_S = 0.05
_LINE_BYTES = 4096
_SETTLE_S = 1.0  # for the firmware to take what was played, at the end
_UNIT = re.compile(r"[0-9a-f]{16}")
_SAID = (BenchError, DeadChildError, ShoePortError, StateError, OSError, ValueError)


@dataclass(frozen=True)
class Plan:
    """What was asked for."""

    name: str
    rulebook: str
    decks: int
    card_set: int
    speed: float
    seed: int
    mishaps: bool
    patience_s: float
    coups: int | None


class ShoeStand:
    """One shoe, its dealer and its outlet; step() does what is due."""

    def __init__(self, plan: Plan, state: StateDir, outlet: ShoePort, selector: selectors.BaseSelector) -> None:
        self.plan, self._state, self._outlet, self._selector = plan, state, outlet, selector
        self._children = Children(state.path)
        colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        self.watch = ShoeMonitor(plan.name, outlet.port, plan.rulebook, state.table, Painter(colour))
        self._bench = VmShoe(state.table.unit, state.path, self._spawn)
        self._line = os.open(self._bench.port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self._dealer = self._new_dealer()
        self._table = SimTable(self._bench, self._dealer, plan.speed)
        for source in (self._bench, self._line):
            selector.register(source, selectors.EVENT_READ)

    def _spawn(self, args: list[str], *, pass_fds: tuple[int, ...], env: dict[str, str]) -> subprocess.Popen[bytes]:
        return self._children.start("firmware", args, pass_fds=(*pass_fds, self._state.lock), env=env)

    def _new_dealer(self) -> PatientDealer:
        plan, table = self.plan, self._state.table
        dealer = PatientDealer(
            self._new_cards,
            plan.card_set,
            random.Random(f"{plan.seed}-{table.shoes}-hands"),
            patience_us=int(plan.patience_s * plan.speed * 1e6),
            mishap_share=_MISHAP_SHARE if plan.mishaps else 0.0,
        )
        dealer.take_up(table.stack, table.drawn)
        return dealer

    def _new_cards(self) -> list[str]:
        table = self._state.table
        table.shoes += 1
        return cards.shuffled(self.plan.decks, random.Random(f"{self.plan.seed}-{table.shoes}"))

    def step(self) -> None:
        """Deal what is due, carry bytes both ways, wait for more."""
        self._children.check()
        now_s = time.monotonic()
        dealing = self.watch.profile_known and not self.watch.enough(self.plan.coups)
        wait_s = self._deal(now_s) if dealing else _LONGEST_SLEEP_S
        self._bench.settled()  # takes its answers, also those that nobody waits for
        self._selector.select(min(wait_s, _LONGEST_SLEEP_S))
        self._carry()
        self.watch.tick(time.monotonic())

    def _deal(self, now_s: float) -> float:
        before = len(self._dealer.drawn)
        wait_s = self._table.step(now_s)
        if len(self._dealer.drawn) != before:
            self._save()
        return wait_s

    def _save(self) -> None:
        self._state.table.stack, self._state.table.drawn = self._dealer.cards()
        self._state.save()

    def _carry(self) -> None:
        said = _read(self._line)
        self.watch.shoe_said(said)
        self._outlet.write(said)
        asked = self._outlet.read()
        self.watch.gateway_said(asked, time.monotonic())
        with contextlib.suppress(BlockingIOError):  # a line that is full loses the rest, as a UART does
            os.write(self._line, asked)

    def take_notes(self) -> list[str]:
        """What is to be said on stderr, once."""
        sources = (self._outlet.news, self._dealer.notes, self.watch.notes)
        taken = [note for notes in sources for note in notes]
        for notes in sources:
            notes.clear()
        return taken

    def close(self) -> None:
        """Pull the plug: a card that is half drawn goes back, everything else is as it was logged."""
        if self._table.under_way():
            self._dealer.put_back()
        else:
            self._settle()
        self._save()
        self._children.stop()
        for source in (self._bench, self._line):
            self._selector.unregister(source)
        os.close(self._line)
        self._bench.close()

    def _settle(self) -> None:
        give_up_s = time.monotonic() + _SETTLE_S
        while not self._bench.settled() and time.monotonic() < give_up_s:
            self._selector.select(_LONGEST_SLEEP_S)
            self._carry()


def _read(line: int) -> bytes:
    with contextlib.suppress(OSError):
        return os.read(line, _LINE_BYTES)
    return b""


def config_lines(plan: Plan, port: str) -> str:
    """The table as a gateway's config has it."""
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


def _may_offer_everything(plan: Plan) -> bool:
    """Return True if the book lets a table offer every wager of its game, as one without `wagers` does."""
    book = rulebooks.load(plan.rulebook)
    return not check_whole_offer(book, Settings.of(book, {}), plan.decks)


def _say(*notes: str) -> None:
    for note in notes:
        typer.echo(f"sabot shoe: {note}", err=True)


@app.command(epilog=EPILOG)
def shoe(
    rulebook: Annotated[str, typer.Option(help=f"The house rules: {', '.join(rulebooks.ids())}.")] = "star-baccarat",
    speed: Annotated[float, typer.Option(min=0.1, help="How much faster than life the dealer works.")] = 1.0,
    pty: Annotated[Path | None, typer.Option(help="A lasting name for the serial line: a link to its pty.")] = None,
    tcp: Annotated[
        str | None, typer.Option(metavar="[HOST:]PORT", help="Listen here instead, for socket://; 0 is any free port.")
    ] = None,
    decks: Annotated[int | None, typer.Option(help="Decks in the shoe; as the book has it unless given.")] = None,
    card_set: Annotated[int, typer.Option(min=1, max=cardcode.SETS, help="The card set.")] = 1,
    seed: Annotated[int, typer.Option(help="Another seed, another shuffle.")] = 1,
    unit: Annotated[
        str | None, typer.Option(help="The shoe's unit id, 16 hex digits; each shoe its own.", show_default="5ab0…01")
    ] = None,
    key: Annotated[
        Path | None, typer.Option(dir_okay=False, help="The shoe's key, as `sabot keys new UNIT --shoe FILE` made it.")
    ] = None,
    state: Annotated[
        Path | None, typer.Option(file_okay=False, help="Keep flash and cards here: start again, and the log goes on.")
    ] = None,
    table: Annotated[str, typer.Option(help="The table's name in the lines for the config.")] = "bac-01",
    coups: Annotated[
        int | None, typer.Option(min=1, help="Stop when the gateway has so many confirmed coups; else at Ctrl-C.")
    ] = None,
    mishaps: Annotated[bool, typer.Option("--mishaps", help="Now and then something goes wrong.")] = False,
    patience: Annotated[
        float, typer.Option(min=0, help="Seconds until the supervisor turns the key at a shoe that holds; 0: never.")
    ] = 30.0,
) -> None:
    """Run a simulated shoe for a gateway of your own, and print each coup.

    The firmware is unchanged, on the MicroPython VM; only the cards and the dealer's hands are simulated. The lines for
    the gateway's config come first on stdout, then a line a coup as the shoe reports it to the gateway.
    """
    signals = Signals()
    signals.listen()  # first of all: a signal that comes during the start is kept
    try:
        _, _, whole_decks = table_settings("shoe", rulebook, None, decks)
        plan = Plan(table, rulebook, whole_decks, card_set, speed, seed, mishaps, patience, coups)
        with _stand(plan, signals, _unit(unit), state, read_key(key) if key else None, pty, tcp) as stand:
            run(stand, signals)
    except BrokenPipeError:  # whoever read the lines has gone
        raise
    except _SAID as error:
        raise failure("shoe", error) from error


def _unit(text: str | None) -> str | None:
    if text is not None and not _UNIT.fullmatch(text.lower()):
        raise typer.BadParameter(f"{text!r}: a unit id has 16 hex digits", param_hint="--unit")
    return text.lower() if text else None


@contextmanager
def _stand(
    plan: Plan,
    signals: Signals,
    unit: str | None,
    state: Path | None,
    key: bytes | None,
    pty: Path | None,
    tcp: str | None,
) -> Iterator[ShoeStand]:
    """Everything set up, and given back in the end."""
    with ExitStack() as stack:
        selector = stack.enter_context(selectors.DefaultSelector())
        selector.register(signals, selectors.EVENT_READ)
        path = state or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sabot-shoe-")))
        kept = stack.enter_context(contextlib.closing(StateDir(path, unit, key)))
        outlet = stack.enter_context(contextlib.closing(_outlet(selector, pty, tcp)))
        yield stack.enter_context(contextlib.closing(ShoeStand(plan, kept, outlet, selector)))


def _outlet(selector: selectors.BaseSelector, pty: Path | None, tcp: str | None) -> ShoePort:
    if tcp is None:
        return PtyPort(selector, pty)
    if pty is not None:
        raise typer.BadParameter("choose one of --pty and --tcp")
    host, _, port = tcp.rpartition(":")
    if not port.isdecimal():
        raise typer.BadParameter(f"{tcp!r}: write a port, such as 7001, or 0.0.0.0:7001", param_hint="--tcp")
    return TcpPort(selector, host or "127.0.0.1", int(port))


def run(stand: ShoeStand, signals: Signals) -> None:
    """Print what is dealt until enough, or until somebody stops it."""
    watch = stand.watch
    typer.echo(config_lines(stand.plan, watch.port))
    _say(f"waiting for a gateway on {watch.port}; a shoe stays locked until one has sent it the house rules")
    while not (signals.stopping or signals.reloading or watch.done(stand.plan.coups)):
        stand.step()
        for line in watch.coups:
            typer.echo(line)
        watch.coups.clear()
        _say(*stand.take_notes())
