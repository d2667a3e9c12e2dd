"""sabot demo: run a whole site on this machine and print each coup as a subscriber receives it."""

import os
import shutil
import signal
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from sabot_floor.store import StoreError
from sabot_gateway.ledger import Ledger, LedgerError
from sabot_protocol.rulebooks import RulebookError
from sabot_protocol.service.broker import BrokerUrlError
from sabot_protocol.service.messages import ControlError
from sabot_protocol.topics import AlarmMessage, CoupMessage
from sabot_sim.dealing.dealer import DealerStopsError
from sabot_sim.rigs.rig import BenchError

from sabot_tools.stand.broker import NoBrokerError
from sabot_tools.stand.children import DeadChildError, tail
from sabot_tools.stand.demo_jackpots import JACKPOTS, NoSuchHandError, book_of, stacked_cards
from sabot_tools.stand.jackpot_people import JackpotPeople, JackpotRefusedError
from sabot_tools.stand.local_site import LocalSite, Received, SitePlan, StoppedError
from sabot_tools.text import jackpots
from sabot_tools.text.coups import Painter, Summary

app = typer.Typer(rich_markup_mode=None, add_completion=False)

ERRORS = (
    BenchError, BrokerUrlError, ControlError, DeadChildError, DealerStopsError, JackpotRefusedError, LedgerError,
    NoBrokerError, NoSuchHandError, RulebookError, StoreError,
)  # fmt: skip
_SUMMARY_EVERY = 10
_SILENCE_S = 60.0


class SilenceError(RuntimeError):
    """No message has arrived for a long time; the message has the end of the gateway's log."""


@dataclass
class Screen:
    """Prints lines; a summary stays on the last line of a terminal, and is printed now and then elsewhere."""

    coups: int | None
    stacked: bool = False  # a coup of the stacked shoe will win
    started_s: float = field(default_factory=time.time)
    people: JackpotPeople | None = None  # of the jackpot, if the rulebook has one
    summary: Summary = field(default_factory=Summary)
    newest: dict[str, int] = field(default_factory=dict)  # unit: the last event printed

    def __post_init__(self) -> None:
        """Find out whether stdout is a terminal."""
        self._tty = sys.stdout.isatty()
        self._painter = Painter(self._tty and "NO_COLOR" not in os.environ)

    def print(self, text: str) -> None:
        """Print a line above the summary."""
        clear = "\r\033[K" if self._tty else ""
        print(f"{clear}{text}", flush=True)

    def coup(self, coup: CoupMessage, latency_s: float) -> None:
        """Print a coup."""
        self.summary.add(coup, latency_s)
        self.print(self._painter.line(coup, latency_s))
        if self.summary.coups() == 1:
            self.print(start_times(self.started_s, time.time()))
        if self.people:
            self.people.coup_printed(coup.table, coup.shoe, coup.coup)
        self._print_summary()

    def alarm(self, alarm: AlarmMessage) -> None:
        """Print an alarm."""
        self.summary.alarms += 1
        self.print(
            f"{alarm.table}  ALARM {alarm.name}: {alarm.say} (shoe: {alarm.shoe_says}; cards: {alarm.cards_say})"
        )

    def _print_summary(self) -> None:
        if self._tty:
            width = shutil.get_terminal_size().columns - 1  # a line that wraps could not be erased
            print(f"\r\033[K{self.summary.text()[:width]}", end="", flush=True)
        elif self.summary.coups() % _SUMMARY_EVERY == 0:
            self.print(self.summary.text())

    def enough(self) -> bool:
        """Return True if no more coups are to be printed: as many as asked for, and the stacked one."""
        if self.coups is None or self.summary.coups() < self.coups:
            return False
        return not self.stacked or self.people is None or self.people.has_win()

    def done(self) -> bool:
        """Return True if enough coups were printed, and each is on the jackpot's meter."""
        return self.enough() and (self.people is None or self.people.settled())


def start_times(started_s: float, now_s: float) -> str:
    """Return the time to the first coup; it is a cold start if make had to create the environment first."""
    make_s = _seconds(os.environ.get("SABOT_MAKE_STARTED_S"), started_s)
    stamp = Path(sys.prefix) / ".demo"
    cold = stamp.exists() and stamp.stat().st_mtime >= make_s
    if not cold:
        return f"first coup {now_s - make_s:.2f} s after the start (warm start)"
    return (
        f"first coup {now_s - make_s:.2f} s after the start (cold start: {started_s - make_s:.2f} s to create the "
        f"environment, then {now_s - started_s:.2f} s)"
    )


def _seconds(text: str | None, otherwise: float) -> float:
    """Return the time that make passed on, or `otherwise`: not every system's date prints fractions."""
    try:
        return float(text) if text else otherwise
    except ValueError:
        return otherwise


def play(site: LocalSite, screen: Screen) -> None:
    """Deal and print until there are enough coups, or until stopped."""
    message_s = enough_s = time.monotonic()
    patience_s = _SILENCE_S / min(site.plan.speed, 1)
    while not screen.done() and not site.stopped():
        site.waiting = screen.people.tables_with_win() if screen.people else set()
        site.step()
        for message in site.take_inbox():
            message_s = message.at_s
            show(site, screen, message)
        if not screen.enough():
            enough_s = message_s
        if time.monotonic() - message_s > patience_s:
            raise SilenceError(
                f"no message from {site.broker} for {patience_s:.0f} s. End of the gateway's log:\n"
                f"{tail(site.plan.work_dir / 'gateway.log')}"
            )
        if time.monotonic() - enough_s > patience_s:
            raise SilenceError(
                f"the meter of the jackpot lacks a coup, or a win is not settled, after {patience_s:.0f} s. End of the "
                f"floor service's log:\n{tail(site.plan.work_dir / 'floor.log')}"
            )


