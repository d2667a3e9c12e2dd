"""Changes: one published entry of a ledger becomes one row of the projection, or none; pure."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, TypeVar

import msgspec
from sabot_protocol.attempts import Attempt, Outcome
from sabot_protocol.jackpots.messages import IncrementMessage
from sabot_protocol.topics import (
    JACKPOT,
    AlarmMessage,
    CardMessage,
    ConfirmedMessage,
    CoupMessage,
    HealthMessage,
    IncidentMessage,
    ShoeMessage,
)

from sabot_floor.store import rows
from sabot_floor.store.rows import AnyRow, Row

MOST_PAYLOAD = 60_000  # bytes of an entry that is read
_MOST_NAME = 200  # characters; longer ones fit no index
_MOST_NUMBER = 10**15
_LONG = frozenset({"say", "clause", "shoe_says", "cards_say", "notes", "args", "facts", "steps"})
_FLAGS = (("player_pair", "P"), ("banker_pair", "B"), ("natural", "N"), ("last_coup", "L"))
_USUAL_NOTES: tuple[list[str], ...] = ([], ["exposed"])  # where cards are dealt face up, each one is exposed
_sorted = msgspec.json.Encoder(order="sorted")
_decoder = cache(msgspec.json.Decoder)
_Read = TypeVar("_Read", bound=msgspec.Struct)


class UnreadableError(ValueError):
    """The payload of an entry is not what its topic asks for."""


def changes(gateway: str, entry: int, table: str, topic: str, payload: bytes) -> Row | None:
    """Return the row that an entry of a ledger gives, None if it gives none; UnreadableError for any other payload.

    The row depends on nothing else, so that entries can come in any order and any number of times.
    """
    make = _MAKERS.get("increment" if _is_increment(topic) else topic)
    if make is None:
        return None
    if len(payload) > MOST_PAYLOAD:
        raise UnreadableError(f"more than {MOST_PAYLOAD} bytes")
    row = make(gateway, entry, payload)
    if row is not None:
        _check(row, table)
    return row


def with_hash(row: Row | None, digest: str) -> Iterator[AnyRow]:
    """Yield the row of an entry, if it gives one, and the entry's hash if that is a coup's or a confirmation's."""
    if row is not None:
        yield row
    if digest and isinstance(row, rows.Coup | rows.Confirmed):
        yield rows.EntryHash(row.gateway, row.entry, digest)


def _is_increment(topic: str) -> bool:
    return topic.startswith(JACKPOT) and "/" not in topic.removeprefix(JACKPOT)


def _read(payload: bytes, kind: type[_Read]) -> _Read:
    try:
        message: _Read = _decoder(kind).decode(payload)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableError(str(error)) from error
    return message


def _check(row: Row, table: str) -> None:
    """Refuse what fits no column of every store, and a message of another table."""
    if row.table != table:
        raise UnreadableError(f"it names another table than {table}")
    for name, value in zip(row._fields, row, strict=True):
        if isinstance(value, str):
            if len(value) > (MOST_PAYLOAD if name in _LONG else _MOST_NAME) or "\0" in value:
                raise UnreadableError(f"{name} is too long, or has a character that no store takes")
        elif isinstance(value, int) and abs(value) > _MOST_NUMBER:
            raise UnreadableError(f"{name} is beyond {_MOST_NUMBER}")


def _common(gateway: str, entry: int, message: Any) -> dict[str, Any]:
    names = ("time", "id", "table", "unit", "shoe", "coup")
    return {"gateway": gateway, "entry": entry, **{name: getattr(message, name) for name in names}}


def _same(message: msgspec.Struct, *names: str) -> dict[str, Any]:
    return {name: getattr(message, name) for name in names}


def _coup(gateway: str, entry: int, payload: bytes) -> rows.Coup:
    message = _read(payload, CoupMessage)
    return rows.Coup(
        **_common(gateway, entry, message),
        **_same(message, "kind", "status", "player_points", "banker_points", "corrects", "by", "clause", "decided"),
        **_same(message, "attempt", "began", "rulebook"),
        winner=message.winner or "",
        player="".join(message.player),
        banker="".join(message.banker),
        flags="".join(letter for name, letter in _FLAGS if getattr(message, name)) + _words(message),
    )


