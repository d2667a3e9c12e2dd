"""Incident book: the open incidents of one table; each that is opened, advanced or marked late makes a message."""

from collections.abc import Iterable

from msgspec.structs import replace
from sabot_protocol import incidents, step_order
from sabot_protocol.incidents import Done
from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.topics import AlarmMessage, CoupMessage, IncidentMessage, Message, ShoeMessage

from sabot_gateway.incidents import evidence, openings, progress
from sabot_gateway.incidents.evidence import Evidence
from sabot_gateway.incidents.last_command import LastCommand
from sabot_gateway.incidents.openings import Opening
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.alarms.book import NotThereError
from sabot_gateway.verify.deciders import Decider, Who, nobody
from sabot_gateway.verify.records import Record, Source
from sabot_gateway.verify.state import ShoeState

MOST = 100  # open at a table; the rest is counted
REMEMBERED = 200  # incidents of a table, open or closed: none of them is opened again for the same coup
_LISTED = 10  # in an answer
Key = tuple[str, str, int, int]  # kind, unit, shoe, coup
_EVENTS = frozenset(("command_done", "checked", "coup_void", "irregularity", "key"))  # that matter beside their records
_TOPICS = frozenset(("alarm", "coup", "confirmed", "shoe"))


class Changes:
    """The incidents that one event or act changes, each one message with the last state."""

    def __init__(self, source: Source, before: dict[str, IncidentMessage]) -> None:
        self.source, self._before = source, before
        self._changed: dict[str, IncidentMessage] = {}
        self._count = 0

    def new_id(self) -> str:
        """Return the id of the next message of this source."""
        self._count += 1
        return f"{self.source.id}-incident" + (f"-{self._count}" if self._count > 1 else "")

    def put(self, incident: IncidentMessage) -> None:
        """Take the new state of an incident, unless nothing has changed."""
        if incident.incident in self._changed:
            self._changed[incident.incident] = incident
        elif self._before.get(incident.incident) != incident:
            known = incident.incident in self._before
            fields = {"id": self.new_id() if known else incident.id, "event_no": self.source.event_no}
            self._changed[incident.incident] = replace(incident, **fields, time=self.source.time)

    def current(self) -> list[IncidentMessage]:
        """Return the open incidents as they are now."""
        return [one for one in (self._before | self._changed).values() if one.state == "open"]

    def messages(self) -> list[IncidentMessage]:
        """Return the new states."""
        return list(self._changed.values())


