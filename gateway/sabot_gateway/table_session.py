"""Table session: one table as the daemon has it: its port, link and verifier, and what is not stored yet."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec
import structlog
from sabot_protocol import messages
from sabot_protocol.codec import CodecError
from sabot_protocol.topics import AlarmMessage, AlarmsMessage, CoupMessage, IncidentMessage
from sabot_service.moment import Moment
from sabot_service.rate_limit import LogLimiter

from sabot_gateway.angel_eye import events as angel_eye
from sabot_gateway.config import Table
from sabot_gateway.incidents.book import REMEMBERED, IncidentBook
from sabot_gateway.incidents.listing import listed
from sabot_gateway.jackpots.recording import TableJackpots
from sabot_gateway.ledger import Entry, Ledger, Stored
from sabot_gateway.operator import dealt_coups
from sabot_gateway.ops.table_counts import COUNTED, NOTED, TableCounts
from sabot_gateway.screens.restore import restored_results
from sabot_gateway.screens.state import ScreenState
from sabot_gateway.screens.unseen import without_cards
from sabot_gateway.shoe import parse
from sabot_gateway.shoe.driver import Driver
from sabot_gateway.shoe.fault import FAULTS, ShoeFault, next_step
from sabot_gateway.shoe.line_watch import SILENT_AFTER_S
from sabot_gateway.shoe.parse import UNREADABLE, Event
from sabot_gateway.shoe.ports import Line
from sabot_gateway.verify import Record, Verifier
from sabot_gateway.verify.alarms import wording
from sabot_gateway.verify.alarms.book import most_urgent
from sabot_gateway.verify.alarms.catalogue import CONCERNS
from sabot_gateway.verify.disputes import MOST
from sabot_gateway.verify.moves import LEFT
from sabot_gateway.wear_recall import wear_events

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_MOST_ALARMS_BYTES = 16_384
_ASK_AGAIN_S = 30.0
_LOCKS_ITSELF_S = 2.0  # by then the event of a shoe that has locked its exit itself has come
_MOST_OF_A_SHOE = 100_000  # events: a week with a continuous shuffler, and some seconds to read
_encode = msgspec.json.Encoder().encode

_MOST_BEFORE = 50_000  # entries of a unit in which its key is looked for
_KEY, _DAMAGED = (f"{messages.EventKind.encmapping[kind]:02X}" for kind in ("key", "damaged"))
# Entries of one unit back from ?1: to its key, to its first event, to a part that is missing or unreadable, or ?2.
_KEY_BEFORE = f"""WITH RECURSIVE log (number, kind, what, bytes, earlier, back) AS (
    SELECT event_no, '', '', frame, before, 0 FROM entries WHERE seq = ?1
    UNION ALL SELECT coalesce(event_no, number), hex(substr(frame, 13, 1)), topic, frame, before, back + 1
    FROM log CROSS JOIN entries ON seq = earlier
    WHERE (number <> 1 AND kind NOT IN ('{_KEY}', '{_DAMAGED}') AND what <> '{UNREADABLE}')
    AND coalesce(event_no, number) >= number - 1 LIMIT ?2)
    SELECT number, kind, what, bytes FROM log ORDER BY back DESC LIMIT 1"""

Served = tuple[str | None, bool, str | None]  # unit, authenticated, rotation of its key


@dataclass(eq=False)
class TableSession:
    """`pending` goes into the ledger before any event of it is acknowledged.

    One class because verbs, loop and reload use one table's port, link, verifier and incidents together.
    """

    config: Table
    line: Line
    link: Driver
    verifier: Verifier
    incidents: IncidentBook
    pending: list[Entry] = field(default_factory=list)
    last_event_no: int = 0
    last_published: str | Served | None = None  # a problem, or the shoe and its key; the same is not published again
    published_fault: str = "none"  # on the topic of the table's status
    shoe_fault: ShoeFault = field(default_factory=ShoeFault)
    jackpots: TableJackpots | None = None  # None if no jackpot runs here
    screens: ScreenState = field(default_factory=ScreenState)
    counts: TableCounts = field(default_factory=TableCounts)
    due_s: float = 0.0  # when something can be due by time alone
    _condition: tuple[str | None, tuple[str, ...]] = (None, ())  # what is wrong and what is not known, as published
    _lock_due: tuple[str, float] = ("", 0.0)  # the gateway's own `lock` or `unlock`, and when it is sent, or sent again
    _ledger: Ledger | None = None  # from the first `catch_up` on
    _limiter: LogLimiter = field(default_factory=LogLimiter)

    def __post_init__(self) -> None:
        """Keep the table's name in the config at hand: every entry has it."""
        self.name = self.config.name

    @property
    def fault(self) -> str:
        """The fault or error for which the shoe locks its exit, or `none`."""
        error = self.verifier.standing_error()
        return error["fault"] if error else self.shoe_fault.name

    def find_coup(self, shoe: int, coup: int) -> tuple[CoupMessage | None, str]:
        """Return the newest message about a coup that is stored, and the id of what confirmed it; None without one."""
        return dealt_coups.find(self._ledger, self.name, shoe, coup)

    def why_not_dealt(self, shoe: int, coup: int) -> str:
        """Return why no such coup was dealt here; empty if it was, or if that cannot be known any more."""
        return dealt_coups.why_not(self._ledger, self.name, self.verifier.state, shoe, coup)

    def receive(self, data: bytes, now_s: float, time: str) -> list[Event]:
        """Return the new events in these bytes; `pending` gets what the ledger is to store of them."""
        events = self.link.receive(data, now_s)
        self.shoe_fault.greeted(self.link.greeting)
        if not events:
            return events
        if self.link.lost:
            for record in self.verifier.lost(events[0], *self.link.lost, time):
                self._add(events[0], record, time)
            self.link.lost = None
        self.counts.took(events, now_s)
        for event in events:
            if event.kind in NOTED:
                self.counts.note(event)
            records = self._verified(event, time, now_s)
            following = self._incidents(event, records, time, now_s)
            self._add(event, records[0], time, event.event_no, event.raw)
            if len(records) > 1 or following:
                for record in (*records[1:], *following):
                    self._add(event, record, time)
            if event.kind in FAULTS:
                self.shoe_fault.follow(event)
            self.last_event_no = event.event_no
        return events

    def _incidents(self, event: Event, records: list[Record], time: str, now_s: float) -> list[Record]:
        """Return what people must settle after this event; an internal error here must not stop the event."""
        try:
            if not self.verifier.several_parts and not self.incidents.matters(records, event):
                return []
            found: list[Record] = []
            for part in self.verifier.parts(event, records, time):
                found += self.incidents.follow(part.records, part.source, self.verifier.state, part.event)
            return found
        except Exception:
            left_out = self._limiter.take("incidents", now_s)
            if left_out is not None:
                where = {"table": self.name, "event_no": event.event_no, "left_out": left_out}
                log.exception("the incidents of an event could not be found; report it with this log", **where)
            return []

    def _verified(self, event: Event, time: str, now_s: float) -> list[Record]:
        """Verify an event; an internal error must not end the daemon: it would at every start, with the same event."""
        try:
            return self.verifier.take(event, time)
        except Exception as error:
            left_out = self._limiter.take("", now_s)
            if left_out is not None:
                where = {"table": self.name, "event_no": event.event_no, "left_out": left_out}
                log.exception("an event could not be verified; report it with this log", **where)
            return self.verifier.failed(event, error, time)

    def _add(self, event: Event, record: Record, time: str, number: int | None = None, frame: bytes = b"") -> None:
        """Add the entry of the event itself, with its number and frame; or one that the gateway adds."""
        topic, payload = record.topic, b""
        if topic is not None:
            self.screens.follow(record)
            payload = _encode(record.message)
            if topic == COUNTED:
                self.counts.record(record)
        if number is not None and event.kind == UNREADABLE:
            topic, payload = UNREADABLE, _encode(event.data)
        digest = self.verifier.digest
        self.pending.append(Entry(event.unit, number, self.name, topic or "", payload, frame, time, digest))

    def stored(self, at: Moment) -> None:
        """Acknowledge to the shoe what was pending: the ledger has it."""
        if self.pending:
            self.pending.clear()
            self.link.acknowledge(self.last_event_no, at.now_s)
            self.due_s = 0.0

    def serves(self, unit: str) -> bool:
        """Return True if this shoe is served here."""
        return self.link.unit == unit and self.line.port is not None

    def is_online(self) -> bool:
        """Return True if a shoe is served."""
        return bool(self.line.port is not None and self.link.unit and not self.link.problem)

    def drop_silent(self, now_s: float) -> bool:
        """Stop serving a shoe that has sent nothing for too long, whatever its port reports; return True if so."""
        last_frame_s = self.link.last_frame_s
        if last_frame_s is None or now_s - last_frame_s <= SILENT_AFTER_S or self.link.unit is None:
            return False
        self.link.reset()
        return True

    def resume(self, now_s: float) -> None:
        """The port was not read until now: a shoe whose frames were left unread was not silent."""
        if self.link.unit is None:
            self.link.reset()
        else:
            self.link.restart_silence(now_s)

    def keep_locked(self, now_s: float) -> None:
        """Have the shoe lock its exit while its cards are in doubt, and release it when they are good again."""
        due = self.verifier.lock_due() if self.link.unit and self.link.caught_up() else ""
        if due != self._lock_due[0]:
            wait_s = _LOCKS_ITSELF_S if due == "lock" and self.verifier.locks_itself() else 0.0
            self._lock_due = due, now_s + wait_s
        if due and now_s >= self._lock_due[1]:
            self.link.command(due, {})
            self._lock_due = due, now_s + _ASK_AGAIN_S

    def newly_served(self) -> bool:
        """Return True, once, if a shoe is served that was not, or with another key than before."""
        link, unit = self.link, self.link.unit
        if unit is None or self.line.port is None or link.problem:
            return False
        served = (unit, link.authenticated, link.rotation)
        if self.last_published == served:
            return False
        self.last_published = served
        self.condition_changed()
        return True

    def fault_fields(self) -> dict[str, str]:
        """Return the fault for which the exit is locked and what a person does about it; nothing without a fault."""
        if self.fault == "none" or self.verifier.standing_error():
            return self.verifier.standing_error()
        verifier = self.verifier
        step = next_step(self.name, self.fault, dealing=verifier.state.dealing(), unread=verifier.unread_cards())
        return {"fault": self.fault, "next_step": step}

    def concern(self) -> str | None:
        """Return what is wrong though the shoe is served: the gravest alarm about its log or line, the oldest first."""
        active = self.verifier.active()
        found = [alarm for alarm in active if alarm.name in CONCERNS] if active else []
        return min(found, key=lambda alarm: CONCERNS.index(alarm.name)).say if found else self.link.note

    def condition_changed(self) -> bool:
        """Return True, once, if `concern`, or what the verifier does not know, is another than was published."""
        before, self._condition = self._condition, (self.concern(), self.verifier.unknown())
        return self._condition != before

    def alarms(self, time: str) -> bytes:
        """Return the active alarms, as many as fit into a message."""
        listed, more = most_urgent(self.verifier.active(), _MOST_ALARMS_BYTES)
        return _encode(AlarmsMessage(table=self.name, time=time, alarms=listed, more=more))

    def start_again(self, ledger: Ledger) -> None:
        """Forget what is not stored."""
        self.pending.clear()
        self.verifier = self.verifier.unread_copy()
        self.catch_up(ledger)

    def catch_up(self, ledger: Ledger) -> bool:
        """Verify again the shoe on the table as the ledger has it; return False if that cannot be done to its end."""
        self._ledger, self.screens = ledger, ScreenState(restored_results(ledger, self.name), self.screens.wagers)
        self._recall_wear(ledger)
        whole = self._read_again(ledger)
        alarms = [msgspec.json.decode(payload, type=AlarmMessage) for payload in ledger.active_alarms(self.name)]
        self.verifier.restore(alarms, [])
        self._recall_moves(ledger, alarms)
        self._recall_confirmed(ledger)
        self.find_disputes(ledger)
        newest = ledger.incidents(self.name, REMEMBERED)
        self.incidents.restore(msgspec.json.decode(payload, type=IncidentMessage) for payload in newest)
        return whole

    def _read_again(self, ledger: Ledger) -> bool:
        """Verify again the events of the shoe on the table; return False if they cannot be read to their end."""
        log, shoes = ledger.this_shoe(self.name, _MOST_OF_A_SHOE + 1), ledger.newest_shoe_nos(self.name)
        shoe = max((number for unit, number in shoes.items() if angel_eye.is_unit(unit)), default=0)
        whole, resumed = len(log) <= _MOST_OF_A_SHOE, False
        wanted = self.verifier.driver == "angel-eye"
        events = (entry for entry in log if entry.frame and angel_eye.is_unit(entry.unit) == wanted)
        try:
            for entry in events if whole else ():
                event = _event_of(entry)
                if not resumed:
                    self.verifier.resume(shoe, event)
                    self._recall_key(ledger, entry)
                    resumed = True
                self.counts.recall(event)
                for record in self._verified(event, entry.time, 0.0):
                    self.screens.recall(record)
        except CodecError:
            whole = False
        if not (whole and resumed):
            self.verifier.resume_after(shoe)
        return whole

    def _recall_key(self, ledger: Ledger, first: Stored) -> None:
        """Recall from the ledger whether the supervisor's key was turned before this entry, if that is certain."""
        if angel_eye.is_unit(first.unit):
            return
        for number, kind, topic, frame in ledger.query(_KEY_BEFORE, first.seq, _MOST_BEFORE):
            if topic == UNREADABLE or kind == _DAMAGED:
                return
            if kind == _KEY:
                turned = parse.event(first.unit, parse.frame(bytes(frame)))
                self.verifier.recall_key(first.unit, on=bool(turned.data["on"]))
            elif number == 1:
                self.verifier.recall_key(first.unit, on=False)  # at its first event a shoe has its key at rest

    def _recall_wear(self, ledger: Ledger) -> None:
        """Recall from the ledger what was measured over the last shoes."""
        events = wear_events(ledger, self.name)
        self.verifier.recall_wear(events)
        for event in events:
            self.counts.recall(event)

    def _recall_moves(self, ledger: Ledger, alarms: list[AlarmMessage]) -> None:
        """Recall from the ledger the coups that left and came nowhere: the shoe that they left is closed since."""
        for alarm in (alarm for alarm in alarms if alarm.name == LEFT):
            for entry in ledger.log_of(alarm.unit, alarm.event_no, most=1):
                with suppress(CodecError):
                    event = _event_of(entry)
                    moved = event.kind == "handed_over" and event.event_no == alarm.event_no
                    if moved and not event.data["import"]:
                        self.verifier.recall_move(event, entry.time)

    def _recall_confirmed(self, ledger: Ledger) -> None:
        """Recall from the ledger whether the newest coup is confirmed: the setting may have changed since."""
        last = self.verifier.disputes.last
        for (message_id,) in ledger.query("SELECT confirmed FROM coups WHERE id = ?", last.id) if last else ():
            self.verifier.recall_confirmed(message_id)

    def find_disputes(self, ledger: Ledger) -> None:
        """Read the newest disputed coups from the ledger, which must hold everything that came."""
        newest = [msgspec.json.decode(payload, type=CoupMessage) for payload in ledger.disputed(self.name, MOST)]
        self.verifier.disputes.restore(newest, ledger.disputed_count(self.name) - len(newest))
        self.verifier.confirmations.restore(ledger.confirmed(self.name, MOST))

    def forecast(self) -> str:
        """Return the sentence about the part that will fail first; empty without a trend."""
        found = self.verifier.wear.outlooks(self.link.unit or "")
        falling = [one for one in found if one.shoes is not None and (one.part != "flash" or one.soon)]
        return wording.forecast(min(falling, key=lambda one: one.shoes or 0)) if falling else ""

    def _face_up(self) -> bool:
        return bool(self.verifier.profile["switches"]["dealt_face_up"])

    def status(self) -> dict[str, Any]:
        """Return the table's part of `sabot gateway status`."""
        link = self.link
        alarms, more = most_urgent(self.verifier.active(), _MOST_ALARMS_BYTES)
        incidents, more_incidents = listed(self.incidents)
        return {
            "table": self.name,
            "port": self.config.port,
            "state": "online" if self.is_online() else "offline",
            "unit": link.unit,
            "authenticated": link.authenticated,
            "driver": self.verifier.driver,
            "unknown": list(self.verifier.unknown()),
            "problem": link.problem
            or (self.last_published if isinstance(self.last_published, str) else self.concern()),
            "rulebook": self.config.rulebook,
            "firmware": link.firmware.status() if link.firmware else None,
            "shoe": self.verifier.state.shoe_no or 0,
            "coup": self.verifier.state.coup_no,
            "alarms": list(without_cards(alarms, self.screens.results, face_up=self._face_up())),
            "more_alarms": more,
            "disputed": [coup.id for coup in self.verifier.disputed()],
            "more_disputed": self.verifier.disputes.more,
            "disputes": [
                {"id": coup.id, "shoe": coup.shoe, "coup": coup.coup, "time": coup.time}
                for coup in self.verifier.disputed()
            ],
            "incidents": incidents,
            "more_incidents": more_incidents,
            "fault": None,
            "next_step": None,
            **self.fault_fields(),
            "line": link.line_counters(),
            "forecast": self.forecast(),
        }


def _event_of(entry: Stored) -> Event:
    """Return the event of an entry; CodecError where another release recorded it."""
    if entry.topic == UNREADABLE:
        return Event(entry.unit, entry.event_no or 0, UNREADABLE, 0, {"why": ""}, entry.frame)
    if angel_eye.is_unit(entry.unit):
        return angel_eye.stored_event(entry.unit, entry.event_no or 0, entry.frame)
    return parse.event(entry.unit, parse.frame(entry.frame))
