"""Events of an Angel Eye: its messages and the gateway's facts about it, as they are numbered and stored."""

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

import msgspec
from sabot_protocol.angel_eye.messages import Message, fact, stored
from sabot_protocol.angel_eye.tables import SYN, UNIT_PREFIX
from sabot_protocol.codec import CodecError

from sabot_gateway.shoe.parse import NO_CLOCK, Event

KIND: Final = "angel_eye"  # of an event that holds a message
CONNECT: Final = "connect"  # the fact that the port was opened
COMMAND: Final = "command"  # the fact that a command has its outcome
DONE: Final = ("ack", "done")  # outcomes of a command: the shoe has taken it; the gateway has done it
_DIGITS: Final = 13
_FACT: Final = bytes([SYN])


def unit_of(gateway: bytes, table: str) -> str:
    """Return the lasting id of a table's Angel Eye, of the gateway's id and the table's name: the line has none."""
    return UNIT_PREFIX + hashlib.sha256(gateway + table.encode()).hexdigest()[:_DIGITS]


def is_unit(unit: str) -> bool:
    """Return True if this is the id of an Angel Eye."""
    return unit.startswith(UNIT_PREFIX)


def connect() -> Message:
    """Return the fact that the port was opened."""
    return fact(CONNECT)


def event_of(unit: str, event_no: int, message: Message) -> Event:
    """Return a message as an event; the outcome of a command becomes the event that our own shoe logs for it."""
    if message.name == COMMAND and isinstance(message.fact, dict):
        return _outcome(unit, event_no, message.fact, message.raw)
    return Event(unit, event_no, KIND, NO_CLOCK, {"message": message}, message.raw)


def stored_event(unit: str, event_no: int, frame: bytes) -> Event:
    """Return the event of an entry of the ledger; CodecError if its frame cannot be read."""
    return event_of(unit, event_no, stored(frame))


def learnt_bcc(frames: Iterable[bytes]) -> bool:
    """Return whether the shoe counts STX in the BCC of a command, by the newest that it took; True if none is there."""
    with_stx = True
    for frame in (frame for frame in frames if frame[:1] == _FACT):
        with suppress(CodecError):  # of another release
            known = stored(frame).fact
            if isinstance(known, dict) and known.get("outcome") == "ack":
                with_stx = bool(known.get("with_stx", with_stx))
    return with_stx


class _Outcome(msgspec.Struct):
    """What the fact `command` must have."""

    id: int
    command: str
    data: dict[str, Any]
    outcome: str


def _outcome(unit: str, event_no: int, fields: dict[str, Any], raw: bytes) -> Event:
    try:
        known = msgspec.convert(fields, _Outcome)
    except msgspec.ValidationError as error:  # of another release, or of a file that was changed
        raise CodecError(f"outcome of a command, event {event_no} of {unit}: {error}") from error
    data = {"command_id": known.id, "command": known.command, "data": known.data}
    if known.outcome in DONE:
        return Event(unit, event_no, "command_done", NO_CLOCK, {**data, "outcome": "done"}, raw)
    return Event(unit, event_no, "command_refused", NO_CLOCK, {**data, "outcome": known.outcome}, raw)
