"""Evidence: what a record or an event proves about the steps of open incidents."""

from collections.abc import Iterator
from typing import NamedTuple

from sabot_protocol.incidents import Done
from sabot_protocol.rulebooks.incidents import UNWAGERED_COUP, Proof
from sabot_protocol.topics import AlarmMessage, IncidentMessage, Message, Result, ShoeMessage

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.deciders import BY_SUPERVISOR, Decider
from sabot_gateway.verify.moves import LEFT
from sabot_gateway.verify.records import Record, unit_of
from sabot_gateway.verify.reports.exit_lock import AWAITING
from sabot_gateway.verify.state import NO_COUP, ShoeState

_UNWAGERED = ("no_bet", "void_hand", "free_hand", "dummy")
_SHOE = "the shoe"
OF_UNWAGERED: frozenset[Proof] = frozenset(("unwagered_coup", "authorised"))  # about the coup that is to follow


class Evidence(NamedTuple):
    """A proof, by whom, and what it is about: a coup, a shoe up to a coup, earlier shoes, or the unit."""

    proof: Proof
    done: Done
    units: tuple[str, ...] = ()  # empty: any
    shoe: int | None = None
    coup: int | None = None
    from_coup: int | None = None
    after_shoe: int | None = None  # of the shoes before this one

    def about(self, incident: IncidentMessage) -> bool:
        """Return True if it is about this incident."""
        if self.units and incident.unit not in self.units:
            return False
        if self.shoe is not None and incident.shoe != self.shoe:
            return False
        if self.after_shoe is not None and incident.shoe >= self.after_shoe:
            return False
        coup = _coup_of(incident, self.proof)
        if self.coup is not None and coup != self.coup:
            return False
        return self.from_coup is None or coup <= self.from_coup


def _coup_of(incident: IncidentMessage, proof: Proof) -> int:
    """Return the coup that this proof of an incident is about: its own, or the one without wagers that follows."""
    coup = incident.facts.get(UNWAGERED_COUP) if proof in OF_UNWAGERED else None
    return coup if isinstance(coup, int) else incident.coup


def of_record(record: Record, time: str) -> Iterator[Evidence]:
    """Yield what a record proves."""
    match record.message:
        case Result() as result:
            yield from _of_result(result, time)
        case ShoeMessage() as shoe:
            yield from _of_shoe(shoe, Done(time, _SHOE))
        case AlarmMessage(name=name, state="cleared") as alarm if name == LEFT:
            done = Done(time, alarm.by or _SHOE)
            yield Evidence("coup_moved", done, (unit_of(alarm.alarm),), alarm.shoe, alarm.coup)


def _of_shoe(shoe: ShoeMessage, done: Done) -> Iterator[Evidence]:
    """A shoe is closed, or a new one is opened at this unit: then those before it are over."""
    if shoe.state == "closed":
        yield Evidence("shoe_closed", done, (shoe.unit,), shoe.shoe)
        return
    yield Evidence("shoe_closed", done, (shoe.unit,), after_shoe=shoe.shoe)
    yield Evidence("new_shoe", done, (shoe.unit,), after_shoe=shoe.shoe)


def _of_result(result: Result, time: str) -> Iterator[Evidence]:
    """A coup that is confirmed or void, or that was dealt without wagers."""
    done = Done(time, result.by or _SHOE, attempt=result.attempt)
    units = dealing_units(result)
    void = result.kind == "void" or result.status == "void"
    if void:
        yield Evidence("coup_void", done, units, result.shoe, result.coup)
    if void or result.status == "confirmed":
        yield Evidence("coup_decided", done, units, result.shoe, result.coup)
    if result.kind in _UNWAGERED:
        yield Evidence("unwagered_coup", done, units, result.shoe, from_coup=result.coup)


def dealing_units(message: Message) -> tuple[str, ...]:
    """Return the units that can have dealt a coup: of a decision, also that of the message that it corrects."""
    corrects = getattr(message, "corrects", "")
    return (message.unit, unit_of(corrects)) if corrects else (message.unit,)


def of_event(
    event: Event, records: list[Record], state: ShoeState, person: Decider | None, time: str
) -> Iterator[Evidence]:
    """Yield what an event proves by itself; `person` requested the command that it ends."""
    match event.kind:
        case "command_done":
            yield from _of_command(event, state, done_by(person, time))
        case "key" if event.data["on"] and _no_longer_waits(records):
            done = Done(time, BY_SUPERVISOR)
            yield Evidence("authorised", done, (event.unit,), state.shoe_no, state.next_coup_no())
        case "card" if _is_due(event):
            data = event.data
            yield Evidence("card_read", Done(time, _SHOE), (event.unit,), data["shoe_no"], from_coup=data["coup_no"])
        case "checked":
            # A check of fewer decks proves little.
            whole = state.is_every_card(event.data["cards"])
            if whole and not any(_raised(record.message) for record in records):
                yield Evidence("cards_complete", Done(time, _SHOE), (event.unit,), state.shoe_no)


def _of_command(event: Event, state: ShoeState, done: Done) -> Iterator[Evidence]:
    """A card is keyed in; or the coup that is due next is authorised, or made one without wagers."""
    shoe, coup = state.shoe_no, state.next_coup_no()
    match event.data["command"]:
        case "key_card":
            on_table = state.coup_on_table()
            yield Evidence("card_keyed", done, (event.unit,), shoe, from_coup=on_table[1] if on_table else None)
        case "authorise":
            yield Evidence("authorised", done, (event.unit,), shoe, coup)
        case "this_no_bet":
            yield Evidence("made_unwagered", done, (event.unit,), shoe, coup)


def _no_longer_waits(records: list[Record]) -> bool:
    """Return True if a coup waited for its authorisation and has it now."""
    messages = (record.message for record in records)
    return any(isinstance(one, AlarmMessage) and (one.name, one.state) == (AWAITING, "cleared") for one in messages)


def _is_due(event: Event) -> bool:
    """Return True for a card of a coup that was read: not one too many, burnt, or keyed in."""
    flags = event.data["flags"]
    return event.data["slot"] not in NO_COUP and not flags.get("surplus") and not flags.get("keyed")


def is_dealt(event: Event, incident: IncidentMessage) -> bool:
    """Return True for a card of the incident's coup, or of one after it in the same shoe."""
    data = event.data
    if (event.unit, data["shoe_no"]) != (incident.unit, incident.shoe) or data["coup_no"] < incident.coup:
        return False
    return data["slot"] not in NO_COUP and not data["flags"].get("surplus")


def _raised(message: Message | None) -> bool:
    return isinstance(message, AlarmMessage) and message.state == "raised"


def done_by(person: Decider | None, time: str) -> Done:
    """Return the person of a command; the shoe if nobody is known."""
    return Done(time, person.by, person.role, attempt=person.attempt) if person else Done(time, _SHOE)