class IncidentBook:
    """Sans-I/O: records in, further records out; what it holds can be restored from the ledger.

    One class because every way to open, advance, correct or close an incident changes the same open incidents.
    """

    def __init__(self, table: str, book: Rulebook, who: Who = nobody, most: int = MOST) -> None:
        self._table, self.book, self._most = table, book.id, most
        self._digest = book.digest().hex()
        self._open: dict[str, IncidentMessage] = {}
        self._keys: dict[Key, None] = {}
        self._last = LastCommand(who)
        self.more = 0  # that were not opened since the start, because too many are open

    def open(self) -> list[IncidentMessage]:
        """Return the open incidents, oldest first."""
        return list(self._open.values())

    def restore(self, newest: Iterable[IncidentMessage]) -> None:
        """Take the open incidents of the ledger and the newest of all, oldest first."""
        self._open, self._keys = {}, {}
        for incident in newest:
            self._keep(incident)

    def _keep(self, incident: IncidentMessage) -> None:
        self._keys[_key(incident)] = None
        if len(self._keys) > REMEMBERED:
            del self._keys[next(iter(self._keys))]
        if incident.state == "open":
            self._open[incident.incident] = incident
        else:
            self._open.pop(incident.incident, None)

    # Events of the shoe, and what the gateway adds

    def follow(
        self,
        records: list[Record],
        source: Source,
        state: ShoeState,
        event: Event | None = None,
        person: Decider | None = None,  # who requested what the records have
    ) -> list[Record]:
        """Return the records of the incidents that these records open, advance or close."""
        if not self.matters(records, event):
            return []
        if event is not None and event.kind == "command_done":
            self._last.note(event)
        changes, requester = Changes(source, self._open), self._last.of(event)
        found = [one for record in records for one in evidence.of_record(record, source.time)]
        if event is not None:
            found += evidence.of_event(event, records, state, requester, source.time)
        if self._open:
            for one in found:
                self._advance(changes, self._with_role(one, person))
            self._pass_time(changes, records)
            if event is not None and event.kind == "card":
                for incident in changes.current():
                    changes.put(progress.with_card(self.book, incident, event))
        for opening in openings.of_records(self.book, records, event, state):
            self._open_new(changes, opening, requester)
        if event is not None:
            for opening in openings.of_event(self.book, event, records, state):
                self._open_new(changes, opening, requester)
        return self._stored(changes)

    def matters(self, records: list[Record], event: Event | None) -> bool:
        """Return False if nothing of this can open or advance an incident; most events are such."""
        if event is not None and event.kind in _EVENTS:
            return True
        if self._open:
            card = event is not None and event.kind == "card"
            if card and any(progress.waits_for_card(self.book, one) for one in self._open.values()):
                return True
            return any(record.topic in _TOPICS for record in records)
        for record in records:
            message = record.message
            if record.topic in _TOPICS and _opens(message):
                return True
        return False

    def _with_role(self, one: Evidence, person: Decider | None) -> Evidence:
        """Add the role of the person whose request is the proof."""
        known = person.role if person and person.attempt == one.done.attempt else self._last.role_of(one.done.attempt)
        return one._replace(done=one.done._replace(role=one.done.role or known))

    def _advance(self, changes: Changes, one: Evidence) -> None:
        for incident in changes.current():
            changes.put(progress.proved(self.book, incident, one))

    def _pass_time(self, changes: Changes, records: list[Record]) -> None:
        """Mark what the next shoe makes late; name the coup of an incident once it has a message."""
        for record in records:
            message = record.message
            if isinstance(message, ShoeMessage) and message.state == "open":
                for incident in changes.current():
                    changes.put(incidents.mark_late(incident, changes.source.time, "end_of_shoe"))
            elif isinstance(message, CoupMessage):
                self._name_coup(changes, message)
                for incident in changes.current():
                    changes.put(progress.with_coup(self.book, incident, message))

    def _name_coup(self, changes: Changes, message: CoupMessage) -> None:
        for incident in changes.current():
            same = (incident.shoe, incident.coup) == (message.shoe, message.coup)
            if same and not incident.coup_id and incident.unit in evidence.dealing_units(message):
                changes.put(replace(incident, coup_id=message.id))

    def _open_new(self, changes: Changes, opening: Opening, person: Decider | None) -> None:
        """Open an incident that has steps, unless one of its kind is open for the coup; an act also if one was."""
        key = opening.kind, opening.unit, opening.shoe, opening.coup
        if before := _corrects(opening, changes):
            changes.put(self._corrected(before, opening, changes, person))
            return
        known = {*map(_key, (*changes.current(), *changes.messages()))}
        if key in known or (opening.opener.act and key in self._keys) or _settles(opening, changes):
            return
        incident = self._new(opening, changes, person)
        if not incident.steps:
            return
        if incident.state == "open" and len(changes.current()) >= self._most:
            self.more += 1
            return
        changes.put(incident)

    def _corrected(
        self, before: IncidentMessage, opening: Opening, changes: Changes, person: Decider | None
    ) -> IncidentMessage:
        """Return an incident as a later report has it."""
        facts, time = before.facts | opening.facts, changes.source.time
        now = incidents.steps(self.book, opening.kind, opening.opener, facts, before.opened, opening.clause)
        done = evidence.done_by(person, time)
        after = incidents.corrected(before, now, done._replace(note="corrected by a later report"))
        after = replace(after, facts=facts, say=opening.say, clause=opening.clause or before.clause)
        return _opened(self.book, after, opening, done)

    def _new(self, opening: Opening, changes: Changes, person: Decider | None) -> IncidentMessage:
        """Return a new incident with its steps, and what is done with the opening."""
        source, facts = changes.source, opening.facts
        steps = (
            incidents.steps(self.book, opening.kind, opening.opener, facts, source.time, opening.clause)
            if opening.kind != incidents.RECORDED
            else []
        )
        new_id = changes.new_id() if steps or opening.kind == incidents.RECORDED else ""
        incident = IncidentMessage(
            id=new_id,
            unit=opening.unit or source.unit,
            event_no=source.event_no,
            table=self._table,
            shoe=opening.shoe,
            coup=opening.coup,
            time=source.time,
            rulebook=self._digest,
            incident=new_id,
            kind=opening.kind,
            state="open",
            say=opening.say,
            clause=opening.clause or next((step.clause for step in steps if step.clause), ""),
            opened=source.time,
            by=person.by if person else "",
            alarm=opening.alarm,
            coup_id=opening.coup_id,
            facts=dict(facts),
        )
        opened = incidents.with_steps(incident, steps)
        return _opened(self.book, opened, opening, evidence.done_by(person, source.time))

    # People

    def find(self, label: str) -> IncidentMessage:
        """Return the open incident with this id, or of this kind if it is the only one; else NotThereError."""
        found = [one for one in self._open.values() if label in (one.incident, one.kind)]
        if len(found) == 1:
            return found[0]
        if found:
            raise NotThereError(f"{len(found)} incidents {label} are open: use the id: {_list(found)}")
        raise NotThereError(f"no incident {label} is open; open: {_list(self.open())}")

    def is_open(self, opening: Opening, same: Iterable[str] = ()) -> IncidentMessage | None:
        """Return the open incident of this kind for the same coup, or None; `same`: facts that must not differ."""
        key = opening.kind, opening.unit, opening.shoe, opening.coup
        for one in self._open.values():
            differ = (one.facts.get(name, opening.facts.get(name)) != opening.facts.get(name) for name in same)
            if _key(one) == key and not any(differ):
                return one
        return None

    def open_by(self, opening: Opening, person: Decider, source: Source) -> tuple[Record, IncidentMessage]:
        """Open an incident for a person; NotThereError if too many are open."""
        changes = Changes(source, self._open)
        incident = self._new(opening, changes, person)
        if incident.state == "open" and len(self._open) >= self._most:
            raise NotThereError(f"{len(self._open)} incidents are open at this table: close some with `step` first")
        changes.put(incident)
        (record,) = self._stored(changes)
        return record, incident

    def complete(
        self,
        incident: IncidentMessage,
        name: str,
        done: Done,
        source: Source,
        *,
        settled: bool = False,
        label: str = "",
        undealt: bool = False,
    ) -> tuple[Record, IncidentMessage]:
        """Record that a step is done; `settled`: the steps after it are not needed; `label`: the coup that has begun.

        `undealt`: no card of the incident's coup is out, so that what must come before its cards is in time.
        """
        changes = Changes(source, self._open)
        facts = step_order.facts_of_notice(self.book, incident, name, label)
        rule = step_order.rule_of(self.book, incident.kind, name)
        in_time = undealt and rule is not None and rule.before_cards
        after = incidents.complete(replace(incident, facts=facts), name, done, opening=in_time)
        if settled:
            after = incidents.drop_rest(after, done._replace(note="settled"))
        changes.put(after)
        (record,) = self._stored(changes)
        return record, after

    def add_facts(
        self, incident: IncidentMessage, opening: Opening, done: Done, source: Source
    ) -> tuple[Record, IncidentMessage]:
        """Add facts that a person gives; steps that they contradict were never due."""
        changes, facts = Changes(source, self._open), opening.facts | incident.facts
        now = incidents.steps(self.book, incident.kind, opening.opener, facts, incident.opened, incident.clause)
        changes.put(incidents.with_facts(incident, facts, {step.name for step in now}, done))
        after = changes.messages()[0]
        (record,) = self._stored(changes)
        return record, after

    def withdraw(
        self, incident: IncidentMessage, reason: str, done: Done, source: Source
    ) -> tuple[Record, IncidentMessage]:
        """Close an incident that a person opened by mistake."""
        changes, after = Changes(source, self._open), incidents.withdrawn(incident, reason, done)
        changes.put(after)
        (record,) = self._stored(changes)
        return record, after

    def overdue(self, source: Source) -> list[Record]:
        """Return the records of incidents with steps that have become late."""
        changes = Changes(source, self._open)
        for incident in self.open():
            changes.put(incidents.mark_late(incident, source.time))
        return self._stored(changes)

    def has_overdue(self, time: str) -> bool:
        """Return True if a step has become late."""
        return any(bool(until) and until < time for until in map(incidents.next_until, self._open.values()))

    def _stored(self, changes: Changes) -> list[Record]:
        for incident in changes.messages():
            self._keep(incident)
        return [Record("incident", incident) for incident in changes.messages()]


