"""The run of `sabot demo`: a whole site on this machine, the people who act there, and what is printed of it."""

import os
import signal
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
from sabot_floor.store import StoreError
from sabot_gateway.ledger import Ledger, LedgerError
from sabot_gateway.verify.confirmations import confirm_first
from sabot_protocol import rulebooks
from sabot_protocol.rulebooks import RulebookError
from sabot_protocol.topics import AlarmMessage, CoupMessage
from sabot_service.broker import BrokerUrlError
from sabot_service.client import ask
from sabot_service.messages import ControlError, Request
from sabot_sim.dealing.dealer import DealerStopsError
from sabot_sim.rigs.rig import BenchError

from sabot_tools.stand import demo_floor
from sabot_tools.stand.angel_eye_table import AngelEyePlan, LiveAngelEye
from sabot_tools.stand.broker import NoBrokerError
from sabot_tools.stand.children import DeadChildError, tail
from sabot_tools.stand.demo_floor import Pages
from sabot_tools.stand.demo_jackpots import DemoJackpot, NoSuchHandError, book_of
from sabot_tools.stand.demo_people import DEALER_PERSON, PEOPLE, Enrolment
from sabot_tools.stand.demo_plan import NoPagesError, with_jackpots, with_pages
from sabot_tools.stand.demo_screen import Screen
from sabot_tools.stand.demo_trouble import NotSettledError, TroubleDesk
from sabot_tools.stand.jackpot_people import JackpotPeople
from sabot_tools.stand.local_site import LocalSite, Received, SitePlan, StoppedError
from sabot_tools.text import jackpots

_SILENCE_S = 60.0
_PATIENCE_S = 1.0  # with --coups: nobody is expected to act
_CONFIRM_WITHIN_S = 5.0  # or the dealer of an Angel Eye deals on, and the coup is disputed
_PEOPLE = AngelEyePlan(gateway="commands = true\n")  # people can lock the shoe and clear its errors from the pages


class SilenceError(RuntimeError):
    """No message has arrived for a long time; the message has the end of the gateway's log."""


ERRORS = (
    BenchError, BrokerUrlError, ControlError, DeadChildError, DealerStopsError, LedgerError,
    NoBrokerError, NoPagesError, NoSuchHandError, NotSettledError, RulebookError, SilenceError, StoreError,
)  # fmt: skip