def show(site: LocalSite, screen: Screen, message: Received) -> None:
    """Print a coup or an alarm, unless enough were printed, and what became of the jackpot; ignore other topics."""
    *_, name = message.topic.split("/")
    if screen.people and "/jackpot/" in message.topic:
        screen.people.take(message.topic, message.payload)
    elif screen.enough():
        return
    elif name == "coup":
        coup = msgspec.json.decode(message.payload, type=CoupMessage)
        if coup.event_no > screen.newest.get(coup.unit, 0):  # a repeated message is ignored
            screen.newest[coup.unit] = coup.event_no
            screen.coup(coup, message.at_s - site.tables[coup.table].coup_received())
    elif name == "alarm":
        screen.alarm(msgspec.json.decode(message.payload, type=AlarmMessage))


def announce(site: LocalSite, screen: Screen) -> None:
    """Print how to reach each part."""
    plan = site.plan
    screen.print(f"broker   {site.broker}, topics sabot/v1/{plan.site}/#")
    for name, table in site.tables.items():
        screen.print(f"shoe     {name}: serial line {table.bench.port}, {plan.rulebook}, {plan.speed:g} x real time")
    screen.print(f"gateway  pid {site.gateway.pid}, ledger {site.ledger_path}")
    if site.floor:
        screen.print(f"floor    pid {site.floor.process.pid}, store {site.floor.store_path}")
    screen.print(f"watch    sabot watch --broker {site.broker}   (in another terminal; Ctrl-C here stops everything)")


def finish(site: LocalSite, screen: Screen) -> None:
    """Print the summary and the meters, and verify the chains of ledger and floor log."""
    screen.print(screen.summary.text())
    if screen.people and screen.people.meter:
        screen.print(f"jackpot  {jackpots.meters(screen.people.meter)}")
        more = screen.people.not_printed()
        if more:
            screen.print(f"jackpot  coups on the meter that are not printed, dealt meanwhile at other tables: {more}")
    ledger = Ledger(site.ledger_path)
    screen.print(f"ledger   {ledger.verify_chain()} entries, chain intact")
    ledger.close()
    if site.floor:
        screen.print(f"floor    {site.floor.verified_entries()} entries, chain intact, meters recomputed")


@dataclass
class StopSignals:
    """Remembers Ctrl-C, SIGTERM and SIGHUP; the loop stops at its next turn, so nothing is left half done."""

    received: bool = False

    def listen(self) -> None:
        """Install the handlers."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def _on_signal(self, *_: object) -> None:
        self.received = True


@app.command(epilog="Example: sabot demo --coups 5 --tables 2 --rulebook crown-baccarat")
def demo(
    coups: Annotated[
        int | None, typer.Option(min=1, help="Stop after this many coups.", show_default="until Ctrl-C")
    ] = None,
    tables: Annotated[int, typer.Option(min=1, max=64, help="Number of tables.")] = 1,
    rulebook: Annotated[
        str | None, typer.Option(help="Id of the rulebook.", show_default="star-baccarat, or that of --stack")
    ] = None,
    speed: Annotated[float, typer.Option(min=0.1, help="Speed of the dealers; 1 is real time.")] = 10.0,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="MQTT port of the broker to start; 0 chooses a free one.")
    ] = 18883,
    broker: Annotated[str | None, typer.Option(help="Use this broker instead: mqtt://host:port.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the shuffle.")] = 1,
    stack: Annotated[
        str | None,
        typer.Option(help="Let the second coup of table 1 win the jackpot: lucky-tie, lucky-tie:coloured …"),
    ] = None,
) -> None:
    """Run broker, gateway, shoes and dealers on this machine, and print each coup."""
    stop = StopSignals()
    stop.listen()
    screen = Screen(coups, stacked=stack is not None)
    with tempfile.TemporaryDirectory(prefix="sabot-demo-") as work_dir:
        site = f"demo-{os.getpid()}" if broker else "demo"  # others may use the same broker
        book = rulebook or (book_of(stack) if stack else "star-baccarat")
        plan = SitePlan(Path(work_dir), tables, book, speed, seed, broker, port, site)
        try:
            run(with_jackpot(plan, stack), screen, stop)
        except (*ERRORS, SilenceError) as error:
            typer.echo(f"\nsabot demo: {error}", err=True)
            raise typer.Exit(1) from error


def with_jackpot(plan: SitePlan, hand: str | None) -> SitePlan:
    """Return the plan with the jackpot of its rulebook, if there is one, and with a shoe stacked for a winning hand."""
    top = stacked_cards(plan.rulebook, hand) if hand else ()
    jackpot = JACKPOTS.get(plan.rulebook)
    return replace(plan, top=top, jackpots=jackpot.text(plan.table_names()) if jackpot else "")


def run(plan: SitePlan, screen: Screen, stop: StopSignals) -> None:
    """Start the site, play, and stop it; Ctrl-C is a normal end."""
    site = LocalSite(plan, stopped=lambda: stop.received)
    with suppress(StoppedError), site:
        screen.people = people_of(site, screen)
        announce(site, screen)
        play(site, screen)
    if screen.summary.coups():
        finish(site, screen)


def people_of(site: LocalSite, screen: Screen) -> JackpotPeople | None:
    """Return the people who handle the wins of this site's jackpot, if it has one."""
    if site.floor is None:
        return None
    book = site.plan.rulebook
    return JackpotPeople(JACKPOTS[book], book, site.gateway_socket, site.floor.socket_path, screen.print)
