"""The daemon: one loop over ports, broker and control socket; the one place that knows the order of the stages."""

import gc
import selectors
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import structlog
from sabot_protocol import rulebooks
from sabot_protocol.codec import CodecError

from sabot_gateway import config as configs
from sabot_gateway.config import Config, Table
from sabot_gateway.group_commit import GroupCommit
from sabot_gateway.hold import Hold, Reason
from sabot_gateway.ledger import Entry, Ledger, LedgerError
from sabot_gateway.ledger.pruner import Pruner
from sabot_gateway.operator.attempts import RECALLED_ENTRIES
from sabot_gateway.operator.control import Caller, Control
from sabot_gateway.operator.desk import Desk
from sabot_gateway.operator.messages import Answer
from sabot_gateway.operator.own_entries import OwnEntries
from sabot_gateway.operator.requests import CaptureRequest, GatewayRequest, ParsedRequest
from sabot_gateway.operator.verbs.gateway import Status
from sabot_gateway.ops.latency import Latency
from sabot_gateway.ops.moment import Moment, utc
from sabot_gateway.ops.rate_limit import LogLimiter
from sabot_gateway.ops.signals import Signals
from sabot_gateway.publish import status
from sabot_gateway.publish.broker import Broker
from sabot_gateway.publish.mqtt import LoopClient
from sabot_gateway.publish.publisher import Publisher
from sabot_gateway.publish.status import StatusTopics
from sabot_gateway.shoe.capture_streams import CaptureStreams
from sabot_gateway.shoe.keys import KeyRing
from sabot_gateway.shoe.link import ShoeLink
from sabot_gateway.shoe.pace import Pace
from sabot_gateway.shoe.ports import Line, PortError
from sabot_gateway.shoe.units import Units
from sabot_gateway.table_session import TableSession
from sabot_gateway.verify import Verifier
from sabot_gateway.verify.moves import Moves

_SWEEP_EVERY_S, _SWEEPS = 0.05, 5  # each place has its turn in so many sweeps, four times a second
_GATHER_S, _FEW, _GATHER_FEW_S = 0.01, 16, 0.02  # after a commit: ports share the next one, for longer if few shared it
_FLUSH_AT_STOP_S = 2.0
_MOST_COMMITS = 4  # for a request: its attempt, its outcome, and what follows
_LINES_AT_ONCE = 10  # of the log, about one table or one kind of trouble
_SHOE_EPOCH_S = int(datetime(2020, 1, 1, tzinfo=UTC).timestamp())

