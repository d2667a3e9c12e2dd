"""Ledger entries as a supervisor reads them: number, time, table, coup, and what happened."""

from typing import Any

import msgspec
from sabot_gateway.angel_eye import events
from sabot_gateway.angel_eye.commands import LOCAL
from sabot_gateway.ledger import Stored
from sabot_gateway.shoe import parse
from sabot_protocol.angel_eye.messages import Message as AngelEyeMessage
from sabot_protocol.angel_eye.messages import report, stored
from sabot_protocol.codec import CodecError
from sabot_protocol.jackpots.currency import written
from sabot_protocol.topics import JACKPOT

_MOST_RAW = 1000  # characters of a message that has no words of its own
_NAMES = {"comm_start": "communication start", "ack": "ACK", "nak": "NAK"}
Message = dict[str, Any]


def message_of(entry: Stored) -> Message:
    """Return the message of an entry; empty if it has none that can be decoded."""
    try:
        message = msgspec.json.decode(entry.payload)
    except (msgspec.MsgspecError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def is_of(entry: Stored, shoe: int | None, coup: int | None) -> bool:
    """Return True if an entry's message is of this shoe and coup; None is any."""
    if shoe is None and coup is None:
        return True
    message = message_of(entry)
    return shoe in (None, message.get("shoe")) and coup in (None, message.get("coup"))


def line(entry: Stored) -> str:
    """Return one entry as one line."""
    message = message_of(entry)
    place = f"shoe {message['shoe']} coup {message['coup']}" if "shoe" in message and "coup" in message else ""
    when = (entry.time or str(message.get("time", ""))).replace("T", " ").removesuffix("Z")
    return f"{entry.seq:>7}  {when:<23}  {entry.table}  {place:<16}  {_words(entry, message)}".rstrip()


def _words(entry: Stored, message: Message) -> str:
    words = _WORDS.get(entry.topic)
    if entry.topic.startswith(JACKPOT):
        words = _recorded if entry.topic.endswith("/recorded") else _increment
    try:
        return words(message) if words and message else _raw(entry)
    except (KeyError, TypeError, AttributeError):
        return _raw(entry)


def _coup(message: Message) -> str:
    winner = f"{message['winner'].capitalize()} " if message["winner"] else ""
    points = f"{message['player_points']}:{message['banker_points']}"
    hands = ", ".join(f"{side.capitalize()} {' '.join(message[side]) or 'none'}" for side in ("player", "banker"))
    if message["kind"] == "void":
        status = "" if message["status"] == "verified" else f", {message['status']}"
        return f"void ({hands}){status}{_by(message)}"
    return f"{winner}{points} ({hands}), {message['kind'].replace('_', ' ')}, {message['status']}{_by(message)}"


def _by(message: Message) -> str:
    by = f" by {message['by']}" if message.get("by") else ""
    return by + (f" under {message['clause']}" if message.get("clause") else "")


def _alarm(message: Message) -> str:
    return f"alarm {message['name']} {message.get('state', 'raised')}{_by(message)}: {message['say']}"


def _incident(message: Message) -> str:
    waiting = [step["name"] for step in message.get("steps", []) if not step.get("done")]
    left = f"open steps {', '.join(waiting)}" if waiting else "every step is done"
    return f"incident {message['kind']} {message['state']}{_by(message)}: {message['say']} {left.capitalize()}."


def _shoe(message: Message) -> str:
    return f"shoe {message['shoe']} opened, {message['decks']} decks" if message["state"] == "open" else "shoe closed"


def _card(message: Message) -> str:
    notes = f" ({', '.join(message['notes'])})" if message.get("notes") else ""
    return f"{message['slot'].replace('_', ' ')} {message['card']}{notes}"


def _health(message: Message) -> str:
    return f"sensor {message['sensor']}: {message['reads']} reads, mean margin {message['margin_mean']:.0%}"


def _attempt(message: Message) -> str:
    given = {name: value for name, value in message["args"].items() if value not in (None, {}, "")}
    args = f" ({', '.join(f'{name} {_value(value)}' for name, value in given.items())})" if given else ""
    return f"request {message['verb']}{args}{_by(message)}, {_origin(message)} [{message['id']}]"


def _origin(message: Message) -> str:
    """Return from where a request came; one of an earlier release was local."""
    command = message.get("command")
    if not command:
        role = f"role {message['role']}, " if message.get("role") else ""
        asked = f"asked by {message['asks']}, " if message.get("asks") else ""
        return f"{role}{asked}account {message['user']}, local"
    asked = f", asked by {command['asks']}" if command["asks"] else ""
    return f"role {command['role']}{asked}, floor, command {command['id']}"


def _refused(message: Message) -> str:
    who = f" of {message['name']} ({message['role']}), {message['verb']}" if message["signed"] else ", not signed"
    more = f"; {message['left_out']} more before it" if message["left_out"] else ""
    return f"command {message['command'] or 'without id'}{who}: refused, {message['reason']}: {message['say']}{more}"


def _value(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name}={_value(one)}" for name, one in value.items())
    return str(value).lower() if isinstance(value, bool) else str(value)


def _sent(message: Message) -> str:
    command, unit = message["command"], message["unit"]
    to = "for the gateway itself" if events.is_unit(unit) and command in LOCAL else f"to shoe {unit}"
    return f"command {command} {to}, id {message['command_id']} [{message['attempt']}]"


def _outcome(message: Message) -> str:
    return f"{'carried out' if message['ok'] else 'not carried out'}: {message['say']} [{message['attempt']}]"


def _accepted(message: Message) -> str:
    lost = message["lost"]["entry"]
    return f"ledger accepted without entries {message['after'] + 1} to {lost} by {message['by']}: {message['reason']}"


def _increment(message: Message) -> str:
    what = "increment taken back" if message.get("reverses") else "increment"
    carry = f", carry {message['carry']}" if message.get("carry", "0") != "0" else ""
    trigger = f", {message['trigger'].replace('_', ' ')}" if message.get("trigger") else ""
    amount, total = (written(message[name], message["currency"]) for name in ("amount", "total"))
    return f"{what} of jackpot {message['jackpot']}: {amount}, number {message['count']}, total {total}{carry}{trigger}"


def _recorded(message: Message) -> str:
    stakes = f", stakes {_value(message['stakes'])} (minor units)" if message.get("stakes") else ""
    return f"win of jackpot {message['jackpot']} recorded: {message['outcome'].replace('_', ' ')}{stakes}{_by(message)}"


def _stakes(message: Message) -> str:
    stakes = f"{_value(message['stakes'])} (minor units)" if message["stakes"] else "none"
    return f"stakes recorded: {stakes}{_by(message)}"


_CALLED = {"called": "no more bets called", "reopened": "wagers reopened", "exposed": "a card was exposed"}


def _call(message: Message) -> str:
    return f"{_CALLED[message.get('act', 'called')]}{_by(message)}"


def _parameters(message: Message) -> str:
    version = message["parameters"]["version"]
    return f"jackpot {message['jackpot']}: parameters {message['digest']}, version {version}, are in force"


def _firmware(message: Message) -> str:
    how = "done" if message["ok"] else "not done"
    return f"push of firmware {message['version']}, image {message['image']}, {how}: {message['say']}"


_WORDS = {
    "stakes": _stakes,
    "no_more_bets": _call,
    "wagers_reopened": _call,
    "card_exposed": _call,
    "jackpot_parameters": _parameters,
    "coup": _coup,
    "confirmed": _coup,
    "alarm": _alarm,
    "incident": _incident,
    "shoe": _shoe,
    "cards": _card,
    "health": _health,
    "attempt": _attempt,
    "sent": _sent,
    "outcome": _outcome,
    "refused": _refused,
    "firmware": _firmware,
    "accepted": _accepted,
}


def _raw(entry: Stored) -> str:
    """Return the message as it is stored; for an event that is not published, its name."""
    if entry.payload:
        return f"{entry.topic} {entry.payload.decode(errors='replace')[:_MOST_RAW]}"
    try:
        if events.is_unit(entry.unit):
            return _angel_eye(stored(entry.frame))
        return parse.event(entry.unit, parse.frame(entry.frame)).kind.replace("_", " ")
    except (CodecError, KeyError):
        return f"event {entry.event_no}"


def _angel_eye(message: AngelEyeMessage) -> str:
    """Return a frame of an Angel Eye, or a fact of the gateway about it, with its values."""
    fields = {name: value for name, value in report(message).items() if name not in ("t", "name", "seq", "fact")}
    given = message.fact if isinstance(message.fact, dict) else fields
    more = f" ({', '.join(f'{name} {_value(value)}' for name, value in given.items())})" if given else ""
    frame = "" if message.t == "SYN" else "Angel Eye: "
    return f"{frame}{_NAMES.get(message.name, message.name.replace('_', ' '))}{more}"
