"""The daemon: one loop over ports, broker and control socket; the one place that knows the order of the stages."""

import gc
import selectors
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import structlog
from sabot_protocol import rulebooks
from sabot_protocol.codec import CodecError

from sabot_gateway import config as configs
from sabot_gateway import notices
from sabot_gateway.broker import Broker
from sabot_gateway.config import Config, Table
from sabot_gateway.control import Answer, Caller, Control, Request
from sabot_gateway.desk import At, Desk
from sabot_gateway.keys import KeyRing
from sabot_gateway.latency import Latency
from sabot_gateway.ledger import Ledger, LedgerError
from sabot_gateway.link import ShoeLink
from sabot_gateway.mqtt import LoopClient
from sabot_gateway.notices import Notices
from sabot_gateway.place import Place
from sabot_gateway.ports import Line, PortError
from sabot_gateway.pruner import Pruner
from sabot_gateway.publish import Publisher
from sabot_gateway.signals import Signals
from sabot_gateway.verify import Verifier

_SWEEP_EVERY_S, _SWEEPS = 0.05, 5  # each place has its turn in so many sweeps, four times a second
_GATHER_S, _FEW, _GATHER_FEW_S = 0.01, 16, 0.02  # after a commit: ports share the next one, for longer if few shared it
_TRY_LEDGER_EVERY_S = 1.0
_FLUSH_AT_STOP_S = 2.0
_SHOE_EPOCH_S = int(datetime(2020, 1, 1, tzinfo=UTC).timestamp())

_WAS_HELD = (
    "The gateway could not write its ledger for a while and took nothing from the shoe. Nothing is lost; what the shoe "
    "logged comes now. Have the disk of the table PC looked at."
)

log: structlog.stdlib.BoundLogger = structlog.get_logger()