def _words(message: CoupMessage) -> str:
    return "".join(f" {flag}" for flag in message.flags or ())


def _confirmed(gateway: str, entry: int, payload: bytes) -> rows.Confirmed:
    message = _read(payload, ConfirmedMessage)
    names = ("coup_id", "status", "corrects", "by", "clause", "decided", "attempt")
    return rows.Confirmed(**_common(gateway, entry, message), **_same(message, *names))


def _shoe(gateway: str, entry: int, payload: bytes) -> rows.ShoeChange:
    message = _read(payload, ShoeMessage)
    names = ("state", "decks", "card_set", "burn", "rulebook")
    return rows.ShoeChange(**_common(gateway, entry, message), **_same(message, *names))


def _card(gateway: str, entry: int, payload: bytes) -> rows.Card | rows.Dealt:
    message = _read(payload, CardMessage)
    if message.slot not in ("burn", "unused") and message.notes in _USUAL_NOTES:
        return rows.Dealt(gateway, entry, **_same(message, "time", "table", "shoe", "coup", "slot", "card"))
    notes = " ".join(message.notes)
    return rows.Card(**_common(gateway, entry, message), slot=message.slot, card=message.card, notes=notes)


def _alarm(gateway: str, entry: int, payload: bytes) -> rows.AlarmChange:
    message = _read(payload, AlarmMessage)
    names = ("alarm", "state", "name", "severity", "say", "clause", "shoe_says", "cards_say", "by")
    return rows.AlarmChange(**_common(gateway, entry, message), **_same(message, *names))


def _attempt(gateway: str, entry: int, payload: bytes) -> rows.Attempt:
    message = _read(payload, Attempt)
    command = message.command
    return rows.Attempt(
        gateway=gateway,
        entry=entry,
        **_same(message, "time", "id", "table", "verb", "by", "user", "clause", "origin"),
        role=command.role if command else message.role,
        args=_sorted.encode(message.args).decode(),
        act=command.act if command else "",
        asks=command.asks if command else message.asks,
        asks_role=command.asks_role if command else "",
        command=command.id if command else "",
    )


def _outcome(gateway: str, entry: int, payload: bytes) -> rows.Outcome:
    message = _read(payload, Outcome)
    same = _same(message, "time", "id", "table", "attempt", "say")
    return rows.Outcome(gateway=gateway, entry=entry, **same, ok=int(message.ok))


def _incident(gateway: str, entry: int, payload: bytes) -> rows.Incident:
    message = _read(payload, IncidentMessage)
    names = ("time", "table", "unit", "shoe", "coup", "kind", "state", "opened", "say", "clause", "by", "alarm")
    return rows.Incident(
        gateway=gateway,
        entry=entry,
        **_same(message, "incident", "coup_id", *names),
        facts=_sorted.encode(message.facts).decode(),
        steps=_sorted.encode(message.steps).decode(),
    )


def _increment(gateway: str, entry: int, payload: bytes) -> rows.Increment:
    message = _read(payload, IncrementMessage)
    same = _same(message, "jackpot", "table", "time", "currency", "total")
    return rows.Increment(
        gateway=gateway, entry=entry, **same, half_hour=_half_hour(message.time), counted=message.count
    )


def _health(gateway: str, entry: int, payload: bytes) -> rows.Health:
    message = _read(payload, HealthMessage)
    speeds = ("speed_mean_mm_s", "speed_least_mm_s", "speed_most_mm_s")
    return rows.Health(
        **_common(gateway, entry, message),
        **_same(message, "sensor", "reads", "rejects", "spikes", *speeds),
        margin_mean_pct=_percent(message.margin_mean),
        margin_worst_pct=_percent(message.margin_worst),
    )


def _percent(share: float) -> int:
    if not abs(share) <= 1000:
        raise UnreadableError("a margin is beyond 1000")
    return round(share * 100)


def _half_hour(time: str) -> str:
    return f"{time[:13]}:{'00' if time[14:16] < '30' else '30'}"


_MAKERS: dict[str, Callable[[str, int, bytes], Row | None]] = {
    "coup": _coup,
    "confirmed": _confirmed,
    "shoe": _shoe,
    "cards": _card,
    "alarm": _alarm,
    "attempt": _attempt,
    "outcome": _outcome,
    "incident": _incident,
    "increment": _increment,
    "health": _health,
}
