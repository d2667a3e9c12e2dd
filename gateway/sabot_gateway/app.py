"""The daemon: one loop over all ports and the broker; the one place that knows the order of the stages."""

import os
import selectors
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import serial
import structlog
from sabot_protocol import rulebooks
from sabot_protocol.codec import CodecError

from sabot_gateway import parse
from sabot_gateway.config import Config, Table
from sabot_gateway.driver import Driver
from sabot_gateway.keys import KeyRing
from sabot_gateway.ledger import Entry, Ledger
from sabot_gateway.link import ShoeLink
from sabot_gateway.mqtt import Broker, LoopClient
from sabot_gateway.parse import Event
from sabot_gateway.publish import Publisher
from sabot_gateway.verify import Record, Verifier

_READ_BYTES = 65_536
_LONGEST_SLEEP_S = 0.1
_REOPEN_EVERY_S = 1.0
_FLUSH_AT_STOP_S = 2.0
_SILENT_AFTER_S = 5.0

log: structlog.stdlib.BoundLogger = structlog.get_logger()


def utc(now: float) -> str:
    """ISO 8601 with milliseconds."""
    return datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(eq=False)
class Shoe:
    """One table's port and stages."""

    table: Table
    link: Driver
    verifier: Verifier
    port: serial.Serial | None = None
    next_open_s: float = 0.0
    pending: list[Entry] = field(default_factory=list)
    last_event_no: int = 0
    told: object = None  # the last problem or shoe told, so that each is told once