_WAS_HELD = (
    "The gateway could not use its ledger for a while and took nothing from the shoe. Nothing is lost; what the shoe "
    "logged comes now. Have the disk of the table PC looked at."
)
_BEHIND = "ledger_behind"  # a hold, and the alarm of every table when it has ended
_WAS_BEHIND = (
    "Entries of the gateway's ledger are missing, and a person accepted that. Coups, alarms and decisions of that time "
    "may be in no ledger. `sabot ledger show` has who accepted it and why. Keep the ledger for inspection."
)
_HAD_ERROR = (
    "The gateway met an error of its own and began anew with this shoe. Nothing is lost; what the shoe logged comes "
    "again. Report it with the gateway's log."
)

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class App:
    """`run` until stopped; `step` is one turn of the loop."""

    def __init__(
        self,
        config: Config,
        monotonic: Callable[[], float] = time.monotonic,
        clock: Callable[[], float] = time.time,
        reread: Callable[[], Config] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        signals: Signals | None = None,
    ) -> None:
        self._config, self._monotonic, self._clock, self._sleep = config, monotonic, clock, sleep
        self._reread = reread or (lambda: config)
        self._selector = selectors.DefaultSelector()
        self._ledger = Ledger(Path(config.ledger))
        for note in self._ledger.notes:
            log.warning(note)
        self._gateway = self._ledger.gateway_id()
        self._own = OwnEntries(self._gateway.hex(), self._ledger.next_own_no())
        self._desk = self._new_desk()
        self._moves = Moves()
        self._control = Control(config.control_path(), self._selector)
        self._captures = CaptureStreams(self._control)
        self._storing, self._units = GroupCommit(self._ledger, self._desk), Units(lambda: self._tables.values())
        self._tables = {table.name: self._place(table) for table in config.table}
        self._latency, self._pace = Latency(), Pace(len(self._tables))
        self._full: dict[TableSession, None] = {}  # have something to be stored, in the order it came
        self._alarmed = dict.fromkeys(self._tables)  # tables of whose alarms something is to be said
        self._hold, self._errors = Hold(), LogLimiter(_LINES_AT_ONCE)
        self._unread: tuple[str, LedgerError] | None = None  # a unit whose last event could not be read
        self._sweep_s = self._gather_s = 0.0
        self._visited = 0
        self._signals, self._pruner = signals or Signals(), Pruner(self._ledger)
        self._connect_broker()

    def _new_desk(self) -> Desk:
        """With what people asked for before the restart."""
        desk, own = Desk(self._own), self._own
        desk.attempts.recall(
            self._ledger.entries("WHERE unit = ? AND event_no >= ?", (own.unit, own.next_no - RECALLED_ENTRIES))
        )
        return desk

    def _connect_broker(self) -> None:
        config = self._config
        self._mqtt = LoopClient(
            Broker.from_url(config.broker),
            f"sabot-gateway-{config.site}",
            clean_session=False,
            selector=self._selector,
            login=config.login,
        )
        exposed = config.login.exposed(self._mqtt.broker)
        if exposed:
            log.warning(exposed)
        self._publisher = Publisher(self._mqtt, self._ledger, config.site, self._at().time)
        self._publisher.serve(self._tables)
        self._status_topics = StatusTopics(self._publisher)

    def _at(self) -> Moment:
        return Moment(self._monotonic(), utc(self._clock()))

    def _place(self, table: Table, before: TableSession | None = None) -> TableSession:
        """A table as the ledger has it; one that plays by the same rules as before keeps its reading of the log."""
        book = rulebooks.load(table.rulebook)
        profile = book.profile(table.decks, table.card_set, table.shoe)
        link = ShoeLink(
            profile,
            self._durable,
            self._gateway,
            self._keys,
            keys_required=self._config.requires_keys(),
            held=self._ledger,
            claim=partial(self._units.claim, table.name),
        )
        line = Line(table.port, table.baud)
        if before is not None and before.verifier.uses(book, profile):
            return TableSession(table, line, link, before.verifier, shoe_fault=before.shoe_fault)
        verifier = Verifier(table.name, book, profile, self._desk.attempts.decider_of, self._moves)
        place = TableSession(table, line, link, verifier)
        if not place.catch_up(self._ledger):
            log.warning(
                "the shoe on the table was recorded by another release, or its log has no end; its coup in progress is "
                "not known",
                table=table.name,
            )
        verifier.recall_decisions(self._desk.attempts.decisions(table.name))
        return place

    def _durable(self, unit: str) -> int | None:
        """The last event held of a unit; None where the ledger cannot be read, which holds the gateway."""
        try:
            return self._ledger.durable_event_no(unit)
        except LedgerError as error:
            self._unread = unit, error
            return None

    def _keys(self, unit: str) -> list[bytes]:
        return KeyRing(Path(self._config.keys)).keys(unit) if self._config.keys is not None else []

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT, then stop cleanly; SIGHUP reads the config again."""
        self._selector.register(self._signals, selectors.EVENT_READ, self._signals)
        self.begin()
        gc.freeze()  # what is there now stays: it would be looked through again and again, 40 ms each time
        while not self._signals.stopping:
            self.step(_SWEEP_EVERY_S)
        self._goodbye()

    def begin(self) -> None:
        """Say that the gateway is there."""
        self._check_behind(self._at())
        if not self._hold:
            self._match_moves(self._at())
        log.info("gateway started", site=self._config.site, tables=len(self._tables), broker=str(self._mqtt.broker))
        self._status_topics.hold(self._hold.problem, self._tables if self._hold else (), self._at().time)

    def step(self, timeout_s: float) -> None:
        """Wait for something and carry it through all stages; an error of ours holds everything for a second."""
        ready = self._wait(timeout_s)
        at = self._at()
        try:
            self._turn(ready, at)
        except LedgerError as error:
            self._hold_ledger("ledger", error, at, self._publisher.try_ledger)
        except Exception as error:
            self._log_error("the gateway met an error of its own", "", at)
            problem = f"The gateway met an error of its own ({type(error).__name__}: {error}) and tries again."
            self._begin_hold(Reason("error", problem, at.time, lambda: None, ("gateway_error", _HAD_ERROR)), at)

    def _turn(self, ready: list[object], at: Moment) -> None:
        """Read from whoever is ready, commit once, then acknowledge and publish."""
        for source in ready:
            self._guarded(self._serve, source, at)
        self._check_read(at)
        touched = [source for source in ready if isinstance(source, TableSession)]
        if at.now_s >= self._sweep_s:
            self._sweep_s = at.now_s + _SWEEP_EVERY_S
            touched += self._sweep(at)
        self._commit(at)
        for place in touched:
            self._guarded(self._tend, place, at)
        self._publish(at)
        self._share_out(ready, at)
        if self._signals.reloading and not self._hold and self._store_all(at):
            self._reload(at)

    def _guarded(self, act: Callable[[Any, Moment], None], source: object, at: Moment) -> None:
        """An error of ours over what one source brought costs that source its connection, and nobody else anything."""
        try:
            act(source, at)
        except LedgerError:
            raise
        except Exception as error:
            table = source.name if isinstance(source, TableSession) else ""
            self._log_error("the gateway met an error of its own", table, at)
            if isinstance(source, TableSession):
                self._lose(source, at, f"the gateway met an error of its own ({type(error).__name__}: {error})")
                self._own.raise_alarm(source, "gateway_error", _HAD_ERROR, at)
            elif isinstance(source, Caller):
                self._control.answer(source, Answer(False, "the gateway met an error of its own; its log says more"))

    def _log_error(self, words: str, table: str, at: Moment) -> None:
        """With its traceback, but not more often than somebody can read it."""
        left_out = self._errors.take(table, at.now_s)
        if left_out is not None:
            log.exception(words, table=table, left_out=left_out)

    def fileno(self) -> int:
        """Readable when a step has something to do; for who drives several things."""
        return self._selector.fileno()

    def stored(self) -> bool:
        """Everything that came is in the ledger, and the shoes were told what they are to know of it."""
        return (
            not self._full and not self._own.waiting and not any(place.link.output() for place in self._tables.values())
        )

    def published(self) -> bool:
        """The broker has acknowledged everything that the ledger holds, and every state."""
        return self._publisher.idle() and not self._alarmed

    def retained_topics(self) -> dict[str, bytes]:
        """The retained topics as they stand, whether the broker has them or not."""
        return self._publisher.retained_topics()

    def _wait(self, timeout_s: float) -> list[object]:
        """Whoever has something for us; soon after a commit more of them gather first."""
        found = self._selector.select(timeout_s)
        rest_s = self._gather_s - self._monotonic()
        if found and rest_s > 0:
            self._sleep(rest_s)
            found = self._selector.select(0)
        return [key.data for key, _ in found]

    def _serve(self, source: object, at: Moment) -> None:
        """Whoever has something for us."""
        match source:
            case TableSession():
                self._read(source, at)
            case Control():
                source.accept(at.now_s)
            case Caller():
                self._control.serve(source, lambda request: self._ask(source, request, at))
            case Signals():
                source.take()

    def _read(self, place: TableSession, at: Moment) -> None:
        if place.line.port is None:  # lost in this very turn
            return
        data = place.line.port.read(self._pace.most_bytes(place.name))
        if data is None:
            return
        if not data:
            self._lose(place, at)
            return
        self._captures.carried(place.name, "shoe", data, at.now_s)
        try:
            for event in place.receive(data, at.now_s, at.time):
                self._desk.follow(place, event, at)
                if event.kind == "handed_over":
                    self._match_moves(at)
            self._desk.withdraw_outdated(place, at)
            if place.shoe_fault.to_match(place.link):
                self._own.match_fault(place, at)
        finally:
            if place.pending:
                self._full[place] = None

    def _match_moves(self, at: Moment) -> None:
        """A coup may have come that left another table."""
        for place in self._tables.values():
            self._own.match_moves(place, at)

    def _check_read(self, at: Moment) -> None:
        """Hold where a shoe could not be greeted because the ledger could not be read."""
        if self._unread is not None:
            (unit, error), self._unread = self._unread, None
            self._hold_ledger(f"unit {unit}", error, at, partial(self._ledger.durable_event_no, unit))

    def _ask(self, caller: Caller, request: ParsedRequest, at: Moment) -> None:
        if isinstance(request, Status):
            self._control.answer(caller, Answer(True, "", msgspec.Raw(msgspec.json.encode(self._status(at)))))
        elif isinstance(request, GatewayRequest):
            self._control.answer(caller, self._accept(request, at))
        elif isinstance(request, CaptureRequest):
            self._captures.begin(caller, request, self._tables.get(request.table), at.now_s, self._clock())
        elif self._hold:
            self._control.answer(caller, Answer(False, f"nothing can be done now: {self._hold.problem}"))
        else:
            place = self._tables.get(request.table)
            self._desk.take(request, caller.user, place, lambda answer: self._control.answer(caller, answer), at)

    def _sweep(self, at: Moment) -> list[TableSession]:
        """What is due by time alone; the places whose turn it is."""
        self._desk.expire(at)
        self._control.expire(at.now_s)
        self._captures.step(at.now_s)
        places = list(self._tables.values())
        count, first = -(-len(places) // _SWEEPS), self._visited % len(places)
        self._visited += count
        due = (places[first:] + places[:first])[:count]
        if not self._hold:
            for place in due:
                self._guarded(self._open, place, at)
                if place.verifier.disputes.can_take_older() and not place.pending and not self._own.waiting:
                    place.find_disputes(self._ledger)
            self._pruner.step(at.now_s, self._config.keep_days, lambda days: utc(self._clock() - days * 86_400))
        return due

    def _open(self, place: TableSession, at: Moment) -> None:
        if place.line.port is not None:
            return
        opened = place.line.open(at.now_s)
        if isinstance(opened, PortError):
            self._status_topics.problem(place, str(opened), at)
        elif opened is not None:
            place.link.reset()
            self._watch(place)

    def _watch(self, place: TableSession) -> None:
        port = place.line.port
        if port is not None and not self._hold and port not in self._selector.get_map():
            self._selector.register(port, selectors.EVENT_READ, place)

    def _unwatch(self, place: TableSession) -> None:
        if place.line.port is not None:
            with suppress(KeyError):  # it is not watched during a hold
                self._selector.unregister(place.line.port)

    def _commit(self, at: Moment) -> None:
        """One transaction for all that this turn brought; only then is anything acknowledged."""
        if self._hold and not self._hold.due(at.now_s):
            return
        entries = [entry for place in self._full for entry in place.pending] + self._own.waiting
        if entries:
            try:
                self._alarmed |= dict.fromkeys(place.name for place in self._storing.store(entries, self._full, at))
            except LedgerError as error:
                self._hold_ledger("entries", error, at, lambda: None)  # they are tried again here
                return
            self._stored(entries, at)
        if self._hold:
            self._hold.retry(at.now_s)
            self._end_hold(at)

    def _stored(self, entries: list[Entry], at: Moment) -> None:
        """These are durable: acknowledge them, and carry out what people asked."""
        last_seq = self._ledger.last_seq()
        self._latency.stored(last_seq, len(entries), at.now_s)
        self._pace.stored(last_seq, (entry.table for entry in entries if entry.topic))
        self._alarmed |= dict.fromkeys(entry.table for entry in entries if entry.topic == "alarm")
        if any(entry.topic == "shoe" for entry in entries):
            self._publisher.shoe_changed()
        full, self._full = self._full, {}
        self._own.waiting.clear()
        for place in full:
            self._guarded(lambda place, at: place.stored(at.now_s), place, at)
        self._desk.committed(at)
        self._gather_s = at.now_s + (_GATHER_S if len(entries) > _FEW else _GATHER_FEW_S)

    def _store_all(self, at: Moment) -> bool:
        """Commit until nothing waits, the answers to people included; False where the ledger does not take it."""
        for _ in range(_MOST_COMMITS):
            if self._hold or not (self._full or self._own.waiting):
                break
            self._commit(at)
        return not self._hold and not self._full and not self._own.waiting

    # Nothing is taken from any shoe

    def hold(self, name: str, problem: str, retry: Callable[[], object] | None = None) -> None:
        """Take, acknowledge and publish nothing, until `retry` raises no LedgerError or a person calls `release`."""
        at = self._at()
        self._begin_hold(Reason(name, problem, at.time, retry), at)

    def release(self, name: str) -> bool:
        """A person ends a hold; return whether there was one of this name."""
        held = self._hold.release(name)
        self._end_hold(self._at())
        return held

    def _hold_ledger(self, name: str, error: LedgerError, at: Moment, retry: Callable[[], object]) -> None:
        problem = f"{error}; nothing is taken from any shoe until the ledger can be used again."
        self._begin_hold(Reason(name, problem, at.time, retry, ("ledger_not_writable", _WAS_HELD)), at)

    def _begin_hold(self, reason: Reason, at: Moment) -> None:
        if self._hold.begin(reason, at.now_s):
            if self._errors.take("hold", at.now_s) is not None:
                log.error(reason.problem)
            self._status_topics.hold(self._hold.problem, self._tables, at.time)
            for place in self._tables.values():
                self._unwatch(place)

    def _end_hold(self, at: Moment) -> None:
        """Go on, unless something still holds; every table is told what it did not see."""
        ended = self._hold.take_ended()
        if self._hold or not ended:
            return
        if self._errors.take("goes on", at.now_s) is not None:
            log.info("the gateway goes on", held_since=min(reason.since for reason in ended))
        self._status_topics.hold(None, self._tables, at.time)
        for place in self._tables.values():
            if place.line.port is not None:
                place.held_back(at.now_s)
                self._watch(place)
                for name, say in dict.fromkeys(reason.alarm for reason in ended if reason.alarm):
                    self._own.raise_alarm(place, name, say, at)

    def _tend(self, place: TableSession, at: Moment) -> None:
        """What a table is to say to its shoe, and what is to be said of it."""
        if place.line.port is None:
            return
        if not self._hold and place.silent(at.now_s):
            self._status_topics.problem(
                place, f"the shoe on {place.config.port} is silent; check its power and the cable", at
            )
        place.link.tick(at.now_s)
        self._write(place, at)
        if self._hold:  # nothing is read: what the link makes of the silence is not the shoe's
            return
        self._raise_reports(place, at)
        if place.link.problem:
            self._status_topics.problem(place, place.link.problem, at)
        elif place.news():
            self._greet(place, at)
        elif place.link.unit is not None and (place.concerned_anew() or place.fault != place.told_fault):
            self._status_topics.concern(place, at.time)

    def _raise_reports(self, place: TableSession, at: Moment) -> None:
        """Raise what the link has found as alarms."""
        while place.link.reports:
            self._own.raise_alarm(place, *place.link.reports.popitem(), at)

    def _write(self, place: TableSession, at: Moment) -> None:
        data, port = place.link.output(), place.line.port
        if not data or port is None:
            return
        count = port.write(data)
        if count is None:
            self._lose(place, at)
        else:
            place.link.written(count)
            self._captures.carried(place.name, "gateway", data[:count], at.now_s)

    def _lose(self, place: TableSession, at: Moment, why: str = "") -> None:
        self._unwatch(place)
        place.line.lose(at.now_s)
        self._captures.line_lost(place.name)
        problem = why or f"the shoe on {place.config.port} is gone"
        self._status_topics.problem(place, f"{problem}; waiting for it to come back", at)

    def _greet(self, place: TableSession, at: Moment) -> None:
        """A shoe is served that was not, or otherwise than before."""
        self._status_topics.connected(place, self._config.keys, at.time)
        now_ms = int(self._clock() * 1000)
        try:
            place.link.command("set_time", utc_s=now_ms // 1000 - _SHOE_EPOCH_S, utc_ms=now_ms % 1000)
        except CodecError:
            log.warning(f"this PC's clock says {at.time}, which no shoe can count; set it, and check its time server")

    def _check_behind(self, at: Moment) -> None:
        """Hold where the ledger is behind a head that it once had; a person ends that."""
        if self._ledger.behind:
            self._begin_hold(Reason(_BEHIND, self._ledger.behind, at.time), at)

    def _accept(self, request: GatewayRequest, at: Moment) -> Answer:
        """A person accepts a ledger that was made shorter."""
        try:
            self._ledger.accept(request.by, request.verb.reason, at.time)
        except LedgerError as error:
            return Answer(False, str(error))
        self._own.next_no = self._ledger.next_own_no()
        self.release(_BEHIND)
        for place in self._tables.values():
            self._own.raise_alarm(place, _BEHIND, _WAS_BEHIND, at)
        return Answer(True, "accepted; the gateway goes on.")

    def _publish(self, at: Moment) -> None:
        self._mqtt.step(at.now_s)
        self._check_behind(at)
        if self._hold:
            self._publisher.pump_states()
        else:
            self._publish_alarms(at)
            self._publisher.pump()
        self._latency.published(self._publisher.done(), self._monotonic())
        self._status_topics.broker(self._mqtt.problem, at.now_s)

    def _share_out(self, ready: list[object], at: Moment) -> None:
        """A table that is ahead of the broker is not read until it has caught up; the others are."""
        self._pace.published(self._publisher.done(), connected=self._mqtt.client.is_connected())
        for source in ready:
            if isinstance(source, TableSession) and self._pace.rest(source.name, at.now_s):
                self._unwatch(source)
        for name in self._pace.rested(at.now_s):
            if name in self._tables:
                self._watch(self._tables[name])

    def _publish_alarms(self, at: Moment) -> None:
        """Those that are due; alarms of a table that is gone stand as they were published last."""
        for name in list(self._alarmed):
            place = self._tables.get(name)
            if place is None or self._status_topics.alarms(place, at):
                del self._alarmed[name]

    def _reload(self, at: Moment) -> None:
        """Read the config again, everything being stored; one that cannot be used changes nothing."""
        try:
            new = self._reread()
        except Exception as error:  # of a file, in which anything may stand
            self._signals.reloading = False
            log.error(f"the config stays as it was: {error or type(error).__name__}")
            return
        before, changes = self._config, configs.changes(self._config, new)
        self._config = msgspec.structs.replace(new, **{key: getattr(before, key) for key in configs.ONLY_AT_START})
        try:
            changed = (*changes.added, *changes.changed)
            opened = {table.name: self._place(table, self._tables.get(table.name)) for table in changed}
            self._publisher.serve([*changes.kept, *opened])
        except LedgerError:
            self._config = before  # and try again when it can be read
            raise
        except Exception:
            self._config, self._signals.reloading = before, False
            log.exception("the config stays as it was: the gateway met an error of its own")
            return
        self._signals.reloading = False
        for name in (*changes.removed, *(table.name for table in changes.changed)):
            self._close(self._tables.pop(name), at, removed=name not in opened)
        self._tables |= opened
        self._pace.tables = len(self._tables)
        self._alarmed |= dict.fromkeys(opened)
        for words in changes.restart:
            log.warning(words)
        counts = {what: len(getattr(changes, what)) for what in ("added", "removed", "changed", "kept")}
        log.info("config read again", **counts)

    def _close(self, place: TableSession, at: Moment, *, removed: bool) -> None:
        """Everything of it is stored; whoever reads its status or waits for its shoe is told."""
        self._unwatch(place)
        place.line.close()
        self._captures.end(place.name, at.now_s)
        self._captures.line_lost(place.name)
        self._desk.close_table(place, at)
        if place.name in self._alarmed:
            self._publisher.set_alarms(place.name, place.alarms(at.time))
        say = "this table is not in the gateway's config any more, or was just changed there"
        self._status_topics.closed(place.name, say, at.time)
        alarms, disputed = len(place.verifier.active()), len(place.verifier.disputed())
        if removed and (alarms or disputed):
            log.warning(
                "alarms and disputed coups of a table that is no longer in the config stay in the ledger; "
                "put the table back under its name to decide them",
                table=place.name,
                alarms=alarms,
                disputed=disputed,
            )

    def _status(self, at: Moment) -> dict[str, Any]:
        """For people."""
        return {
            "site": self._config.site,
            "time": at.time,
            "gateway": self._gateway.hex(),
            "ledger": {"entries": self._ledger.last_seq(), "problem": self._hold.problem},
            "hold": self._hold.reasons(),
            "broker": {
                "url": str(self._mqtt.broker),
                "connected": self._mqtt.client.is_connected(),
                "problem": self._mqtt.problem,
                "behind": self._publisher.behind(),
                "overwritten": self._publisher.overwritten,
                "latency": self._latency.summary(),
            },
            "tables": [self._table_status(place) for place in self._tables.values()],
        }

    def _table_status(self, place: TableSession) -> dict[str, Any]:
        """As its retained status has it: during a hold no shoe is served."""
        held = {"state": "offline", "problem": self._hold.problem} if self._hold else {}
        return place.status() | held

    def _goodbye(self) -> None:
        """Publish what is committed, as far as the broker takes it in a moment, and say that we go."""
        end_s = self._monotonic() + _FLUSH_AT_STOP_S
        self._captures.end_all(self._monotonic())
        self._publisher.set_goodbye(self._at().time)
        while self._mqtt.client.is_connected() and not self._said_all() and self._monotonic() < end_s:
            self.step(0.01)
        with suppress(LedgerError):  # then the last ones are published again
            self._publisher.close()
        if not self._publisher.states_taken():
            self._mqtt.hang_up()  # the broker then says it for us
        self.close()
        for place in self._tables.values():
            log.info("line counters", table=place.name, **place.link.line_counters())
        log.info("gateway stopped")

    def _said_all(self) -> bool:
        """The broker has everything; of a ledger that is held, only what stands."""
        return self._publisher.states_taken() if self._hold else self._publisher.idle()

    def crash(self) -> None:
        """End without a word, as a kill does; what was not stored is gone."""
        self._mqtt.hang_up()
        self.close()

    def close(self) -> None:
        """Give everything back; what does not let go does not keep the rest."""
        for place in self._tables.values():
            self._unwatch(place)
        lines = (place.line.close for place in self._tables.values())
        for give_back in (self._signals.close, self._mqtt.close, self._control.close, *lines, self._ledger.close):
            try:
                give_back()
            except Exception:
                log.exception("the gateway did not stop cleanly")


def main(path: Path) -> None:
    """Run a gateway by its config file."""
    status.configure_logging()
    signals = Signals()
    signals.listen()  # first of all: a signal that comes during the start is kept
    App(_loaded(path), reread=lambda: _loaded(path), signals=signals).run()


def _loaded(path: Path) -> configs.Config:
    """The config; what it leaves open about offers is a warning here, for it stops no shoe."""
    config = configs.load(path)
    for problem in configs.offer_problems(config):
        log.warning(f"{path}: {problem}")
    return config
