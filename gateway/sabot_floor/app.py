"""The floor service: one loop over the broker and the control socket; the only place that knows the order of stages."""

import gc
import selectors
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import structlog
from sabot_protocol.inputs.config_file import ConfigError
from sabot_service.broker import Broker
from sabot_service.control import Caller, Control
from sabot_service.daemons import FLOOR
from sabot_service.logs import configure_logging
from sabot_service.moment import Moment, utc
from sabot_service.mqtt import LoopClient
from sabot_service.signals import Signals
from sabot_service.subscriber import Subscriber
from sabot_service.systemd import Systemd

from sabot_floor import config as configs
from sabot_floor import requests
from sabot_floor.answers import Answers
from sabot_floor.arrivals import arrived_in_time, parted
from sabot_floor.commands.opening import command_desk
from sabot_floor.config import Config
from sabot_floor.heads import Heads, key_of
from sabot_floor.hold import Hold
from sabot_floor.inbox import Inbox
from sabot_floor.jackpots.behind import Behind
from sabot_floor.jackpots.collector import Collector
from sabot_floor.jackpots.intake import Intake
from sabot_floor.jackpots.logs import JackpotLogs
from sabot_floor.jackpots.opening import open_jackpots
from sabot_floor.jackpots.receipts import STALL_S
from sabot_floor.jackpots.storing import store_work
from sabot_floor.monitoring import Monitoring
from sabot_floor.notify.notifier import Notifier
from sabot_floor.people.checker import Checker
from sabot_floor.people.desk import PeopleDesk
from sabot_floor.people.log import PeopleLog
from sabot_floor.projection.feed import Feed
from sabot_floor.publish import Publisher
from sabot_floor.signs.desk import open_signs
from sabot_floor.store import AwayError, Store, StoreError, open_store
from sabot_floor.web.bridge import Bridge
from sabot_floor.web.part import WebPart

