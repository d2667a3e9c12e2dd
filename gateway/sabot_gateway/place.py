"""Place: one table as the daemon has it: its line, its driver, its verifier, and what is not stored yet."""

from dataclasses import dataclass, field
from typing import Any

import msgspec
import structlog
from sabot_protocol.codec import CodecError
from sabot_protocol.topics import AlarmMessage, AlarmsMessage, CoupMessage

from sabot_gateway import parse
from sabot_gateway.config import Table
from sabot_gateway.driver import Driver
from sabot_gateway.ledger import Entry, Ledger
from sabot_gateway.parse import Event
from sabot_gateway.ports import Line
from sabot_gateway.verify import Record, Verifier

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_SILENT_AFTER_S = 5.0
_encode = msgspec.json.Encoder().encode


@dataclass(eq=False)
class Place:
    """`pending` goes into the ledger before anything of it is acknowledged."""

    table: Table
    line: Line
    link: Driver
    verifier: Verifier
    pending: list[Entry] = field(default_factory=list)
    last_event_no: int = 0
    told: object = None  # the last problem or shoe told, so that each is told once

    @property
    def name(self) -> str:
        """The table's."""
        return self.table.name

    def receive(self, data: bytes, now_s: float, time: str) -> list[Event]:
        """What the shoe says: its events, and in `pending` what the ledger is to keep of them."""
        events = self.link.receive(data, now_s)
        if events and self.link.lost:
            self._keep(events[0], self.verifier.lost(events[0], *self.link.lost, time), time, own=False)
            self.link.lost = None
        for event in events:
            for place, record in enumerate(self._verified(event, time)):
                self._keep(event, record, time, own=not place)
            self.last_event_no = event.event_no
        return events

    def _verified(self, event: Event, time: str) -> list[Record]:
        """An error in our own checks must not end the daemon: it would at every start, with the same event."""
        try:
            return self.verifier.take(event, time)
        except Exception as error:
            log.exception("an event could not be checked", table=self.name, event_no=event.event_no)
            return self.verifier.failed(event, error, time)

    def _keep(self, event: Event, record: Record, time: str, *, own: bool) -> None:
        """A ledger entry: the event's own, with its number and frame, or one of ours that follows from it."""
        topic, message = record
        payload = _encode(message) if message else b""
        number, frame = (event.event_no, event.raw) if own else (None, b"")
        digest = self.verifier.digest
        self.pending.append(Entry(event.unit, number, self.name, topic or "", payload, frame, time, digest))

    def stored(self, now_s: float) -> None:
        """The ledger has everything that was pending."""
        if self.pending:
            self.pending.clear()
            self.link.acknowledge(self.last_event_no, now_s)

    def silent(self, now_s: float) -> bool:
        """A shoe that says nothing, not even that it is alive, is not there, whatever its port says."""
        heard_s = self.link.heard_s
        if self.link.unit is None or heard_s is None or now_s - heard_s <= _SILENT_AFTER_S:
            return False
        self.link.opened()
        return True

    def news(self) -> tuple[str | None, bool, str | None] | None:
        """The shoe that is served and how, where that has not been told yet."""
        served = (self.link.unit, self.link.authenticated, self.link.rotation)
        if self.line.port is None or self.link.problem or self.link.unit is None or self.told == served:
            return None
        self.told = served
        return served

    def alarms(self, time: str) -> bytes:
        """What stands now."""
        return msgspec.json.encode(AlarmsMessage(table=self.name, time=time, alarms=self.verifier.active()))

    def catch_up(self, ledger: Ledger) -> bool:
        """Read the shoe on the table again as the ledger has it; False where another release recorded it."""
        whole = True
        for entry in ledger.this_shoe(self.name):
            if entry.frame:
                try:
                    event = parse.event(entry.unit, parse.frame(entry.frame))
                except CodecError:
                    whole = False
                    break
                self._verified(event, entry.time)
        alarms = [msgspec.json.decode(payload, type=AlarmMessage) for payload in ledger.active_alarms(self.name)]
        disputed = [msgspec.json.decode(payload, type=CoupMessage) for payload in ledger.disputed(self.name)]
        self.verifier.restore(alarms, disputed)
        return whole

    def status(self) -> dict[str, Any]:
        """For people: what is there and what stands."""
        link, port = self.link, self.line.port
        return {
            "table": self.name,
            "port": self.table.port,
            "state": "online" if port is not None and link.unit and not link.problem else "offline",
            "unit": link.unit,
            "authenticated": link.authenticated,
            "problem": link.problem or (self.told if isinstance(self.told, str) else None),
            "rulebook": self.table.rulebook,
            "shoe": self.verifier.shoe,
            "coup": self.verifier.coup,
            "alarms": self.verifier.active(),
            "disputed": [coup.id for coup in self.verifier.disputed()],
            "line": link.line_counters(),
        }
