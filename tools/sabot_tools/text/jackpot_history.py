"""History of a jackpot as text: one line for each entry of its log, and the same as JSON."""

from typing import Any

import msgspec
from sabot_floor.jackpots.batch import FAULT, WIN
from sabot_floor.jackpots.engine import Entry, Logged
from sabot_floor.jackpots.engine.entries import (
    Accepted,
    Adjusted,
    Changed,
    Confirmed,
    Drawn,
    Increment,
    Invalid,
    MadeGood,
    Opened,
    Ordered,
    Proposed,
    Recorded,
    Restored,
    Settled,
    Withdrawn,
)
from sabot_floor.store import Stored
from sabot_protocol.jackpots.currency import written
from sabot_protocol.jackpots.messages import FaultMessage, WinMessage

from sabot_tools.text.jackpots import hand, prize


def as_json(entry: Stored) -> bytes:
    """Return an entry of a log as one line of JSON, its payload included."""
    return msgspec.json.encode(
        {
            "seq": entry.seq,
            "id": entry.id,
            "kind": entry.kind,
            "time": entry.time,
            "hash": entry.hash.hex(),
            "entry": msgspec.Raw(entry.payload),
        }
    )


def line(entry: Stored, currency: str) -> str:
    """Return an entry as a line: number, time, kind, what it did, and the display after it."""
    head = f"{entry.seq:>7}  {entry.time}  {entry.kind:10}"
    try:
        return f"{head}  {_say(entry, currency)}"
    except (msgspec.MsgspecError, RecursionError) as error:
        return f"{head}  cannot be read: {error}"


def _say(entry: Stored, currency: str) -> str:
    if entry.kind == WIN:
        win = msgspec.json.decode(entry.payload, type=WinMessage).win
        return f"{hand(win)}: {win.state}" + (f", {prize(win, currency)}" if win.rounded else "")
    if entry.kind == FAULT:
        return msgspec.json.decode(entry.payload, type=FaultMessage).say
    logged = msgspec.json.decode(entry.payload, type=Logged)
    what = _not_counted(logged, currency) or _what(logged.entry, currency)
    return f"{what}; display {written(logged.meters.display, currency)}"


def _not_counted(logged: Logged, currency: str) -> str:
    """Return which increment is not on the meters, and why; empty if it is."""
    if not logged.not_counted or not isinstance(logged.entry, Increment):
        return ""
    message = logged.entry.message
    where = f"{message.table} {message.shoe}/{message.coup}"
    return f"{where} {written(message.amount, currency)} not counted: {logged.not_counted}"


def _what(entry: Entry, currency: str) -> str:
    """Return what an entry did."""
    match entry:
        case Increment(message=message):
            verb = "reversed" if message.reverses else "contributed"
            return f"{message.table} {message.shoe}/{message.coup} {verb} {written(message.amount, currency)}"
        case Recorded(message=message):
            return f"{message.table} {message.shoe}/{message.coup} {message.outcome}, recorded by {message.by}"
        case Opened() | Changed():
            return f"parameters {entry.parameters.digest}, version {entry.parameters.version}"
        case Confirmed():
            notified = f"; notified: {entry.notified}" if entry.notified else ""
            return f"win {entry.win} by {_who(entry)}, {entry.role}{notified}"
        case Invalid():
            return f"win {entry.win} by {_who(entry)}, {entry.role}: {entry.reason}"
        case Adjusted():
            return f"{written(entry.amount, currency)} by {_both(entry)}, {entry.role}: {entry.reason}"
        case Withdrawn() | Restored():
            return f"{entry.table}{f' by {_who(entry)}, {entry.role}' if entry.by else ''}{_reason(entry)}"
        case Proposed():
            return f"{entry.table} {entry.shoe}/{entry.coup}: {entry.reason}"
        case MadeGood():
            return f"{entry.missed} by {_who(entry)}, {entry.role}{_reason(entry)}"
        case Accepted():
            return f"the log as it is, without entry {entry.entry}, by {entry.by}, {entry.role}{_reason(entry)}"
        case Ordered():
            place = f"before {entry.before}" if entry.before else "last"
            return f"win {entry.win} {place}, by {_who(entry)}, {entry.role}: {entry.reason}"
        case Settled():
            return f"difference of win {entry.win} by {_who(entry)}, {entry.role}: {entry.reason}"
        case Drawn():
            return f"draw {entry.id} chose {msgspec.json.encode(entry.draw.chosen).decode()}"


def _who(entry: Confirmed | Invalid | Withdrawn | Restored | MadeGood | Ordered | Settled) -> str:
    """Return the name, and the id of a person who has logged in."""
    return f"{entry.by} ({entry.person})" if entry.person else entry.by


def _both(entry: Adjusted) -> str:
    ids = entry.people or ("",) * len(entry.by)
    return " and ".join(f"{name} ({own})" if own else name for name, own in zip(entry.by, ids, strict=False))


def _reason(entry: Any) -> str:
    return f": {entry.reason}" if getattr(entry, "reason", "") else ""