MOST_MESSAGES = 1000  # in one transaction
_MOST_READ_BYTES = 1 << 19  # about as many messages
_WAIT_S, _SWEEP_EVERY_S = 0.25, 1.0
_FLUSH_AT_STOP_S = 2.0
_STORE_AGAIN_S = 1.0

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class App:
    """`run` until stopped; `step` is one turn of the loop."""

    def __init__(
        self,
        config: Config,
        store: Store | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        clock: Callable[[], float] = time.time,
        signals: Signals | None = None,
        systemd: Systemd | None = None,
    ) -> None:
        self.config, self._monotonic, self._clock = config, monotonic, clock
        self._signals, self._selector = signals or Signals(), selectors.DefaultSelector()
        self.store = store if store is not None else open_store(config.store)
        for note in self.store.notes:
            log.warning(note)
        self.logs = JackpotLogs(self.store)
        self._open()
        self.mqtt = _client(config, self._selector)
        self.inbox = Inbox(self.mqtt)
        self._intake, self.feed = Intake(config.site, config.key()), Feed(self.store, config.site, clock)
        self.notifier = Notifier(config, self.store)
        wanted = (self._intake.filters(), self.feed.filters(), self.notifier.filters())
        self._filters = list(dict.fromkeys(topic for topics in wanted for topic in topics))
        gate = self.feed.gate
        self.collector = Collector(self._intake, self.logs, gate.believed, gate.names_itself)
        self.publisher = Publisher(self.mqtt, self.logs, config.site, config.worker)
        self.publisher.serve(self.logs.served)
        self.logs.on_appended = lambda jackpot, _entries: self.publisher.changed(jackpot)
        self.behind = Behind(self.logs, config.site)
        self.publisher.on_meter = self.behind.received
        self.subscribed, self._sweep_s, self._stepped_s = False, 0.0, monotonic()  # the broker has answered
        self.hold, self._subscriber = Hold(), Subscriber(self.mqtt)
        self.mqtt.on_ready, self.mqtt.on_lost = self._on_ready, self._on_lost
        self._control = Control(config.control_path(), self._selector, FLOOR, requests.parse)
        self._checker = Checker(self._selector)
        people = PeopleDesk(PeopleLog(self.store), self._checker, config.admins(), self._at)
        self._commands = command_desk(config, self.store, self.mqtt, self.inbox, gate, self._at)
        self._signs = open_signs(config, self.store, self._commands.tables.status, self._at())
        self._answers = Answers(
            config,
            self.logs,
            self.mqtt,
            self.inbox,
            self.publisher,
            self.collector,
            self.hold,
            self.behind,
            self.notifier,
            people,
            self._commands,
            self._at,
            self.feed,
            self._signs,
        )
        self._web = WebPart(config, self._selector, people, self._answers.begin, self._at, self._signs)
        self._answers.web_status = self._web.status
        self.monitoring = Monitoring(
            config, self.mqtt, self.inbox, self.collector, self.feed, self.notifier, self.hold, self._web.status,
            monotonic, systemd,
        )  # fmt: skip
        self._heads = Heads(self.store, config.site, key_of(config.head_key_path()), self.publisher.put)

    def _open(self) -> int:
        """Open the jackpots of the parameters' file, or note their changes; return how many sentences warn of them."""
        warnings = open_jackpots(self.logs, self.config.parameters(), self._at().time)
        for said in warnings:
            log.warning(said)
        return len(warnings)

    def _at(self) -> Moment:
        return Moment(self._monotonic(), utc(self._clock()))

    def _on_ready(self) -> None:
        self.subscribed = False
        self._subscriber.begin()
        self._subscriber.subscribe(self._filters, 1, self._on_subscribed)
        self.publisher.on_ready()
        self._subscriber.subscribe(self.publisher.filters(), 0, lambda _: self.behind.listen(self.mqtt.now_s))
        self._subscriber.subscribe(self._commands.filters(), 0)

    def _on_subscribed(self, refused: list[str]) -> None:
        """Report topics that the broker does not let us read."""
        self.subscribed = True
        self.collector.receipts.connected(self.mqtt.now_s)
        if refused:
            self.mqtt.problem = (
                f"the broker at {self.mqtt.broker} does not let {self.mqtt.login.user or 'us'} read "
                f"{', '.join(refused)}: what comes there is not counted; allow it, as the examples do"
            )

    def _on_lost(self) -> None:
        """What is not acknowledged comes again over the next connection."""
        self.subscribed = False
        self.behind.lost()
        self.inbox.lost()
        self.collector.lost()

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT, then stop cleanly; SIGHUP reads the jackpots' parameters again."""
        self._selector.register(self._signals, selectors.EVENT_READ, self._signals)
        log.info(
            "floor service started",
            site=self.config.site,
            worker=self.config.worker,
            jackpots=len(self.logs.served),
            store=self.store.place,
            broker=str(self.mqtt.broker),
        )
        gc.freeze()
        self._web.start()
        self.monitoring.start()
        while not self._signals.stopping:
            self.step(_WAIT_S)
        self._goodbye()

    def step(self, timeout_s: float) -> None:
        """Wait for something and carry it through all stages; an error holds the intake for a second."""
        ready = [key.data for key, _ in self._selector.select(timeout_s)]
        at = self._at()
        if at.now_s - self._stepped_s > STALL_S:
            self.collector.receipts.stalled(at.now_s)
        self._stepped_s = at.now_s
        for source in ready:
            self._serve(source, at)
        self.mqtt.step(at.now_s)
        try:
            self._commands.step(at)
            self._web.step(at)
            self._turn(at)
            self.monitoring.turned(at)
        except StoreError as error:
            self.hold.begin(str(error), at)
            self.monitoring.turned(at)
        except Exception as error:
            log.exception("internal error in the floor service; it tries again every second")
            self.hold.begin(f"Internal error in the floor service ({type(error).__name__}: {error})", at)

    def _serve(self, source: object, at: Moment) -> None:
        match source:
            case Control():
                source.accept(at.now_s)
            case Caller():
                self._control.serve(source, lambda request: self._answer(source, request))
            case Checker():
                source.take()
            case Bridge():
                self._web.serve()
            case Signals():
                source.take()

    def _answer(self, caller: Caller, request: requests.FloorRequest) -> None:
        self._answers.begin(request, caller.user, lambda answer: self._control.answer(caller, answer))

    def _turn(self, at: Moment) -> None:
        """Store what has come, then acknowledge and publish; nothing of it without a store, or with an old one."""
        if self.hold.waits(at.now_s) or self._is_behind(at):
            return
        self._take(at)
        if at.now_s >= self._sweep_s:
            self._sweep_s = at.now_s + _SWEEP_EVERY_S
            self._sweep(at)
        self.publisher.pump(at.now_s)
        self.hold.end()

    def _is_behind(self, at: Moment) -> bool:
        """Return True while the logs are not compared with their meters at the broker, or lack what those name."""
        if not self.behind.holds(at.now_s):
            return False
        self._control.expire(at.now_s)
        self.hold.broker(self.mqtt.problem, at.now_s)
        if self.behind.found:
            self.hold.begin(self.behind.problem, at)
        return True

    def _take(self, at: Moment) -> None:
        arrived = arrived_in_time(self.inbox, self.feed, MOST_MESSAGES, at.now_s)
        self.monitoring.messages += len(arrived)
        try:
            self.feed.take(arrived)
            counting, others = parted(arrived, self.feed.counts_for_its_table)
            self.notifier.turn(counting, at)
        except BaseException:
            self.inbox.put_back(arrived)
            raise
        self.inbox.done(others)
        try:
            work = self.collector.collect(counting, at)
        except Exception:
            self.mqtt.hang_up()  # the broker sends again what was taken
            raise
        try:
            store_work(self.logs, self.collector, work, at)
        except BaseException:
            self.inbox.put_back(work.messages)
            raise
        self.inbox.done(work.messages)
        self.mqtt.flush()

    def _sweep(self, at: Moment) -> None:
        """Do what is due by time alone; look at what other workers have stored."""
        self._control.expire(at.now_s)
        for jackpot in self.logs.served:
            if self.logs.refresh(jackpot):
                self.publisher.changed(jackpot)
        self.publisher.sweep()
        self._heads.step(at)
        self._commands.tables.look(at.now_s)
        self._signs.refresh(self.logs.parameters())
        if self._signals.reloading:
            self._signals.reloading = False
            with self.monitoring.systemd.reload(at.now_s):
                self._reload()
        self.hold.broker(self.mqtt.problem, at.now_s)

    def _reload(self) -> None:
        try:
            warnings = self._open()
        except ConfigError as error:
            log.error(f"the jackpots stay as they were: {error}")
            return
        self.publisher.serve(self.logs.served)
        self.behind.again()
        but = ", but not all of the file was taken: see the warnings before" if warnings else ""
        log.info(f"jackpots read again{but}", jackpots=len(self.logs.served))

    # For benches and tests

    def fileno(self) -> int:
        """Readable when a step has something to do: lets a caller select on several instances."""
        return self._selector.fileno()

    def idle(self) -> bool:
        """Return True if everything that came is stored and acknowledged, and the broker has all that we publish."""
        return not self.inbox.waiting() and self.publisher.idle()

    # The end

    def _goodbye(self) -> None:
        """Publish what is committed and log what is being sent, as far as it takes a moment."""
        self.monitoring.systemd.stopping()
        with suppress(StoreError):
            self._heads.now(self._at())
        end_s = self._monotonic() + _FLUSH_AT_STOP_S
        while self._monotonic() < end_s and (
            self.notifier.is_sending() or (self.mqtt.client.is_connected() and not self.publisher.idle())
        ):
            self.step(0.01)
        try:
            self.publisher.save()
        except StoreError as error:
            log.warning(f"wins and faults of the last second are published again at the next start: {error}")
        self.close()
        log.info("floor service stopped")

    def crash(self) -> None:
        """End as a kill does: nothing is acknowledged or published any more."""
        self.mqtt.hang_up()
        self.close()

    def close(self) -> None:
        """Give everything back; what fails to close does not keep the rest."""
        for give_back in (
            self.monitoring.close,
            self._web.close,
            self._signals.close,
            self.mqtt.close,
            self._control.close,
            self.notifier.close,
            self._checker.close,
            self.store.close,
        ):
            try:
                give_back()
            except Exception:
                log.exception("the floor service did not stop cleanly; report it with this log")


