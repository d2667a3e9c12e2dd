"""Own entries: what the gateway itself adds to the ledger, under its own id and number, until the next commit."""

from dataclasses import dataclass, field
from typing import Final

import msgspec
from sabot_service.moment import Moment

from sabot_gateway.ledger import Entry
from sabot_gateway.operator.table_view import TableView
from sabot_gateway.shoe.firmware_push import PushEnd
from sabot_gateway.verify import Record, Source
from sabot_gateway.verify.deciders import Decider

FIRMWARE: Final = "firmware"  # a topic of the ledger that is not published


class FirmwareMessage(msgspec.Struct, kw_only=True, frozen=True):
    """How the push of an image has ended."""

    id: str
    time: str
    table: str
    attempt: str
    unit: str
    version: str
    image: str
    ok: bool
    say: str


@dataclass
class OwnEntries:
    """`waiting` goes into the ledger with the next commit."""

    unit: str  # the gateway's id
    next_no: int
    waiting: list[Entry] = field(default_factory=list)

    def new_source(self, time: str) -> Source:
        """Take the next number."""
        self.next_no += 1
        return Source(self.unit, self.next_no - 1, time)

    def add(self, source: Source, table: str, topic: str, message: msgspec.Struct) -> None:
        """Add a message about a request; one without a table is not published."""
        payload = msgspec.json.encode(message)
        self.waiting.append(Entry(source.unit, source.event_no, table, topic, payload, b"", source.time))

    def add_records(
        self, table: TableView, records: list[Record], source: Source, person: Decider | None = None
    ) -> None:
        """Add what was made of one act, and the incidents that follow; only the first has the source's number."""
        following = table.incidents.follow(records, source, table.verifier.state, person=person)
        for position, record in enumerate([*records, *following]):
            table.screens.follow(record)
            number = source.event_no if position == 0 else None
            payload, book = msgspec.json.encode(record.message), table.verifier.digest
            entry = Entry(source.unit, number, table.name, record.topic or "", payload, b"", source.time, book)
            self.waiting.append(entry)

    def add_push(self, table: TableView, end: PushEnd, at: Moment) -> None:
        """Add how the push of an image has ended; one that runs ends the alarm of one that did not."""
        source, image = self.new_source(at.time), end.image
        message = FirmwareMessage(
            id=source.id,
            time=at.time,
            table=table.name,
            attempt=end.attempt,
            unit=end.unit,
            version=image.version_text,
            image=image.image_hash.hex(),
            ok=end.ok,
            say=end.say,
        )
        self.add(source, table.name, FIRMWARE, message)
        if end.ok:
            cleared = Source(self.unit, self.next_no, at.time)
            self._add_if_any(table, table.verifier.firmware_pushed(end.unit, cleared), cleared)

    def raise_alarm(self, table: TableView, name: str, say: str, at: Moment) -> None:
        """Raise an alarm about the gateway itself, unless it is active."""
        source = self.new_source(at.time)
        self.add_records(table, table.verifier.gateway_alarm(name, say, source), source)

    def match_fault(self, table: TableView, at: Moment) -> None:
        """Bring the alarms into line with the fault that the shoe reported in its HELLO; its log must have come."""
        source = Source(self.unit, self.next_no, at.time)
        self._add_if_any(table, table.verifier.match_fault(table.fault, source), source)

    def match_moves(self, table: TableView, at: Moment) -> None:
        """Clear the alarms of coups that left this table and have come to another."""
        source = Source(self.unit, self.next_no, at.time)
        self._add_if_any(table, table.verifier.match_moves(source), source)

    def match_state(self, table: TableView, name: str, say: str, at: Moment) -> None:
        """Raise an alarm as long as there is something to say; clear it without."""
        if bool(say) != bool(table.verifier.alarms.named(name)):
            source = Source(self.unit, self.next_no, at.time)
            self._add_if_any(table, table.verifier.match_state(name, say, source), source)

    def match_time(self, table: TableView, at: Moment) -> None:
        """Mark the steps of incidents whose time is over."""
        if table.incidents.has_overdue(at.time):
            source = self.new_source(at.time)
            self.add_records(table, table.incidents.overdue(source), source)

    def _add_if_any(self, table: TableView, records: list[Record], source: Source) -> None:
        self.next_no += bool(records)
        self.add_records(table, records, source)
