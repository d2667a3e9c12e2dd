"""sabot demo: one machine, every part real; each coup printed as a subscriber received it from the broker."""

import os
import shutil
import signal
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from sabot_gateway.ledger import Ledger, LedgerError
from sabot_gateway.publish.broker import BrokerUrlError
from sabot_protocol.rulebooks import RulebookError
from sabot_protocol.topics import AlarmMessage, CoupMessage
from sabot_sim.dealing.dealer import DealerStopsError
from sabot_sim.rigs.rig import BenchError

from sabot_tools.stand.broker import NoBrokerError
from sabot_tools.stand.children import DeadChildError, tail
from sabot_tools.stand.local_site import LocalSite, Received, SitePlan, StoppedError
from sabot_tools.text.coups import Painter, Summary

app = typer.Typer(rich_markup_mode=None, add_completion=False)

SAID = (
    BenchError, BrokerUrlError, DeadChildError, DealerStopsError, LedgerError, NoBrokerError, RulebookError,
)  # fmt: skip
_SUMMARY_EVERY = 10
_SILENCE_S = 60.0


class NothingHeardError(RuntimeError):
    """Coups do not arrive; the message says where to look."""


@dataclass
class Screen:
    """Where the lines go: a running summary stays at the foot of a terminal, and comes now and then elsewhere."""

    coups: int | None
    started_s: float = field(default_factory=time.time)
    summary: Summary = field(default_factory=Summary)
    newest: dict[str, int] = field(default_factory=dict)  # by unit: the last event shown

    def __post_init__(self) -> None:
        """Ask once whether somebody is looking."""
        self._tty = sys.stdout.isatty()
        self._painter = Painter(self._tty and "NO_COLOR" not in os.environ)

    def say(self, text: str) -> None:
        """A line above the summary."""
        clear = "\r\033[K" if self._tty else ""
        print(f"{clear}{text}", flush=True)

    def coup(self, coup: CoupMessage, latency_s: float) -> None:
        """One coup."""
        self.summary.add(coup, latency_s)
        self.say(self._painter.line(coup, latency_s))
        if self.summary.coups() == 1:
            self.say(start_times(self.started_s, time.time()))
        self._foot()

    def alarm(self, alarm: AlarmMessage) -> None:
        """One alarm."""
        self.summary.alarms += 1
        self.say(f"{alarm.table}  ALARM {alarm.name}: {alarm.say} (shoe: {alarm.shoe_says}; cards: {alarm.cards_say})")

    def _foot(self) -> None:
        if self._tty:
            width = shutil.get_terminal_size().columns - 1  # a line that wraps could not be taken back
            print(f"\r\033[K{self.summary.text()[:width]}", end="", flush=True)
        elif self.summary.coups() % _SUMMARY_EVERY == 0:
            self.say(self.summary.text())

    def done(self) -> bool:
        """As many coups as were asked for."""
        return self.coups is not None and self.summary.coups() >= self.coups


def start_times(started_s: float, now_s: float) -> str:
    """How long it took to the first coup: warm, and cold when make had to make the environment first."""
    make_s = _seconds(os.environ.get("SABOT_MAKE_STARTED_S"), started_s)
    stamp = Path(sys.prefix) / ".demo"
    cold = stamp.exists() and stamp.stat().st_mtime >= make_s
    if not cold:
        return f"first coup {now_s - make_s:.2f} s after the start (warm start)"
    return (
        f"first coup {now_s - make_s:.2f} s after the start (cold start: {started_s - make_s:.2f} s to make the "
        f"environment, {now_s - started_s:.2f} s from there)"
    )


def _seconds(text: str | None, otherwise: float) -> float:
    """What make noted; not every system's date knows fractions."""
    try:
        return float(text) if text else otherwise
    except ValueError:
        return otherwise