def _client(config: Config, selector: selectors.BaseSelector) -> LoopClient:
    client = LoopClient(
        Broker.from_url(config.broker),
        f"sabot-floor-{config.site}-{config.worker}",
        clean_session=False,
        selector=selector,
        login=config.login,
        manual_ack=True,
        most_read_bytes=_MOST_READ_BYTES,
    )
    exposed = config.login.exposed(client.broker)
    if exposed:
        log.warning(exposed)
    return client


def main(path: Path, worker: str | None = None) -> None:
    """Run a floor service by its config file."""
    configure_logging()
    signals = Signals()
    signals.listen()  # first of all: a signal that comes during the start is kept
    app = started(configs.load(path, worker), signals)
    if app is not None:
        app.run()


def started(config: Config, signals: Signals) -> App | None:
    """Return the service as soon as its database server answers; None if it is stopped before."""
    said = ""
    with selectors.DefaultSelector() as selector:
        selector.register(signals, selectors.EVENT_READ)
        while not signals.stopping:
            try:
                return _opened(config, signals)
            except AwayError as error:
                if str(error) != said:
                    log.error(f"{error}; the floor service waits for it")
                    said = str(error)
            if selector.select(_STORE_AGAIN_S):
                signals.take()
    return None


def _opened(config: Config, signals: Signals) -> App:
    store = open_store(config.store)
    try:
        return App(config, store, signals=signals, systemd=Systemd.found())
    except BaseException:
        store.close()
        raise
