"""Ledger entries as a supervisor reads them: when, where, what."""

from typing import Any

import msgspec
from sabot_gateway.ledger import Stored
from sabot_gateway.shoe import parse
from sabot_protocol.codec import CodecError

_LONGEST = 160
Said = dict[str, Any]


def said(entry: Stored) -> Said:
    """The message of an entry; nothing where there is none that can be read."""
    try:
        message = msgspec.json.decode(entry.payload)
    except msgspec.MsgspecError:
        return {}
    return message if isinstance(message, dict) else {}


def line(entry: Stored) -> str:
    """One entry."""
    message = said(entry)
    place = f"shoe {message['shoe']} coup {message['coup']}" if "shoe" in message and "coup" in message else ""
    when = (entry.time or str(message.get("time", ""))).replace("T", " ").removesuffix("Z")
    return f"{entry.seq:>7}  {when:<23}  {entry.table}  {place:<16}  {_what(entry, message)}".rstrip()


def _what(entry: Stored, message: Said) -> str:
    words = _WORDS.get(entry.topic)
    try:
        return words(message) if words and message else _other(entry)
    except (KeyError, TypeError):
        return _other(entry)


def _coup(message: Said) -> str:
    winner = f"{message['winner'].capitalize()} " if message["winner"] else ""
    points = f"{message['player_points']}:{message['banker_points']}"
    hands = f"Player {' '.join(message['player'])}, Banker {' '.join(message['banker'])}"
    return f"{winner}{points} ({hands}), {message['kind'].replace('_', ' ')}, {message['status']}{_by(message)}"


def _by(message: Said) -> str:
    by = f" by {message['by']}" if message.get("by") else ""
    return by + (f" under {message['clause']}" if message.get("clause") else "")


def _alarm(message: Said) -> str:
    return f"alarm {message['name']} {message.get('state', 'raised')}{_by(message)}: {message['say']}"


def _shoe(message: Said) -> str:
    return f"shoe {message['shoe']} opened, {message['decks']} decks" if message["state"] == "open" else "shoe closed"


def _card(message: Said) -> str:
    notes = f" ({', '.join(message['notes'])})" if message.get("notes") else ""
    return f"{message['slot'].replace('_', ' ')} {message['card']}{notes}"


def _health(message: Said) -> str:
    return f"sensor {message['sensor']}: {message['reads']} reads, mean margin {message['margin_mean']:.0%}"


_WORDS = {"coup": _coup, "confirmed": _coup, "alarm": _alarm, "shoe": _shoe, "cards": _card, "health": _health}


def _other(entry: Stored) -> str:
    """An event that is not published, by its name; anything else as it stands."""
    if entry.payload:
        return f"{entry.topic} {entry.payload[:_LONGEST].decode(errors='replace')}"
    try:
        return parse.event(entry.unit, parse.frame(entry.frame)).kind.replace("_", " ")
    except (CodecError, KeyError):
        return f"event {entry.event_no}"
