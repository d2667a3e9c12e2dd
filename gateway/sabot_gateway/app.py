"""The daemon: one loop over ports, broker and control socket; the only place that knows the order of the stages."""

import selectors
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import structlog
from sabot_protocol.topics import KEEPALIVE_S
from sabot_service.control import Caller, Control
from sabot_service.daemons import GATEWAY
from sabot_service.logs import configure_logging
from sabot_service.moment import Moment, utc
from sabot_service.signals import Signals
from sabot_service.systemd import Systemd

from sabot_gateway import config as configs
from sabot_gateway.config import Config, floor_key_of, jackpots_of
from sabot_gateway.control_requests import ControlRequests
from sabot_gateway.fair_turns import FairTurns
from sabot_gateway.garbage import Garbage
from sabot_gateway.group_commit import GroupCommit
from sabot_gateway.guard import ALARM, Guard
from sabot_gateway.hold import HoldControl, Reason
from sabot_gateway.jackpots.jackpots import Jackpots
from sabot_gateway.ledger import Ledger, LedgerError, Stored
from sabot_gateway.ledger.pruner import Pruner
from sabot_gateway.operator import requests
from sabot_gateway.operator.attempts import RECALLED_ENTRIES
from sabot_gateway.operator.capture_streams import CaptureStreams
from sabot_gateway.operator.desk import Desk
from sabot_gateway.operator.floor_commands import FloorCommands
from sabot_gateway.operator.local_roles import LocalRoles
from sabot_gateway.ops.monitoring import Monitoring
from sabot_gateway.own_entries import OwnEntries
from sabot_gateway.publish.stage import PublishStage
from sabot_gateway.reload import Reload
from sabot_gateway.table_builder import TableBuilder
from sabot_gateway.table_lines import TableLines
from sabot_gateway.table_session import TableSession
from sabot_gateway.verify.alarms.catalogue import UNIT_TWICE