@dataclass
class Demo:
    """A running site, what is printed of it, and the people who act there."""

    site: LocalSite
    screen: Screen
    patience_s: float | None
    people: Enrolment | None = None
    desk: TroubleDesk | None = None

    @property
    def pages(self) -> Pages | None:
        """Return where the pages are; None if none are served."""
        port = self.site.floor.web_port if self.site.floor else None
        return Pages(port) if port is not None else None

    def begin(self) -> None:
        """Add the people, and let those of the jackpots and of the troubles take their places."""
        site, plan, floor = self.site, self.site.plan, self.site.floor
        self.screen.books = dict(zip(plan.table_names(), map(plan.book, range(plan.tables)), strict=True))
        for table in self._confirming().values():
            table.stand_s = _CONFIRM_WITHIN_S
        used = dict.fromkeys(self.screen.books.values())
        if floor is None:
            return
        sockets = (site.gateway_socket, floor.socket_path)
        self.screen.people = {
            book: JackpotPeople(jackpot, book, *sockets, self.screen.print, self._console())
            for book in used
            if (jackpot := DemoJackpot.of(book))
        }
        if self.pages is not None:
            self.people = Enrolment(floor.socket_path, used)
            self.people.start()
        if plan.troubled:
            dealers = {name: table.dealer for name, table in site.tables.items()}
            emulated = any(isinstance(table, LiveAngelEye) for table in site.tables.values())
            where, show, meanwhile = self._where, self.screen.print, site.step if emulated else None
            self.desk = TroubleDesk(
                dealers, self.screen.books, floor.socket_path, where, self.patience_s, show, meanwhile,
                alone=self.screen.coups is not None,
            )  # fmt: skip

    def _confirming(self) -> dict[str, LiveAngelEye]:
        """Return the tables whose dealer confirms at the gateway: an Angel Eye lacks Confirm."""
        first = {book for book in self.screen.books.values() if confirm_first(rulebooks.load(book))}
        tables = self.site.tables.items()
        return {
            name: table
            for name, table in tables
            if isinstance(table, LiveAngelEye) and self.screen.books[name] in first
        }

    def _confirm(self, coup: CoupMessage) -> None:
        """Confirm a verified coup at such a table as its dealer does, who then deals on; people decide any other."""
        table = self._confirming().get(coup.table)
        if table is None:
            return
        if coup.status == "verified":
            args = {"coup": f"{coup.shoe}/{coup.coup}", "winner": coup.winner}
            with suppress(ControlError):  # the gateway is away: the coup will be disputed
                ask(self.site.gateway_socket, Request("confirm", coup.table, DEALER_PERSON.name, args=args))
        table.go_on()

    def _console(self) -> str:
        """Return where a person confirms a jackpot: with trouble, unless the demo's own people act."""
        left_to_people = self.pages and self.site.plan.troubled and self.patience_s is None
        return self.pages.url("console/jackpots") if self.pages and left_to_people else ""

    def _waits_for_people(self) -> bool:
        return bool((self.desk and self.desk.waiting()) or (self._console() and self.screen.tables_with_win()))

    def _where(self, table: str) -> str:
        assert self.pages is not None
        return f"{self.pages.url(f'dealer/{table}')} or /pit"

    def play(self) -> None:
        """Deal and print until there are enough coups, or until stopped."""
        message_s = enough_s = time.monotonic()
        patience_s = _SILENCE_S / min(self.site.plan.speed, 1)
        while not self.screen.done() and not self.site.stopped():
            self.site.waiting = self.screen.tables_with_win()
            self.site.step()
            for message in self.site.take_inbox():
                message_s = message.at_s
                self.show(message)
            for line in self.site.take_news():
                self.screen.print(line)
            self._people_act()
            if self._waits_for_people():
                message_s = time.monotonic()
            if not self.screen.enough():
                enough_s = message_s
            self._refuse_silence(message_s, enough_s, patience_s)

    def _people_act(self) -> None:
        now_s = time.monotonic()
        if self.people and self.people.lasting_problem(now_s):
            raise ControlError(self.people.problem)
        if self.desk and self.people:
            self.desk.step(now_s, self.people.done)
        if self.people is None or self.people.done:  # the manager names a person of the records
            for people in self.screen.people.values():
                people.act(now_s)

    def _refuse_silence(self, message_s: float, enough_s: float, patience_s: float) -> None:
        work_dir = self.site.plan.work_dir
        if time.monotonic() - message_s > patience_s:
            raise SilenceError(
                f"no message from {self.site.broker} for {patience_s:.0f} s. End of the gateway's log:\n"
                f"{tail(work_dir / 'gateway.log')}"
            )
        if time.monotonic() - enough_s > patience_s:
            raise SilenceError(
                f"the meter of a jackpot lacks a coup, or a win is not settled, after {patience_s:.0f} s. End of the "
                f"floor service's log:\n{tail(work_dir / 'floor.log')}"
            )

    def show(self, message: Received) -> None:
        """Print a coup or an alarm, unless enough were printed, and what became of a jackpot; ignore other topics."""
        *_, name = message.topic.split("/")
        screen = self.screen
        if self.desk:
            self.desk.take(message.topic, message.payload)
        if screen.people and "/jackpot/" in message.topic:
            for people in screen.people.values():
                people.take(message.topic, message.payload)
        elif name == "coup":
            coup = msgspec.json.decode(message.payload, type=CoupMessage)
            self._confirm(coup)
            if screen.enough():
                return
            if coup.event_no > screen.newest.get(coup.unit, 0):  # a repeated message is ignored
                screen.newest[coup.unit] = coup.event_no
                screen.coup(coup, self._latency_s(coup, message.at_s))
        elif name == "alarm" and not screen.enough():
            alarm = msgspec.json.decode(message.payload, type=AlarmMessage)
            if self.desk is None or alarm.state == "raised":
                screen.alarm(alarm)

    def _latency_s(self, coup: CoupMessage, at_s: float) -> float | None:
        """Return the time since the last edge of a coup; None for one that people decided: it has none."""
        if coup.corrects:
            return None
        if coup.kind == "void":
            self.site.tables[coup.table].coup_voided()
            return None
        return at_s - self._last_edge_s(coup.table)

    def _last_edge_s(self, name: str) -> float:
        """Return when the last edge of the newest coup of a table was played."""
        table = self.site.tables[name]
        return table.last_played() if name in self.site.plan.troubled else table.coup_received()

    def announce(self) -> None:
        """Print the pages, who can log in there, and how to reach each part."""
        site, screen, plan = self.site, self.screen, self.site.plan
        if self.pages:
            ids = [people.jackpot.id for people in screen.people.values()]
            for line in self.pages.lines(plan.table_names()[0], ids):
                screen.print(line)
            for person in PEOPLE:
                screen.print(person.line(screen.books.values()))
        else:
            screen.print(f"pages    {demo_floor.missing_packages()}")
        screen.print(f"broker   {site.broker}, topics sabot/v1/{plan.site}/#")
        for name, table in site.tables.items():
            book = screen.books[name]
            line = "emulated Angel Eye," if isinstance(table, LiveAngelEye) else "serial line"
            screen.print(f"shoe     {name}: {line} {table.port}, {book}, {plan.speed:g} x real time")
        screen.print(f"gateway  pid {site.gateway.pid}, ledger {site.ledger_path}")
        if site.floor:
            screen.print(f"floor    pid {site.floor.process.pid}, store {site.floor.store_path}")
        for port in plan.metrics or ():
            screen.print(f"metrics  http://127.0.0.1:{port}/metrics, /healthz, /readyz")
        watch = f"watch    sabot watch --broker {site.broker}"
        screen.print(f"{watch}   (in another terminal; Ctrl-C here stops everything)")

    def finish(self) -> None:
        """Print the summary and the meters, and verify the chains of ledger and floor log."""
        site, screen = self.site, self.screen
        screen.print(screen.summary.text())
        for people in screen.people.values():
            if people.meter:
                screen.print(f"jackpot  {jackpots.meters(people.meter)}")
            more = people.not_printed()
            if more:
                screen.print(
                    f"jackpot  coups on the meter that are not printed, dealt meanwhile at other tables: {more}"
                )
        if self.desk:
            screen.print(f"trouble  {self.desk.settled} settled")
        ledger = Ledger(site.ledger_path)
        screen.print(f"ledger   {ledger.verify_chain()} entries, chain intact")
        ledger.close()
        if site.floor:
            entries = site.floor.verified_entries()
            screen.print(f"floor    {entries} entries, chain intact{', meters recomputed' if screen.people else ''}")


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