def _opened(book: str, incident: IncidentMessage, opening: Opening, done: Done) -> IncidentMessage:
    """Return the incident with those steps done that are done by opening it, by the right hand."""
    hand = progress.hand_of(book, done)
    for step in incident.steps:
        named = step.name in opening.done and incidents.is_right_hand(book, incident, step, "coup_void", hand)
        if not step.done and (named or "opening" in incidents.proofs(step.name)):
            incident = incidents.complete(incident, step.name, done, opening=True)
    if opening.facts.get("notified_before_next") is not False:
        return incident
    steps = [replace(step, late=True) if step.name == "notice" else step for step in incident.steps]
    return replace(incident, steps=steps)


def _corrects(opening: Opening, changes: Changes) -> IncidentMessage | None:
    """Return the open incident that a report corrects: of the same case and coup; if it is late, of an earlier coup."""
    case, late = opening.opener.alarm, opening.facts.get("notified_before_next") is False
    if not opening.opener.code:
        return None
    for one in reversed(changes.current()):
        same = (one.kind, one.unit, one.shoe) == (opening.kind, opening.unit, opening.shoe)
        at = one.coup == opening.coup or (late and one.coup < opening.coup)
        if same and at and one.alarm.endswith(f"-{case}"):
            return one
    return None


def _settles(opening: Opening, changes: Changes) -> bool:
    """Return True if the void coup that would open an incident is the step of another one, done with it or open."""
    return "void" in opening.done and any(
        (one.unit, one.shoe, one.coup) == (opening.unit, opening.shoe, opening.coup)
        and any(step.name == "void" and step.done in ("", changes.source.time) for step in one.steps)
        for one in (*changes.current(), *changes.messages())
    )


def _opens(message: Message | None) -> bool:
    """Return True if a message can open an incident."""
    return isinstance(message, AlarmMessage) or (isinstance(message, CoupMessage) and message.status == "disputed")


def _key(incident: IncidentMessage) -> Key:
    return incident.kind, incident.unit, incident.shoe, incident.coup


def _list(found: list[IncidentMessage]) -> str:
    return ", ".join(f"{one.incident} ({one.kind})" for one in found[-_LISTED:]) or "none"