class App:
    """`run` until stopped; `step` is one turn of the loop."""

    def __init__(
        self,
        config: Config,
        monotonic: Callable[[], float] = time.monotonic,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._config, self._monotonic, self._clock = config, monotonic, clock
        self._selector = selectors.DefaultSelector()
        self._ledger = Ledger(Path(config.ledger))
        self._shoes = [self._shoe(table) for table in config.table]
        self._mqtt = LoopClient(
            Broker.from_url(config.broker),
            f"sabot-gateway-{config.site}",
            clean_session=False,
            selector=self._selector,
        )
        self._publisher = Publisher(self._mqtt, self._ledger, config.site, self._utc())
        self._stopping = False
        self._mqtt_told: str | None = None

    def _utc(self) -> str:
        return utc(self._clock())

    def _shoe(self, table: Table) -> Shoe:
        book = rulebooks.load(table.rulebook)
        profile, durable = book.profile(table.decks, table.card_set, table.shoe), self._ledger.durable_event_no
        verifier = Verifier(table.name, book, profile)
        _catch_up(verifier, self._ledger)
        return Shoe(table, ShoeLink(profile, durable, self._ledger.gateway_id(), self._keys), verifier)

    def _keys(self, unit: str) -> list[bytes]:
        return KeyRing(Path(self._config.keys)).keys(unit) if self._config.keys is not None else []

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT, then stop cleanly."""
        wake, wake_write = socket.socketpair()
        wake_write.setblocking(False)
        signal.set_wakeup_fd(wake_write.fileno())
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        self._selector.register(wake, selectors.EVENT_READ, None)
        log.info("gateway started", site=self._config.site, tables=len(self._shoes), broker=str(self._mqtt.broker))
        self._publisher.say_gateway("online", self._utc())
        while not self._stopping:
            self.step(_LONGEST_SLEEP_S)
        self._goodbye()

    def _stop(self, *_: object) -> None:
        self._stopping = True

    def step(self, timeout_s: float) -> None:
        """Wait for something, carry it through all stages, commit once, then acknowledge and publish."""
        ready = [key.data for key, _ in self._selector.select(timeout_s)]
        now_s = self._monotonic()
        for shoe in ready:
            if isinstance(shoe, Shoe):
                self._read(shoe, now_s)
        for shoe in self._shoes:
            if shoe.port is None:
                self._open(shoe, now_s)
        self._commit(now_s)
        for shoe in self._shoes:
            self._check_silence(shoe, now_s)
            self._write(shoe, now_s)
            self._tell_link(shoe)
        self._publisher.pump()
        self._mqtt.step(now_s)
        self._tell_broker()

    def _open(self, shoe: Shoe, now_s: float) -> None:
        if now_s < shoe.next_open_s:
            return
        shoe.next_open_s = now_s + _REOPEN_EVERY_S
        try:
            shoe.port = serial.serial_for_url(shoe.table.port, shoe.table.baud, timeout=0, exclusive=True)
        except (serial.SerialException, ValueError) as error:
            self._tell(shoe, f"port {shoe.table.port} cannot be opened: {error}; check the cable and the config")
            return
        shoe.link.opened()
        self._selector.register(shoe.port.fileno(), selectors.EVENT_READ, shoe)

    def _read(self, shoe: Shoe, now_s: float) -> None:
        assert shoe.port is not None
        try:
            data = os.read(shoe.port.fileno(), _READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._lose(shoe)
            return
        events = shoe.link.receive(data, now_s)
        table = shoe.table.name
        if events and shoe.link.lost:
            alarm = shoe.verifier.lost(events[0], *shoe.link.lost, self._utc())
            shoe.pending.append(_entry(events[0], alarm, table, own=False))
            shoe.link.lost = None
        for event in events:
            records = shoe.verifier.take(event, self._utc())
            shoe.pending += [_entry(event, record, table, own=not place) for place, record in enumerate(records)]
            shoe.last_event_no = event.event_no

    def _tell_link(self, shoe: Shoe) -> None:
        """What the link makes of its line, once each time it changes."""
        link = shoe.link
        served = (link.unit, link.authenticated, link.rotation)
        if shoe.port is None:
            return
        if link.problem:
            self._tell(shoe, link.problem)
        elif link.unit and shoe.told != served:
            shoe.told = served
            self._tell_connected(shoe.table.name, link, link.unit)

    def _tell_connected(self, table: str, link: Driver, unit: str) -> None:
        log.info("shoe connected", table=table, unit=unit, authenticated="yes" if link.authenticated else "no")
        advice = _advice(unit, link, self._config.keys)
        if advice:
            log.warning(advice, table=table)
        self._publisher.say_table(table, "online", self._utc(), unit=unit, authenticated=link.authenticated)

    def _check_silence(self, shoe: Shoe, now_s: float) -> None:
        """A shoe that says nothing, not even that it is alive, is not there, whatever its port says."""
        heard_s = shoe.link.heard_s
        if shoe.link.unit is not None and heard_s is not None and now_s - heard_s > _SILENT_AFTER_S:
            shoe.link.opened()
            self._tell(shoe, f"the shoe on {shoe.table.port} is silent; check its power and the cable")

    def _lose(self, shoe: Shoe) -> None:
        assert shoe.port is not None
        self._selector.unregister(shoe.port.fileno())
        shoe.port.close()
        shoe.port = None
        self._tell(shoe, f"the shoe on {shoe.table.port} is gone; waiting for it to come back")

    def _tell(self, shoe: Shoe, problem: str) -> None:
        """Why a table has no shoe, in the log and in its status."""
        if shoe.told != problem:
            shoe.told = problem
            log.warning(problem, table=shoe.table.name)
            self._publisher.say_table(shoe.table.name, "offline", self._utc(), problem=problem)

    def _tell_broker(self) -> None:
        if self._mqtt.problem != self._mqtt_told:
            self._mqtt_told = self._mqtt.problem
            if self._mqtt_told:
                log.warning(f"{self._mqtt_told}; the ledger keeps everything until it is back")

    def _commit(self, now_s: float) -> None:
        """One transaction for all that this turn brought; only then is anything acknowledged."""
        pending = [entry for shoe in self._shoes for entry in shoe.pending]
        if not pending:
            return
        self._ledger.append(pending)
        for shoe in self._shoes:
            if shoe.pending:
                shoe.pending.clear()
                shoe.link.acknowledge(shoe.last_event_no, now_s)

    def _write(self, shoe: Shoe, now_s: float) -> None:
        if shoe.port is None:
            return
        shoe.link.tick(now_s)
        data = shoe.link.output()
        if not data:
            return
        try:
            shoe.link.written(os.write(shoe.port.fileno(), data))
        except BlockingIOError:
            return
        except OSError:
            self._lose(shoe)

    def _goodbye(self) -> None:
        """Publish what is committed, as far as the broker takes it in a moment, and say that we go."""
        end_s = self._monotonic() + _FLUSH_AT_STOP_S
        self._publisher.say_gateway("offline", self._utc())
        while self._mqtt.client.is_connected() and not self._publisher.idle() and self._monotonic() < end_s:
            self.step(0.01)
        self._mqtt.close()
        self._ledger.close()
        for shoe in self._shoes:
            log.info("line counters", table=shoe.table.name, **shoe.link.line_counters())
        log.info("gateway stopped")


def _advice(unit: str, link: Driver, keys: str | None) -> str | None:
    """What is to be done about the key of a shoe that is served."""
    if not link.authenticated:
        return (
            f"shoe {unit} is not authenticated: who is on its line can speak for it; make a key with "
            f"`sabot keys new {unit} --dir {keys or 'DIR'} --shoe key.bin` and put key.bin into the shoe"
            + ("" if keys else ", and give `keys` in the config")
        )
    finish = f"`sabot keys rotate {unit} --finish --dir {keys}`"
    if link.rotation == "old":
        return f"shoe {unit} still uses its old key: put the new one into it, then end the rotation with {finish}"
    return f"shoe {unit} uses its new key: end the rotation with {finish}" if link.rotation == "new" else None


def _entry(event: Event, record: Record, table: str, *, own: bool) -> Entry:
    """A ledger entry: the event's own, with its number and frame, or one of ours that follows from it."""
    return Entry(
        unit=event.unit,
        event_no=event.event_no if own else None,
        table=table,
        topic=record.topic or "",
        payload=msgspec.json.encode(record.message) if record.message else b"",
        frame=event.raw if own else b"",
    )


def _catch_up(verifier: Verifier, ledger: Ledger) -> None:
    """Read the shoe on the table again, as the ledger has it, so that a coup in progress is known."""
    for entry in ledger.this_shoe(verifier.table):
        if entry.event_no is not None:
            try:
                event = parse.event(entry.unit, parse.frame(entry.frame))
            except CodecError:
                log.warning("the shoe on the table was recorded by another release; its coup in progress is not known")
                return
            verifier.take(event, "")


def configure_logging() -> None:
    """Plain lines on stderr."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer(colors=False),
        ],
        logger_factory=structlog.PrintLoggerFactory(file=os.fdopen(os.dup(2), "w", buffering=1)),
    )


def main(config: Config) -> None:
    """Run a gateway."""
    configure_logging()
    App(config).run()
