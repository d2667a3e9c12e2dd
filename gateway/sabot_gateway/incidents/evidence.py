"""Evidence: what a record or an event proves about the steps of open incidents."""

from collections.abc import Iterator
from typing import NamedTuple

from sabot_protocol.incidents import NOT_NEEDED, Done
from sabot_protocol.rulebooks.incidents import Proof
from sabot_protocol.topics import AlarmMessage, IncidentMessage, Message, Result, ShoeMessage

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.deciders import Decider
from sabot_gateway.verify.moves import LEFT
from sabot_gateway.verify.records import Record, unit_of
from sabot_gateway.verify.reports.exit_lock import AWAITING
from sabot_gateway.verify.state import ShoeState

_UNWAGERED = ("no_bet", "void_hand", "free_hand", "dummy")
_SHOE = "the shoe"
_READ = f"{NOT_NEEDED}: the card that was due was read"
_DECK = 52


class Evidence(NamedTuple):
    """A proof, by whom, and what it is about: an exact coup, a shoe from a coup on, or the whole table."""

    proof: Proof
    done: Done
    units: tuple[str, ...] = ()  # empty: any
    shoe: int | None = None
    coup: int | None = None
    from_coup: int | None = None

    def about(self, incident: IncidentMessage) -> bool:
        """Return True if it is about this incident."""
        if self.units and incident.unit not in self.units:
            return False
        if self.shoe is not None and incident.shoe != self.shoe:
            return False
        if self.coup is not None and incident.coup != self.coup:
            return False
        return self.from_coup is None or incident.coup <= self.from_coup


def of_record(record: Record, time: str) -> Iterator[Evidence]:
    """Yield what a record proves."""
    match record.message:
        case Result() as result:
            yield from _of_result(result, time)
        case ShoeMessage() as shoe:
            done = Done(time, _SHOE)
            yield Evidence("shoe_closed", done)
            if shoe.state == "open":
                yield Evidence("new_shoe", done)
        case AlarmMessage(state="cleared") as alarm:
            yield from _of_cleared(alarm, time)


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


def _of_cleared(alarm: AlarmMessage, time: str) -> Iterator[Evidence]:
    done = Done(time, alarm.by or _SHOE)
    unit = unit_of(alarm.alarm)
    if alarm.name == LEFT:
        yield Evidence("coup_moved", done, (unit,), alarm.shoe, alarm.coup)
    elif alarm.name == AWAITING:
        yield Evidence("authorised", done, (unit,))


def of_event(
    event: Event, records: list[Record], state: ShoeState, person: Decider | None, time: str
) -> Iterator[Evidence]:
    """Yield what an event proves by itself; `person` requested the command that it ends."""
    if event.kind == "command_done" and event.data["command"] == "key_card":
        yield Evidence("card_keyed", done_by(person, time), (event.unit,))
    if event.kind == "card" and not event.data["flags"].get("surplus") and not event.data["flags"].get("keyed"):
        yield Evidence("card_read", Done(time, _SHOE, note=_READ), (event.unit,), event.data["shoe_no"])
    # A check of fewer decks proves little.
    whole = event.kind == "checked" and event.data["cards"] >= _DECK * state.decks
    if whole and not any(isinstance(record.message, AlarmMessage) for record in records):
        yield Evidence("cards_complete", Done(time, _SHOE), (event.unit,), state.shoe_no)


def done_by(person: Decider | None, time: str) -> Done:
    """Return the person of a command; the shoe if nobody is known."""
    return Done(time, person.by, person.role, attempt=person.attempt) if person else Done(time, _SHOE)
