"""TableSession: one table as the daemon has it: its line, its driver, its verifier, and what is not stored yet."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec
import structlog
from sabot_protocol.codec import CodecError
from sabot_protocol.topics import AlarmMessage, AlarmsMessage, CoupMessage

from sabot_gateway.config import Table
from sabot_gateway.ledger import Entry, Ledger, Stored
from sabot_gateway.ops.rate_limit import LogLimiter
from sabot_gateway.shoe import parse
from sabot_gateway.shoe.driver import Driver
from sabot_gateway.shoe.fault import ShoeFault, next_step
from sabot_gateway.shoe.parse import UNREADABLE, Event
from sabot_gateway.shoe.ports import Line
from sabot_gateway.verify import Record, Verifier
from sabot_gateway.verify.alarms.book import most_urgent
from sabot_gateway.verify.alarms.catalogue import CONCERNS
from sabot_gateway.verify.disputes import MOST
from sabot_gateway.verify.moves import LEFT

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_SILENT_AFTER_S = 5.0
_MOST_ALARMS_BYTES = 16_384
_MOST_OF_A_SHOE = 100_000  # events: a week with a continuous shuffler, and some seconds to read
_encode = msgspec.json.Encoder().encode


@dataclass(eq=False)
class TableSession:
    """`pending` goes into the ledger before anything of it is acknowledged."""

    config: Table
    line: Line
    link: Driver
    verifier: Verifier
    pending: list[Entry] = field(default_factory=list)
    last_event_no: int = 0
    told: object = None  # the last problem or shoe told, so that each is told once
    told_fault: str = "none"  # on the topic of the table's status
    shoe_fault: ShoeFault = field(default_factory=ShoeFault)
    _concern: str | None = None  # as last told
    _lines: LogLimiter = field(default_factory=LogLimiter)

    @property
    def name(self) -> str:
        """The table's."""
        return self.config.name

    @property
    def fault(self) -> str:
        """For which the shoe holds its exit; `none` where it does not."""
        return self.shoe_fault.name

    def receive(self, data: bytes, now_s: float, time: str) -> list[Event]:
        """What the shoe says: its events, and in `pending` what the ledger is to keep of them."""
        events = self.link.receive(data, now_s)
        self.shoe_fault.greeted(self.link.greeting)
        if events and self.link.lost:
            for record in self.verifier.lost(events[0], *self.link.lost, time):
                self._keep(events[0], record, time, own=False)
            self.link.lost = None
        for event in events:
            for place, record in enumerate(self._verified(event, time, now_s)):
                self._keep(event, record, time, own=not place)
            self.shoe_fault.follow(event)
            self.last_event_no = event.event_no
        return events

    def _verified(self, event: Event, time: str, now_s: float) -> list[Record]:
        """An error in our own checks must not end the daemon: it would at every start, with the same event."""
        try:
            return self.verifier.take(event, time)
        except Exception as error:
            left_out = self._lines.take("", now_s)
            if left_out is not None:
                where = {"table": self.name, "event_no": event.event_no, "left_out": left_out}
                log.exception("an event could not be checked", **where)
            return self.verifier.failed(event, error, time)

    def _keep(self, event: Event, record: Record, time: str, *, own: bool) -> None:
        """A ledger entry: the event's own, with its number and frame, or one of ours that follows from it."""
        topic: str = record.topic or ""
        payload = _encode(record.message) if record.message else b""
        number, frame = (event.event_no, event.raw) if own else (None, b"")
        if own and event.kind == UNREADABLE:
            topic, payload = UNREADABLE, _encode(event.data)
        digest = self.verifier.digest
        self.pending.append(Entry(event.unit, number, self.name, topic, payload, frame, time, digest))

    def stored(self, now_s: float) -> None:
        """The ledger has everything that was pending."""
        if self.pending:
            self.pending.clear()
            self.link.acknowledge(self.last_event_no, now_s)

    def serves(self, unit: str) -> bool:
        """The shoe of this id is served here."""
        return self.link.unit == unit and self.line.port is not None

    def silent(self, now_s: float) -> bool:
        """A shoe that says nothing, not even that it is alive, is not there, whatever its port says."""
        last_frame_s = self.link.last_frame_s
        if self.link.unit is None or last_frame_s is None or now_s - last_frame_s <= _SILENT_AFTER_S:
            return False
        self.link.reset()
        return True

    def held_back(self, now_s: float) -> None:
        """The port was not read until now: a shoe that could not be heard was not silent."""
        if self.link.unit is None:
            self.link.reset()
        else:
            self.link.last_frame_s = now_s

    def news(self) -> tuple[str | None, bool, str | None] | None:
        """The shoe that is served and how, where that has not been told yet."""
        served = (self.link.unit, self.link.authenticated, self.link.rotation)
        if self.line.port is None or self.link.problem or self.link.unit is None or self.told == served:
            return None
        self.told, self._concern = served, self.concern()
        return served

    def held(self) -> dict[str, str]:
        """The fault that holds the exit and what a person does about it; nothing where it is free."""
        if self.fault == "none":
            return {}
        step = next_step(self.name, self.fault, dealing=self.verifier.state.dealing())
        return {"fault": self.fault, "next_step": step}

    def concern(self) -> str | None:
        """What is wrong though the shoe is served: the gravest alarm about its log or its line, of these the oldest."""
        found = [alarm for alarm in self.verifier.active() if alarm.name in CONCERNS]
        return min(found, key=lambda alarm: CONCERNS.index(alarm.name)).say if found else None

    def concerned_anew(self) -> bool:
        """Whether what is wrong with a shoe that is served is something else than was told."""
        before, self._concern = self._concern, self.concern()
        return self._concern != before

    def alarms(self, time: str) -> bytes:
        """What stands now, as far as it fits into a message."""
        listed, more = most_urgent(self.verifier.active(), _MOST_ALARMS_BYTES)
        return _encode(AlarmsMessage(table=self.name, time=time, alarms=listed, more=more))

    def start_again(self, ledger: Ledger) -> None:
        """Forget what is not stored."""
        self.pending.clear()
        self.verifier = self.verifier.unread_copy()
        self.catch_up(ledger)

    def catch_up(self, ledger: Ledger) -> bool:
        """Read the shoe on the table again as the ledger has it; False where that cannot be done to its end."""
        shoe = ledger.this_shoe(self.name, _MOST_OF_A_SHOE + 1)
        whole = len(shoe) <= _MOST_OF_A_SHOE
        for entry in shoe if whole else ():
            if entry.frame:
                try:
                    event = _stored(entry)
                except CodecError:
                    whole = False
                    break
                self._verified(event, entry.time, 0.0)
        alarms = [msgspec.json.decode(payload, type=AlarmMessage) for payload in ledger.active_alarms(self.name)]
        self.verifier.restore(alarms, [])
        self._recall_moves(ledger, alarms)
        self.find_disputes(ledger)
        return whole

    def _recall_moves(self, ledger: Ledger, alarms: list[AlarmMessage]) -> None:
        """The coups that left and came nowhere, as the ledger has them: the shoe that they left is closed since."""
        for alarm in (alarm for alarm in alarms if alarm.name == LEFT):
            for entry in ledger.entries("WHERE unit = ? AND event_no = ?", (alarm.unit, alarm.event_no)):
                with suppress(CodecError):
                    event = _stored(entry)
                    if event.kind == "handed_over" and not event.data["import"]:
                        self.verifier.recall_move(event, entry.time)

    def find_disputes(self, ledger: Ledger) -> None:
        """The newest disputed coups as the ledger has them, which must hold everything that came."""
        newest = [msgspec.json.decode(payload, type=CoupMessage) for payload in ledger.disputed(self.name, MOST)]
        self.verifier.disputes.restore(newest, ledger.disputed_count(self.name) - len(newest))
        self.verifier.confirmations.restore(ledger.confirmed(self.name, MOST))

    def status(self) -> dict[str, Any]:
        """For people: what is there and what stands."""
        link, port = self.link, self.line.port
        alarms, more = most_urgent(self.verifier.active(), _MOST_ALARMS_BYTES)
        return {
            "table": self.name,
            "port": self.config.port,
            "state": "online" if port is not None and link.unit and not link.problem else "offline",
            "unit": link.unit,
            "authenticated": link.authenticated,
            "problem": link.problem or (self.told if isinstance(self.told, str) else self.concern()),
            "rulebook": self.config.rulebook,
            "shoe": self.verifier.state.shoe_no or 0,
            "coup": self.verifier.state.coup_no,
            "alarms": alarms,
            "more_alarms": more,
            "disputed": [coup.id for coup in self.verifier.disputed()],
            "more_disputed": self.verifier.disputes.more,
            "disputes": [
                {"id": coup.id, "shoe": coup.shoe, "coup": coup.coup, "time": coup.time}
                for coup in self.verifier.disputed()
            ],
            "fault": None,
            "next_step": None,
            **self.held(),
            "line": link.line_counters(),
        }


def _stored(entry: Stored) -> Event:
    """The event of an entry; CodecError where another release recorded it."""
    if entry.topic == UNREADABLE:
        return Event(entry.unit, entry.event_no or 0, UNREADABLE, 0, {"why": ""}, entry.frame)
    return parse.event(entry.unit, parse.frame(entry.frame))