def play(stand: LocalSite, screen: Screen) -> None:
    """Deal and print until enough."""
    heard_s = time.monotonic()
    patience_s = _SILENCE_S / min(stand.plan.speed, 1)
    while not screen.done() and not stand.stopped():
        stand.step()
        for message in stand.take_inbox():
            heard_s = message.at_s
            if not screen.done():
                show(stand, screen, message)
        if time.monotonic() - heard_s > patience_s:
            raise NothingHeardError(
                f"nothing came from {stand.broker} for {patience_s:.0f} s. The gateway's last words:\n"
                f"{tail(stand.plan.work_dir / 'gateway.log')}"
            )


def show(stand: LocalSite, screen: Screen, message: Received) -> None:
    """A coup or an alarm; other topics are for other readers."""
    *_, name = message.topic.split("/")
    if name == "coup":
        coup = msgspec.json.decode(message.payload, type=CoupMessage)
        if coup.event_no > screen.newest.get(coup.unit, 0):  # a repeated id is dropped
            screen.newest[coup.unit] = coup.event_no
            screen.coup(coup, message.at_s - stand.tables[coup.table].coup_received())
    elif name == "alarm":
        screen.alarm(msgspec.json.decode(message.payload, type=AlarmMessage))


def announce(stand: LocalSite, screen: Screen) -> None:
    """Where things listen."""
    plan = stand.plan
    screen.say(f"broker   {stand.broker}, topics sabot/v1/{plan.site}/#")
    for name, table in stand.tables.items():
        screen.say(f"shoe     {name}: serial line {table.bench.port}, {plan.rulebook}, {plan.speed:g} times life")
    screen.say(f"gateway  pid {stand.gateway.pid}, ledger {stand.ledger_path}")
    screen.say(f"watch    sabot watch --broker {stand.broker}   (from another terminal; Ctrl-C here ends all)")


def finish(stand: LocalSite, screen: Screen) -> None:
    """The summary, and whether the ledger's chain holds."""
    screen.say(screen.summary.text())
    ledger = Ledger(stand.ledger_path)
    screen.say(f"ledger   {ledger.verify_chain()} entries, chain intact")
    ledger.close()


@dataclass
class Stop:
    """Ctrl-C and its kin ask to stop; they interrupt nothing, so nothing is left half done."""

    asked: bool = False

    def listen(self) -> None:
        """From now on."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._ask)

    def _ask(self, *_: object) -> None:
        self.asked = True


@app.command(epilog="Example: sabot demo --coups 5 --tables 2 --rulebook crown-baccarat")
def demo(
    coups: Annotated[int | None, typer.Option(min=1, help="Stop after so many coups; else at Ctrl-C.")] = None,
    tables: Annotated[int, typer.Option(min=1, max=64, help="How many tables.")] = 1,
    rulebook: Annotated[str, typer.Option(help="The house rules, by id.")] = "star-baccarat",
    speed: Annotated[float, typer.Option(min=0.1, help="How much faster than life the dealers work.")] = 10.0,
    port: Annotated[int, typer.Option(min=0, max=65535, help="MQTT port of our broker; 0 is any free one.")] = 18883,
    broker: Annotated[str | None, typer.Option(help="A broker you have: mqtt://host:port.")] = None,
    seed: Annotated[int, typer.Option(help="Another seed, another shuffle.")] = 1,
) -> None:
    """Run everything on this machine and print each coup."""
    stop = Stop()
    stop.listen()
    screen = Screen(coups)
    with tempfile.TemporaryDirectory(prefix="sabot-demo-") as work_dir:
        site = f"demo-{os.getpid()}" if broker else "demo"  # a broker that others use too
        plan = SitePlan(Path(work_dir), tables, rulebook, speed, seed, broker, port, site)
        try:
            run(plan, screen, stop)
        except (*SAID, NothingHeardError) as error:
            typer.echo(f"\nsabot demo: {error}", err=True)
            raise typer.Exit(1) from error


def run(plan: SitePlan, screen: Screen, stop: Stop) -> None:
    """Set up, play, take down; Ctrl-C is a way to end, not an error."""
    stand = LocalSite(plan, stopped=lambda: stop.asked)
    with suppress(StoppedError), stand:
        announce(stand, screen)
        play(stand, screen)
    if screen.summary.coups():
        finish(stand, screen)