@dataclass(frozen=True)
class Wishes:
    """What the options of `sabot demo` ask for."""

    coups: int | None
    tables: int
    kinds: tuple[str, ...]
    rulebook: str | None
    speed: float
    port: int
    web_port: int
    metrics_port: int | None
    broker: str | None
    seed: int
    stack: str | None
    trouble: bool
    patience_s: float | None

    def plan(self, work_dir: Path) -> SitePlan:
        """Return the site, with its files in `work_dir`."""
        site = f"demo-{os.getpid()}" if self.broker else "demo"  # others may use the same broker
        plan = SitePlan(
            work_dir, self.tables, self._book(), self.speed, self.seed, self.broker, self.port, site,
            kinds=self.kinds, angel_eye=_PEOPLE, attended=True,
        )  # fmt: skip
        if self.metrics_port is not None:
            plan = replace(plan, metrics=(self.metrics_port, self.metrics_port + 1))
        return with_pages(with_jackpots(plan, self.stack), self.web_port, trouble=self.trouble)

    def _book(self) -> str:
        several = demo_floor.MIXED if self.tables > 1 else rulebooks.in_order()[0]
        return self.rulebook or (book_of(self.stack) if self.stack else several)

    def people_wait_s(self) -> float | None:
        """Return after how long the demo's own people act; None for never."""
        return _PATIENCE_S if self.patience_s is None and self.coups is not None else self.patience_s


def demo(wishes: Wishes) -> None:
    """Run the site until there are enough coups, or until a signal."""
    stop = StopSignals()
    stop.listen()
    screen = Screen(wishes.coups, stacked=wishes.stack is not None)
    with tempfile.TemporaryDirectory(prefix="sabot-demo-") as work_dir:
        run(wishes.plan(Path(work_dir)), screen, stop, wishes.people_wait_s())


def run(plan: SitePlan, screen: Screen, stop: StopSignals, patience_s: float | None) -> None:
    """Start the site, play, and stop it; Ctrl-C is a normal end."""
    demo = Demo(LocalSite(plan, stopped=lambda: stop.received), screen, patience_s)
    with suppress(StoppedError), demo.site:
        demo.begin()
        demo.announce()
        demo.play()
    if screen.summary.coups():
        demo.finish()