def utc(now: float) -> str:
    """ISO 8601 with milliseconds."""
    return datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class App:
    """`run` until stopped; `step` is one turn of the loop."""

    def __init__(
        self,
        config: Config,
        monotonic: Callable[[], float] = time.monotonic,
        clock: Callable[[], float] = time.time,
        reread: Callable[[], Config] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._config, self._monotonic, self._clock, self._sleep = config, monotonic, clock, sleep
        self._reread = reread or (lambda: config)
        self._selector = selectors.DefaultSelector()
        self._ledger = Ledger(Path(config.ledger))
        for note in self._ledger.notes:
            log.warning(note)
        self._gateway = self._ledger.gateway_id()
        self._desk = Desk(self._gateway.hex(), self._ledger.next_own_no())
        self._control = Control(config.control_path(), self._selector)
        self._places = {table.name: self._place(table) for table in config.table}
        self._latency = Latency()
        self._full: dict[Place, None] = {}  # have something to be stored, in the order it came
        self._alarmed = dict.fromkeys(self._places.values())  # of whose alarms something is to be said
        self._ledger_problem: str | None = None
        self._try_ledger_s = self._sweep_s = self._gather_s = 0.0
        self._visited = 0
        self._signals, self._pruner = Signals(), Pruner(self._ledger)
        self._connect_broker()

    def _connect_broker(self) -> None:
        config = self._config
        self._mqtt = LoopClient(
            Broker.from_url(config.broker),
            f"sabot-gateway-{config.site}",
            clean_session=False,
            selector=self._selector,
            login=config.login,
        )
        self._publisher = Publisher(self._mqtt, self._ledger, config.site, self._at().time)
        self._notices = Notices(self._publisher)

    def _at(self) -> At:
        return At(self._monotonic(), utc(self._clock()))

    def _place(self, table: Table) -> Place:
        book = rulebooks.load(table.rulebook)
        profile = book.profile(table.decks, table.card_set, table.shoe)
        link = ShoeLink(
            profile, self._ledger.durable_event_no, self._gateway, self._keys, keys_required=self._config.keys_required
        )
        place = Place(table, Line(table.port, table.baud), link, Verifier(table.name, book, profile))
        if not place.catch_up(self._ledger):
            log.warning("the shoe on the table was recorded by another release; its coup in progress is not known")
        return place

    def _keys(self, unit: str) -> list[bytes]:
        return KeyRing(Path(self._config.keys)).keys(unit) if self._config.keys is not None else []

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT, then stop cleanly; SIGHUP reads the config again."""
        self._signals.listen()
        self._selector.register(self._signals, selectors.EVENT_READ, self._signals)
        self.begin()
        gc.freeze()  # what is there now stays: it would be looked through again and again, 40 ms each time
        while not self._signals.stopping:
            self.step(_SWEEP_EVERY_S)
        self._goodbye()

    def begin(self) -> None:
        """Say that the gateway is there."""
        log.info("gateway started", site=self._config.site, tables=len(self._places), broker=str(self._mqtt.broker))
        self._publisher.say_gateway("online", self._at().time)

    def step(self, timeout_s: float) -> None:
        """Wait for something, carry it through all stages, commit once, then acknowledge and publish."""
        ready = self._wait(timeout_s)
        at = self._at()
        for source in ready:
            self._serve(source, at)
        touched = [source for source in ready if isinstance(source, Place)]
        if at.now_s >= self._sweep_s:
            self._sweep_s = at.now_s + _SWEEP_EVERY_S
            touched += self._sweep(at)
        self._commit(at)
        for place in touched:
            self._tend(place, at)
        self._publish(at)
        if self._signals.reloading and not self._ledger_problem:
            self._reload(at)

    def fileno(self) -> int:
        """Readable when a step has something to do; for who drives several things."""
        return self._selector.fileno()

    def stored(self) -> bool:
        """Everything that came is in the ledger, and the shoes were told what they are to know of it."""
        return (
            not self._full
            and not self._desk.entries
            and not any(place.link.output() for place in self._places.values())
        )

    def published(self) -> bool:
        """The broker has acknowledged everything that the ledger holds, and every state."""
        return self._publisher.idle()

    def stands(self) -> dict[str, bytes]:
        """The retained topics as they stand, whether the broker has them or not."""
        return self._publisher.stands()

    def _wait(self, timeout_s: float) -> list[object]:
        """Whoever has something for us; soon after a commit more of them gather first."""
        found = self._selector.select(timeout_s)
        rest_s = self._gather_s - self._monotonic()
        if found and rest_s > 0:
            self._sleep(rest_s)
            found = self._selector.select(0)
        return [key.data for key, _ in found]

    def _serve(self, source: object, at: At) -> None:
        """Whoever has something for us."""
        match source:
            case Place():
                self._read(source, at)
            case Control():
                source.accept(at.now_s)
            case Caller():
                request = self._control.read(source)
                if request is not None:
                    self._ask(source, request, at)
            case Signals():
                source.take()

    def _read(self, place: Place, at: At) -> None:
        if place.line.port is None:  # lost in this very turn
            return
        data = place.line.port.read()
        if data is None:
            return
        if not data:
            self._lose(place, at)
            return
        for event in place.receive(data, at.now_s, at.time):
            self._desk.heard(place, event, at)
        if place.pending:
            self._full[place] = None

    def _ask(self, caller: Caller, request: Request, at: At) -> None:
        if request.verb == "status":
            self._control.answer(caller, Answer(True, "", msgspec.Raw(msgspec.json.encode(self._status(at)))))
        elif self._ledger_problem:
            self._control.answer(caller, Answer(False, f"nothing can be done now: {self._ledger_problem}"))
        else:
            place = self._places.get(request.table)
            self._desk.take(request, caller.user, place, lambda answer: self._control.answer(caller, answer), at)

    def _sweep(self, at: At) -> list[Place]:
        """What is due by time alone; the places whose turn it is."""
        self._desk.expire(at)
        self._control.expire(at.now_s)
        places = list(self._places.values())
        count, first = -(-len(places) // _SWEEPS), self._visited % len(places)
        self._visited += count
        due = (places[first:] + places[:first])[:count]
        if not self._ledger_problem:
            for place in due:
                self._open(place, at)
            self._pruner.prune(at.now_s, self._config.keep_days, lambda days: utc(self._clock() - days * 86_400))
        return due

    def _open(self, place: Place, at: At) -> None:
        if place.line.port is not None:
            return
        opened = place.line.open(at.now_s)
        if isinstance(opened, PortError):
            self._notices.problem(place, str(opened), at.time)
        elif opened is not None:
            place.link.opened()
            self._selector.register(opened, selectors.EVENT_READ, place)

    def _commit(self, at: At) -> None:
        """One transaction for all that this turn brought; only then is anything acknowledged."""
        if self._ledger_problem and at.now_s < self._try_ledger_s:
            return
        entries = [entry for place in self._full for entry in place.pending] + self._desk.entries
        if not entries and not self._ledger_problem:
            return
        try:
            self._ledger.append(entries)
            if not entries:  # it was the cursor that could not be written
                self._publisher.keep_cursor()
        except LedgerError as error:
            self._hold(str(error), at)
            return
        self._latency.stored(self._ledger.last_seq(), len(entries), at.now_s)
        self._alarmed |= dict.fromkeys(self._places[entry.table] for entry in entries if entry.topic == "alarm")
        for place in self._full:
            place.stored(at.now_s)
        self._full.clear()
        self._desk.entries.clear()
        self._desk.committed(at)
        self._gather_s = at.now_s + (_GATHER_S if len(entries) > _FEW else _GATHER_FEW_S)
        if self._ledger_problem:
            self._resume(at)

    def _hold(self, problem: str, at: At) -> None:
        """Nothing can be stored: nothing more is read, acknowledged or published until it can."""
        self._try_ledger_s = at.now_s + _TRY_LEDGER_EVERY_S
        if self._ledger_problem is None:
            self._ledger_problem = f"{problem}; nothing is taken from any shoe until it can be written again"
            log.error(self._ledger_problem)
            self._publisher.say_gateway("online", at.time, problem=self._ledger_problem)
            for place in self._places.values():
                if place.line.port is not None:
                    self._selector.unregister(place.line.port)

    def _resume(self, at: At) -> None:
        self._ledger_problem = None
        log.info("the ledger can be written again")
        self._publisher.say_gateway("online", at.time)
        for place in self._places.values():
            if place.line.port is not None:
                self._selector.register(place.line.port, selectors.EVENT_READ, place)
                self._desk.note(place, "ledger_not_writable", _WAS_HELD, at)

    def _tend(self, place: Place, at: At) -> None:
        """What a table is to say to its shoe, and what is to be said of it."""
        if place.line.port is None:
            return
        if not self._ledger_problem and place.silent(at.now_s):
            self._notices.problem(
                place, f"the shoe on {place.table.port} is silent; check its power and the cable", at.time
            )
        place.link.tick(at.now_s)
        self._write(place, at)
        if place.link.problem:
            self._notices.problem(place, place.link.problem, at.time)
        elif place.news():
            self._greet(place, at)

    def _write(self, place: Place, at: At) -> None:
        data, port = place.link.output(), place.line.port
        if not data or port is None:
            return
        count = port.write(data)
        if count is None:
            self._lose(place, at)
        else:
            place.link.written(count)

    def _lose(self, place: Place, at: At) -> None:
        self._unwatch(place)
        place.line.lose(at.now_s)
        self._notices.problem(place, f"the shoe on {place.table.port} is gone; waiting for it to come back", at.time)

    def _unwatch(self, place: Place) -> None:
        if place.line.port is not None and not self._ledger_problem:
            self._selector.unregister(place.line.port)

    def _greet(self, place: Place, at: At) -> None:
        """A shoe is served that was not, or otherwise than before."""
        self._notices.connected(place, self._config.keys, at.time)
        now_ms = int(self._clock() * 1000)
        try:
            place.link.command("set_time", utc_s=now_ms // 1000 - _SHOE_EPOCH_S, utc_ms=now_ms % 1000)
        except CodecError:
            log.warning(f"this PC's clock says {at.time}, which no shoe can count; set it, and check its time server")

    def _publish(self, at: At) -> None:
        self._mqtt.step(at.now_s)
        if self._ledger_problem:
            self._publisher.pump_states()
        else:
            for place in self._alarmed:
                self._publisher.say_alarms(place.name, place.alarms(at.time))
            self._alarmed.clear()
            try:
                self._publisher.pump()
            except LedgerError as error:
                self._hold(str(error), at)
        self._latency.published(self._publisher.done(), self._monotonic())
        self._notices.broker(self._mqtt.problem)

    def _reload(self, at: At) -> None:
        """Read the config again: tables that are the same go on untouched; one that cannot be used changes nothing."""
        self._signals.reloading = False
        try:
            new = self._reread()
        except configs.ConfigError as error:
            log.error(f"the config stays as it was: {error}")
            return
        changes = configs.changes(self._config, new)
        kept = {key: getattr(self._config, key) for key in configs.ONLY_AT_START}
        self._config = msgspec.structs.replace(new, **kept)
        for name in (*changes.removed, *(table.name for table in changes.changed)):
            self._close(self._places.pop(name), at)
        for table in (*changes.added, *changes.changed):
            self._places[table.name] = self._place(table)
            self._alarmed[self._places[table.name]] = None
        for words in changes.restart:
            log.warning(words)
        counts = {what: len(getattr(changes, what)) for what in ("added", "removed", "changed", "kept")}
        log.info("config read again", **counts)

    def _close(self, place: Place, at: At) -> None:
        """Everything of it is stored; whoever reads its status is told."""
        self._unwatch(place)
        place.line.close()
        self._notices.problem(
            place, "this table is not in the gateway's config any more, or was just changed there", at.time
        )

    def _status(self, at: At) -> dict[str, Any]:
        """For people."""
        return {
            "site": self._config.site,
            "time": at.time,
            "gateway": self._gateway.hex(),
            "ledger": {"entries": self._ledger.last_seq(), "problem": self._ledger_problem},
            "broker": {
                "url": str(self._mqtt.broker),
                "connected": self._mqtt.client.is_connected(),
                "problem": self._mqtt.problem,
                "behind": self._publisher.behind(),
                "latency": self._latency.told(),
            },
            "tables": [place.status() for place in self._places.values()],
        }

    def _goodbye(self) -> None:
        """Publish what is committed, as far as the broker takes it in a moment, and say that we go."""
        end_s = self._monotonic() + _FLUSH_AT_STOP_S
        self._publisher.say_gateway("offline", self._at().time)
        while self._mqtt.client.is_connected() and not self._publisher.idle() and self._monotonic() < end_s:
            self.step(0.01)
        with suppress(LedgerError):  # then the last ones are published again
            self._publisher.close()
        self.close()
        for place in self._places.values():
            log.info("line counters", table=place.name, **place.link.line_counters())
        log.info("gateway stopped")

    def crash(self) -> None:
        """End without a word, as a kill does; what was not stored is gone."""
        self._mqtt.hang_up()
        self.close()

    def close(self) -> None:
        """Give everything back."""
        self._signals.close()
        self._mqtt.close()
        self._control.close()
        for place in self._places.values():
            self._unwatch(place)
            place.line.close()
        self._ledger.close()


def main(path: Path) -> None:
    """Run a gateway by its config file."""
    notices.configure_logging()
    App(configs.load(path), reread=lambda: configs.load(path)).run()