_SWEEP_EVERY_S, _SWEEPS = 0.05, 5  # each table has its turn in so many sweeps, four times a second
_FLUSH_AT_STOP_S = 3.0  # longer than the head of the ledger waits for the one that the broker keeps
_LATE_S = 0.2  # from turn to turn; the longest wait is 0.07 s

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class App:
    """`run` until stopped; `step` is one turn of the loop. One class because a turn wires all stages."""

    def __init__(
        self,
        config: Config,
        monotonic: Callable[[], float] = time.monotonic,
        clock: Callable[[], float] = time.time,
        reread: Callable[[], Config] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        signals: Signals | None = None,
        keepalive_s: int = KEEPALIVE_S,
        systemd: Systemd | None = None,
    ) -> None:
        self._monotonic, self._clock, self._sleep = monotonic, clock, sleep
        self._signals, self._selector = signals or Signals(), selectors.DefaultSelector()
        self._ledger = ledger = Ledger(Path(config.ledger))
        for note in ledger.notes:
            log.warning(note)
        self._own = own = OwnEntries(ledger.gateway_id().hex(), ledger.next_own_no())
        self._desk = desk = _desk(own, ledger)
        self._control = Control(config.control_path(), self._selector, GATEWAY, requests.parse)
        self._captures = CaptureStreams(self._control)
        self._tables: dict[str, TableSession] = {}
        self._builder = TableBuilder(config, ledger, desk, self._tables)
        self._tables |= {table.name: self._builder.build(table) for table in config.table}
        self._jackpots = jackpots = Jackpots(ledger, own, self._tables)
        jackpots.configure(*jackpots_of(config), utc(clock()))
        self._publish = publish = PublishStage(config, ledger, self._tables, self._selector, self._at(), keepalive_s)
        publish.serve(self._tables)
        publish.listen(jackpots)
        publish.all_changed(self._tables)
        topics = publish.status_topics
        self._lines = lines = TableLines(self._tables, self._selector, topics, self._captures, own, clock)
        self._hold = HoldControl(ledger, self._tables, lines, topics, own)
        self._commands = commands = FloorCommands(
            config.site, desk, self._tables, lambda: self._hold.problem, publish.publisher.replies.put
        )
        commands.key = floor_key_of(config)
        commands.recall(_own_entries(own, ledger), self._at())
        publish.listen_to_commands(commands.received)
        self._guard = Guard(lines, own, self._control)
        self._group_commit = GroupCommit(ledger, desk, self._hold, lines, publish, self._guard, jackpots)
        reread, roles = reread or (lambda: config), LocalRoles(config.roles)
        self._reload = Reload(
            self._signals, reread, self._tables, self._builder, lines, publish, desk, jackpots, commands, roles
        )
        self._requests = ControlRequests(
            config.site, self._control, desk, self._captures, self._hold, ledger, publish, self._tables, jackpots,
            commands, roles, clock,
        )  # fmt: skip
        self._pruner, self._garbage = Pruner(ledger), Garbage()
        self.monitoring = Monitoring(config, self._tables, publish, self._hold, own, monotonic, systemd)
        self._requests.clock = self.monitoring.clock_sentence
        self._sweep_s, self._visited, self._turn_s = 0.0, 0, monotonic()
        self._turns = FairTurns(monotonic)

    def _at(self) -> Moment:
        return Moment(self._monotonic(), utc(self._clock()))

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT, then stop cleanly; SIGHUP reads the config again."""
        self._selector.register(self._signals, selectors.EVENT_READ, self._signals)
        self.begin()
        self._garbage.begin(self._monotonic())
        self.monitoring.start()
        while not self._signals.stopping:
            self.step(_SWEEP_EVERY_S)
            self._garbage.step(self._turn_s)
        self._goodbye()

    def begin(self) -> None:
        """Hold the gateway if its ledger is behind; publish that the gateway is online, or why it is held."""
        at = self._at()
        self._hold.check_behind(at)
        if not self._hold.active:
            self._match_moves(at)
        config, broker = self._builder.config, str(self._publish.mqtt.broker)
        log.info("gateway started", site=config.site, tables=len(self._tables), broker=broker)
        self._publish.status_topics.hold(self._hold.problem, self._tables, at.time)

    def step(self, timeout_s: float) -> None:
        """Wait for something and carry it through all stages; an internal error holds everything for a second."""
        ready = self._wait(timeout_s)
        at = self._at()
        if at.now_s - self._turn_s > _LATE_S:
            self._lines.read_late(self._turn_s, at.now_s)
        self._turn_s = at.now_s
        try:
            self._turn(ready, at)
            self.monitoring.turned(at)
        except LedgerError as error:
            self._hold.ledger_failed("ledger", error, at, self._publish.publisher.try_ledger)
            self.monitoring.turned(at)
        except Exception as error:
            self._guard.log_error("", at)
            problem = f"Internal error in the gateway ({type(error).__name__}: {error}); it tries again every second."
            self._hold.begin(Reason("error", problem, at.time, lambda: None, ALARM), at)

    def _turn(self, ready: list[object], at: Moment) -> None:
        """Take the broker's answers, read what is ready, commit once, then acknowledge and publish."""
        self._publish.receive(at, self._monotonic)
        if self._jackpots.due and not self._hold.active and self._group_commit.idle():
            self._jackpots.step(at)
        for source in self._turns.take(ready, at.now_s):
            self._guard.run(self._serve, source, at)
        self._commands.step(at)
        unreadable = self._builder.take_unreadable()
        if unreadable is not None:
            unit, error = unreadable
            self._hold.ledger_failed(f"unit {unit}", error, at, partial(self._ledger.durable_event_no, unit))
        touched = [
            source for source in self._turns.served if isinstance(source, TableSession) and self._changed(source, at)
        ]
        if at.now_s >= self._sweep_s:
            self._sweep_s = at.now_s + _SWEEP_EVERY_S
            touched += self._sweep(at)
        if not self._hold.active:
            for table in touched:
                self._guard.run(self._own.match_time, table, at)
        acted = {entry.table for entry in self._own.waiting}
        self._group_commit.commit(at)
        touched += [self._tables[name] for name in acted if name in self._tables]
        self._publish.latency.committed(self._monotonic())
        for table in touched:
            self._guard.run(self._tend, table, at)
        self._hold.check_behind(at)
        self._publish.step(at, held=self._hold.active)
        published = self._publish.publisher.done()
        self._lines.share_out(self._turns.served, published, at.now_s, connected=self._publish.connected())
        if self._signals.reloading and not self._hold.active and self._group_commit.commit_all(at):
            with self.monitoring.systemd.reload(at.now_s):
                self._reload.run(at)
            self._garbage.tables_changed(at.now_s)
            self._lines.all_due()

    def _wait(self, timeout_s: float) -> list[object]:
        """Return the sources that have something for us; soon after a commit wait until more of them have."""
        found = self._selector.select(timeout_s)
        rest_s = self._group_commit.gather_until_s - self._monotonic()
        if found and rest_s > 0:
            self._sleep(rest_s)
            found = self._selector.select(0)
        return [key.data for key, _ in found]

    def _serve(self, source: object, at: Moment) -> None:
        match source:
            case TableSession():
                data = self._lines.read(source, at)
                if data is not None:
                    self._take(source, at, data)
            case Control():
                source.accept(at.now_s)
            case Caller():
                self._requests.serve(source, at)
            case Signals():
                source.take()

    def _take(self, table: TableSession, at: Moment, data: bytes = b"") -> None:
        """Link, parse and verify what a shoe has sent; what results waits for the next commit."""
        try:
            for event in table.receive(data, at.now_s, at.time):
                self._desk.follow(table, event, at)
                if event.kind == "handed_over":
                    self._match_moves(at)
            self._desk.withdraw_outdated(table, at)
            if table.shoe_fault.to_match(table.link):
                self._own.match_fault(table, at)
        finally:
            if table.pending:
                self._group_commit.waiting[table] = None

    def _changed(self, table: TableSession, at: Moment) -> bool:
        """Return True if something follows from what a shoe has sent: from its ALIVE, most of the time, nothing."""
        return table in self._group_commit.waiting or not table.link.quiet(at.now_s)

    def _match_moves(self, at: Moment) -> None:
        """Match coups that left one table with those that came to another."""
        for table in self._tables.values():
            self._own.match_moves(table, at)

    def _sweep(self, at: Moment) -> list[TableSession]:
        """Do what is due by time alone; return the tables that are to be tended."""
        self._desk.expire(at)
        self._control.expire(at.now_s)
        self._captures.step(at.now_s)
        due = self._due_tables(at.now_s)
        if not self._hold.active:
            for table in due:
                self._guard.run(self._lines.open, table, at)
                if table.link.events_due(at.now_s):
                    self._guard.run(self._take, table, at)
            self.monitoring.sweep(at)
            keep_days = self._builder.config.keep_days
            self._pruner.step(at.now_s, keep_days, lambda days: utc(self._clock() - days * 86_400))
        return due

    def _due_tables(self, now_s: float) -> list[TableSession]:
        """Return those of the next tables at which something can be due by now."""
        tables = list(self._tables.values())
        count, first = -(-len(tables) // _SWEEPS), self._visited % len(tables)
        self._visited += count
        return [table for table in (tables[first:] + tables[:first])[:count] if table.due_s <= now_s]

    def _tend(self, table: TableSession, at: Moment) -> None:
        """Write to the shoe and report what has changed; read older disputes where there is room for them again."""
        self._lines.tend(table, at)
        say = None if self._lines.paused else self._builder.units.say_twice(table.name, at.now_s)
        if say is not None:  # what is not read proves nothing
            self._own.match_state(table, UNIT_TWICE, say, at)
        table.due_s = at.now_s + table.link.rest_s(at.now_s)
        if table.verifier.disputes.can_take_older() and not self._hold.active and self._group_commit.idle():
            table.find_disputes(self._ledger)

    # For benches and tests

    def fileno(self) -> int:
        """Readable when a step has something to do: lets a caller select on several instances."""
        return self._selector.fileno()

    def stored(self) -> bool:
        """Return True if everything that came is in the ledger, and acknowledged to the shoes."""
        return self._group_commit.idle() and not any(table.link.output() for table in self._tables.values())

    def published(self) -> bool:
        """Return True if the broker has acknowledged everything that the ledger holds, and every state."""
        return self._publish.idle()

    def retained_topics(self) -> dict[str, bytes]:
        """Return the retained topics as they are now, whether the broker has them or not."""
        return self._publish.publisher.retained.current()

    def hold(self, name: str, problem: str, retry: Callable[[], object] | None = None) -> None:
        """Take, acknowledge and publish nothing, until `retry` raises no LedgerError or a person calls `release`."""
        at = self._at()
        self._hold.begin(Reason(name, problem, at.time, retry), at)

    def release(self, name: str) -> bool:
        """End a hold for a person; return whether there was one of this name."""
        return self._hold.release(name, self._at())

    # The end

    def _goodbye(self) -> None:
        """Publish what is committed, as far as the broker takes it in a moment, and that the gateway stops."""
        publisher, mqtt = self._publish.publisher, self._publish.mqtt
        self.monitoring.systemd.stopping()
        end_s = self._monotonic() + _FLUSH_AT_STOP_S
        self._captures.end_all(self._monotonic())
        publisher.set_goodbye(self._at().time)
        while mqtt.client.is_connected() and self._monotonic() < end_s:
            if publisher.retained.complete() and (self._hold.active or publisher.idle()):
                break
            self.step(0.01)
        with suppress(LedgerError):  # then the last ones are published again
            publisher.close()
        if not publisher.retained.acknowledged():
            mqtt.hang_up()  # the broker then publishes the will
        self.close()
        for table in self._tables.values():
            log.info("line counters", table=table.name, **table.link.line_counters())
        log.info("gateway stopped")

    def crash(self) -> None:
        """End as a kill does: nothing is published, and what was not stored is gone."""
        self._publish.mqtt.hang_up()
        self.close()

    def close(self) -> None:
        """Give everything back; what fails to close does not keep the rest."""
        for table in self._tables.values():
            self._lines.unwatch(table)
        lines = (table.line.close for table in self._tables.values())
        for give_back in (
            self.monitoring.close,
            self._signals.close,
            self._publish.mqtt.close,
            self._control.close,
            *lines,
            self._ledger.close,
        ):
            try:
                give_back()
            except Exception:
                log.exception("the gateway did not stop cleanly; report it with this log")


def _desk(own: OwnEntries, ledger: Ledger) -> Desk:
    """Return the desk with what people requested before the restart."""
    desk = Desk(own)
    desk.attempts.recall(_own_entries(own, ledger))
    return desk


def _own_entries(own: OwnEntries, ledger: Ledger) -> list[Stored]:
    """Return the newest of the gateway's own entries."""
    return ledger.log_of(own.unit, own.next_no - RECALLED_ENTRIES)


def main(path: Path) -> None:
    """Run a gateway by its config file."""
    configure_logging()
    signals = Signals()
    signals.listen()  # first of all: a signal that comes during the start is kept
    App(_loaded(path), reread=lambda: _loaded(path), signals=signals, systemd=Systemd.found()).run()


def _loaded(path: Path) -> Config:
    """Return the config; what it leaves open about offers is only a warning here, for it stops no shoe."""
    config = configs.load(path)
    for problem in configs.offer_problems(config):
        log.warning(f"{path}: {problem}")
    return config
